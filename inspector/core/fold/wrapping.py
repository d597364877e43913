"""Takes objects out of what a gateway or a logger wrapped around each event of a stream."""

import msgspec

from inspector.core import formats
from inspector.core.findings import Where
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.engine import Path
from inspector.core.fold.fold_state import FoldState
from inspector.core.formats.envelope import MEMBERS, Held, held_at, held_inside
from inspector.core.formats.provider_error import error_passed_on, stated_error
from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to


class EventObject(msgspec.Struct, frozen=True):
    """The object of one event. ``is_plain``: nothing was noted while its text was read."""

    event: int
    text: bytes
    value: dict[str, Json]
    event_type: str
    """The type that the framing gives the event, "" if it gives none."""
    is_error: bool
    is_plain: bool
    base: Path = ()
    """Where the object stands in its text, if something is wrapped around it."""


class Wrapping:
    """What is wrapped around the objects of events, or around a whole answer."""

    def __init__(self, context: FoldState) -> None:
        self._context = context
        self.path: Path = ()
        """Where events have their objects; empty as long as nothing is wrapped around these."""
        self._has_plain = False
        """An event was read that is not wrapped: then no other is taken for one that is."""

    def family_of(self, held: EventObject) -> str | None:
        """Return the family that reads an event, or what is wrapped in it."""
        family = formats.family_that_reads(held.value, held.event_type)
        self._has_plain = family is not None
        return family or self._look_inside(held)

    def unwrapped(self, held: EventObject, family: str | None) -> EventObject | None:
        """Return the object in an event that ``family`` does not read as it is; the event itself if
        it is none, None if only what is wrapped around the others came.
        """
        # Most events have no member in which something could be wrapped.
        if not self.path and MEMBERS.isdisjoint(held.value):
            return held
        if formats.family_that_reads(held.value, held.event_type) == family:
            self._has_plain = True
            return held
        if not self.path and not self._look_inside(held):
            found = error_passed_on(held.value, held.text, is_failure=self._has_plain)
            return _inner(held, found) if found else held
        return self._taken_out(held)

    def _look_inside(self, held: EventObject) -> str | None:
        """Find the place of wrapped objects in their events. Return the family that reads them."""
        known = self._has_plain or MEMBERS.isdisjoint(held.value)
        found = None if known else held_inside(held.value, held.text, formats.family_inside)
        if found is None:
            return None
        self.path = found.path
        self.note(Where(event=held.event), found)
        return formats.family_inside(found.value)

    def _taken_out(self, held: EventObject) -> EventObject | None:
        found = held_at(held.value, held.text, self.path)
        self._context.event = held.event
        self.keep_around(held.value, self.path, held.text)
        if found is None or not isinstance(found.value, dict) or not found.value:
            return None
        is_read = formats.family_that_reads(found.value) is not None
        return _inner(held, found) if is_read or not stated_error(held.value) else None

    def keep_around(self, outer: Json, path: Path, text: bytes) -> None:
        """Keep what stands around an answer at a path of an object, whose text is given."""
        self._context.text = text
        self._context.answer.keep_around(outer, path)

    def note(self, where: Where, held: Held) -> None:
        """Note that an answer, or its events, are wrapped in something."""
        how = f", {held.how}" if held.how else ""
        self._context.notes.add(Anomaly.WRAPPED, where, pointer_to(held.path), how)


def _inner(held: EventObject, found: Held) -> EventObject:
    return msgspec.structs.replace(
        held, value=found.value, text=found.text, base=found.base, event_type=""
    )
