"""Fast path for chunks that differ from an earlier one only in their text.

Nearly every chunk of a stream repeats its predecessor with another word in it. Once one has been
parsed in full, comparing the bytes around its text tells whether the next is of the same shape;
then only the text is decoded. It serves every format: the grammar says which fields may vary beside
the text, and the handlers whether taking a chunk again would change anything else. Both ways give
the same reading (tests/core/fold/test_chunk_fast_path).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

import msgspec

from inspector.core.fields.service_tier import NAME
from inspector.core.fold.engine import Node, Path
from inspector.core.fold.fold_context import FoldContext, decoded_type
from inspector.core.fold.growing_text import GrowingEntry, GrowingText
from inspector.core.formats.grammar import ChunkTime, Padding, SequenceNumber, UsageCounts
from inspector.core.json import Json, parser
from inspector.core.json.raw_values import RawValues
from inspector.core.wire.sse import Event, StreamItem

MAX_SHAPES = 8
"""Shapes that are kept. Comparing with more would cost more than parsing the chunk."""
Decoder = Callable[[bytes], Json]
Span = tuple[int, int]
_decode_text = msgspec.json.Decoder(str).decode
_decode_number: Decoder = msgspec.json.Decoder(int).decode
VARYING = (ChunkTime, Padding, SequenceNumber, UsageCounts)
"""Members that may differ in an event that is otherwise like the one before."""
_NO_OTHERS: dict[str, Json] = {}


class Slot(msgspec.Struct, frozen=True):
    """A part of a chunk that may differ. ``before`` are the bytes between it and the last one."""

    before: bytes
    name: str
    decode: Decoder


class ChunkShape(msgspec.Struct, frozen=True):
    """The bytes of a chunk before, between and after its variable parts: a text, and perhaps
    padding, usage, log probabilities or a number. ``first`` is the first of them, ``others`` those
    behind it.
    """

    choice: int
    text: GrowingText
    place: int
    """Where the text stands in the chunk, by the tape's numbers."""
    head: bytes
    name: str
    first: Slot
    others: tuple[Slot, ...]
    tail: bytes
    varying: Mapping[str, Node] = {}
    """Nodes that take the variable parts beside the text, by name."""
    entry: GrowingEntry | None = None
    """The piece of a list of entries that grows beside the text."""
    beside: str = ""
    """Name of an object beside the text that is added to a field of the choice, "" if none is."""
    event_type: str = ""
    """The type that the framing gave the chunk's event."""

    def differences(self, chunk: bytes) -> tuple[str, dict[str, Json]] | None:
        """Return a chunk's text and other variable fields by name; None if more may differ."""
        if not self.others:
            text = self.text_in(chunk)
            return None if text is None else (text, _NO_OTHERS)
        head, tail = self.head, self.tail
        if not (chunk.startswith(head) and chunk.endswith(tail)):
            return None
        start, end = len(head), len(chunk) - len(tail)
        if chunk.find(b"\\u", start, end) >= 0 or chunk.find(b"\n", start, end) >= 0:
            return None
        try:
            return self._several(chunk, start, end)
        except (msgspec.MsgspecError, UnicodeDecodeError, ValueError):
            return None

    def text_in(self, chunk: bytes) -> str | None:
        """Return the text of a chunk in which nothing else may differ; None if something does."""
        head, tail = self.head, self.tail
        # Both ends are compared first, in C: nearly all chunks of another shape differ there.
        if not (chunk.startswith(head) and chunk.endswith(tail)):
            return None
        start, end = len(head), len(chunk) - len(tail)
        # Left to the full parser: an escape may be a lone surrogate or NUL, and data on several
        # lines is noted.
        if chunk.find(b"\\u", start, end) >= 0 or chunk.find(b"\n", start, end) >= 0:
            return None
        try:
            return _decode_text(chunk[start:end])
        except (msgspec.MsgspecError, UnicodeDecodeError, ValueError):
            return None

    def run_from(self, items: Sequence[StreamItem], at: int) -> AlikeRun:
        """Return the events from ``at`` on that differ in variable parts alone, up to another."""
        run = AlikeRun()
        first = items[at]
        if first.__class__ is not Event or decoded_type(first.type) != self.event_type:
            return run
        for number in range(at, len(items)):
            item = items[number]
            if item.__class__ is not Event or item.type != first.type:
                break
            differences = self.differences(item.data)
            if differences is None:
                break
            run.events.append(item)
            run.texts.append(differences[0])
            if self.others:
                run.others.append(differences[1])
        return run

    def _several(self, chunk: bytes, start: int, end: int) -> tuple[str, dict[str, Json]]:
        """Raise ValueError if the bytes between the variable parts differ."""
        found = dict[str, Json]()
        name, decode = self.first.name, self.first.decode
        for slot in self.others:
            middle = chunk.index(slot.before, start, end)
            found[name] = decode(chunk[start:middle])
            name, decode, start = slot.name, slot.decode, middle + len(slot.before)
        found[name] = decode(chunk[start:end])
        return found.pop(self.name), found


class AlikeRun:
    """Successive events of one shape: their texts and, if more may differ, other fields by name."""

    __slots__ = ("events", "others", "texts")

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.texts: list[str] = []
        self.others: list[dict[str, Json]] = []


class ChunkShapes:
    """The shape of the last chunk of each choice."""

    def __init__(self) -> None:
        self._of_choice: dict[int, ChunkShape] = {}

    def match(
        self, chunk: bytes, event_type: str = ""
    ) -> tuple[ChunkShape, str, dict[str, Json]] | None:
        """Find a shape of the chunk in an event of its type, with the text and other fields."""
        for shape in self._of_choice.values():
            differences = shape.differences(chunk)
            if differences and shape.event_type == event_type:
                return shape, *differences
        return None

    def learn(self, shape: ChunkShape | None, *, has_news: bool) -> None:
        """Keep the shape of the chunk just parsed.

        Earlier shapes are dropped if it has none, and if it changed a top-level field
        (``has_news``), because chunks of those shapes would change the field back.
        """
        if shape is None or has_news:
            self._of_choice.clear()
        if shape and (len(self._of_choice) < MAX_SHAPES or shape.choice in self._of_choice):
            self._of_choice[shape.choice] = shape

    def clear(self) -> None:
        self._of_choice.clear()

    @property
    def only(self) -> ChunkShape | None:
        """The only shape; None if there are several."""
        return self.last if len(self._of_choice) == 1 else None

    @property
    def last(self) -> ChunkShape | None:
        return next(reversed(self._of_choice.values()), None)


def chunk_shape_of(
    value: Mapping[str, Json], context: FoldContext, choice: int
) -> ChunkShape | None:
    """Return the shape of the chunk that the fold has just taken, which added to one text of this
    choice; None if such chunks may differ in more.
    """
    text, chunk = context.grown, context.text
    if text is None or len(context.grown_at) != 1:
        return None
    name = str(context.grown_at[0][-1])
    spans: list[tuple[Span | None, str, Decoder]] = []
    searched = chunk
    if context.beside is not None:
        beside = _object_span(chunk, context.beside)
        spans.append((beside, str(context.beside[-1]), _decode_inner))
        searched = _without(chunk, beside)
    spans.append((_span(searched, name), name, _decode_text))
    spans += _varying_spans(value, searched, context.varying)
    if context.entry is not None:
        spans.append((_span(searched, context.entry.name), context.entry.name, _decode_text))
    placed = sorted((span, name, decode) for span, name, decode in spans if span)
    if len(placed) < len(spans):
        return None
    (start, end), *_ = placed[0]
    first_slot = Slot(b"", *placed[0][1:])
    slots = []
    for (first, last), other, decode in placed[1:]:
        slots.append(Slot(chunk[end:first], other, decode))
        end = last
    head, tail = chunk[:start], chunk[end:]
    if any(b"\\u" in same for same in (head, tail, *(slot.before for slot in slots))):
        # A name may be spelt with an escape; the search found another one then.
        return None
    place = context.tape.place(context.grown_at)
    others = tuple(slots)
    return ChunkShape(
        choice=choice,
        text=text,
        place=place,
        head=head,
        name=name,
        first=first_slot,
        others=others,
        tail=tail,
        varying=context.varying,
        entry=context.entry,
        beside=str(context.beside[-1]) if context.beside is not None else "",
        event_type=context.event_type,
    )


def _without(chunk: bytes, span: Span | None) -> bytes:
    """Return the chunk with something else in place of a part, in which names could be mistaken."""
    if span is None:
        return chunk
    start, end = span
    return b"%s%s%s" % (chunk[:start], b"0" * (end - start), chunk[end:])


def _varying_spans(
    value: Mapping[str, Json], chunk: bytes, varying: Mapping[str, Node]
) -> Iterator[tuple[Span | None, str, Decoder]]:
    """Yield the fields beside the text that may differ; None for one that cannot be found."""
    for name, node in varying.items():
        effect, sent = node.effect.__class__, value.get(name)
        if effect in (Padding, ChunkTime) and sent.__class__ is str:
            yield _span(chunk, name), name, _decode_text
        elif effect is SequenceNumber and sent.__class__ is int:
            yield _number_span(chunk, name), name, _decode_number
        elif effect is UsageCounts and sent is not None:
            # A tier inside usage must be compared with the one beside it in every chunk.
            has_tier = sent.__class__ is dict and NAME in sent
            yield None if has_tier else _object_span(chunk, (name,)), name, _decode_usage


@cache
def varying_fields(root: Node) -> Mapping[str, Node]:
    """Return the fields of a chunk that may differ although it is like the last one, by name."""
    return {
        name: node
        for name, node in root.members.items()
        if node is not None and isinstance(node.effect, VARYING)
    }


def _decode_usage(text: bytes) -> dict[str, Json]:
    parsed = parser.parse_json(text)
    # In its chunk it stands one level deeper than it does here.
    is_deep = text.count(b"{") + text.count(b"[") >= parser.MAX_DEPTH
    if is_deep or parsed.faults or parsed.value.__class__ is not dict or NAME in parsed.value:
        raise ValueError("usage that the reader of whole chunks must look at")
    value: dict[str, Json] = parsed.value
    return value


def _decode_inner(text: bytes) -> dict[str, Json]:
    """Return an object that stands in a choice, three levels deep."""
    parsed = parser.parse_json(b"[[[%s]]]" % text)
    if parsed.faults:
        raise ValueError("an object that the reader of whole chunks must look at")
    [[[value]]] = parsed.value
    if value.__class__ is not dict:
        raise ValueError("no object")
    found: dict[str, Json] = value
    return found


@cache
def _string_of(name: str) -> Callable[[bytes], re.Match[bytes] | None]:
    spelt = re.escape(name.encode(errors="replace"))
    # As in '"content": "a \"b\""'.
    return re.compile(rb'"%s"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")' % spelt).search


@cache
def _object_of(name: str) -> Callable[[bytes], re.Match[bytes] | None]:
    # As in '"delta":' in front of a brace.
    return re.compile(rb'"%s"\s*:\s*(?=\{)' % re.escape(name.encode(errors="replace"))).search


def _span(chunk: bytes, name: str) -> Span | None:
    """Range of the only string of that name, with quotes; None if the name occurs more often."""
    # Quotes inside a string are escaped: the quoted name is a name or a whole string, never a part.
    is_only = chunk.count(b'"%s"' % name.encode(errors="replace")) == 1
    found = _string_of(name)(chunk) if is_only else None
    return found.span(1) if found else None


@cache
def _number_of(name: str) -> Callable[[bytes], re.Match[bytes] | None]:
    spelt = re.escape(name.encode(errors="replace"))
    # As in '"index": 12': whole, no fraction and no text.
    return re.compile(rb'"%s"\s*:\s*(\d+)(?=\s*[,}])' % spelt).search


def _number_span(chunk: bytes, name: str) -> Span | None:
    """Range of the only whole number of that name; None if the name occurs more often."""
    is_only = chunk.count(b'"%s"' % name.encode(errors="replace")) == 1
    found = _number_of(name)(chunk) if is_only else None
    return found.span(1) if found else None


def _object_span(chunk: bytes, path: Path) -> Span | None:
    """Range of the object at a path; None if its name occurs more often."""
    name = str(path[-1])
    is_only = chunk.count(b'"%s"' % name.encode(errors="replace")) == 1
    raw = RawValues(chunk).at(path) if is_only else None
    named = _object_of(name)(chunk)
    if raw is None or named is None or not chunk.startswith(raw, named.end()):
        return None
    return named.end(), named.end() + len(raw)
