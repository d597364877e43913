"""Fields that the dialect does not define: always kept, shown where they stood.

Beside a field that is known of the vendor stands what it means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.analysis import Analysis
from inspector.core.completion import Json, listed
from inspector.core.dialects import Vendor, vendor_named
from inspector.core.ledger import odd_counts
from inspector.core.pointer import steps_of
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.unknown_fields import (
    MOST_EVENTS,
    FieldPlaces,
    Pattern,
    Places,
    in_call,
    in_choice,
    in_usage,
)
from inspector.dashboard.why_empty import EXTRAS, why_empty
from inspector.dashboard.wire import json_text

LONG = 300


@dataclass(frozen=True, slots=True)
class Extra:
    """``pointer`` leads to it in the completion; ``place`` tells where it stood in the bytes."""

    pointer: str
    value: tuple[Segment, ...]
    rest: tuple[Segment, ...]
    rest_length: int
    meaning: str = ""
    """What the field means, where it is known of the vendor."""
    place: Places | None = None
    """None where it was not found in the bytes that were looked at."""

    @property
    def often(self) -> str:
        """``143 events, never changes``; empty for a field that stood in one place."""
        place = self.place
        if place is None or place.event is None or place.count < 2:
            return ""
        some = "" if place.is_all else f" of the first {MOST_EVENTS:,}"
        changes = "changes" if len(place.spellings) > 1 else "never changes"
        return f"{plural(place.count, 'event')}{some}, {changes}"


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None or unread(view):
        return Drawn(why_empty=unread(view))
    extras = extras_of(view, view.analysis)
    if not extras:
        return Drawn(why_empty=why_empty(view, EXTRAS).sentence)
    return Drawn(str(len(extras)), extras)


def extras_of(view: CaptureView, analysis: Analysis) -> tuple[Extra, ...]:
    vendor, places = vendor_named(analysis.vendor), FieldPlaces(view)
    return tuple(
        extra_of(level, at, name, value, vendor, places.of(at + name, patterns))
        for level, at, name, value, patterns in fields_of(analysis)
    )


def fields_of(analysis: Analysis) -> Iterator[tuple[str, str, str, Json, list[Pattern]]]:
    """Level, place of the level, pointer from there, value, and the ways to it in the bytes."""
    for name, value in analysis.extras.items():
        yield "top", "", name, value, [tuple(steps_of(name))]
    for number, choice in enumerate(analysis.choices):
        at = f"/choices/{position_of(analysis, choice.index, number)}"
        for name, value in choice.extras.items():
            yield "choice", at, name, value, in_choice(name)
        for position, call in enumerate(choice.tool_calls):
            for name, value in call.extras.items():
                inside = f"{at}/message/tool_calls/{position}"
                yield "message", inside, name, value, in_call(name)
    odd = {pointer for pointer, _ in odd_counts(analysis.usage).values()}
    for name, value in analysis.usage.extras.items():
        if name not in odd:
            yield "usage", analysis.usage.pointer, name, value, [in_usage(analysis, name)]


def position_of(analysis: Analysis, index: int, number: int) -> int:
    """Where the choice of an index stands in the completion, by which pointers name it."""
    completion = analysis.completion if isinstance(analysis.completion, dict) else {}
    sent = listed(completion.get("choices"))
    indexes = [each.get("index") if isinstance(each, dict) else None for each in sent]
    return indexes.index(index) if indexes.count(index) == 1 else number


def extra_of(
    level: str, at: str, name: str, value: Json, vendor: Vendor | None, place: Places | None
) -> Extra:
    """Extras are named by JSON Pointers that begin at their level."""
    text = json_text(value)
    cut = LONG if len(text) > LONG * 1.2 else len(text)
    rest, meaning = exact(text[cut:]), meaning_of(vendor, level, name)
    return Extra(at + name, exact(text[:cut]), rest, len(text) - cut, meaning, place)


def meaning_of(vendor: Vendor | None, level: str, pointer: str) -> str:
    """What a vendor's field means: "Groq: time in the queue in s"; "" where nothing is known."""
    name = "/".join(steps_of(pointer))
    if level == "choice" and name.startswith("message/"):
        level, name = "message", name.removeprefix("message/")
    meaning = vendor.meaning(level, name) if vendor else None
    return f"{vendor.title}: {meaning}" if vendor and meaning else ""


PANEL = Panel(position=70, slug="extras", title="Extras", draw=draw)
