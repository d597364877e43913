"""Parses one JSON text (RFC 8259) strictly: fast if it is sound, slowly and with reasons if not.

Limits: nesting 64, digits of one number 4,300. Exceeding them, and what parsers disagree about
(duplicate names, lone surrogates, NUL), is a fault with a place. Nothing is raised.

``NaN``, trailing commas and the like make a text invalid although some clients read them: what one
client reads and another refuses must not be smoothed over. Their reading is proposed as a repair,
or told as one (``parse_with_constants``).
"""

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

from inspector.core.json import Json
from inspector.core.wire.framing import BOM

MAX_DEPTH = 64
"""Parsers begin to refuse here: System.Text.Json reads 64 levels, if not told otherwise."""
# Beyond them CPython refuses to make a number of a text: ``int`` would raise.
MAX_DIGITS = 4300

# An unclosed string matches to the end. Otherwise the search would start again at each of its
# escaped quotes and take quadratic time.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|([\[{])|([\]}])', re.DOTALL).finditer
# As in "\ud83d" without its other half.
_LONE_SURROGATE = re.compile("[\ud800-\udfff]").search
# Surrogate pairs match first, so that a half that matches is a lone one.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u(?P<half>[dD][89a-fA-F]..)|u(?P<nul>0000)|.)",
    re.DOTALL,
).finditer
# As in '"id":', '"a text"', "{" and "]".
_NAME_OR_BRACKET = re.compile(
    r'("[^"\\]*+(?:\\.[^"\\]*+)*+")\s*+(:?)|([\[{])|([\]}])', re.DOTALL
).finditer
# As in "tr" of "true".
_CUT_VALUE = re.compile(r"t|tr|tru|f|fa|fal|fals|n|nu|nul|-").fullmatch
# As in "." of "1.", "e+" of "1e+".
_CUT_NUMBER = re.compile(r"[.eE][+-]?").fullmatch
# As in "u00" of "\u00".
_CUT_ESCAPE = re.compile(r"u[0-9a-fA-F]{0,4}").fullmatch
# As in "NaN" and "-Infinity", which Python reads and no JSON has; strings first, to pass them.
_CONSTANT = re.compile(
    r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|(-?Infinity|NaN)', re.DOTALL
).finditer
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


class JsonFaultKind(StrEnum):
    INVALID = "invalid"
    TRUNCATED = "truncated"
    TOO_DEEP = "too-deep"
    DUPLICATE_NAME = "duplicate-name"
    NUL = "nul"
    LONE_SURROGATE = "lone-surrogate"
    INVALID_UTF8 = "invalid-utf8"
    NUMBER_OUT_OF_RANGE = "number-out-of-range"


FATAL = frozenset({JsonFaultKind.INVALID, JsonFaultKind.TRUNCATED, JsonFaultKind.TOO_DEEP})


class JsonFault(msgspec.Struct, frozen=True, kw_only=True):
    """A fault and its place. ``byte``, ``character`` count from 0, ``line``, ``column`` from 1."""

    kind: JsonFaultKind
    message: str
    byte: int = 0
    character: int = 0
    line: int = 1
    column: int = 1


class ParsedJson(msgspec.Struct, frozen=True):
    """Value and faults of a text. ``fatal`` is the fault that makes ``value`` None."""

    value: Json
    faults: tuple[JsonFault, ...] = ()

    @property
    def fatal(self) -> JsonFault | None:
        return next((fault for fault in self.faults if fault.kind in FATAL), None)


# Words of msgspec.
_MALFORMED, _CUT = "JSON is malformed", "Input data was truncated"
_UNEXPLAINED = JsonFault(kind=JsonFaultKind.INVALID, message="invalid JSON")
_UNEXPLAINED_CUT = JsonFault(kind=JsonFaultKind.TRUNCATED, message="the text ends inside a value")


def parse_json(text: bytes) -> ParsedJson:
    """Parse one JSON text into a value or a fatal fault. Never raises."""
    try:
        value = _decode(text)
        # Of a duplicate name only one is left in the value, so encoding it gives fewer quotes.
        if text.count(b'"') == _encode(value).count(b'"') and not _may_hide_a_fault(text):
            return ParsedJson(value)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    return _explain(text)


def parse_json_unexplained(text: bytes) -> ParsedJson:
    """As ``parse_json``, but most fatal faults have no place and no reason: to find them takes
    twenty times as long as to see that there is one. Never raises.
    """
    if _is_too_deep(text):
        return parse_json(text)
    try:
        _decode(text)
    except msgspec.DecodeError as error:
        said = str(error)
        if said.startswith(_MALFORMED):
            return ParsedJson(None, (_UNEXPLAINED,))
        # The half of a surrogate pair is called so, too.
        if said == _CUT and b"\\u" not in text:
            return ParsedJson(None, (_UNEXPLAINED_CUT,))
    except (UnicodeDecodeError, RecursionError):
        pass
    return parse_json(text)


def parse_with_constants(text: bytes) -> Json:
    """Return the value of a text that is JSON but for ``NaN`` and infinities, which Python's parser
    reads: in it they are texts. None for all others. Never raises.
    """
    if not (b"NaN" in text or b"Infinity" in text) or _is_too_deep(text):
        return None
    source = _Source(text)
    hooks = _Hooks(source, [])
    try:
        return json.loads(
            source.text,
            object_pairs_hook=hooks.names,
            parse_int=hooks.integer,
            parse_float=hooks.number,
            parse_constant=str,
        )
    except json.JSONDecodeError:
        return None


def _may_hide_a_fault(text: bytes) -> bool:
    """Return True if the fast parser may pass over a fault. Cheap; true slightly too often."""
    # An escaped NUL; and \u0022, a quote that counting quotes misses.
    is_escaped = text.find(b"\\u00") >= 0 and (b"\\u0000" in text or b"\\u0022" in text)
    return is_escaped or _is_too_deep(text)


def _is_too_deep(text: bytes) -> bool:
    # Counted first: that takes a hundredth of the time that following the depth takes.
    return text.count(b"{") + text.count(b"[") > MAX_DEPTH and depth_of(text) > MAX_DEPTH


def depth_of(text: bytes) -> int:
    """Deepest nesting of brackets outside strings."""
    deepest = depth = 0
    for token in _TOKEN(text):
        if token[1]:
            depth += 1
            deepest = max(deepest, depth)
        elif token[2]:
            depth -= 1
    return deepest


def _explain(text: bytes) -> ParsedJson:
    source = _Source(text)
    faults = source.faults()
    if _is_too_deep(text):
        message = f"nested deeper than {MAX_DEPTH} levels"
        fault = source.fault(JsonFaultKind.TOO_DEEP, message, source.too_deep_at())
        return ParsedJson(None, (*faults, fault))
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
        return ParsedJson(None, (*faults, _place(error, source)))
    hooks.look_for_odd_texts(value)
    return ParsedJson(value, tuple(faults))


class _Source:
    """The characters of a text, with their byte positions."""

    def __init__(self, sent: bytes) -> None:
        self._mark = len(BOM) if sent.startswith(BOM) else 0
        self._sent = sent[self._mark :]
        self.text = self._sent.decode(errors="replace")

    def faults(self) -> list[JsonFault]:
        try:
            self._sent.decode()
        except UnicodeDecodeError as error:
            message = f"byte {self._mark + error.start} is not UTF-8"
            character = len(self._sent[: error.start].decode())
            return [self.fault(JsonFaultKind.INVALID_UTF8, message, character)]
        return []

    def fault(self, kind: JsonFaultKind, message: str, character: int) -> JsonFault:
        return JsonFault(
            kind=kind,
            message=message,
            byte=self.byte(character),
            character=character,
            line=self.text.count("\n", 0, character) + 1,
            column=character - self.text.rfind("\n", 0, character),
        )

    def too_deep_at(self) -> int:
        """Position of the first bracket beyond ``MAX_DEPTH``."""
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
        """Position of the first escape that is NUL (``nul``) or a lone surrogate (``half``)."""
        return next((found.start() for found in _ESCAPE(self.text) if found[kind]), 0)

    def second_name_at(self) -> int:
        """Position of the first duplicate name. Walks over the text: called if there is one."""
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
        """Byte position of a character."""
        before = self.text[:character].encode()
        if self._sent.startswith(before):
            return self._mark + len(before)

        def characters(end: int) -> int:
            return len(self._sent[:end].decode(errors="replace"))

        # Invalid bytes became U+FFFD: bisect for the last byte with so many characters before it.
        return self._mark + bisect_right(range(len(self._sent)), character, key=characters) - 1


class _Hooks:
    """Hooks of the standard library's parser that note faults, the first of each kind."""

    def __init__(self, source: _Source, faults: list[JsonFault]) -> None:
        self._source = source
        self._faults = faults

    def _note(self, kind: JsonFaultKind, message: str, place: Callable[[], int]) -> None:
        if all(fault.kind is not kind for fault in self._faults):
            self._faults.append(self._source.fault(kind, message, place()))

    def names(self, items: list[tuple[str, Json]]) -> dict[str, Json]:
        value = dict(items)
        if len(value) < len(items):
            twice, _ = Counter(name for name, _ in items).most_common(1)[0]
            message = f"{_quote_character(twice)} occurs twice in one object"
            self._note(JsonFaultKind.DUPLICATE_NAME, message, self._source.second_name_at)
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
        self._note_number(digits, f"the number {_quote_character(digits)} is out of range")
        return digits

    def _note_number(self, digits: str, message: str) -> None:
        self._note(
            JsonFaultKind.NUMBER_OUT_OF_RANGE, message, lambda: self._source.text.find(digits)
        )

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
            self._note(JsonFaultKind.NUL, "a text contains the NUL character", place)
        if not text.isascii() and _LONE_SURROGATE(text):
            place = partial(self._source.escape_at, "half")
            self._note(
                JsonFaultKind.LONE_SURROGATE, "a text contains half of a surrogate pair", place
            )


def _place(error: json.JSONDecodeError, source: _Source) -> JsonFault:
    if _is_cut(error):
        return source.fault(JsonFaultKind.TRUNCATED, "the text ends inside a value", error.pos)
    comma = _trailing_comma(error)
    if comma is not None:
        message = "a trailing comma before a closing bracket"
        return source.fault(JsonFaultKind.INVALID, message, comma)
    return source.fault(JsonFaultKind.INVALID, _describe_error(error), error.pos)


def _trailing_comma(error: json.JSONDecodeError) -> int | None:
    """Position of the comma that is the error; Python names the bracket, from 3.13 on the comma."""
    before, rest = error.doc[: error.pos].rstrip(), error.doc[error.pos :]
    if rest[:1] in ("}", "]") and before.endswith(","):
        return len(before) - 1
    is_comma = rest[:1] == "," and rest[1:].lstrip()[:1] in ("}", "]")
    return error.pos if is_comma else None


def _describe_error(error: json.JSONDecodeError) -> str:
    """Describe common mistakes in our own words: those of Python change with its version."""
    if error.doc[error.pos : error.pos + 1] == "'":
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


def _quote_character(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")
