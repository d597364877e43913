"""Finds objects that stand in a text as quoted texts: in lines of a log, in fields of CSV."""

import re
from collections.abc import Iterator

from inspector.core.json import parser
from inspector.core.pasted.excerpts import MAX_BYTES, ExcerptKind, PastedExcerpt

# As in '"{\"id\": 1}"' and '"{""id"": 1}"'. One that never ends matches to the end, because the
# search would begin again at each quote in it.
_QUOTED = re.compile(
    rb"""
    " (?:data:[ ]?)? (?=\{\\) [^"\\]*+ (?:\\.[^"\\]*+)*+ (?:"|\\?\Z)
    |
    " (?=\{"") [^"]*+ (?:""[^"]*+)*+ (?:"|\Z)
    """,
    re.DOTALL | re.VERBOSE,
)

# Names without which an object is no part of an answer. Looked for before it is decoded.
_may_answer = re.compile(rb"choices|candidates|type|object|done|error|output").search


def quoted_objects(body: bytes) -> Iterator[PastedExcerpt]:
    """Yield the objects that quoted texts spell, in order; none above ``MAX_BYTES``."""
    for found in _QUOTED.finditer(body) if len(body) <= MAX_BYTES else ():
        start, end = found.span()
        if _may_answer(found[0]) and (text := _spelt(found[0])):
            yield PastedExcerpt(ExcerptKind.OBJECT, start, end, text, start)


def _spelt(quoted: bytes) -> bytes:
    if quoted.startswith(b'"{""'):
        return quoted[1:-1].replace(b'""', b'"')
    value = parser.parse_json_unexplained(quoted).value
    text = value.removeprefix("data:").strip() if isinstance(value, str) else ""
    return text.encode(errors="replace")
