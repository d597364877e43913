"""The bytes as they came: lines with their place, event and arrival, runs of them folded."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from inspector.core.findings import Severity
from inspector.core.tape import EventKind
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.folding import Bit, bits_of
from inspector.dashboard.hex_dump import HexWindow
from inspector.dashboard.lines import Line, Lines
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.raw_views import (
    Beside,
    RequestView,
    TreeView,
    beside_text,
    hex_of,
    request_view,
    tree_view,
)
from inspector.dashboard.templatetags.formats import size
from inspector.dashboard.unknown_fields import Underlines
from inspector.dashboard.why_empty import BODY, NOT_ONE_BYTE, nothing, why_empty

HEAD = 16
TAIL = 8
SHORT = 48
"""So many lines need no folding."""
AROUND = 1
MAX_PLACES = 40
MAX_LINES = 200
MAX_LINES_BYTES = 128_000

MODES = (
    ("", "Text"),
    ("all", "All bytes"),
    ("hex", "Hex"),
    ("tree", "JSON tree"),
    ("request", "Request"),
)
TEMPLATES = {"": "text", "all": "text", "hex": "hex", "tree": "tree", "request": "request"}
LINES_BEFORE, LINES_BEHIND = 6, 40
NEAR_BYTES = 16_000


@dataclass(frozen=True, slots=True)
class RawLine:
    line: Line
    position: int
    """In the list of all lines."""
    event: int | None
    anchor: bool
    """The first line of its event: links to the event land here."""
    kind: str
    at_us: int | None
    severity: str
    bits: tuple[Bit, ...]

    @property
    def is_clipped(self) -> bool:
        """Some of its bytes are folded away."""
        return any(bit.kind in ("fold", "middle", "omitted") for bit in self.bits)


@dataclass(frozen=True, slots=True)
class Run:
    """Lines that are folded into one row, by their places in the list of all lines."""

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
class TextView:
    rows: tuple[RawLine | Run, ...]
    has_events: bool
    has_times: bool
    folded: bool
    has_unknown: bool
    """A field that the dialect does not define is underlined."""
    beside: Beside


@dataclass(frozen=True, slots=True)
class Raw:
    """``mode`` is one of ``MODES``; ``shown`` is what its template is drawn from."""

    mode: str
    shown: TextView | HexWindow | TreeView | RequestView
    byte_length: int

    @property
    def modes(self) -> tuple[tuple[str, str], ...]:
        return MODES

    @property
    def template(self) -> str:
        return f"dashboard/panels/raw_{TEMPLATES[self.mode]}.html"


def draw(view: CaptureView) -> Drawn:
    if not view.body:
        why = why_empty(view, BODY) if view.analysis else nothing(NOT_ONE_BYTE)
        return Drawn("0 B", why_empty=why.sentence)
    return Drawn(size(len(view.body)), raw_of(view))


def raw_of(view: CaptureView) -> Raw:
    asked = view.asked.get("raw", "")
    mode = asked if asked in TEMPLATES else ""
    return Raw(mode, SHOWN[TEMPLATES[mode]](view), len(view.body))


def text_of(view: CaptureView) -> TextView:
    shown = range(len(view.lines.all)) if view.all_bytes else visible(view)
    rows = rows_of(view, shown, 0, len(view.lines.all))
    folded = any(isinstance(row, Run) for row in rows) or any(
        bit.kind == "fold" for row in rows if isinstance(row, RawLine) for bit in row.bits
    )
    has_unknown = any(
        bit.is_unknown for row in rows if isinstance(row, RawLine) for bit in row.bits
    )
    return TextView(rows, has_events(view), has_times(view), folded, has_unknown, beside_text(view))


def has_events(view: CaptureView) -> bool:
    return view.provenance is not None


def has_times(view: CaptureView) -> bool:
    return view.provenance is not None and bool(view.provenance.tape.reads.at_us)


def visible(view: CaptureView) -> list[int]:
    """Which lines are shown: the first, the last, and those that findings point at."""
    total = len(view.lines.all)
    if total <= SHORT:
        return list(range(total))
    shown = set(range(HEAD)) | set(range(total - TAIL, total))
    for byte in places(view)[:MAX_PLACES]:
        at = view.lines.position_of(byte)
        shown |= set(range(max(0, at - AROUND), min(total, at + AROUND + 1)))
    return sorted(shown)


def places(view: CaptureView) -> list[int]:
    """The first byte of everything that a finding points at."""
    found = (place(view, finding.where.byte_start, finding.where.event)
             for finding in view.findings)  # fmt: skip
    return [byte for byte in found if byte is not None]


def place(view: CaptureView, byte_start: int | None, event: int | None) -> int | None:
    if byte_start is not None:
        return byte_start
    if event is None or view.tape is None or event >= len(view.tape.events.byte_start):
        return None
    return view.tape.events.byte_start[event]


def rows_of(
    view: CaptureView, shown: Iterable[int], start: int, end: int, asked: int | None = None
) -> tuple[RawLine | Run, ...]:
    """The shown lines with the runs between them; no more than a page can hold.

    ``asked`` is a byte that is marked and not folded away.
    """
    severities, breaks = severity_by_line(view), breaking_bytes(view)
    unknown = Underlines(view)
    rows: list[RawLine | Run] = []
    at, taken = start, 0
    for position in shown:
        line = view.lines.all[position]
        if len(rows) >= MAX_LINES or taken > MAX_LINES_BYTES:
            break
        if position > at:
            rows.append(run_of(view, at, position))
        marks = Marks(severities.get(position, ""), breaking_in(breaks, line), unknown, asked)
        rows.append(raw_line(view, line, marks, position))
        taken += line.length
        at = position + 1
    if at < end:
        rows.append(run_of(view, at, end))
    return tuple(rows)


def around(lines: Lines, byte: int, start: int, end: int) -> range:
    """The lines from ``start`` to ``end`` that are shown with the one that a byte belongs to: few
    before it, and no long ones, so that it is shown itself.
    """
    at = min(max(start, lines.position_of(byte)), max(start, end - 1))
    first = at
    while first > max(start, at - LINES_BEFORE):
        if lines.all[at].start - lines.all[first - 1].start > NEAR_BYTES:
            break
        first -= 1
    return range(first, min(end, at + LINES_BEHIND))


def run_of(view: CaptureView, start: int, end: int) -> Run:
    first, last = view.lines.all[start], view.lines.all[end - 1]
    return Run(
        start,
        end,
        first.start,
        last.end,
        event_at(view, first.start),
        event_at(view, last.start),
    )


def event_at(view: CaptureView, byte: int) -> int | None:
    return view.provenance.event_at(byte) if view.provenance else None


@dataclass(frozen=True, slots=True)
class Marks:
    """What is marked in a line, or of it."""

    severity: str
    breaking: int | None
    unknown: Underlines
    asked: int | None


def raw_line(view: CaptureView, line: Line, marks: Marks, position: int) -> RawLine:
    event = event_at(view, line.start)
    provenance, tape = view.provenance, view.tape
    kind, at_us, anchor = "", None, False
    if event is not None and provenance is not None and tape is not None:
        kind = str(EventKind(tape.events.kind[event]))
        at_us = provenance.at_us(event)
        anchor = starts_event(view, line, event)
    fields = marks.unknown.within(line.start, line.end, event)
    bits = bits_of(view, line, marks.breaking, fields, marks.asked)
    return RawLine(line, position, event, anchor, kind, at_us, marks.severity, bits)


def breaking_bytes(view: CaptureView) -> list[int]:
    """Those that errors point at, in their order."""
    errors = (each.where.byte_start for each in view.findings if each.severity is Severity.ERROR)
    return sorted(byte for byte in errors if byte is not None)


def breaking_in(breaks: list[int], line: Line) -> int | None:
    """The first of them inside a line; one at its beginning means the whole."""
    at = bisect_right(breaks, line.start)
    return breaks[at] if at < len(breaks) and breaks[at] < line.end else None


def starts_event(view: CaptureView, line: Line, event: int) -> bool:
    """True for the first line of an event that holds a byte."""
    assert view.tape is not None
    first = view.tape.events.byte_start[event]
    return not view.body[first : line.start].strip(b"\r\n\xef\xbb\xbf")


def severity_by_line(view: CaptureView) -> dict[int, str]:
    """The lines that errors and warnings point at; an error wins."""
    marked: dict[int, str] = {}
    for finding in view.findings:
        byte = place(view, finding.where.byte_start, finding.where.event)
        if byte is None or finding.severity is Severity.INFO or not view.lines.all:
            continue
        at = view.lines.position_of(byte)
        if marked.get(at) != Severity.ERROR:
            marked[at] = str(finding.severity)
    return marked


SHOWN: dict[str, Callable[[CaptureView], TextView | HexWindow | TreeView | RequestView]] = {
    "text": text_of,
    "hex": hex_of,
    "tree": tree_view,
    "request": request_view,
}

PANEL = Panel(position=60, slug="raw", title="Raw", draw=draw, reads_all=True)
