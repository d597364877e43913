"""Panel with the raw bytes as lines, each with its event and arrival time; runs are folded."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from inspector.core.findings import Severity
from inspector.core.tape import EventKind
from inspector.dashboard.capture.json.unknown_fields import UnknownFieldSpans
from inspector.dashboard.capture.page.body_lines import BodyLine, BodyLines
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel_body import Panel, PanelBody
from inspector.dashboard.capture.page.why_empty import BODY, NOT_ONE_BYTE, not_empty, why_empty
from inspector.dashboard.capture.raw.hex_dump import HexWindow
from inspector.dashboard.capture.raw.line_folding import LineFragment, line_fragments
from inspector.dashboard.capture.raw.raw_modes import (
    JsonTreeDisplay,
    NearbyBytes,
    RequestDisplay,
    bytes_beside_text,
    hex_display,
    request_display,
    tree_display,
)
from inspector.formatting.humanize import size

HEAD = 5
TAIL = 5
SHORT = 20
"""Bodies with at most this many lines are shown unfolded."""
LINES_OF_NO_TEXT = 2
"""Of bytes that are no text, which the hex view shows."""
LOOKED_AT = 1_000
AROUND = 3
"""A finding is often about the event before or behind; between two stands an empty line."""
MAX_PLACES = 40
"""A finding in each event would unfold them all; the panel of findings leads to each."""
MAX_LINES = 200
"""Lines of one answer; the next ones are fetched when a fold is opened."""
MAX_LINES_BYTES = 128_000
"""A line may be the whole body."""

MODES = (
    ("", "Text"),
    ("all", "All bytes"),
    ("hex", "Hex"),
    ("tree", "JSON tree"),
    ("request", "Request"),
)
TEMPLATES = {"": "text", "all": "text", "hex": "hex", "tree": "tree", "request": "request"}
LINES_BEFORE, LINES_BEHIND = 6, 40
"""The line that was asked for stands near the top, not on it."""
NEAR_BYTES = 16_000
"""Lines of a megabyte before it would push it out of the window."""


@dataclass(frozen=True, slots=True)
class RawLineDisplay:
    line: BodyLine
    position: int
    """Index in the list of all lines."""
    event: int | None
    anchor: bool
    """True for the first line of an event: links to the event lead here."""
    kind: str
    at_us: int | None
    severity: str
    bits: tuple[LineFragment, ...]

    @property
    def is_clipped(self) -> bool:
        """True if some of its bytes are folded."""
        return any(bit.kind in ("fold", "middle", "omitted") for bit in self.bits)

    # As texts: a template makes one of each number as the reader's language has it, each time.

    @property
    def bytes(self) -> str:
        return f"{self.line.start}-{self.line.end}"

    @property
    def number(self) -> str:
        """Return the number of the event; empty if it belongs to none."""
        return "" if self.event is None else str(self.event)


@dataclass(frozen=True, slots=True)
class FoldedLines:
    """A run of lines folded into one row, by their indexes."""

    start: int
    end: int
    byte_start: int
    byte_end: int
    first_event: int | None
    last_event: int | None
    bits: None = None

    @property
    def lines(self) -> int:
        return self.end - self.start

    @property
    def byte_length(self) -> int:
        return self.byte_end - self.byte_start


@dataclass(frozen=True, slots=True)
class TextDisplay:
    rows: tuple[RawLineDisplay | FoldedLines, ...]
    has_events: bool
    has_times: bool
    folded: bool
    has_unknown: bool
    """True if it contains a field the dialect does not define."""
    beside: NearbyBytes


@dataclass(frozen=True, slots=True)
class RawDisplay:
    """``mode`` is one of ``MODES``; ``shown`` is the context of that mode's template."""

    mode: str
    display: TextDisplay | HexWindow | JsonTreeDisplay | RequestDisplay
    byte_length: int
    modes: tuple[tuple[str, str], ...] = MODES
    """Value and word of each that can be chosen."""

    @property
    def template(self) -> str:
        return f"dashboard/capture/panels/raw_{TEMPLATES[self.mode]}.html"


def draw(view: CaptureView) -> PanelBody:
    if not view.body:
        why = why_empty(view, BODY) if view.analysis else not_empty(NOT_ONE_BYTE)
        return PanelBody("0 B", why_empty=why.sentence)
    return PanelBody(size(len(view.body)), raw_display(view))


def raw_display(view: CaptureView) -> RawDisplay:
    modes = tuple(one for one in MODES if one[0] != "request" or not view.is_prompt_withheld)
    mode_param = view.query_params.get("raw", "")
    mode = mode_param if mode_param in dict(modes) else ""
    return RawDisplay(mode, VIEW_BY_MODE[TEMPLATES[mode]](view), len(view.body), modes)


def text_display(view: CaptureView) -> TextDisplay:
    positions = range(len(view.lines.all)) if view.all_bytes else visible_lines(view)
    rows = line_rows(view, positions, 0, len(view.lines.all))
    folded = any(isinstance(row, FoldedLines) for row in rows) or any(
        bit.kind == "fold" for row in rows if isinstance(row, RawLineDisplay) for bit in row.bits
    )
    has_unknown = any(
        bit.is_unknown for row in rows if isinstance(row, RawLineDisplay) for bit in row.bits
    )
    return TextDisplay(
        rows, has_events(view), has_times(view), folded, has_unknown, bytes_beside_text(view)
    )


def has_events(view: CaptureView) -> bool:
    return view.provenance is not None


def has_times(view: CaptureView) -> bool:
    return view.provenance is not None and bool(view.provenance.tape.reads.at_us)


def visible_lines(view: CaptureView) -> list[int]:
    """Return the positions of the lines shown: the first, the last, and those with findings."""
    total = len(view.lines.all)
    if not is_text(view.body):
        return list(range(min(total, LINES_OF_NO_TEXT)))
    if total <= SHORT:
        return list(range(total))
    positions = set(range(HEAD)) | set(range(total - TAIL, total))
    for byte in finding_bytes(view)[:MAX_PLACES]:
        at = view.lines.position_of(byte)
        positions |= set(range(max(0, at - AROUND), min(total, at + AROUND + 1)))
    return sorted(positions)


def is_text(body: bytes) -> bool:
    """Return False if more than a twentieth of its beginning is no UTF-8."""
    head = body[:LOOKED_AT]
    return head.decode("utf-8", "replace").count("\ufffd") * 20 <= len(head)


def finding_bytes(view: CaptureView) -> list[int]:
    """First byte of the location of every warning and error."""
    found = (byte_of_location(view, finding.where.byte_start, finding.where.event)
             for finding in view.findings if finding.severity is not Severity.INFO)  # fmt: skip
    return [byte for byte in found if byte is not None]


def byte_of_location(view: CaptureView, byte_start: int | None, event: int | None) -> int | None:
    if byte_start is not None:
        return byte_start
    if event is None or view.tape is None or event >= len(view.tape.events.byte_start):
        return None
    return view.tape.events.byte_start[event]


def line_rows(
    view: CaptureView,
    positions: Iterable[int],
    start: int,
    end: int,
    marked_byte: int | None = None,
) -> tuple[RawLineDisplay | FoldedLines, ...]:
    """Build the visible lines and the folded runs between them, up to the page's limit.

    ``asked`` is a byte to highlight; its line is never folded.
    """
    severities, breaks = severity_by_line(view), breaking_bytes(view)
    unknown = UnknownFieldSpans(view)
    rows: list[RawLineDisplay | FoldedLines] = []
    at, bytes_so_far = start, 0
    for position in positions:
        line = view.lines.all[position]
        if len(rows) >= MAX_LINES or bytes_so_far > MAX_LINES_BYTES:
            break
        if position > at:
            rows.append(folded_lines(view, at, position))
        marks = LineMarks(
            severities.get(position, ""), breaking_in(breaks, line), unknown, marked_byte
        )
        rows.append(raw_line(view, line, marks, position))
        bytes_so_far += line.length
        at = position + 1
    if at < end:
        rows.append(folded_lines(view, at, end))
    return tuple(rows)


def lines_around(lines: BodyLines, byte: int, start: int, end: int) -> range:
    """Lines from ``start`` to ``end`` around the one that contains the byte.

    Only a few short ones precede it, so that it is itself visible.
    """
    at = min(max(start, lines.position_of(byte)), max(start, end - 1))
    first = at
    while first > max(start, at - LINES_BEFORE):
        if lines.all[at].start - lines.all[first - 1].start > NEAR_BYTES:
            break
        first -= 1
    return range(first, min(end, at + LINES_BEHIND))


def folded_lines(view: CaptureView, start: int, end: int) -> FoldedLines:
    first, last = view.lines.all[start], view.lines.all[end - 1]
    return FoldedLines(
        start, end, first.start, last.end, event_at(view, first.start), event_at(view, last.start)
    )


def event_at(view: CaptureView, byte: int) -> int | None:
    return view.provenance.event_at(byte) if view.provenance else None


@dataclass(frozen=True, slots=True)
class LineMarks:
    """Highlights of one line."""

    severity: str
    breaking: int | None
    unknown: UnknownFieldSpans
    marked_byte: int | None


def raw_line(view: CaptureView, line: BodyLine, marks: LineMarks, position: int) -> RawLineDisplay:
    event = event_at(view, line.start)
    provenance, tape = view.provenance, view.tape
    kind, at_us, anchor = "", None, False
    if event is not None and provenance is not None and tape is not None:
        kind = str(EventKind(tape.events.kind[event]))
        at_us = provenance.at_us(event)
        anchor = starts_event(view, line, event)
    fields = marks.unknown.within(line.start, line.end, event)
    bits = line_fragments(view, line, marks.breaking, fields, marks.marked_byte)
    return RawLineDisplay(line, position, event, anchor, kind, at_us, marks.severity, bits)


def breaking_bytes(view: CaptureView) -> list[int]:
    """Byte offsets that errors point at, ascending."""
    errors = (each.where.byte_start for each in view.findings if each.severity is Severity.ERROR)
    return sorted(byte for byte in errors if byte is not None)


def breaking_in(breaks: list[int], line: BodyLine) -> int | None:
    """Return the first of them inside a line; an error at the line's start concerns all of it."""
    at = bisect_right(breaks, line.start)
    return breaks[at] if at < len(breaks) and breaks[at] < line.end else None


def starts_event(view: CaptureView, line: BodyLine, event: int) -> bool:
    """Return True for the first line of an event that is not empty."""
    assert view.tape is not None
    first = view.tape.events.byte_start[event]
    return not view.body[first : line.start].strip(b"\r\n\xef\xbb\xbf")


def severity_by_line(view: CaptureView) -> dict[int, str]:
    """Severity of each line that has an error or warning; an error takes precedence."""
    marked: dict[int, str] = {}
    for finding in view.findings:
        byte = byte_of_location(view, finding.where.byte_start, finding.where.event)
        if byte is None or finding.severity is Severity.INFO or not view.lines.all:
            continue
        at = view.lines.position_of(byte)
        if marked.get(at) != Severity.ERROR:
            marked[at] = str(finding.severity)
    return marked


VIEW_BY_MODE: dict[
    str, Callable[[CaptureView], TextDisplay | HexWindow | JsonTreeDisplay | RequestDisplay]
] = {"text": text_display, "hex": hex_display, "tree": tree_display, "request": request_display}

PANEL = Panel(position=60, slug="raw", title="Raw", draw=draw)
