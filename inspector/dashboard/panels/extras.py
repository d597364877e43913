"""Fields that the dialect does not define: always kept, shown where they stood."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.core.analysis import Analysis
from inspector.core.completion import Json
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.wire import json_text

LONG = 300


@dataclass(frozen=True, slots=True)
class Extra:
    pointer: str
    value: tuple[Segment, ...]
    rest: tuple[Segment, ...]
    rest_length: int


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None or unread(view):
        return Drawn(why_empty=unread(view))
    extras = extras_of(view.analysis)
    if not extras:
        return Drawn(why_empty=why_empty(view.analysis))
    return Drawn(str(len(extras)), extras)


def why_empty(analysis: Analysis) -> str:
    return f"Every field of the body is one that {analysis.dialect} defines."


def extras_of(analysis: Analysis) -> tuple[Extra, ...]:
    found = under("", analysis.extras)
    for choice in analysis.choices:
        found += under(f"/choices/{choice.index}", choice.extras)
        for position, call in enumerate(choice.tool_calls):
            found += under(f"/choices/{choice.index}/tool_calls/{position}", call.extras)
    found += under("/usage", analysis.usage.extras)
    return tuple(found)


def under(place: str, extras: dict[str, Json]) -> list[Extra]:
    """Extras are named by JSON Pointers that begin at their level."""
    return [shown(place + pointer, value) for pointer, value in extras.items()]


def shown(pointer: str, value: Json) -> Extra:
    text = json_text(value)
    cut = LONG if len(text) > LONG * 1.2 else len(text)
    return Extra(pointer, exact(text[:cut]), exact(text[cut:]), len(text) - cut)


PANEL = Panel(position=70, slug="extras", title="Extras", draw=draw)
