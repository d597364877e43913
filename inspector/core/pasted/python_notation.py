"""Reads what Python prints of an object: ``ChatCompletion(id='…', …)``, or a dictionary of one.

People paste it where they mean the answer. It is not what was sent: a client library made it, which
prints null for absent fields and may have dropped others. Only literals are read; nothing is
evaluated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.core.json.parser import MAX_DEPTH

MAX_BYTES = 1024 * 1024
KEPT_AS_NULL = frozenset({"content", "finish_reason", "logprobs", "refusal"})
"""Fields of a library's object that are kept if they are null. Of others it cannot be seen whether
they were sent.
"""

_begin = re.compile(
    r"(?<![\w.])(?:[A-Z]\w{0,60}\((?=\s*+\w+=)|\{(?=\s*+'[^'\n]{1,80}'\s*+:))"
).search
_token = re.compile(
    r"""\s*+(?:
        (?P<text>'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+")
      | (?P<number>-?[0-9]{1,300}+(?:\.[0-9]{1,300}+)?+(?:e[+-]?[0-9]{1,3})?+)
      | (?P<constant>(?:None|True|False)\b)
      | (?P<enum><[\w.]++:\s*+)
      | (?P<call>[A-Za-z_][\w.]{0,100}+\()
      | (?P<name>[A-Za-z_]\w{0,100}+)\s*+=
      | (?P<open>[\[{(])
      | (?P<close>[\]})>])
      | (?P<colon>:)
      | (?P<comma>,)
    )""",
    re.VERBOSE,
).match
_escape = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))", re.DOTALL)
_CONSTANTS = {"None": None, "True": True, "False": False}
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_CLOSES = {"[": "]", "{": "}", "(": ")", "<": ">"}


class PythonObject(msgspec.Struct, frozen=True):
    """One printed object: its place in the text, the name of its class ("" for a dictionary), and
    itself as JSON text.
    """

    byte_start: int
    byte_end: int
    name: str
    text: bytes


def python_objects(body: bytes) -> Iterator[PythonObject]:
    """Yield the objects that Python printed into a text. Linear in its length; nothing if it
    exceeds ``MAX_BYTES``.
    """
    if len(body) > MAX_BYTES:
        return
    try:
        text = body.decode()
    except UnicodeDecodeError:
        # Positions in characters would not be those in bytes.
        return
    position = byte = counted = 0
    while found := _begin(text, position):
        printed = _Printed(text, found.start())
        position = max(printed.end, found.end())
        if printed.is_whole:
            byte += len(text[counted : found.start()].encode())
            length, counted = len(text[found.start() : position].encode()), position
            name = found[0].removesuffix("(").removesuffix("{")
            yield PythonObject(byte, byte + length, name, json.dumps(printed.value).encode())
            byte += length


class _Container:
    """An object, list or tuple that is being read."""

    def __init__(self, bracket: str, *, is_call: bool) -> None:
        self.bracket = bracket
        self.is_call = is_call
        self.fields: dict[str, Any] = {}
        self.items: list[Any] = []
        self.key: str | None = None
        self.has_comma = False
        self.is_after_value = False

    @property
    def value(self) -> Any:
        if self.bracket == "{" or (self.is_call and (self.fields or not self.items)):
            return self.fields
        is_wrapped = self.bracket in "(<" and not self.is_call and not self.has_comma
        return self.items[0] if is_wrapped and len(self.items) == 1 else self.items

    def put(self, value: Any) -> bool:
        """Take a value. Return False if none is due."""
        if self.is_after_value:
            return self._continue_text(value)
        self.is_after_value = True
        if self.key is None:
            if self.bracket == "{" and not isinstance(value, str):
                return False
            self.items.append(value)
        elif not (self.is_call and value is None and self.key not in KEPT_AS_NULL):
            self.fields[self.key] = value
        return True

    def _continue_text(self, value: Any) -> bool:
        """Join a text to the one before it: long texts are printed in several."""
        if self.key is not None and isinstance(self.fields.get(self.key), str):
            self.fields[self.key] += value if isinstance(value, str) else ""
        elif self.key is None and self.items and isinstance(self.items[-1], str):
            self.items[-1] += value if isinstance(value, str) else ""
        else:
            return False
        return isinstance(value, str)

    def name(self, key: str) -> bool:
        """Take the name of an argument. Return False if none is due."""
        is_due = self.is_call and not self.is_after_value and not self.items
        self.key = key
        return is_due

    def colon(self) -> bool:
        """Take the text before a colon as the name of a field."""
        is_due = self.bracket == "{" and self.is_after_value and self.key is None
        if is_due:
            self.key = self.items.pop()
            self.is_after_value = False
        return is_due

    def comma(self) -> bool:
        is_due = self.is_after_value and (self.bracket != "{" or self.key is not None)
        self.key, self.is_after_value, self.has_comma = None, False, True
        return is_due


class _Printed:
    """Reads one printed object, from its first character on."""

    def __init__(self, text: str, start: int) -> None:
        self.end = start
        self.value: Any = None
        self.is_whole = False
        self._open: list[_Container] = []
        while token := _token(text, self.end):
            self.end = token.end()
            if not self._take(token.lastgroup or "", token) or self.is_whole:
                return

    def _take(self, kind: str, token: re.Match[str]) -> bool:
        """Take one token. Return False if it is not allowed here."""
        if kind in ("open", "call", "enum"):
            bracket = {"call": "(", "enum": "<"}.get(kind, token[kind])
            self._open.append(_Container(bracket, is_call=kind == "call"))
            return len(self._open) <= MAX_DEPTH
        if not self._open:
            return False
        inner = self._open[-1]
        if kind == "close":
            return self._close(token[kind])
        if kind == "name":
            return inner.name(token[kind])
        if kind in ("colon", "comma"):
            return inner.colon() if kind == "colon" else inner.comma()
        return inner.put(_literal(kind, token[kind]))

    def _close(self, bracket: str) -> bool:
        inner = self._open.pop()
        if _CLOSES[inner.bracket] != bracket or (inner.bracket == "{" and inner.items):
            return False
        if self._open:
            return self._open[-1].put(inner.value)
        self.value, self.is_whole = inner.value, True
        return True


def _literal(kind: str, spelt: str) -> Any:
    if kind == "text":
        return _escape.sub(_unescaped, spelt[1:-1])
    if kind == "constant":
        return _CONSTANTS[spelt]
    return float(spelt) if "." in spelt or "e" in spelt else int(spelt)


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code is None:
        return _ESCAPED.get(found[4], found[4])
    return chr(int(code, 16)) if int(code, 16) < 0x110000 else "\ufffd"
