"""Bounds an answer: an agent pays for each byte of it."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice
from math import isfinite
from typing import Any

from inspector.core.json.encoding import plain_value
from inspector.formatting.invisible_characters import INVISIBLE_CHARACTERS

ANSWER_BYTES = 32_000
"""Length of an answer's JSON: one call costs an agent some ten thousand tokens at most."""
STEPS = ((4_000, 200), (1_000, 100), (250, 50), (80, 20), (40, 8))
"""Characters of a text and entries of a list or object that are kept, from one try to the next."""
TOO_LARGE = "too large, however it is cut: ask for a part of it"


class _NoRoom(Exception):
    """More is left of a value than an answer has room for."""


def bounded_json(value: Any) -> str:
    """Return the value as one line of JSON, or as much of it as fits; what is left out is told in
    its place. Characters that nobody sees have escapes.
    """
    plain = plain_value(value)
    for characters, entries in STEPS:
        with suppress(_NoRoom):
            text = _readable(_Cut(characters, entries).of(plain))
            if len(text.encode()) <= ANSWER_BYTES:
                return text
    return _readable({"error": TOO_LARGE})


class _Cut:
    """Cuts texts, lists and objects, and ends at the first value that has no room: what a sender
    nested is not walked to its end.
    """

    def __init__(self, characters: int, entries: int) -> None:
        self.characters = characters
        self.entries = entries
        self.room = ANSWER_BYTES

    def of(self, value: Any) -> Any:
        """Raise ``_NoRoom``."""
        if isinstance(value, str):
            return self._text(value)
        self._take(1)
        if isinstance(value, list | tuple):
            return self._list(value)
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, float) and not isfinite(value):
            return str(value)
        return value

    def _text(self, text: str) -> str:
        short = shortened(text, self.characters)
        self._take(len(short))
        return short

    def _list(self, values: Sequence[Any]) -> list[Any]:
        kept = [self.of(each) for each in values[: self.entries]]
        more = len(values) - len(kept)
        return [*kept, f"… {more:,} more"] if more else kept

    def _object(self, members: Mapping[str, Any]) -> dict[str, Any]:
        first = islice(members.items(), self.entries)
        kept = {self._text(name): self.of(each) for name, each in first}
        more = len(members) - self.entries
        return {**kept, "…": f"{more:,} more"} if more > 0 else kept

    def _take(self, room: int) -> None:
        self.room -= room
        if self.room < 0:
            raise _NoRoom


def _readable(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=plain_value)
    # Beyond ASCII are texts alone, where an escape may stand for any character.
    return INVISIBLE_CHARACTERS.sub(lambda found: json.dumps(found[0])[1:-1], text)


def without_empty(members: dict[str, Any]) -> dict[str, Any]:
    """Without members that say nothing: null, "", [] and {}. False and 0 say something."""
    return {name: value for name, value in members.items() if value not in (None, "", [], (), {})}


def shortened(text: str, characters: int) -> str:
    if len(text) <= characters:
        return text
    return f"{text[:characters]}… ({len(text):,} characters)"
