"""The other views of the raw panel: hex dump, JSON tree, and the request."""

from dataclasses import dataclass

from inspector.core.findings import Severity
from inspector.core.wire.exchange import Request
from inspector.dashboard.capture.json.json_search import JsonMatches, find_in_json
from inspector.dashboard.capture.json.json_source import event_with_data, json_source_of
from inspector.dashboard.capture.json.json_tree import JsonTree, json_tree_of
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.raw.hex_dump import HexRow, HexWindow, window_around, window_at
from inspector.dashboard.capture.raw.resend_commands import (
    BODY_FILE,
    ResendCommands,
    build_resend_commands,
    envelope_example,
)
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.removal import removed_from_headers

SHOWN_BODY = 16_000
"""`left_out` counts the rest; the prompt's panel has the messages."""


@dataclass(frozen=True, slots=True)
class NearbyBytes:
    """A few bytes around one offset, with a label for it."""

    title: str
    byte: int
    event: int | None
    rows: tuple[HexRow, ...]


@dataclass(frozen=True, slots=True)
class JsonTreeDisplay:
    """``event`` is None for a body that is one JSON text; ``why_none`` replaces the tree."""

    tree: JsonTree | None
    why_none: str
    event: int | None
    before: int | None
    after: int | None
    """The adjacent events that contain data."""
    matches: JsonMatches | None


@dataclass(frozen=True, slots=True)
class RequestDisplay:
    """``request`` is None if unknown."""

    request: Request | None
    body: tuple[TextSegment, ...]
    body_length: int
    left_out: int
    """Characters of the request body left out."""
    commands: ResendCommands | None
    body_file: str
    envelope: str
    removed: str
    """Sentence about credentials removed from headers and URL."""
    is_overwritten: bool
    """True if credentials in its body were overwritten."""


def hex_display(view: CaptureView) -> HexWindow:
    return window_at(
        view.body, view.query_params.get("byte", ""), view.query_params.get("until", "")
    )


# -- beside the text ------------------------------------------------------------------------------


def bytes_beside_text(view: CaptureView) -> NearbyBytes:
    """Bytes around the first error location, else the first bytes."""
    for finding in view.findings:
        byte = finding.where.byte_start
        if finding.severity is Severity.ERROR and byte and byte < len(view.body):
            return nearby_bytes(view, byte, "Where it breaks", "break")
    return NearbyBytes("The first bytes", 0, None, window_around(view.body, 0, ""))


def nearby_bytes(view: CaptureView, byte: int, title: str = "", kind: str = "lit") -> NearbyBytes:
    byte = max(0, min(byte, len(view.body) - 1))
    event = view.provenance.event_at(byte) if view.provenance else None
    return NearbyBytes(
        title or f"Around byte {byte:,}", byte, event, window_around(view.body, byte, kind)
    )


# -- tree -----------------------------------------------------------------------------------------


def tree_display(view: CaptureView) -> JsonTreeDisplay:
    source = json_source_of(view, view.number("event"))
    search_text = view.query_params.get("find", "")
    event = source.event if source else None
    return JsonTreeDisplay(
        tree=json_tree_of(source, view.query_params.get("at", ""))
        if source and source.is_json
        else None,
        why_none=why_no_tree(event, is_event=source is not None),
        event=event,
        before=None if event is None else next(event_with_data(view, event, -1), None),
        after=None if event is None else next(event_with_data(view, event), None),
        matches=find_in_json(view, search_text) if search_text.strip() else None,
    )


def why_no_tree(event: int | None, *, is_event: bool) -> str:
    if not is_event:
        return "This stream has no event with that number, or none has data."
    if event is None:
        return "The body is not JSON: it begins neither with an object nor with a list."
    return f"Event #{event} has no object or list."


# -- request --------------------------------------------------------------------------------------


def request_display(view: CaptureView) -> RequestDisplay:
    body = (view.request.body if view.request else None) or b""
    text = body[: SHOWN_BODY * 4].decode("utf-8", "surrogateescape")
    left_out = len(body.decode("utf-8", "surrogateescape")) - SHOWN_BODY
    return RequestDisplay(
        request=view.request,
        body=exact_segments(text[:SHOWN_BODY]),
        body_length=len(body),
        left_out=max(0, left_out),
        commands=build_resend_commands(view.request) if view.request else None,
        body_file=BODY_FILE,
        envelope=envelope_example(),
        removed=removed_from_headers(view.facts.removal),
        is_overwritten=bool(view.facts.removal and view.facts.removal.request_body),
    )
