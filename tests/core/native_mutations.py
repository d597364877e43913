"""Bodies of every native format in which one thing is wrong, as no provider but an attacker sends.

Each is a good answer of ``native_bodies`` with one change: of a member, of an object among the
others, or of the bytes. ``read_before`` are the objects before the change, which must be read.
"""

import json
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.core.bodies import GOOD_STREAM, TOP
from tests.core.native_bodies import (
    ANTHROPIC_EVENTS,
    GEMINI_CHUNKS,
    NATIVES,
    OLLAMA_LINES,
    RESPONSES_EVENTS,
    Native,
    as_array,
    as_events,
)

STRANGE_VALUES = (
    b"null",
    b"true",
    b"0",
    b"-1",
    b"7",
    b"1e999",
    b"1" * 400,
    b"1" * 5000,
    b"0.5",
    b'""',
    b'"a"',
    b'"\\ud83d"',
    b'"\\u0000"',
    b'"\xff"',
    b"[]",
    b"{}",
    b"[[]]",
    b"[null]",
    b'["a"]',
    b"[{}]",
    b'{"0":1}',
    b'{"":{}}',
    b'{"type":"?"}',
    b'[{"type":[]}]',
    b"[" * 50 + b"]" * 50,
    b'{"a":' * 50 + b"1" + b"}" * 50,
    b"[" * 100 + b"]" * 100,
)
"""JSON texts that stand in place of a member."""
CHAT_CHUNK = b'{%s,"choices":[{"index":0,"delta":{"content":"chat"},"finish_reason":null}]}' % TOP
STRANGE_OBJECTS = (
    b"{}",
    b"[]",
    b"null",
    b'"a"',
    b"{",
    b"",
    b"[DONE]",
    b'{"type":null}',
    b'{"type":{}}',
    b'{"type":"no.such_event","index":0,"delta":{"text":"x"}}',
    b'{"error":{"message":"x"}}',
    b'{"error":[]}',
    b'{"type":"error"}',
    b'{"type":"error","error":"x"}',
    CHAT_CHUNK,
    ANTHROPIC_EVENTS[0],
    ANTHROPIC_EVENTS[8],
    ANTHROPIC_EVENTS[14],
    ANTHROPIC_EVENTS[-2],
    RESPONSES_EVENTS[0],
    RESPONSES_EVENTS[3],
    RESPONSES_EVENTS[10],
    RESPONSES_EVENTS[-1],
    GEMINI_CHUNKS[1],
    OLLAMA_LINES[1],
)
"""Texts that stand among the objects of a format."""
MARK = "\N{INVISIBLE SEPARATOR}"


class Hostile(NamedTuple):
    name: str
    native: Native
    body: bytes
    read_before: int = 0
    """Objects before the change."""
    is_printed: bool = False
    """In the notation of a program, whose texts have no bytes that spell them in JSON."""


def hostile_bodies() -> Iterator[Hostile]:
    for native in NATIVES:
        yield from _of_members(native)
        if native.is_stream:
            yield from _of_order(native)
            yield from _of_strangers(native)
        yield from _of_bytes(native)


def changed_bodies(chance: random.Random, number: int) -> Iterator[Hostile]:
    """Streams with several changes each, at random."""
    streams = [native for native in NATIVES if native.is_stream]
    for _ in range(number):
        native, seed = chance.choice(streams), chance.randrange(1 << 32)
        objects = list(native.objects)
        many = random.Random(seed)
        for _ in range(many.randrange(2, 7)):
            _change_at_random(objects, many)
        body = native.frame(objects)
        yield Hostile(f"{native.name}: several changes, seed {seed}", native, body)


def _change_at_random(objects: list[bytes], chance: random.Random) -> None:
    at, other = chance.randrange(len(objects)), chance.randrange(len(objects))
    change = chance.randrange(6)
    if change == 0 and len(objects) > 1:
        del objects[at]
    elif change == 1:
        objects.insert(at, objects[other])
    elif change == 2:
        objects[at], objects[other] = objects[other], objects[at]
    elif change == 3:
        objects.insert(at, chance.choice([one for one in STRANGE_OBJECTS if one[:1] == b"{"]))
    else:
        value = _parsed(objects[at])
        if paths := list(_paths(value)):
            objects[at] = chance.choice(list(_changes(value, chance.choice(paths))))[1]


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


# -- one member is another ------------------------------------------------------------------------


def _of_members(native: Native) -> Iterator[Hostile]:
    for position, text in enumerate(native.objects):
        value = json.loads(text)
        for path in _paths(value):
            for change, changed in _changes(value, path):
                place = f"/{position}/{'/'.join(map(str, path))}"
                yield _with(native, f"{place} {change}", position, changed)


def _paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    inside = value.items() if isinstance(value, dict) else ()
    inside = enumerate(value) if isinstance(value, list) else inside
    for step, item in inside:
        yield (*path, step)
        yield from _paths(item, (*path, step))


def _changes(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str, bytes]]:
    for strange in STRANGE_VALUES:
        yield f"is {strange[:20]!r}", _replaced(value, path, strange)
    if isinstance(path[-1], str):
        yield "is missing", _removed(value, path)
        yield "is there twice", _repeated(value, path)


def _replaced(value: Any, path: tuple[str | int, ...], text: bytes) -> bytes:
    copy = json.loads(json.dumps(value))
    _around(copy, path)[path[-1]] = MARK
    return _spelt(copy).replace(_spelt(MARK), text)


def _removed(value: Any, path: tuple[str | int, ...]) -> bytes:
    copy = json.loads(json.dumps(value))
    del _around(copy, path)[path[-1]]
    return _spelt(copy)


def _repeated(value: Any, path: tuple[str | int, ...]) -> bytes:
    name = _spelt(path[-1])
    kept = _spelt(_around(value, path)[path[-1]])
    return _replaced(value, path, b"7," + name + b":" + kept)


def _around(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path[:-1]:
        value = value[step]
    return value


def _spelt(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode(errors="surrogatepass")


# -- objects among the others ---------------------------------------------------------------------


def _of_order(native: Native) -> Iterator[Hostile]:
    objects = native.objects
    for position, text in enumerate(objects):
        before, after = objects[:position], objects[position + 1 :]
        yield _of(native, f"{position} is missing", (*before, *after), position)
        yield _of(native, f"{position} comes twice", (*before, text, text, *after), position)
        yield _of(native, f"{position} comes last", (*before, *after, text), position)
        yield _of(native, f"{position} comes first", (text, *before, *after))
        yield _of(native, f"the last is {position}", (*before, text), position)
    yield _of(native, "backwards", objects[::-1])
    yield _of(native, "twice", objects * 2, len(objects))
    yield _of(native, "every one twice", tuple(one for one in objects for _ in range(2)))


def _of_strangers(native: Native) -> Iterator[Hostile]:
    objects = native.objects
    for strange in STRANGE_OBJECTS:
        if native.frame is as_array and strange in (b"", b"[DONE]", b"{"):
            continue
        for position in range(len(objects) + 1):
            mixed = (*objects[:position], strange, *objects[position:])
            yield _of(native, f"{strange[:40]!r} before {position}", mixed, position)
        yield _of(native, f"only {strange[:40]!r}", (strange,))


# -- bytes ----------------------------------------------------------------------------------------


def _of_bytes(native: Native) -> Iterator[Hostile]:
    body = native.body
    step = max(len(body) // 200, 1)
    for end in range(0, len(body), step):
        yield Hostile(f"{native.name}: cut after {end}", native, body[:end])
    for number, changed in enumerate(_respelt(native, body)):
        is_printed = b'"' not in changed
        yield Hostile(f"{native.name}: spelling {number}", native, changed, is_printed=is_printed)


def _respelt(native: Native, body: bytes) -> Iterator[bytes]:
    yield body.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    yield body.replace(b"\n", b"\r")
    yield b"\xef\xbb\xbf" + body
    yield b"\xff\xfe" + body
    yield body.decode().encode("utf-16")
    yield body.replace(b"\n\n", b"\n")
    yield body.replace(b"\n", b"")
    yield body + body
    yield body + GOOD_STREAM
    yield GOOD_STREAM + body
    yield b"\0" + body
    yield body + b"\0" * 9
    yield body.replace(b"data: ", b"data:")
    yield body.replace(b"data: ", b"")
    yield body.replace(b"data: ", b"event: error\ndata: ")
    yield body.replace(b":", b": ")
    yield body.replace(b'"', b"'")
    yield body.replace(b'"', b'\\"')
    yield b"```json\n" + body + b"\n```\n"
    yield b"> " + body.replace(b"\n", b"\n> ")
    yield b"".join(native.objects)
    yield as_events(native.objects)
    yield as_array(native.objects)
    yield b"[" + body + b"]"
    yield b'{"response":' + body + b"}"
    yield as_events(native.objects) + b"data: [DONE]\n\n"
    yield b"data: [DONE]\n\n" + as_events(native.objects)
    yield b": keep-alive\n\n" * 100 + as_events(native.objects)
    yield b"data: {}\n\n" * 100 + as_events(native.objects)


def _with(native: Native, name: str, position: int, text: bytes) -> Hostile:
    objects = (*native.objects[:position], text, *native.objects[position + 1 :])
    return _of(native, name, objects, position)


def _of(native: Native, name: str, objects: tuple[bytes, ...], read_before: int = 0) -> Hostile:
    return Hostile(f"{native.name}: {name}", native, native.frame(objects), read_before)
