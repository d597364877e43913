"""One JSON text (RFC 8259) read strictly and fast; slowly, with reasons, only where that fails.

Bounds: nesting 64, digits of one number 4,300. What exceeds them, and what two readers would read
differently (duplicate names, lone surrogates, NUL), is a fault: named, placed, never raised.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from math import isinf
from typing import NoReturn

import msgspec

from inspector.core.completion import Json

MAX_DEPTH = 64
MAX_DIGITS = 4300

_BOM = b"\xef\xbb\xbf"
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|([\[{])|([\]}])', re.DOTALL).finditer
_LONE_SURROGATE = re.compile("[\ud800-\udfff]").search
_CUT_TOKEN = re.compile(
    r"t|tr|tru|f|fa|fal|fals|n|nu|nul|-|[.eE][+-]?|\\(?:u[0-9a-fA-F]{0,3})?"
).fullmatch
_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN)', re.DOTALL).finditer
_decode = msgspec.json.Decoder().decode


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


def raw_at(text: bytes, path: Iterable[str | int]) -> bytes | None:
    """The exact bytes of the value at a path inside a JSON text, None where nothing stands there.

    Money and object-valued arguments are shown as they were sent, so their spelling counts.
    """
    raw = msgspec.Raw(text)
    try:
        for step in path:
            if isinstance(step, int):
                raw = msgspec.json.decode(raw, type=list[msgspec.Raw])[step]
            else:
                raw = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])[step]
    except (msgspec.MsgspecError, LookupError, UnicodeDecodeError, RecursionError):
        return None
    return bytes(raw).strip()


def _needs_a_second_look(text: bytes, value: Json) -> bool:
    """True where the fast reader may have hidden something; cheap, and true a little too often."""
    if text.count(b"{") + text.count(b"[") > MAX_DEPTH and depth_of(text) > MAX_DEPTH:
        return True
    if b"\\u0000" in text:
        return True
    # Every name ends in a quote and a colon, and a quote inside a text is escaped: fewer names in
    # the value than in the text means that one was sent twice.
    return text.count(b'":') - text.count(b'\\":') != _count_names(value)


def _count_names(value: Json) -> int:
    count, waiting = 0, [value]
    while waiting:
        value = waiting.pop()
        if value.__class__ is dict:
            count += len(value)
            waiting.extend(value.values())
        elif value.__class__ is list:
            waiting.extend(value)
    return count


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
    faults: list[Fault] = []
    source = _as_text(text, faults)
    if depth_of(text) > MAX_DEPTH:
        fault = Fault(kind=FaultKind.TOO_DEEP, message=f"nested deeper than {MAX_DEPTH} levels")
        return Parsed(None, (*faults, fault))
    hooks = _Hooks(source, faults)
    try:
        value = json.loads(
            source,
            object_pairs_hook=hooks.names,
            parse_int=hooks.integer,
            parse_float=hooks.number,
            parse_constant=hooks.constant,
        )
    except json.JSONDecodeError as error:
        return Parsed(None, (*faults, _place(error)))
    hooks.look_for_odd_texts(value)
    return Parsed(value, tuple(faults))


def _as_text(text: bytes, faults: list[Fault]) -> str:
    text = text.removeprefix(_BOM)
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8"
        faults.append(Fault(kind=FaultKind.INVALID_UTF8, message=message, byte=error.start))
        return text.decode(errors="replace")


class _Hooks:
    """What the standard library's reader asks on its way; each kind of fault is noted once."""

    def __init__(self, source: str, faults: list[Fault]) -> None:
        self._source = source
        self._faults = faults

    def _note(self, kind: FaultKind, message: str, character: int = 0) -> None:
        if all(fault.kind is not kind for fault in self._faults):
            byte = len(self._source[:character].encode(errors="surrogatepass"))
            self._faults.append(Fault(kind=kind, message=message, character=character, byte=byte))

    def names(self, items: list[tuple[str, Json]]) -> dict[str, Json]:
        value = dict(items)
        if len(value) < len(items):
            twice, _ = Counter(name for name, _ in items).most_common(1)[0]
            self._note(FaultKind.DUPLICATE_NAME, f"{_shown(twice)} stands twice in one object")
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
        self._note(
            FaultKind.NUMBER_OUT_OF_RANGE,
            f"the number {_shown(digits)} is out of range",
        )
        return digits

    def _note_number(self, digits: str, message: str) -> None:
        at = self._source.find(digits)
        self._note(FaultKind.NUMBER_OUT_OF_RANGE, message, at)

    def constant(self, name: str) -> NoReturn:
        places = (found.start() for found in _CONSTANT(self._source) if found[1])
        raise json.JSONDecodeError(f"{name} is not JSON", self._source, next(places, 0))

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
            self._note(FaultKind.NUL, "a text holds the character NUL")
        if not text.isascii() and _LONE_SURROGATE(text):
            self._note(FaultKind.LONE_SURROGATE, "a text holds half of a surrogate pair")


def _place(error: json.JSONDecodeError) -> Fault:
    cut = _is_cut(error)
    return Fault(
        kind=FaultKind.TRUNCATED if cut else FaultKind.INVALID,
        message="the text ends inside a value" if cut else error.msg,
        byte=len(error.doc[: error.pos].encode(errors="surrogatepass")),
        character=error.pos,
        line=error.lineno,
        column=error.colno,
    )


def _is_cut(error: json.JSONDecodeError) -> bool:
    rest = error.doc[error.pos :]
    if not rest.strip():
        return True
    return error.msg.startswith("Unterminated string") or bool(_CUT_TOKEN(rest))


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")
