"""One JSON text (RFC 8259) read strictly and fast; slowly, with reasons, only where that fails.

Bounds: nesting 64, digits of one number 4,300. What exceeds them, and what two readers would read
differently (duplicate names, lone surrogates, NUL), is a fault: named, placed, never raised.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from math import isinf
from typing import NoReturn

import msgspec

from inspector.core.completion import Json
from inspector.core.framing import BOM

MAX_DEPTH = 64
MAX_DIGITS = 4300

# A string that is never closed reaches to the end: sought again from each of its escaped quotes, it
# would cost the square of the length.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|([\[{])|([\]}])', re.DOTALL).finditer
_LONE_SURROGATE = re.compile("[\ud800-\udfff]").search
# Escapes in pairs where they are pairs, so that a lone half is what is left.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u(?P<half>[dD][89a-fA-F]..)|u(?P<nul>0000)|.)",
    re.DOTALL,
).finditer
_NAME_OR_BRACKET = re.compile(
    r'("[^"\\]*+(?:\\.[^"\\]*+)*+")\s*+(:?)|([\[{])|([\]}])', re.DOTALL
).finditer
_CUT_VALUE = re.compile(r"t|tr|tru|f|fa|fal|fals|n|nu|nul|-").fullmatch
_CUT_NUMBER = re.compile(r"[.eE][+-]?").fullmatch
_CUT_ESCAPE = re.compile(r"u[0-9a-fA-F]{0,4}").fullmatch
_CONSTANT = re.compile(
    r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|(-?Infinity|NaN)', re.DOTALL
).finditer
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


class FaultKind(StrEnum):
    INVALID = "invalid"
    TRUNCATED = "truncated"
    TOO_DEEP = "too-deep"
    DUPLICATE_NAME = "duplicate-name"
    NUL = "nul"
    LONE_SURROGATE = "lone-surrogate"
    INVALID_UTF8 = "invalid-utf8"
    NUMBER_OUT_OF_RANGE = "number-out-of-range"


FATAL = frozenset({FaultKind.INVALID, FaultKind.TRUNCATED, FaultKind.TOO_DEEP})


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """``byte`` and ``character`` count from 0, ``line`` and ``column`` from 1."""

    kind: FaultKind
    message: str
    byte: int = 0
    character: int = 0
    line: int = 1
    column: int = 1


class Parsed(msgspec.Struct, frozen=True):
    """``value`` is None where a fault is fatal; ``fatal`` is that fault."""

    value: Json
    faults: tuple[Fault, ...] = ()

    @property
    def fatal(self) -> Fault | None:
        return next((fault for fault in self.faults if fault.kind in FATAL), None)


def parse(text: bytes) -> Parsed:
    """The value of one JSON text, or the reason why it has none. Never raises."""
    try:
        value = _decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _explain(text)
    if _needs_a_second_look(text, value):
        return _explain(text)
    return Parsed(value)


def _needs_a_second_look(text: bytes, value: Json) -> bool:
    """True where the fast reader may have hidden something; cheap, and true a little too often."""
    if text.count(b"{") + text.count(b"[") > MAX_DEPTH and depth_of(text) > MAX_DEPTH:
        return True
    # NUL; and the one way to write a quote that the count below would miss.
    if b"\\u00" in text and (b"\\u0000" in text or b"\\u0022" in text):
        return True
    # A name sent twice is lost with its quotes when the value is written again.
    return text.count(b'"') != _encode(value).count(b'"')


def depth_of(text: bytes) -> int:
    """The deepest nesting of brackets outside strings."""
    deepest = depth = 0
    for token in _TOKEN(text):
        if token[1]:
            depth += 1
            deepest = max(deepest, depth)
        elif token[2]:
            depth -= 1
    return deepest


def _explain(text: bytes) -> Parsed:
    source = _Source(text)
    faults = source.faults()
    if depth_of(text) > MAX_DEPTH:
        message = f"nested deeper than {MAX_DEPTH} levels"
        fault = source.fault(FaultKind.TOO_DEEP, message, source.too_deep_at())
        return Parsed(None, (*faults, fault))
    hooks = _Hooks(source, faults)
    try:
        value = json.loads(
            source.text,
            object_pairs_hook=hooks.names,
            parse_int=hooks.integer,
            parse_float=hooks.number,
            parse_constant=hooks.constant,
        )
    except json.JSONDecodeError as error:
        return Parsed(None, (*faults, _place(error, source)))
    hooks.look_for_odd_texts(value)
    return Parsed(value, tuple(faults))


class _Source:
    """The characters of a text, with the way back to its bytes."""

    def __init__(self, sent: bytes) -> None:
        self._mark = len(BOM) if sent.startswith(BOM) else 0
        self._sent = sent[self._mark :]
        self.text = self._sent.decode(errors="replace")

    def faults(self) -> list[Fault]:
        try:
            self._sent.decode()
        except UnicodeDecodeError as error:
            message = f"byte {self._mark + error.start} is not UTF-8"
            character = len(self._sent[: error.start].decode())
            return [self.fault(FaultKind.INVALID_UTF8, message, character)]
        return []

    def fault(self, kind: FaultKind, message: str, character: int) -> Fault:
        return Fault(
            kind=kind,
            message=message,
            byte=self.byte(character),
            character=character,
            line=self.text.count("\n", 0, character) + 1,
            column=character - self.text.rfind("\n", 0, character),
        )

    def too_deep_at(self) -> int:
        """The first bracket that opens a level too many."""
        depth = 0
        for token in _NAME_OR_BRACKET(self.text):
            if token[3]:
                depth += 1
                if depth > MAX_DEPTH:
                    return token.start()
            elif token[4]:
                depth -= 1
        return 0

    def escape_at(self, kind: str) -> int:
        """The first escape that is NUL (``nul``) or half of a pair alone (``half``)."""
        return next((found.start() for found in _ESCAPE(self.text) if found[kind]), 0)

    def second_name_at(self) -> int:
        """The first name that its object has already; sought only where there is one."""
        names: list[set[str]] = []
        for token in _NAME_OR_BRACKET(self.text):
            if token[3]:
                names.append(set())
            elif token[4]:
                names.pop()
            elif token[2]:
                name = json.loads(token[1], strict=False) if "\\" in token[1] else token[1][1:-1]
                if name in names[-1]:
                    return token.start()
                names[-1].add(name)
        return 0

    def byte(self, character: int) -> int:
        """Where a character begins."""
        before = self.text[:character].encode()
        if self._sent.startswith(before):
            return self._mark + len(before)

        def characters(end: int) -> int:
            return len(self._sent[:end].decode(errors="replace"))

        # Bytes that are not UTF-8 became U+FFFD: the last place with so many characters before it.
        return self._mark + bisect_right(range(len(self._sent)), character, key=characters) - 1


class _Hooks:
    """What the standard library's reader asks on its way; each kind of fault is noted once."""

    def __init__(self, source: _Source, faults: list[Fault]) -> None:
        self._source = source
        self._faults = faults

    def _note(self, kind: FaultKind, message: str, place: Callable[[], int]) -> None:
        if all(fault.kind is not kind for fault in self._faults):
            self._faults.append(self._source.fault(kind, message, place()))

    def names(self, items: list[tuple[str, Json]]) -> dict[str, Json]:
        value = dict(items)
        if len(value) < len(items):
            twice, _ = Counter(name for name, _ in items).most_common(1)[0]
            message = f"{_shown(twice)} occurs twice in one object"
            self._note(FaultKind.DUPLICATE_NAME, message, self._source.second_name_at)
        return value

    def integer(self, digits: str) -> int | str:
        if len(digits) <= MAX_DIGITS:
            return int(digits)
        self._note_number(digits, f"a number has {len(digits):,} digits")
        return digits

    def number(self, digits: str) -> float | str:
        value = float(digits)
        if not isinf(value):
            return value
        self._note_number(digits, f"the number {_shown(digits)} is out of range")
        return digits

    def _note_number(self, digits: str, message: str) -> None:
        self._note(FaultKind.NUMBER_OUT_OF_RANGE, message, lambda: self._source.text.find(digits))

    def constant(self, name: str) -> NoReturn:
        places = (found.start() for found in _CONSTANT(self._source.text) if found[1])
        raise json.JSONDecodeError(f"{name} is not JSON", self._source.text, next(places, 0))

    def look_for_odd_texts(self, value: Json) -> None:
        waiting = [value]
        while waiting:
            value = waiting.pop()
            if isinstance(value, str):
                self._look_at(value)
            elif isinstance(value, dict):
                waiting.extend(value)
                waiting.extend(value.values())
            elif isinstance(value, list):
                waiting.extend(value)

    def _look_at(self, text: str) -> None:
        if "\0" in text:
            place = partial(self._source.escape_at, "nul")
            self._note(FaultKind.NUL, "a text contains the NUL character", place)
        if not text.isascii() and _LONE_SURROGATE(text):
            place = partial(self._source.escape_at, "half")
            self._note(FaultKind.LONE_SURROGATE, "a text contains half of a surrogate pair", place)


def _place(error: json.JSONDecodeError, source: _Source) -> Fault:
    if _is_cut(error):
        return source.fault(FaultKind.TRUNCATED, "the text ends inside a value", error.pos)
    return source.fault(FaultKind.INVALID, _said(error), error.pos)


def _said(error: json.JSONDecodeError) -> str:
    """What is wrong, in words that do not change with Python's version where people often err."""
    before, here = error.doc[: error.pos].rstrip(), error.doc[error.pos : error.pos + 1]
    if here in ("}", "]") and before.endswith(","):
        return "a trailing comma before a closing bracket"
    if here == "'":
        return "a single quote instead of a double quote"
    return error.msg


def _is_cut(error: json.JSONDecodeError) -> bool:
    rest = error.doc[error.pos :]
    if not rest.strip() or error.msg.startswith("Unterminated string"):
        return True
    if error.msg.startswith("Invalid \\u"):
        return bool(_CUT_ESCAPE(rest))
    if error.msg == "Expecting value":
        return bool(_CUT_VALUE(rest))
    return error.doc[error.pos - 1 : error.pos].isdigit() and bool(_CUT_NUMBER(rest))


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")
