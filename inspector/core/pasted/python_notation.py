"""Reads what Python prints of an object: ``ChatCompletion(id='…', …)``, or a dictionary of one.

People paste it where they mean the answer. It is not what was sent: a client library made it, which
prints null for absent fields and may have dropped others. Python's own parser reads it; nothing is
evaluated.
"""

import ast
import json
import re
from collections.abc import Iterator

import msgspec

from inspector.core.json import Json
from inspector.core.json.parser import MAX_DEPTH

MAX_BYTES = 1024 * 1024
"""People paste less."""
OBJECT_CHARACTERS = 128 * 1024
"""Characters of one object: the parser takes 500 bytes of memory for each."""
KEPT_AS_NULL = frozenset({"content", "finish_reason", "logprobs", "refusal"})
"""Fields of a library's object kept as null; of others nobody sees whether they were sent."""

_TEXT = r"'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'|\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\""
# As in "ChatCompletion(id=" and "{'id':".
_begin = re.compile(
    r"(?<![\w.])(?:[A-Z]\w{0,60}\((?=\s*+\w+=)|\{(?=\s*+'[^'\n]{1,80}'\s*+:))"
).search
# As in "(" and "]", but none inside a text.
_bracket = re.compile(rf"{_TEXT}|([\[{{(])|([\]}})])").finditer
# As in "<Reason.STOP: 'stop'>".
_ENUM = re.compile(rf"(?P<text>{_TEXT})|<[\w.]++:\s*+(?P<value>{_TEXT}|-?\d+)>")


class PythonObject(msgspec.Struct, frozen=True):
    """A printed object: place, name of its class ("" for a dictionary), and itself as JSON text."""

    byte_start: int
    byte_end: int
    name: str
    text: bytes


def python_objects(body: bytes) -> Iterator[PythonObject]:
    """Yield objects that Python printed into a text; linear, nothing beyond ``MAX_BYTES``."""
    if len(body) > MAX_BYTES:
        return
    try:
        text = body.decode()
    except UnicodeDecodeError:
        # Positions in characters would not be those in bytes.
        return
    position = byte = counted = 0
    while found := _begin(text, position):
        start = found.start()
        position = _end_of(text, start)
        if (printed := _json_text(text[start:position])) is not None:
            byte += len(text[counted:start].encode())
            length, counted = len(text[start:position].encode()), position
            name = found[0].removesuffix("(").removesuffix("{")
            yield PythonObject(byte, byte + length, name, printed)
            byte += length


def _end_of(text: str, start: int) -> int:
    """Where the brackets that open at ``start`` are closed, or nest too deeply."""
    depth = 0
    for found in _bracket(text, start):
        depth += bool(found[1]) - bool(found[2])
        if (found[2] and depth <= 0) or depth > MAX_DEPTH:
            return found.end()
    return len(text)


def _json_text(printed: str) -> bytes | None:
    """None where it is not what Python prints."""
    if len(printed) > OBJECT_CHARACTERS:
        return None
    try:
        tree = ast.parse(_ENUM.sub(_enum_value, printed), mode="eval")
        return json.dumps(_value(tree.body)).encode()
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


def _enum_value(found: re.Match[str]) -> str:
    return found["text"] or found["value"]


def _value(node: ast.expr) -> Json:
    """Raise ``ValueError`` for anything but literals and constructors."""
    match node:
        case ast.Constant(value=str() | int() | float() | None as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {_name(key): _value(value) for key, value in zip(keys, values, strict=True)}
        case ast.Call(args=[], keywords=given):
            fields = {each.arg or "": _value(each.value) for each in given}
            return {
                name: value
                for name, value in fields.items()
                if value is not None or name in KEPT_AS_NULL
            }
        case ast.Call(args=items, keywords=[]):
            return [_value(item) for item in items]
    raise ValueError("not what Python prints of an object")


def _name(key: ast.expr | None) -> str:
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return key.value
    raise ValueError("not the name of a field")
