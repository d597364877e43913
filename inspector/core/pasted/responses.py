"""Groups the objects inside a text into responses: whole answers and streams of chunks."""

from collections.abc import Iterable, Sequence

import msgspec

from inspector.core import formats
from inspector.core.fold.assembly import Assembly
from inspector.core.formats.dialect import FieldsSeen
from inspector.core.formats.envelope import held_inside
from inspector.core.json import Json, parser
from inspector.core.json.parser import ParsedJson
from inspector.core.pasted.excerpts import ExcerptKind, PastedExcerpt, split_excerpts
from inspector.core.pasted.mending import MendedText, mend
from inspector.core.pasted.printed_objects import printed_objects

MAX_RESPONSES = 50
"""Responses that are offered. No page that anybody reads has more."""

_ANSWER_FIELDS = frozenset({"candidates", "choices", "done", "error", "object", "type"})
"""An object without any of these is in no dialect; checked first because most objects are none."""


class PastedResponse(msgspec.Struct, frozen=True):
    """One response inside a text, with the bytes that can be read as an input of its own."""

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


class PastedObject(msgspec.Struct, frozen=True):
    """An object of a text and its value, parsed strictly or as mended."""

    excerpt: PastedExcerpt
    parsed: ParsedJson
    value: Json
    mended: MendedText | None = None
    """None if the object is JSON as it is."""


class ResponseBuilder:
    """Collects the excerpts of one response."""

    def __init__(self, *, is_stream: bool) -> None:
        self.members: list[PastedExcerpt | PastedObject] = []
        self.is_stream = is_stream
        self.is_over = False
        self.had_text = False
        self.identity: Json = None
        """The first ``id`` that is not empty."""

    def add(self, members: Iterable[PastedExcerpt], one: PastedObject) -> None:
        self.members += [*members, one]
        self.identity = self.identity or one.value.get("id")
        self.had_text = False

    @property
    def objects(self) -> list[PastedObject]:
        return [member for member in self.members if isinstance(member, PastedObject)]

    @property
    def is_document(self) -> bool:
        """True for a single object without anything that only a stream has."""
        return len(self.members) == 1 and not self.objects[0].excerpt.has_data

    @property
    def range(self) -> tuple[int, int]:
        return range_of(self.members[0])[0], range_of(self.members[-1])[1]

    def part(self, body: bytes) -> PastedResponse:
        start, end = self.range
        return PastedResponse(
            byte_start=start,
            byte_end=end,
            line=line_of(body, start),
            objects=len(self.objects),
            is_stream=self.is_stream,
        )


class NoSuchPart(Exception):
    """Raised for a number that no response in a text has; the message says how many there are."""


def part_of(body: bytes, found: Sequence[PastedResponse], number: int) -> bytes:
    """Return the response with this number, from 1, of those ``found``. Raises ``NoSuchPart``."""
    if not 0 < number <= len(found):
        plural = "" if len(found) == 1 else "s"
        raise NoSuchPart(f"{len(found):,} response{plural} found, and none has number {number:,}")
    return body[found[number - 1].byte_start : found[number - 1].byte_end]


def pasted_responses(body: bytes) -> tuple[PastedResponse, ...]:
    """Return the responses inside a text, in order."""
    runs = group_into_responses(split_excerpts(body)) or printed_runs(body)
    return tuple(run.part(body) for run in runs[:MAX_RESPONSES])


def printed_runs(body: bytes) -> list[ResponseBuilder]:
    """Group the objects that a program printed into answers and streams."""
    return group_into_responses(
        PastedExcerpt(
            ExcerptKind.OBJECT,
            each.byte_start,
            each.byte_end,
            each.text,
            each.byte_start,
            printed_as=each,
        )
        for each in printed_objects(body)
    )


def group_into_responses(found: Iterable[PastedExcerpt]) -> list[ResponseBuilder]:
    """Group excerpts into answers and streams, each with its elisions and end marker."""
    gathering = _Grouping()
    for excerpt in found:
        gathering.take(excerpt)
    return [run for run in gathering.runs if run.objects]


class _Grouping:
    def __init__(self) -> None:
        self.runs: list[ResponseBuilder] = []
        self._elisions: list[PastedExcerpt] = []

    @property
    def _stream(self) -> ResponseBuilder | None:
        """The stream to which a chunk would be added."""
        last = self.runs[-1] if self.runs else None
        return last if last is not None and last.is_stream and not last.is_over else None

    def take(self, excerpt: PastedExcerpt) -> None:
        if excerpt.kind is ExcerptKind.OBJECT:
            self._take_object(excerpt)
        elif is_broken_chunk(excerpt) and self._stream:
            self._stream.members.append(excerpt)
        elif excerpt.kind is ExcerptKind.ELISION:
            self._take_elision(excerpt)
        elif excerpt.kind is ExcerptKind.END_MARK and self._stream:
            self._stream.members.append(excerpt)
            self._stream.is_over = True
        elif excerpt.kind in (ExcerptKind.TEXT, ExcerptKind.BROKEN, ExcerptKind.COMMAND):
            self._take_text()

    def _take_object(self, excerpt: PastedExcerpt) -> None:
        one = _read(excerpt)
        if one is None or not (role := self._role(one)):
            self._take_text()
        elif role == "answer":
            self._new(one, is_stream=False)
        elif (stream := self._stream) is not None and _continues(stream, one):
            stream.add(self._elisions, one)
            self._elisions = []
        else:
            self._new(one, is_stream=True)

    def _role(self, one: PastedObject) -> str:
        """As ``_role``; a named event inside a stream is a part of it, whatever it says."""
        name = one.excerpt.event_type
        is_inside = self._stream is not None and not self._stream.had_text
        return _role(one.value, name.decode(errors="replace")) or (
            "chunk" if name and is_inside else ""
        )

    def _new(self, one: PastedObject, *, is_stream: bool) -> None:
        run = ResponseBuilder(is_stream=is_stream)
        run.add(self._elisions if is_stream else (), one)
        self._elisions = []
        self.runs.append(run)

    def _take_elision(self, excerpt: PastedExcerpt) -> None:
        stream = self._stream
        if stream is not None and not stream.had_text:
            stream.members.append(excerpt)
        else:
            self._elisions.append(excerpt)

    def _take_text(self) -> None:
        self._elisions = []
        if self._stream:
            self._stream.had_text = True


def _continues(stream: ResponseBuilder, one: PastedObject) -> bool:
    identity, here = stream.identity, one.value.get("id")
    return not (stream.had_text and identity and here and identity != here)


def _read(excerpt: PastedExcerpt) -> PastedObject | None:
    parsed = parser.parse_json(excerpt.text)
    if isinstance(parsed.value, dict):
        return PastedObject(excerpt, parsed, parsed.value)
    if (mended := mend(excerpt.text)) is None:
        return None
    return PastedObject(excerpt, parsed, mended.value, mended)


def is_broken_chunk(excerpt: PastedExcerpt) -> bool:
    """Return True for something that cannot be followed and is meant as a part of a response."""
    is_meant = b'"choices"' in excerpt.text or bool(excerpt.event_type)
    return excerpt.kind is ExcerptKind.BROKEN and is_meant


def _role(value: dict[str, Json], event_type: str = "") -> str:
    """``answer``, ``chunk``, or "" for an object that is no part of a response."""
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
    found = formats.recognise(fields_seen_in(value)) if _ANSWER_FIELDS & value.keys() else ()
    if not found:
        inside = _role_by_table(value, event_type) or _role_inside(value)
        return "chunk" if value.get("error") else inside
    return "answer" if value.get("type") == "message" else "chunk"


def _role_by_table(value: dict[str, Json], event_type: str) -> str:
    """Return the role of an object that shows a format without being recognised alone."""
    family = formats.family_that_reads(value, event_type)
    if family is None:
        return ""
    types = formats.event_types(family)
    named = (value.get("type"), event_type, *value)
    is_event = not types or any(isinstance(name, str) and name in types for name in named)
    return "chunk" if is_event else "answer"


def _role_inside(value: dict[str, Json]) -> str:
    """Return the role of what is wrapped in an object."""
    held = held_inside(value, b"", formats.family_inside)
    return _role(held.value) if held else ""


def fields_seen_in(value: dict[str, Json]) -> FieldsSeen:
    scratch = Assembly()
    scratch.whole(value, b"")
    return scratch.answer.signs()


def completion_of(assembly: Assembly) -> Json:
    """Return the completion that the objects of a stream give together."""
    found = formats.recognise(assembly.answer.signs())
    return assembly.answer.completion(found[0].object if found else "unknown")


def line_of(body: bytes, byte: int) -> int:
    return body.count(b"\n", 0, byte) + 1


def range_of(member: PastedExcerpt | PastedObject) -> tuple[int, int]:
    excerpt = excerpt_of(member)
    return excerpt.byte_start, excerpt.byte_end


def excerpt_of(member: PastedExcerpt | PastedObject) -> PastedExcerpt:
    return member.excerpt if isinstance(member, PastedObject) else member
