"""Compares what is said again with what is there.

A stream says things more than once: a text whole behind its pieces, the text so far in every
piece, the whole answer at its end. Equal content counts once, a difference is told, and nothing
that came is wiped out by something that has less.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from os.path import commonprefix

from inspector.core.findings import shorten
from inspector.core.json import Json
from inspector.core.json.parser import parse_json

MOST_QUOTED = 40
"""Characters that a remark quotes of each of two values."""
SHORT = 3
"""Characters of a text that suffice where pieces follow it that begin with it."""
LOOKED_AT = 80
"""Characters of a text that tell whether it comes twice by chance."""
LONG, VARIED = 8, 5
"""A text of one word is said again by so many characters, so many of them different."""
MOST_SPACED = 4
"""How much longer one spelling of a JSON value may be than another."""
GROWTHS = 2
"""How often a text must have grown before its pieces count as the text so far."""


def difference(whole: str, pieces: str) -> str:
    """Both texts, and where they begin to differ."""
    same = len(commonprefix((whole, pieces)))
    sizes = f"{len(whole):,} characters instead of {len(pieces):,}"
    begin = max(same - MOST_QUOTED // 2, 0)
    quoted = (f"“{_cut(text, begin)}”" for text in (whole, pieces))
    return f"{sizes}, different from character {same:,} on: {' instead of '.join(quoted)}"


def _cut(text: str, begin: int) -> str:
    return ("…" if begin else "") + shorten(text[begin:], MOST_QUOTED)


def is_telling(text: str, least_words: int = 2) -> bool:
    """Return True for a text that hardly ever comes twice by chance: it has different words, or one
    that is long and varied. Pieces such as 1, 10 and 100 begin alike and are none.
    """
    beginning = text[:LOOKED_AT]
    words = beginning.split()
    if len(words) > 1:
        return len(set(words)) >= least_words
    is_varied = len(beginning) >= LONG and len(set(beginning)) >= VARIED
    return is_varied and any(map(str.isalpha, beginning))


class TextSoFar:
    """Looks once at each piece of a text that grows: a sender may ask as often as there are
    pieces.
    """

    __slots__ = ("_are_so_far", "_growths", "_repeated", "_seen")

    def __init__(self) -> None:
        self._seen = 1
        self._are_so_far = True
        self._growths, self._repeated = 0, ""

    def is_in_all(self, pieces: Sequence[str]) -> bool:
        """Return True if every piece is the text so far. The pieces of before come again."""
        while self._are_so_far and self._seen < len(pieces):
            before, piece = pieces[self._seen - 1 : self._seen + 1]
            self._seen += 1
            self._are_so_far = piece.startswith(before)
            if len(piece) > len(before):
                self._growths, self._repeated = self._growths + 1, before
        return self._are_so_far and self._growths >= GROWTHS and is_telling(self._repeated)


def are_said_again(pieces: Sequence[str], so_far: TextSoFar | None = None) -> bool:
    """Return True if the last piece of a text says all of it: every piece is the text so far, or
    the last is all others once more.
    """
    # Nearly every text is ruled out by two of its pieces.
    if len(pieces) < 2 or not pieces[-1].startswith(pieces[0]):
        return False
    return (so_far or TextSoFar()).is_in_all(pieces) or _is_last_all(pieces)


def first_that_repeats(pieces: Sequence[str]) -> int:
    """Return the number of the first piece that says again what came, of pieces that do."""
    return 1 if pieces[1].startswith(pieces[0]) else len(pieces) - 1


def _is_last_all(pieces: Sequence[str]) -> bool:
    last, others = pieces[-1], len(pieces) - 1
    # Joining all of them is the last thing to do: nearly never is it worth it.
    if len(last) < others:
        return False
    return is_telling(last, 2 if others > 1 else 3) and last == "".join(pieces[:-1])


def is_same_json(one: str, other: str) -> bool:
    """Return True for two spellings of one value; of very different lengths they are none."""
    if max(len(one), len(other)) > MOST_SPACED * min(len(one), len(other)):
        return False
    first, second = (parse_json(text.encode(errors="replace")) for text in (one, other))
    return not first.fatal and not second.fatal and first.value == second.value


class Echo:
    """Takes pieces behind a text that stood there at their beginning, while they say it again."""

    def __init__(self, said: str) -> None:
        self._said = said
        self._is_word = len(said) >= SHORT and any(map(str.isalpha, said[:SHORT]))
        self._at = 0
        self.is_over = not said
        """Whatever comes is new."""

    def new_in(self, piece: str) -> str:
        """Return the addition of a piece."""
        if self.is_over:
            return piece
        if self._said.startswith(piece, self._at):
            self._at += len(piece)
            self.is_over = self._at == len(self._said)
            return ""
        before, left = self._said[: self._at], self._said[self._at :]
        self.is_over = True
        if piece.startswith(left) and (before or self._is_word):
            return piece[len(left) :]
        return before + piece


# -- lists ----------------------------------------------------------------------------------------


def positions_in(held: Mapping[int, Json], sent: Sequence[Json]) -> list[int]:
    """For each item of a list that is sent whole, the position of the item that it is: that of the
    same id, else the same position or the next one with an item of its type, else a free one.
    """
    if len(held) == len(sent) and all(map(_are_surely_same, map(held.get, count()), sent)):
        return list(range(len(sent)))
    free, found = dict(held), dict[int, int]()
    for number, position in _pairs(free, sent, found):
        found[number] = position
        free.pop(position)
    taken, beyond = {*held, *found.values()}, max((*held, len(sent)), default=0) + 1
    for number in range(len(sent)):
        if number not in found:
            found[number] = beyond + number if number in taken else number
    return [found[number] for number in range(len(sent))]


def _pairs(
    free: Mapping[int, Json], sent: Sequence[Json], found: Mapping[int, int]
) -> Iterator[tuple[int, int]]:
    """Yield items that are the same, the surest first. What was yielded is no longer ``free``."""
    named = {id_: position for position, item in free.items() if (id_ := _id_of(item))}
    for number, item in enumerate(sent):
        position = named.get(_id_of(item), -1)
        if position in free:
            yield number, position
    for number, item in enumerate(sent):
        if number not in found and number in free and _are_alike(free[number], item):
            yield number, number
    rest = {kind: iter(each) for kind, each in _by_type(free).items()}
    for number, item in enumerate(sent):
        if number not in found:
            of_type = (rest.get(_type_of(item), iter(())), rest.get("", iter(())))
            position = next((at for each in of_type for at in each if at in free), -1)
            if position >= 0:
                yield number, position


def _by_type(items: Mapping[int, Json]) -> dict[str, list[int]]:
    found = dict[str, list[int]]()
    for position in sorted(items):
        found.setdefault(_type_of(items[position]), []).append(position)
    return found


def _are_surely_same(held: Json, item: Json) -> bool:
    has_ids = isinstance(held, dict) and isinstance(item, dict)
    return has_ids and held.get("id") == item.get("id") and held.get("type") == item.get("type")


def _are_alike(held: Json, item: Json) -> bool:
    return is_untyped(held) or _type_of(held) == _type_of(item)


def is_untyped(item: Json) -> bool:
    """Return True for what nothing began: nothing says what its pieces are pieces of."""
    return not _type_of(item)


def _id_of(item: Json) -> str:
    return _text(item, "id")


def _type_of(item: Json) -> str:
    return _text(item, "type")


def _text(item: Json, name: str) -> str:
    value = item.get(name) if isinstance(item, dict) else None
    return value if isinstance(value, str) else ""
