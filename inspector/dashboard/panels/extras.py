"""Fields that the dialect does not define: always kept, shown where they stood.

Beside a field that is known of the vendor stands what it means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from inspector.core.analysis import Analysis
from inspector.core.completion import Json, is_index, listed
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
LONGEST_ADDRESS = 2_000
MOST_FIELDS = 200
"""So many are shown; the tree has all of them."""
AT_ONCE = 40
HEAVY_BYTES = 1_000_000
"""With more fields, or in a longer body, the panel waits until it is looked at."""
MOST_FOLDED = 10_000
"""Characters of one value that are folded on the page."""
MOST_ON_PAGE = 200_000
"""Of all values together."""


@dataclass(frozen=True, slots=True)
class Extra:
    """``pointer`` leads to it in the completion; ``place`` tells where it stood in the bytes."""

    pointer: str
    value: tuple[Segment, ...]
    rest: tuple[Segment, ...]
    rest_length: int
    left_out: int = 0
    """Characters behind them that are not on the page."""
    meaning: str = ""
    """What the field means, where it is known of the vendor."""
    place: Places | None = None
    """None where it was not found in the bytes that were looked at."""

    @property
    def characters(self) -> int:
        return len(self.pointer) + LONG + self.rest_length

    @property
    def address(self) -> str | None:
        """Where the tree shows it; None where its name is too long for an address."""
        pointer = self.place.pointer if self.place else ""
        return pointer if len(pointer) <= LONGEST_ADDRESS else None

    @property
    def often(self) -> str:
        """``143 events, never changes``; empty for a field that stood in one place."""
        place = self.place
        if place is None or place.event is None or place.count < 2:
            return ""
        some = "" if place.is_all else f" of the first {MOST_EVENTS:,}"
        changes = "changes" if len(place.spellings) > 1 else "never changes"
        return f"{plural(place.count, 'event')}{some}, {changes}"


@dataclass(frozen=True, slots=True)
class Extras:
    shown: tuple[Extra, ...]
    total: int

    @property
    def more(self) -> int:
        return self.total - len(self.shown)


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None or unread(view):
        return Drawn(why_empty=unread(view))
    total = number_of(view.analysis)
    if not total:
        return Drawn(why_empty=why_empty(view, EXTRAS).sentence)
    is_heavy = total > AT_ONCE or len(view.body) > HEAVY_BYTES
    if is_heavy and not view.is_looked_at("extras"):
        return Drawn(f"{total:,}", later=f"{plural(total, 'field')} with where they stood.")
    extras = extras_of(view, view.analysis)
    return Drawn(f"{total:,}", Extras(extras, total))


def number_of(analysis: Analysis) -> int:
    """All unknown fields, without the counts that are no numbers: usage tells those."""
    levels = [analysis.extras, *(choice.extras for choice in analysis.choices)]
    levels += [call.extras for choice in analysis.choices for call in choice.tool_calls]
    return sum(map(len, levels)) + sum(1 for _ in usage_fields(analysis))


def extras_of(view: CaptureView, analysis: Analysis) -> tuple[Extra, ...]:
    """The first of them, with less and less of their values where these are long."""
    vendor, places = vendor_named(analysis.vendor), FieldPlaces(view)
    shown: list[Extra] = []
    room = MOST_ON_PAGE
    for level, at, name, value, patterns in islice(fields_of(analysis), MOST_FIELDS):
        place = places.of(at + name, patterns)
        shown.append(extra_of(level, at, name, value, vendor, place, room))
        room = max(room - shown[-1].characters, 0)
    return tuple(shown)


def fields_of(analysis: Analysis) -> Iterator[tuple[str, str, str, Json, list[Pattern]]]:
    """Level, place of the level, pointer from there, value, and the ways to it in the bytes."""
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
    """Where choices stand in the completion, by which pointers name them: of indexes sent once."""
    completion = analysis.completion if isinstance(analysis.completion, dict) else {}
    found: dict[int, list[int]] = {}
    for position, each in enumerate(listed(completion.get("choices"))):
        index = each.get("index") if isinstance(each, dict) else None
        if isinstance(index, int) and is_index(index):
            found.setdefault(index, []).append(position)
    return {index: places[0] for index, places in found.items() if len(places) == 1}


def extra_of(
    level: str,
    at: str,
    name: str,
    value: Json,
    vendor: Vendor | None,
    place: Places | None,
    room: int,
) -> Extra:
    """Extras are named by JSON Pointers that begin at their level. ``room``: for characters."""
    text = json_text(value)
    cut = LONG if len(text) > LONG * 1.2 else len(text)
    end = cut + min(len(text) - cut, MOST_FOLDED, room)
    return Extra(
        pointer=at + name,
        value=exact(text[:cut]),
        rest=exact(text[cut:end]),
        rest_length=end - cut,
        left_out=len(text) - end,
        meaning=meaning_of(vendor, level, name),
        place=place,
    )


def meaning_of(vendor: Vendor | None, level: str, pointer: str) -> str:
    """What a vendor's field means: "Groq: time in the queue in s"; "" where nothing is known."""
    name = "/".join(steps_of(pointer))
    if level == "choice" and name.startswith("message/"):
        level, name = "message", name.removeprefix("message/")
    meaning = vendor.meaning(level, name) if vendor else None
    return f"{vendor.title}: {meaning}" if vendor and meaning else ""


PANEL = Panel(position=70, slug="extras", title="Extras", draw=draw)
