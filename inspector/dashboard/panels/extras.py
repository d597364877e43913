"""Fields that the dialect does not define: always kept, shown where they stood.

Beside a field that is known of the vendor stands what it means.
"""

from __future__ import annotations

from dataclasses import dataclass

from inspector.core.analysis import Analysis
from inspector.core.completion import Json
from inspector.core.dialects import Vendor, vendor_named
from inspector.core.ledger import odd_counts
from inspector.core.pointer import steps_of
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
    meaning: str = ""
    """What the field means, where it is known of the vendor."""


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
    vendor = vendor_named(analysis.vendor)
    found = under("", "top", analysis.extras, vendor)
    for number, choice in enumerate(analysis.choices):
        at = f"/choices/{number}"
        found += under(at, "choice", choice.extras, vendor)
        for position, call in enumerate(choice.tool_calls):
            found += under(f"{at}/message/tool_calls/{position}", "message", call.extras, vendor)
    odd = {pointer for pointer, _ in odd_counts(analysis.usage).values()}
    others = {name: value for name, value in analysis.usage.extras.items() if name not in odd}
    found += under(analysis.usage.pointer, "usage", others, vendor)
    return tuple(found)


def under(place: str, level: str, extras: dict[str, Json], vendor: Vendor | None) -> list[Extra]:
    """Extras are named by JSON Pointers that begin at their level."""
    return [
        shown(place + pointer, value, meaning_of(vendor, level, pointer))
        for pointer, value in extras.items()
    ]


def meaning_of(vendor: Vendor | None, level: str, pointer: str) -> str:
    """What a vendor's field means: "Groq: time in the queue in s"; "" where nothing is known."""
    name = "/".join(steps_of(pointer))
    if level == "choice" and name.startswith("message/"):
        level, name = "message", name.removeprefix("message/")
    meaning = vendor.meaning(level, name) if vendor else None
    return f"{vendor.title}: {meaning}" if vendor and meaning else ""


def shown(pointer: str, value: Json, meaning: str) -> Extra:
    text = json_text(value)
    cut = LONG if len(text) > LONG * 1.2 else len(text)
    return Extra(pointer, exact(text[:cut]), exact(text[cut:]), len(text) - cut, meaning)


PANEL = Panel(position=70, slug="extras", title="Extras", draw=draw)
