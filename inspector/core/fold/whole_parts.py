"""Parts that are sent whole behind their pieces: they hold for what they have.

An empty or shorter list wipes out nothing that came, nor does an empty text.
"""

import msgspec
from msgspec import UNSET

from inspector.core.findings import shorten
from inspector.core.fold.document import Items, built_value
from inspector.core.fold.engine import Node, Path
from inspector.core.fold.said_again import is_untyped, positions_in
from inspector.core.formats import grammar as effects
from inspector.core.json import Json

SAYING = ("text", "thinking", "refusal", "arguments", "name", "input")
HOLDING = ("content", "summary")
"""Names in an item of what it says, and of lists of such items."""
SAYING_SOMETHING = (
    effects.BlockArguments,
    effects.BlockName,
    effects.CallId,
    effects.IdentityField,
    effects.MessageRole,
    effects.PartText,
)
"""Effects of fields that nothing empty may wipe out."""
MOST_COMPARED = 1_000_000
"""Items that are compared for one answer. A sender may repeat a whole list as often as it likes."""


class Lacking(msgspec.Struct, frozen=True):
    """A list that was sent whole with fewer items than came before."""

    place: Path
    sent: int
    came: int
    first: str
    """Words of the first item that it lacks."""


class Comparisons:
    """Finds which items of lists are the same, as long as there are not too many."""

    def __init__(self) -> None:
        self._left = MOST_COMPARED

    def positions(self, held: Json, sent: list[Json]) -> list[int]:
        """Return the position of each item among those that are held."""
        if not isinstance(held, list | Items):
            return list(range(len(sent)))
        self._left -= len(held) + len(sent)
        if self._left < 0:
            return list(range(len(sent)))
        by_position = held if isinstance(held, Items) else dict(enumerate(held))
        return positions_in(by_position, sent)


class WholePart:
    """Lays a part that was sent whole over what its pieces built."""

    def __init__(self, comparisons: Comparisons) -> None:
        self._comparisons = comparisons
        self.lacking: list[Lacking] = []
        self.moved: list[tuple[Path, dict[int, int]]] = []
        """Lists whose items stand elsewhere now, the innermost first: old positions to new ones."""

    def over(self, node: Node | None, built: Json, sent: Json, place: Path) -> Json:
        """Return the part as it is now. What is built is changed in place."""
        effect = node.effect if node is not None else None
        if node is None or built is UNSET:
            return sent
        if isinstance(effect, effects.BlockList) and isinstance(built, list | Items) and built:
            return self._list(node, built, sent if isinstance(sent, list) else [], place)
        if isinstance(sent, dict) and built.__class__ is dict:
            return self._object(node, built, sent, place)
        if isinstance(effect, SAYING_SOMETHING):
            return sent or built_value(built) or sent
        if isinstance(effect, effects.CitationList | effects.TokenLogprobs) and isinstance(
            built, list
        ):
            return sent if isinstance(sent, list) and len(sent) >= len(built) else built
        return sent

    def _object(
        self, node: Node, built: dict[str, Json], sent: dict[str, Json], place: Path
    ) -> Json:
        for name, value in sent.items():
            kept = built.get(name, UNSET)
            # Most fields of an answer are sent again as they were.
            if kept.__class__ is value.__class__ and kept == value:
                continue
            inner = node.members.get(name, node.other)
            built[name] = self.over(inner, kept, value, (*place, name))
        return built

    def _list(self, node: Node, built: Json, sent: list[Json], place: Path) -> Json:
        held = built if isinstance(built, Items) else dict(enumerate(built))
        positions = self._comparisons.positions(held, sent)
        lacks = sorted(held.keys() - positions)
        if any(is_untyped(held[position]) for position in lacks):
            # Pieces that nothing began may stand at a place that is not their own.
            words = {_words_of(item) for item in sent}
            lacks = [
                position
                for position in lacks
                if not (is_untyped(held[position]) and _words_of(held[position]) in words)
            ]
        if lacks:
            first = _words_of(held[lacks[0]])
            self.lacking.append(Lacking(place, len(sent), len(held), first))
        if not sent:
            return built
        each = dict(zip(positions, sent, strict=True))
        whole, order = list[Json](), list[int]()
        for position in _merged(positions, lacks):
            order.append(position)
            kept = held.get(position, UNSET)
            sent_item = each.get(position, UNSET)
            at = (*place, position)
            whole.append(kept if sent_item is UNSET else self.over(node.item, kept, sent_item, at))
        if order != list(range(len(order))):
            self.moved.append((place, {old: new for new, old in enumerate(order)}))
        return whole


def _words_of(item: Json) -> str:
    """Return the first text inside an item that is said to the reader; else the item as JSON."""
    value = built_value(item)
    within: Json = value
    while isinstance(within, dict):
        texts = (text for name in SAYING if isinstance(text := within.get(name), str) and text)
        text = next(texts, None)
        if text is not None:
            return f"“{shorten(text)}”"
        inner = (each[0] for name in HOLDING if isinstance(each := within.get(name), list) and each)
        within = next(inner, None)
    return shorten(value)


def _merged(positions: list[int], lacks: list[int]) -> list[int]:
    """Return the positions in the order sent, each that lacks before the first that follows it."""
    found, left = list[int](), lacks[::-1]
    for position in positions:
        while left and left[-1] < position:
            found.append(left.pop())
        found.append(position)
    return found + left[::-1]
