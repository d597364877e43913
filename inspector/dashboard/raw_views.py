"""The other ways to look at the bytes: as hexadecimal, as a JSON tree, and beside their request."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.core.exchange import Request
from inspector.core.findings import Severity
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.hex_dump import HexRow, HexWindow, around, window_at
from inspector.dashboard.json_search import Matches, matches_in
from inspector.dashboard.json_source import source_of, with_data
from inspector.dashboard.json_tree import Tree, tree_of
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.removal import in_passing
from inspector.dashboard.resending import BODY_FILE, Resending, envelope_example, resending

SHOWN_BODY = 16_000


@dataclass(frozen=True, slots=True)
class Beside:
    """A few bytes around one place, with what the place is."""

    title: str
    byte: int
    event: int | None
    rows: tuple[HexRow, ...]


@dataclass(frozen=True, slots=True)
class TreeView:
    """``event`` is None for a body that is one JSON text; ``why_none`` stands for a tree."""

    tree: Tree | None
    why_none: str
    event: int | None
    before: int | None
    after: int | None
    """The nearest events that hold data."""
    sought: str
    matches: Matches | None


@dataclass(frozen=True, slots=True)
class RequestView:
    """``request`` is None where it is not known."""

    request: Request | None
    body: tuple[Segment, ...]
    body_length: int
    left_out: int
    """Characters of the body that are not shown."""
    commands: Resending | None
    body_file: str
    envelope: str
    removed: str
    """What stood around the bodies and was removed, in a sentence."""
    is_overwritten: bool
    """Its body is not as it was sent."""


def hex_of(view: CaptureView) -> HexWindow:
    return window_at(view.body, view.asked.get("byte", ""), view.asked.get("until", ""))


# -- beside the text ------------------------------------------------------------------------------


def beside_text(view: CaptureView) -> Beside:
    """The byte that breaks, where an error points at one; else the first bytes."""
    for finding in view.findings:
        byte = finding.where.byte_start
        if finding.severity is Severity.ERROR and byte and byte < len(view.body):
            return beside(view, byte, "Where it breaks", "break")
    return Beside("The first bytes", 0, None, around(view.body, 0, ""))


def beside(view: CaptureView, byte: int, title: str = "", kind: str = "lit") -> Beside:
    byte = max(0, min(byte, len(view.body) - 1))
    event = view.provenance.event_at(byte) if view.provenance else None
    return Beside(title or f"Around byte {byte:,}", byte, event, around(view.body, byte, kind))


# -- tree -----------------------------------------------------------------------------------------


def tree_view(view: CaptureView) -> TreeView:
    source = source_of(view, view.number("event"))
    sought = view.asked.get("find", "")
    event = source.event if source else None
    return TreeView(
        tree=tree_of(source, view.asked.get("at", "")) if source and source.is_json else None,
        why_none=why_no_tree(event, is_event=source is not None),
        event=event,
        before=None if event is None else next(with_data(view, event, -1), None),
        after=None if event is None else next(with_data(view, event), None),
        sought=sought,
        matches=matches_in(view, sought) if sought.strip() else None,
    )


def why_no_tree(event: int | None, *, is_event: bool) -> str:
    if not is_event:
        return "This stream has no event with that number, or none has data."
    if event is None:
        return "The body is not JSON: it begins neither with an object nor with a list."
    return f"Event #{event} has no object or list."


# -- request --------------------------------------------------------------------------------------


def request_view(view: CaptureView) -> RequestView:
    body = (view.request.body if view.request else None) or b""
    text = body[: SHOWN_BODY * 4].decode("utf-8", "surrogateescape")
    left_out = len(body.decode("utf-8", "surrogateescape")) - SHOWN_BODY
    return RequestView(
        request=view.request,
        body=exact(text[:SHOWN_BODY]),
        body_length=len(body),
        left_out=max(0, left_out),
        commands=resending(view.request) if view.request else None,
        body_file=BODY_FILE,
        envelope=envelope_example(),
        removed=in_passing(view.page.removal),
        is_overwritten=bool(view.page.removal and view.page.removal.request_body),
    )
