"""Panel with fields that the dialect does not define: location and the vendor's meaning."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from inspector.core.analysis import Analysis
from inspector.core.json import Json
from inspector.core.vendors import Vendor, vendor_named
from inspector.dashboard.capture.json.field_meaning import field_meaning
from inspector.dashboard.capture.json.unknown_fields import (
    MAX_EVENTS,
    FieldOccurrenceIndex,
    FieldOccurrences,
    Pattern,
    in_answer,
    in_call,
    in_choice,
    in_usage,
    is_defined_in_choice,
    unknown_in_usage,
)
from inspector.dashboard.capture.page.answer_pointers import (
    answer_pointer,
    choice_pointer,
    position_of,
)
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel_body import Panel, PanelBody, unread_reason
from inspector.dashboard.capture.page.why_empty import EXTRAS, why_empty
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.wire_values import json_text

LONG = 300
LONGEST_ADDRESS = 2_000
"""A longer pointer is shown, and no link: servers refuse such addresses."""
MAX_FIELDS = 200
"""Fields listed; the JSON tree has all of them."""
MANY_FIELDS = 40
HEAVY_BYTES = 1_000_000
"""With more fields, or a longer body, the panel is built when it comes into view."""
MAX_FOLDED = 10_000
"""Characters of one value that are included, folded, in the page."""
MAX_ON_PAGE = 200_000
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
        some = "" if place.is_all else f" of the first {MAX_EVENTS:,}"
        changes = "changes" if len(place.spellings) > 1 else "never changes"
        return f"{plural(place.count, 'event')}{some}, {changes}"


@dataclass(frozen=True, slots=True)
class ExtrasDisplay:
    fields: tuple[ExtraFieldDisplay, ...]
    total: int
    defined: int = 0
    """Number of those that the format defines, and no other panel draws as they are."""

    @property
    def more(self) -> int:
        return self.total - len(self.fields)


def draw(view: CaptureView) -> PanelBody:
    if view.analysis is None or unread_reason(view):
        return PanelBody(why_empty=unread_reason(view))
    total = count_extras(view.analysis)
    if not total:
        return PanelBody(why_empty=why_empty(view, EXTRAS).sentence)
    is_heavy = total > MANY_FIELDS or len(view.body) > HEAVY_BYTES
    if is_heavy and not view.is_looked_at("extras"):
        return PanelBody(f"{total:,}", later=f"{plural(total, 'field')} with where they stood.")
    extras = extras_display(view, view.analysis)
    content = ExtrasDisplay(extras, total, count_defined(view.analysis))
    return PanelBody(f"{total:,}", content)


def count_extras(analysis: Analysis) -> int:
    """Count the fields; members of usage that are no counts belong to the usage panel."""
    levels = [analysis.extras, *(choice.extras for choice in analysis.choices)]
    levels += [call.extras for choice in analysis.choices for call in choice.tool_calls]
    return sum(map(len, levels)) + sum(1 for _ in unknown_in_usage(analysis))


def count_defined(analysis: Analysis) -> int:
    """Count the fields of choices that the format does define."""
    names = (name for choice in analysis.choices for name in choice.extras)
    return sum(is_defined_in_choice(analysis, name) for name in names)


def extras_display(view: CaptureView, analysis: Analysis) -> tuple[ExtraFieldDisplay, ...]:
    """Return the first fields, within a shared budget of characters."""
    vendor, places = vendor_named(analysis.vendor), FieldOccurrenceIndex(view)
    displays: list[ExtraFieldDisplay] = []
    room = MAX_ON_PAGE
    for level, at, name, value, patterns in islice(fields_of(analysis), MAX_FIELDS):
        place = places.of(at + name, patterns)
        displays.append(extra_field_display(level, at, name, value, vendor, place, room))
        room = max(room - displays[-1].characters, 0)
    return tuple(displays)


def fields_of(analysis: Analysis) -> Iterator[tuple[str, str, str, Json, list[Pattern]]]:
    """Yield level, its label, the field's pointer from there, value, and patterns in the body."""
    before = answer_pointer(analysis)
    for name, value in analysis.extras.items():
        yield "top", before, name, value, in_answer(analysis, name)
    for choice in analysis.choices:
        at = choice_pointer(analysis, position_of(analysis, choice.index))
        for name, value in choice.extras.items():
            yield "choice", at, name, value, in_choice(analysis, name)
        for position, call in enumerate(choice.tool_calls):
            for name, value in call.extras.items():
                inside = f"{at}/message/tool_calls/{position}"
                yield "message", inside, name, value, in_call(name)
    for name, value in unknown_in_usage(analysis):
        yield "usage", analysis.usage.pointer, name, value, in_usage(analysis, name)


def extra_field_display(
    level: str,
    at: str,
    name: str,
    value: Json,
    vendor: Vendor | None,
    place: FieldOccurrences | None,
    room: int,
) -> ExtraFieldDisplay:
    """Build one field; ``pointer`` is relative to its level, ``room`` the remaining characters."""
    text = json_text(value)
    cut = LONG if len(text) > LONG * 1.2 else len(text)
    end = cut + min(len(text) - cut, MAX_FOLDED, room)
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
