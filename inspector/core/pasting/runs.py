"""The responses inside a text: its objects told apart, and gathered to answers and streams."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from inspector.core import dialects, json_text
from inspector.core.assembly import Assembly
from inspector.core.completion import Json
from inspector.core.dialects.dialect import Signs
from inspector.core.json_text import Parsed
from inspector.core.pasting import repair
from inspector.core.pasting.excerpts import Excerpt, Kind, excerpts

MAX_PARTS = 50
"""Parts that are offered; a text with more is no page that anybody reads."""

_TELLING = frozenset({"candidates", "choices", "done", "error", "object", "type"})
"""Without any of these no dialect knows an object; most objects of a text are no response."""


class Part(msgspec.Struct, frozen=True):
    """One response inside a text: the bytes that are an input of their own."""

    byte_start: int
    byte_end: int
    line: int
    objects: int
    is_stream: bool

    @property
    def title(self) -> str:
        if not self.is_stream:
            return "an answer"
        return "a chunk" if self.objects == 1 else f"a stream of {self.objects:,} chunks"


class One(msgspec.Struct, frozen=True):
    """An object of a text with what it says, read strictly or as repaired."""

    excerpt: Excerpt
    parsed: Parsed
    value: Json
    steps: tuple[str, ...] = ()


class Run:
    """One response while its excerpts are gathered."""

    def __init__(self, *, is_stream: bool) -> None:
        self.members: list[Excerpt | One] = []
        self.is_stream = is_stream
        self.is_over = False
        self.had_text = False
        self.identity: Json = None
        """The first id that says something."""

    def add(self, members: Iterable[Excerpt], one: One) -> None:
        self.members += [*members, one]
        self.identity = self.identity or one.value.get("id")
        self.had_text = False

    @property
    def objects(self) -> list[One]:
        return [member for member in self.members if isinstance(member, One)]

    @property
    def is_document(self) -> bool:
        """One object alone, without anything that only a stream has."""
        return len(self.members) == 1 and not self.objects[0].excerpt.has_data

    @property
    def range(self) -> tuple[int, int]:
        return range_of(self.members[0])[0], range_of(self.members[-1])[1]

    def part(self, body: bytes) -> Part:
        start, end = self.range
        return Part(
            byte_start=start,
            byte_end=end,
            line=line_of(body, start),
            objects=len(self.objects),
            is_stream=self.is_stream,
        )


def parts(body: bytes) -> tuple[Part, ...]:
    """The responses inside a text, in order."""
    return tuple(run.part(body) for run in runs_of(excerpts(body))[:MAX_PARTS])


def runs_of(found: Iterable[Excerpt]) -> list[Run]:
    """Answers and streams, each with its elisions and end mark."""
    gathering = _Gathering()
    for excerpt in found:
        gathering.take(excerpt)
    return [run for run in gathering.runs if run.objects]


class _Gathering:
    def __init__(self) -> None:
        self.runs: list[Run] = []
        self._elisions: list[Excerpt] = []

    @property
    def _stream(self) -> Run | None:
        """The stream that may go on."""
        last = self.runs[-1] if self.runs else None
        return last if last is not None and last.is_stream and not last.is_over else None

    def take(self, excerpt: Excerpt) -> None:
        if excerpt.kind is Kind.OBJECT:
            self._take_object(excerpt)
        elif excerpt.kind is Kind.BROKEN and b'"choices"' in excerpt.text and self._stream:
            self._stream.members.append(excerpt)
        elif excerpt.kind is Kind.ELISION:
            self._take_elision(excerpt)
        elif excerpt.kind is Kind.END_MARK and self._stream:
            self._stream.members.append(excerpt)
            self._stream.is_over = True
        elif excerpt.kind in (Kind.TEXT, Kind.BROKEN, Kind.COMMAND):
            self._take_text()

    def _take_object(self, excerpt: Excerpt) -> None:
        one = _read(excerpt)
        if one is None or not (role := _role(one.value)):
            self._take_text()
        elif role == "answer":
            self._new(one, is_stream=False)
        elif (stream := self._stream) is not None and _goes_on(stream, one):
            stream.add(self._elisions, one)
            self._elisions = []
        else:
            self._new(one, is_stream=True)

    def _new(self, one: One, *, is_stream: bool) -> None:
        run = Run(is_stream=is_stream)
        run.add(self._elisions if is_stream else (), one)
        self._elisions = []
        self.runs.append(run)

    def _take_elision(self, excerpt: Excerpt) -> None:
        stream = self._stream
        if stream is not None and not stream.had_text:
            stream.members.append(excerpt)
        else:
            self._elisions.append(excerpt)

    def _take_text(self) -> None:
        self._elisions = []
        if self._stream:
            self._stream.had_text = True


def _goes_on(stream: Run, one: One) -> bool:
    identity, here = stream.identity, one.value.get("id")
    return not (stream.had_text and identity and here and identity != here)


def _read(excerpt: Excerpt) -> One | None:
    parsed = json_text.parse(excerpt.text)
    if isinstance(parsed.value, dict):
        return One(excerpt, parsed, parsed.value)
    if (mended := repair.mended(excerpt.text)) is None:
        return None
    return One(excerpt, parsed, mended.completion, mended.steps)


def _role(value: dict[str, Json]) -> str:
    """``answer``, ``chunk``, or nothing: no part of a response."""
    choices = value.get("choices")
    names: set[str] = set()
    if isinstance(choices, list):
        names.update(*(choice for choice in choices if isinstance(choice, dict)))
    if "message" in names or value.get("object") in ("chat.completion", "response"):
        return "answer"
    if "text" in names and isinstance(value.get("usage"), dict):
        return "answer"
    if names & {"delta", "text"}:
        return "chunk"
    found = dialects.recognise(signs_of(value)) if _TELLING & value.keys() else ()
    if not found or (found[0].object == "error" and "error" not in value):
        return ""
    return "answer" if value.get("type") == "message" else "chunk"


def signs_of(value: dict[str, Json]) -> Signs:
    scratch = Assembly()
    scratch.whole(value, b"")
    return scratch.answer.signs()


def line_of(body: bytes, byte: int) -> int:
    return body.count(b"\n", 0, byte) + 1


def range_of(member: Excerpt | One) -> tuple[int, int]:
    excerpt = excerpt_of(member)
    return excerpt.byte_start, excerpt.byte_end


def excerpt_of(member: Excerpt | One) -> Excerpt:
    return member.excerpt if isinstance(member, One) else member
