"""Strips above a capture's panels: the captures of its session, trace and span, in their order."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inspector.archive.listing.capture_values import CaptureFacts
from inspector.archive.listing.siblings import MAX_COUNTED, Sibling, Siblings
from inspector.dashboard.capture.exchange.correlation import captures_url
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.verdicts import GOOD_RESULTS, result_severity
from inspector.formatting.wire_values import finish_counts

SHOWN = 3
"""Captures on either side."""
VALUE_CHARACTERS = 60
"""The strip has one line; ids are shorter (a UUID has 36)."""


@dataclass(frozen=True, slots=True)
class StripCapture:
    id: UUID
    called_at: datetime
    words: str
    """Its finish reasons, else its result."""
    severity: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class SiblingStrip:
    name: str
    value: tuple[TextSegment, ...]
    position: str
    """Such as ``3 of 4``."""
    captures: tuple[StripCapture, ...]
    earlier: str
    later: str
    """How many are not shown on either side; empty if all are."""
    here: UUID
    previous: UUID | None
    following: UUID | None
    url: str


def sibling_strips(capture: CaptureFacts) -> tuple[SiblingStrip, ...]:
    """Return a strip of each kind that has another capture; a trace of the session's captures alone
    is not shown twice.
    """
    found = [strip for strip in _strips(capture) if len(strip.captures) > 1]
    shown = [tuple(each.id for each in strip.captures) for strip in found]
    return tuple(strip for at, strip in enumerate(found) if shown[at] not in shown[:at])


def _strips(capture: CaptureFacts) -> Iterator[SiblingStrip]:
    for name, value, siblings in (
        ("session", capture.session, capture.session_siblings),
        ("trace", capture.trace, capture.trace_siblings),
        # The same call, recorded and told.
        ("span", capture.span, capture.span_siblings),
    ):
        if value is not None and siblings is not None:
            yield _strip(capture, name, value, siblings)


def _strip(capture: CaptureFacts, name: str, value: str, siblings: Siblings) -> SiblingStrip:
    row = capture.row
    here = Sibling(row.id, row.called_at, row.finish_reasons, row.result or "", row.model)
    before, after = siblings.before[-SHOWN:], siblings.after[:SHOWN]
    rest = "…" if len(value) > VALUE_CHARACTERS else ""
    return SiblingStrip(
        name=name,
        value=exact_segments(value[:VALUE_CHARACTERS] + rest),
        position=_position(siblings),
        captures=tuple(_capture(each, row.id) for each in (*before, here, *after)),
        earlier=_number(len(siblings.before) - len(before), "earlier"),
        later=_number(len(siblings.after) - len(after), "later"),
        here=row.id,
        previous=before[-1].id if before else None,
        following=after[0].id if after else None,
        url=captures_url(capture.team_slug, name, value),
    )


def _capture(sibling: Sibling, here: UUID) -> StripCapture:
    reasons = finish_counts(sibling.finish_reasons)
    return StripCapture(
        id=sibling.id,
        called_at=sibling.called_at,
        words=", ".join(words for _, words in reasons[:2]) or sibling.result,
        severity="" if sibling.result in GOOD_RESULTS else result_severity(sibling.result),
        is_here=sibling.id == here,
    )


def _position(siblings: Siblings) -> str:
    if siblings.position is None:
        return f"more than {MAX_COUNTED} before it"
    total = siblings.total
    return f"{siblings.position} of {'many' if total is None else f'{total:,}'}"


def _number(left_out: int, word: str) -> str:
    if left_out <= 0:
        return ""
    is_counted = left_out <= MAX_COUNTED - SHOWN
    return f"{left_out} {word}" if is_counted else f"{MAX_COUNTED - SHOWN}+ {word}"
