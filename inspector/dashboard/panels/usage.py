"""The usage ledger: wholes on one scale, every count where it stood, and the lines between them."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.counting import WORDS, Basis
from inspector.core.invariants import Line
from inspector.core.ledger import Cost, Entry, Ledger, entries, ledger_of, odd_counts
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.wire import json_text, wire_word

SCALE = 100
"""Width of the largest whole in percent of the drawing."""
MOST_COSTS = 40
FILLS = {
    "prompt_tokens": "prompt",
    "completion_tokens": "answer",
    "cached_tokens": "cached",
    "reasoning_tokens": "reasoning",
    "prompt_audio_tokens": "prompt",
}


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    fill: str
    number: int | None
    """None where it is the whole once more."""
    x: float = 0
    width: float = 0
    over: float = 0
    """How far it reaches beyond the whole that it is said to be a part of."""


@dataclass(frozen=True, slots=True)
class Whole:
    name: str
    number: int | None
    said: str
    """The number in words; "not sent", "null" or what was sent instead where there is none."""
    width: float
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Row:
    depth: int
    name: str
    said: str
    pointer: str | None
    """Inside the usage object; None where it did not stand."""
    tone: str
    """``error`` what is no count, ``faint`` what was not sent, ``derived`` what we computed."""


@dataclass(frozen=True, slots=True)
class Money:
    name: str
    said: str
    is_derived: bool


@dataclass(frozen=True, slots=True)
class ShownUsage:
    found_at: str | int | None
    pointer: str
    wholes: tuple[Whole, ...]
    rows: tuple[Row, ...]
    lines: tuple[Line, ...]
    readings: tuple[str, ...]
    """What is read as standing beside its whole, or only assumed to stand inside."""
    money: tuple[Money, ...]
    more_money: int
    extras: tuple[tuple[str, str], ...]

    @property
    def found_in_event(self) -> int | None:
        return self.found_at if isinstance(self.found_at, int) else None


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None or unread(view):
        return Drawn(why_empty=unread(view))
    usage = view.analysis.usage
    if not usage.reported:
        return Drawn(why_empty=why_empty(view.analysis))
    ledger = ledger_of(view.analysis)
    total = usage.total_tokens
    count = f"{total:,}" if isinstance(total, int) else "partly"
    is_broken = any(line.is_promised for line in ledger.broken)
    return Drawn(count, shown_usage(view.analysis, ledger), tone="error" if is_broken else "")


def why_empty(analysis: Analysis) -> str:
    if analysis.verdict == "cut-off":
        return "The body was cut off before any usage came."
    if analysis.streamed:
        return (
            "No event carries usage. Many providers send it in a stream only where the request "
            "asks for it."
        )
    return "The body carries no usage object."


def shown_usage(analysis: Analysis, ledger: Ledger) -> ShownUsage:
    usage = analysis.usage
    odd = {pointer for pointer, _ in odd_counts(usage).values()}
    return ShownUsage(
        found_at=usage.found_at,
        pointer=usage.pointer,
        wholes=wholes(ledger.total.parts) if ledger.total else (),
        rows=tuple(row(depth, entry, usage.pointer) for depth, entry in entries(ledger)),
        lines=ledger.lines,
        readings=tuple(e.why for e in ledger.countings if e.basis is not Basis.PLAIN),
        money=tuple(map(money, ledger.costs[:MOST_COSTS])),
        more_money=max(len(ledger.costs) - MOST_COSTS, 0),
        extras=tuple((key, json_text(v)) for key, v in usage.extras.items() if key not in odd),
    )


# -- the drawing -----------------------------------------------------------------------------------


def wholes(found: tuple[Entry, ...]) -> tuple[Whole, ...]:
    """Prompt and completion, and what is counted beside them."""
    sizes = [number(each) for entry in found for each in (entry, *filled(entry))]
    scale = SCALE / max(*sizes, 1)
    return tuple(whole(entry, scale) for entry in found)


def filled(entry: Entry) -> tuple[Entry, ...]:
    """The part that has a colour of its own, where it was sent."""
    return tuple(part for part in entry.parts if part.name in FILLS and part.count is not UNSET)


def number(entry: Entry) -> int:
    return entry.count if isinstance(entry.count, int) else 0


def whole(entry: Entry, scale: float) -> Whole:
    has_number = isinstance(entry.count, int)
    return Whole(
        name=WORDS[entry.name],
        number=number(entry) if has_number else None,
        said=said(entry),
        width=number(entry) * scale,
        parts=parts(entry, scale) if has_number else (),
    )


def parts(entry: Entry, scale: float) -> tuple[Part, ...]:
    """The part that was sent, then what is left; without it the whole is one part."""
    total = number(entry)
    part = next((part for part in filled(entry) if isinstance(part.count, int)), None)
    if part is None:
        return (Part("not broken down", FILLS[entry.name], None, 0, total * scale),)
    width, over = min(number(part), total) * scale, max(number(part) - total, 0) * scale
    first = Part(WORDS[part.name], FILLS[part.name], number(part), 0, width, over)
    rest = next((each for each in entry.parts if each.is_derived and number(each)), None)
    if rest is None:
        return (first,)
    left = Part(rest.wire_name, FILLS[entry.name], number(rest), width, number(rest) * scale)
    return first, left


# -- in words --------------------------------------------------------------------------------------


def row(depth: int, entry: Entry, base: str) -> Row:
    tone = "error" if entry.odd is not UNSET else "faint" if entry.count is UNSET else ""
    tone = "derived" if entry.is_derived else tone
    pointer = entry.pointer.removeprefix(base) if entry.pointer else None
    return Row(depth, entry.wire_name, said(entry), pointer, tone)


def said(entry: Entry) -> str:
    """A count, or why there is none: "not sent", "null", or what was sent instead."""
    if isinstance(entry.count, int):
        return f"{entry.count:,}"
    return wire_word(entry.count) if entry.odd is UNSET else json_text(entry.odd)


def money(cost: Cost) -> Money:
    return Money(cost.name, wire_word(cost.amount), cost.is_derived)


PANEL = Panel(position=40, slug="usage", title="Usage", draw=draw)
