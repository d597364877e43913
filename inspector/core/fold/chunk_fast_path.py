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

    @property
    def is_only_padded(self) -> bool:
        """True if beside the text only padding may differ, of which the last is kept."""
        if self.entry is not None or self.beside:
            return False
        beside = (slot.name for slot in (self.first, *self.others) if slot.name != self.name)
        return all(isinstance(self.varying[name].effect, Padding) for name in beside)

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
        spelt = chunk[len(head) : len(chunk) - len(tail)]
        try:
            text = _decode_text(spelt)
        except (msgspec.MsgspecError, UnicodeDecodeError, ValueError):
            return None
        # A text as long as its spelling, but for the quotes, has no escape.
        if len(text) + 2 == len(spelt) and "\n" not in text:
            return text
        # Left to the full parser: an escape may be a lone surrogate or NUL, and data on several
        # lines is noted.
        return None if spelt.find(b"\\u") >= 0 or spelt.find(b"\n") >= 0 else text

    def run_from(self, items: Sequence[StreamItem], at: int) -> AlikeRun:
        """Return the events from ``at`` on that differ in variable parts alone, up to another."""
        first, run = items[at], AlikeRun()
        if first.__class__ is not Event or decoded_type(first.type) != self.event_type:
            return run
        chunks = _chunks_of(items, at, first.type)
        if self.others:
            for differences in map(self.differences, chunks):
                if differences is None:
                    break
                run.texts.append(differences[0])
                run.others.append(differences[1])
        else:
            for text in map(self.text_in, chunks):
                if text is None:
                    break
                run.texts.append(text)
        run.events = items[at : at + len(run.texts)]  # type: ignore[assignment]
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


def _chunks_of(items: Sequence[StreamItem], at: int, event_type: bytes) -> Iterator[bytes]:
    """Yield the data of the events of a type that follow each other from ``at`` on."""
    for number in range(at, len(items)):
        item = items[number]
        if item.__class__ is not Event or item.type != event_type:
            return
        yield item.data


class AlikeRun:
    """Successive events of one shape: their texts and, if more may differ, other fields by name."""

    __slots__ = ("events", "others", "texts")

    def __init__(self) -> None:
        self.events: Sequence[Event] = ()
        self.texts: list[str] = []
        self.others: list[dict[str, Json]] = []


class ChunkShapes:
    """The shape of the last chunk of each choice."""

    def __init__(self) -> None:
        self._of_choice: dict[int, ChunkShape] = {}
        self.only: ChunkShape | None = None
        """The only shape; None if there are several."""

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
        self.only = shape if len(self._of_choice) == 1 else None

    def clear(self) -> None:
        self._of_choice.clear()
        self.only = None

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
    spans.append((_span(searched, name, _STRING), name, _decode_text))
    spans += _varying_spans(value, searched, context.varying)
    if (entry := context.entry) is not None:
        spans.append((_span(searched, entry.name, _STRING), entry.name, _decode_text))
    placed = sorted([(span, name, decode) for span, name, decode in spans if span])
    if len(placed) < len(spans):
        return None
    (start, end), *_ = placed[0]
    first_slot = Slot(b"", *placed[0][1:])
    slots = []
    for (first, last), other, decode in placed[1:]:
        slots.append(Slot(chunk[end:first], other, decode))
        end = last
    head, tail = chunk[:start], chunk[end:]
    same = (head, tail, *(slot.before for slot in slots))
    if chunk.find(b"\\u") >= 0 and any(b"\\u" in part for part in same):
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
            yield _span(chunk, name, _STRING), name, _decode_text
        elif effect is SequenceNumber and sent.__class__ is int:
            yield _span(chunk, name, _NUMBER), name, _decode_number
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


def is_numbered(value: Mapping[str, Json], context: FoldContext) -> bool:
    """Return True if an equal event after this one would be noted, because it has its number."""
    return any(
        name in value and isinstance(node.effect, SequenceNumber)
        for name, node in context.varying.items()
    )


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


# What may stand behind a name, as in ': "a \"b\""', as in ": 12" (whole, no fraction and no text),
# and in front of a brace.
_STRING = re.compile(rb'\s*+:\s*+("[^"\\]*+(?:\\.[^"\\]*+)*+")')
_NUMBER = re.compile(rb"\s*+:\s*+(\d++)(?=\s*+[,}])")
_OBJECT = re.compile(rb"\s*+:\s*+(?=(\{))")


def _span(chunk: bytes, name: str, kind: re.Pattern[bytes]) -> Span | None:
    """Range of the only value of that name; None if the name occurs more often, or something else
    stands behind it.
    """
    # Quotes inside a string are escaped: the quoted name is a name or a whole string, never a part.
    quoted = b'"%s"' % name.encode(errors="replace")
    if chunk.count(quoted) != 1:
        return None
    found = kind.match(chunk, chunk.find(quoted) + len(quoted))
    return found.span(1) if found else None


def _object_span(chunk: bytes, path: Path) -> Span | None:
    """Range of the object at a path; None if its name occurs more often."""
    brace = _span(chunk, str(path[-1]), _OBJECT)
    raw = RawValues(chunk).at(path) if brace else None
    if brace is None or raw is None or not chunk.startswith(raw, brace[0]):
        return None
    return brace[0], brace[0] + len(raw)
