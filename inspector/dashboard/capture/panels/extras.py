"""Panel with the fields the dialect does not define, with their location and the vendor's
meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from inspector.core.analysis import Analysis
from inspector.core.completion import Json, is_index, list_or_empty
from inspector.core.json.pointer import steps_of
from inspector.core.tokens.ledger import odd_counts
from inspector.core.vendors import Vendor, vendor_named
from inspector.dashboard.capture.json.field_meaning import field_meaning
from inspector.dashboard.capture.json.unknown_fields import (
    MOST_EVENTS,
    FieldOccurrenceIndex,
    FieldOccurrences,
    Pattern,
    in_call,
    in_choice,
    in_usage,
)
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel import Panel, PanelContent
from inspector.dashboard.capture.page.why_empty import EXTRAS, why_empty
from inspector.dashboard.capture.panels import unread_reason
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.wire_values import json_text

LONG = 300
LONGEST_ADDRESS = 2_000
MOST_FIELDS = 200
"""Fields listed; the JSON tree has all of them."""
AT_ONCE = 40
HEAVY_BYTES = 1_000_000
"""With more fields than ``AT_ONCE`` or a longer body the panel is built when it comes into
view.
"""
MOST_FOLDED = 10_000
"""Characters of one value that are included, folded, in the page."""
MOST_ON_PAGE = 200_000
"""The same over all values."""


@dataclass(frozen=True, slots=True)
class ExtraFieldDisplay:
    """``pointer`` locates the field in the completion, ``place`` in the bytes."""

    pointer: str
    value: tuple[TextSegment, ...]
    rest: tuple[TextSegment, ...]
    rest_length: int
    left_out: int = 0
    """Characters of the value left out of the page."""
    meaning: str = ""
    """Meaning of the field for this vendor, if known."""
    place: FieldOccurrences | None = None
    """None if it was not found in the examined bytes."""

    @property
    def characters(self) -> int:
        return len(self.pointer) + LONG + self.rest_length

    @property
    def address(self) -> str | None:
        """URL of the field in the JSON tree; None if its name is too long for a URL."""
        pointer = self.place.pointer if self.place else ""
        return pointer if len(pointer) <= LONGEST_ADDRESS else None

    @property
    def often(self) -> str:
        """``143 events, never changes``; empty for a field with a single occurrence."""
        place = self.place
        if place is None or place.event is None or place.count < 2:
            return ""
        some = "" if place.is_all else f" of the first {MOST_EVENTS:,}"
        changes = "changes" if len(place.spellings) > 1 else "never changes"
        return f"{plural(place.count, 'event')}{some}, {changes}"


@dataclass(frozen=True, slots=True)
class ExtrasDisplay:
    fields: tuple[ExtraFieldDisplay, ...]
    total: int

    @property
    def more(self) -> int:
        return self.total - len(self.fields)


def draw(view: CaptureView) -> PanelContent:
    if view.analysis is None or unread_reason(view):
        return PanelContent(why_empty=unread_reason(view))
    total = count_extras(view.analysis)
    if not total:
        return PanelContent(why_empty=why_empty(view, EXTRAS).sentence)
    is_heavy = total > AT_ONCE or len(view.body) > HEAVY_BYTES
    if is_heavy and not view.is_looked_at("extras"):
        return PanelContent(f"{total:,}", later=f"{plural(total, 'field')} with where they stood.")
    extras = extras_display(view, view.analysis)
    return PanelContent(f"{total:,}", ExtrasDisplay(extras, total))


def count_extras(analysis: Analysis) -> int:
    """Counts unknown fields; usage entries that are not numbers belong to the usage panel."""
    levels = [analysis.extras, *(choice.extras for choice in analysis.choices)]
    levels += [call.extras for choice in analysis.choices for call in choice.tool_calls]
    return sum(map(len, levels)) + sum(1 for _ in usage_fields(analysis))


def extras_display(view: CaptureView, analysis: Analysis) -> tuple[ExtraFieldDisplay, ...]:
    """Returns the first fields, within a shared budget of characters."""
    vendor, places = vendor_named(analysis.vendor), FieldOccurrenceIndex(view)
    displays: list[ExtraFieldDisplay] = []
    room = MOST_ON_PAGE
    for level, at, name, value, patterns in islice(fields_of(analysis), MOST_FIELDS):
        place = places.of(at + name, patterns)
        displays.append(extra_field_display(level, at, name, value, vendor, place, room))
        room = max(room - displays[-1].characters, 0)
    return tuple(displays)


def fields_of(analysis: Analysis) -> Iterator[tuple[str, str, str, Json, list[Pattern]]]:
    """Yields level, its label, the field's pointer from there, its value, and its patterns in the
    body.
    """
    for name, value in analysis.extras.items():
        yield "top", "", name, value, [tuple(steps_of(name))]
    positions = positions_of(analysis)
    for number, choice in enumerate(analysis.choices):
        at = f"/choices/{positions.get(choice.index, number)}"
        for name, value in choice.extras.items():
            yield "choice", at, name, value, in_choice(name)
        for position, call in enumerate(choice.tool_calls):
            for name, value in call.extras.items():
                inside = f"{at}/message/tool_calls/{position}"
                yield "message", inside, name, value, in_call(name)
    for name, value in usage_fields(analysis):
        yield "usage", analysis.usage.pointer, name, value, [in_usage(analysis, name)]


def usage_fields(analysis: Analysis) -> Iterator[tuple[str, Json]]:
    odd = {pointer for pointer, _ in odd_counts(analysis.usage).values()}
    return ((name, it) for name, it in analysis.usage.extras.items() if name not in odd)


def positions_of(analysis: Analysis) -> dict[int, int]:
    """Position of each choice index in the completion; indexes that occur twice are left out."""
    completion = analysis.completion if isinstance(analysis.completion, dict) else {}
    found: dict[int, list[int]] = {}
    for position, each in enumerate(list_or_empty(completion.get("choices"))):
        index = each.get("index") if isinstance(each, dict) else None
        if isinstance(index, int) and is_index(index):
            found.setdefault(index, []).append(position)
    return {index: places[0] for index, places in found.items() if len(places) == 1}


def extra_field_display(
    level: str,
    at: str,
    name: str,
    value: Json,
    vendor: Vendor | None,
    place: FieldOccurrences | None,
    room: int,
) -> ExtraFieldDisplay:
    """Builds one field; ``pointer`` is relative to its level, ``room`` the remaining characters."""
    text = json_text(value)
    cut = LONG if len(text) > LONG * 1.2 else len(text)
    end = cut + min(len(text) - cut, MOST_FOLDED, room)
    return ExtraFieldDisplay(
        pointer=at + name,
        value=exact_segments(text[:cut]),
        rest=exact_segments(text[cut:end]),
        rest_length=end - cut,
        left_out=len(text) - end,
        meaning=field_meaning(vendor, level, name),
        place=place,
    )


PANEL = Panel(position=70, slug="extras", title="Extras", draw=draw)
