"""Reads what Python or JavaScript prints of an object: ``ChatCompletion(id='…', …)``, a dictionary,
``{ id: '…', choices: [ … ] }``.

People paste it where they mean the answer. It is not what was sent: a client library made it, which
prints null for absent fields and may have dropped others. Python's own parser reads it, and
JavaScript's notation once names and words are spelt as Python's; nothing is evaluated.
"""

import ast
import json
import re
from collections.abc import Iterator
from enum import StrEnum

import msgspec

from inspector.core.findings import shorten
from inspector.core.json import Json
from inspector.core.json.parser import MAX_DEPTH

MAX_BYTES = 1024 * 1024
"""People paste less."""
OBJECT_CHARACTERS = 128 * 1024
"""Characters of one object: the parser takes 500 bytes of memory for each."""
KEPT_AS_NULL = frozenset({"content", "finish_reason", "logprobs", "refusal"})
"""Fields of a library's object kept as null; of others nobody sees whether they were sent."""
UNDEFINED = "undefined"
"""JavaScript's word for a field that is not there."""

_TEXT = r"'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'|\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\""
_NAME = r"[A-Za-z_$][\w$]{0,80}"
# As in "ChatCompletion(id=", "{'id':", and "{ id:" or "Answer { id:" of JavaScript.
_begin = re.compile(
    rf"(?<![\w.])(?:[A-Z]\w{{0,60}}\((?=\s*+\w+=)|\{{(?=\s*+'[^'\n]{{1,80}}'\s*+:)"
    rf"|(?P<javascript>(?:[A-Z]\w{{0,60}} )?\{{)(?=\s*+{_NAME}:\s))"
).search
# As in "(" and "]", but none inside a text.
_bracket = re.compile(rf"{_TEXT}|`(?:[^`\\]|\\.)*+`|([\[{{(])|([\]}})])").finditer
# As in "<Reason.STOP: 'stop'>".
_ENUM = re.compile(rf"(?P<text>{_TEXT})|<[\w.]++:\s*+(?P<value>{_TEXT}|-?\d+)>")
# As in "`it's "here"`", "id:", "null", "[Object]", "Array(2)", "... 3 more items", "'one' +", and
# "'one'... 3 more characters".
_JAVASCRIPT = re.compile(
    rf"(?P<text>{_TEXT})|`(?P<quoted>(?:[^`\\]|\\.)*+)`|(?P<name>{_NAME})(?=:\s)"
    r"|\b(?P<word>null|true|false)\b|(?P<join> \+\n)"
    r"|(?P<left_out>\[[A-Z][a-z]++\]|\{…\}|\bArray\(\d++\)|\.\.\. \d++ more items?)"
    r"|(?P<cut>\.\.\. \d++ more characters?)"
)
_OMISSIONS = ("cut", "left_out")
_WORDS = {"null": "None", "true": "True", "false": "False"}


class Printer(StrEnum):
    PYTHON = "Python"
    JAVASCRIPT = "JavaScript"


class PrintedObject(msgspec.Struct, frozen=True):
    """A printed object: place, who printed it, its class ("" for none), and itself as JSON text."""

    byte_start: int
    byte_end: int
    printer: Printer
    name: str
    text: bytes
    is_shortened: bool = False
    """The printer left out what lies deeper (``[Object]``), where null stands, or a text's end."""

    @property
    def words(self) -> str:
        """Name it, for use inside a sentence."""
        what = shorten(self.name) if self.name else "an object"
        shortened = ", shortened" if self.is_shortened else ""
        return f"what {self.printer} prints of {what}{shortened}"


def printed_objects(body: bytes) -> Iterator[PrintedObject]:
    """Yield objects that were printed into a text; linear, nothing beyond ``MAX_BYTES``."""
    if len(body) > MAX_BYTES:
        return
    try:
        text = body.decode()
    except UnicodeDecodeError:
        # Positions in characters would not be those in bytes.
        return
    position = byte = counted = 0
    while found := _begin(text, position):
        start, position = found.start(), _end_of(text, found.start())
        byte, counted = byte + len(text[counted:start].encode()), start
        if (one := _object_of(found, text[start:position], byte)) is not None:
            yield one


def _object_of(found: re.Match[str], notation: str, byte_start: int) -> PrintedObject | None:
    name, is_shortened = found[0].rstrip("({ "), False
    printer = Printer.JAVASCRIPT if found["javascript"] else Printer.PYTHON
    byte_end = byte_start + len(notation.encode())
    if printer is Printer.JAVASCRIPT:
        notation, is_shortened = _as_python(notation[len(found[0]) - 1 :])
    printed = _json_text(notation)
    if printed is None:
        return None
    return PrintedObject(byte_start, byte_end, printer, name, printed, is_shortened)


def _end_of(text: str, start: int) -> int:
    """Where the brackets that open at ``start`` are closed, or nest too deeply."""
    depth = 0
    for found in _bracket(text, start):
        depth += bool(found[1]) - bool(found[2])
        if (found[2] and depth <= 0) or depth > MAX_DEPTH:
            return found.end()
    return len(text)


def _json_text(printed: str) -> bytes | None:
    """None where it is not what is printed of an object."""
    if len(printed) > OBJECT_CHARACTERS:
        return None
    try:
        tree = ast.parse(_ENUM.sub(_enum_value, printed), mode="eval")
        return json.dumps(_value(tree.body)).encode()
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


def _enum_value(found: re.Match[str]) -> str:
    return found["text"] or found["value"]


def _as_python(notation: str) -> tuple[str, bool]:
    """Spell JavaScript's notation as Python's, and tell whether something was left out of it."""
    is_shortened = any(each.lastgroup in _OMISSIONS for each in _JAVASCRIPT.finditer(notation))
    return _JAVASCRIPT.sub(_spelt_as_python, notation), is_shortened


def _spelt_as_python(found: re.Match[str]) -> str:
    match found.lastgroup:
        case "quoted":
            return '"' + found["quoted"].replace("\\`", "`").replace('"', '\\"') + '"'
        case "name":
            return f"'{found['name']}'"
        case "word":
            return _WORDS[found["word"]]
        case "join":
            # Python joins texts that stand beside each other.
            return "\n"
        case "left_out":
            return "..."
        case "cut":
            return ""
    return found[0]


def _value(node: ast.expr) -> Json:
    """Raise ``ValueError`` for anything but literals and constructors."""
    match node:
        case ast.Constant(value=str() | int() | float() | None as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Constant(value=value) if value is ...:
            return None
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item) for item in items if not _is_left_out(item)]
        case ast.Dict(keys=keys, values=values):
            given = zip(keys, values, strict=True)
            return {_name(key): _value(value) for key, value in given if not _is_undefined(value)}
        case ast.Call(args=[], keywords=given):
            fields = {each.arg or "": _value(each.value) for each in given}
            return {
                name: value
                for name, value in fields.items()
                if value is not None or name in KEPT_AS_NULL
            }
        case ast.Call(args=items, keywords=[]):
            return [_value(item) for item in items]
    raise ValueError("not what is printed of an object")


def _name(key: ast.expr | None) -> str:
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return key.value
    raise ValueError("not the name of a field")


def _is_left_out(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _is_undefined(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == UNDEFINED
