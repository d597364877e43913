"""The answer that events build, as JSON under construction.

Lists are kept by position until they are given out, because events name positions in any order and
with gaps; nothing is allocated by a position from outside.
"""

from typing import Any

from msgspec import UNSET

from inspector.core.fold.engine import Path
from inspector.core.fold.growing_text import GrowingText
from inspector.core.fold.merge_unknown import SCALARS, merge_values, merged_value
from inspector.core.json import Json
from inspector.core.json.parser import parse_json


class Items(dict[int, Json]):
    """The items of a list by position."""


class AddedItems(list[Json]):
    """The items of a list that grows at its end. It is the answer's own, not that of an event."""


class GrowingJson:
    """A JSON value whose spelling comes in pieces. ``first`` is what stood there before."""

    def __init__(self, text: GrowingText, first: Json) -> None:
        self.text = text
        self.first = first

    def value(self) -> Json:
        """Return the value; the text itself if it spells none, and ``first`` if nothing came."""
        text = self.text.text()
        if not text:
            return built_value(self.first)
        parsed = parse_json(text.encode(errors="replace"))
        return text if parsed.fatal is not None else parsed.value


class AnswerDocument:
    """Values at places of the answer: names and positions on the way to each."""

    def __init__(self, root: dict[str, Json]) -> None:
        self.root = root

    def at(self, place: Path) -> Json:
        """Return the value at a place; UNSET if there is none."""
        value: Json = self.root
        for step in place:
            if isinstance(value, list) and step.__class__ is int:
                value = value[step] if step < len(value) else UNSET
            elif isinstance(value, dict):
                value = value.get(step, UNSET)
            else:
                return UNSET
        return value

    def merge(self, place: Path, value: Json) -> None:
        """Merge a value with what stands there: objects name by name, of others the last holds. A
        list that events build yields to no object.
        """
        around, step = self._around(place)
        kept = around.get(step, UNSET)
        if not (isinstance(kept, Items) and isinstance(value, dict)):
            around[step] = merge_values(kept, value)

    def replace(self, place: Path, value: Json) -> None:
        if not place:
            if value is not self.root:
                self.root.clear()
                self.root.update(value)
            return
        around, step = self._around(place)
        around[step] = value

    def open_list(self, place: Path) -> None:
        """Let a list stand there, if nothing does."""
        around, step = self._around(place)
        if not isinstance(around.get(step), Items):
            around[step] = Items()

    def add(self, place: Path, item: Json) -> None:
        """Append an item to the list that stands there."""
        self.extend(place, [item])

    def extend(self, place: Path, items: list[Json]) -> None:
        """Append items to the list that stands there."""
        around, step = self._around(place)
        kept = around.get(step)
        if not isinstance(kept, AddedItems):
            kept = around[step] = AddedItems(kept if isinstance(kept, list) else ())
        kept.extend(items)

    def grow(self, place: Path, name: str, *, is_json: bool = False) -> GrowingText:
        """Return the text that grows there; a text that stands there is its beginning. ``is_json``:
        it spells the value that stands there.
        """
        around, step = self._around(place)
        kept = around.get(step)
        if isinstance(kept, GrowingText):
            return kept
        if isinstance(kept, GrowingJson):
            return kept.text
        grown = GrowingText(name)
        if is_json:
            around[step] = GrowingJson(grown, kept)
        else:
            around[step] = grown
            if isinstance(kept, str):
                grown.parts.append(kept)
                grown.begin_with(kept)
        return grown

    def spell(self, place: Path, text: GrowingText) -> None:
        """Let the JSON that a text spells stand there."""
        around, step = self._around(place)
        kept = around.get(step)
        if not isinstance(kept, GrowingJson):
            around[step] = GrowingJson(text, kept)

    def _around(self, place: Path) -> tuple[dict[Any, Json], Any]:
        """Return the object or list around a place, and the last step. It is made where it is
        missing, and where something else stands: only lists have positions, only objects names.
        """
        around: dict[Any, Json] = self.root
        for step, inner in zip(place, place[1:], strict=False):
            kept = around.get(step)
            is_list = inner.__class__ is int
            if is_list and isinstance(kept, list):
                # A copy: the objects of events are shown as they were sent.
                kept = around[step] = Items(enumerate(built_value(kept)))
            elif kept.__class__ is not (Items if is_list else dict):
                kept = around[step] = Items() if is_list else {}
            around = kept
        return around, place[-1]


class PlaceTimes:
    """When places of the answer began and ended, by the order of the events that say so."""

    def __init__(self) -> None:
        self._began: dict[Path, int] = {}
        self._ended: dict[Path, int] = {}
        self._lengths: set[int] = set()
        """Lengths of the places that ended: most formats have one."""
        self._now = 0

    def begin(self, place: Path) -> None:
        self._now += 1
        self._began[place] = self._now

    def end(self, place: Path) -> None:
        self._now += 1
        self._ended[place] = self._now
        self._lengths.add(len(place))

    def has_ended(self, place: Path) -> bool:
        """Return True if the place, or one around it, ended and none of them began since."""
        ended = 0
        for end in self._lengths:
            ended = max(ended, self._ended.get(place[:end], 0))
        if not ended:
            return False
        around = (place[:end] for end in range(1, len(place) + 1))
        return ended > max(self._began.get(each, 0) for each in around)


class ItemPositions:
    """Where the items of a list stand whose events name them by position and by id. Some senders
    state a position that is not the item's own, or the same for all.
    """

    def __init__(self) -> None:
        self._ids: dict[int, str] = {}
        self._positions: dict[str, int] = {}
        self._moved: dict[int, int] = {}
        """Where the last item is that began at a position in use."""
        self._highest = -1

    def begin(self, stated: int, id_: str) -> int:
        """Return the position of an item that begins."""
        position, held = stated, self._ids.get(stated, "")
        self._moved.pop(stated, None)
        if id_ and held and held != id_:
            position = self._moved[stated] = self._highest + 1
        self._ids[position] = id_
        self._positions.setdefault(id_, position)
        self._highest = max(self._highest, position)
        return position

    def began_as(self, position: int, id_: str) -> str:
        """Return the id by which an item began, where no item began by this one; "" otherwise."""
        return "" if id_ in self._positions else self._ids.get(position, "")

    def find(self, stated: int, id_: str) -> int:
        """Return the position of the item that an event is about."""
        position = self._moved.get(stated, stated)
        if not id_ or self._ids.get(position, "") == id_:
            return position
        return self._positions.get(id_, position)


def built_value(value: Json) -> Json:
    """Return a built value as plain JSON, a copy that later events do not change."""
    if value.__class__ in SCALARS:
        return value
    if isinstance(value, GrowingText):
        return value.said()
    if isinstance(value, GrowingJson):
        return value.value()
    if isinstance(value, Items):
        return [built_value(value[position]) for position in sorted(value)]
    if value.__class__ is dict:
        return {name: built_value(item) for name, item in value.items()}
    if value.__class__ in (list, AddedItems):
        return [built_value(item) for item in value]
    return merged_value(value)
