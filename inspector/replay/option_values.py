"""Values of options as text. Each function returns None for a text out of bounds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, TypeVar

from inspector.replay.headers import is_replayable

ANY: Literal["any"] = "any"
FARTHEST = 1 << 40
"""A position beyond every body; whether it is inside of one, the plan tells."""
HEADER_CHARACTERS = 200
_INTEGER = re.compile(r"[0-9]{1,16}").fullmatch
_NUMBER = re.compile(r"[0-9]{1,10}(?:\.[0-9]{1,9})?").fullmatch
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}").fullmatch
_HEADER_VALUE = re.compile(r"[\x20-\x7e]+").fullmatch
_SET_BY_SERVER = frozenset({"content-length", "content-encoding", "date"})
Number = TypeVar("Number", int, float)
Value = TypeVar("Value")


def integer(least: int, most: int) -> Callable[[str], int | None]:
    return lambda text: _within(int(text), least, most) if _INTEGER(text) else None


def number(least: float, most: float) -> Callable[[str], float | None]:
    return lambda text: _within(float(text), least, most) if _NUMBER(text) else None


def zero_or(parse: Callable[[str], float | None]) -> Callable[[str], float | None]:
    return lambda text: 0.0 if _NUMBER(text) and not float(text) else parse(text)


def word_or(
    words: tuple[str, ...], parse: Callable[[str], Value | None] = lambda text: None
) -> Callable[[str], str | Value | None]:
    return lambda text: text if text in words else parse(text)


def position(text: str) -> int | str | None:
    return ANY if text == ANY else integer(0, FARTHEST)(text)


def header_value(text: str) -> str | None:
    return text if len(text) <= HEADER_CHARACTERS and _HEADER_VALUE(text) else None


def header_names(text: str) -> tuple[str, ...] | None:
    names = tuple(name.strip().lower() for name in text.split(","))
    return names if all(map(_HEADER_NAME, names)) else None


def header_line(text: str) -> tuple[tuple[str, str]] | None:
    name, colon, value = (part.strip() for part in text.partition(":"))
    name = name.lower()
    if not colon or not _HEADER_NAME(name) or header_value(value) is None:
        return None
    if name in _SET_BY_SERVER or not is_replayable(name, value):
        return None
    return ((name, value),)


def _within(found: Number, least: Number, most: Number) -> Number | None:
    return found if least <= found <= most else None
