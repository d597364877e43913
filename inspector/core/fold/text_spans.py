"""Finds where the texts of the lanes stand in one JSON text, in the order in which the fold takes
them.

The fold (``answer``, ``message``, ``tool_calls``) works on values and does not keep their places;
this module repeats its steps on byte ranges and must follow changes there. A name sent twice has
the place of the first and the value of the last, as in every JSON parser.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from inspector.core.completion import is_index
from inspector.core.fold.message import TEXT_LANES
from inspector.core.json import strings
from inspector.core.json.spans import JsonKind, JsonSpans, MemberSpan
from inspector.core.tape import LaneKind
from inspector.core.wire.event_data import ByteRange

MembersByName = Mapping[str, MemberSpan]


class SpanPart(msgspec.Struct, frozen=True):
    """Byte range of a JSON string's content, or of another value that is taken as text as it is
    spelt.
    """

    start: int
    end: int
    is_escaped: bool
    length_u16: int


class TextSpan(msgspec.Struct, frozen=True):
    """One text in as many parts as it was sent in, at least one."""

    kind: LaneKind
    choice: int
    name: str
    places: tuple[SpanPart, ...]

    @property
    def length_u16(self) -> int:
        return sum(place.length_u16 for place in self.places)

    def bytes_of(self, text: bytes, start_u16: int, end_u16: int) -> Iterator[ByteRange]:
        """Yield the byte ranges that spell some UTF-16 units of the text."""
        for place in self.places:
            first, last = max(start_u16, 0), min(end_u16, place.length_u16)
            if first < last:
                spelt = text[place.start : place.end]
                at, to = strings.bytes_of(spelt, first, last, is_escaped=place.is_escaped)
                yield place.start + at, place.start + to
            start_u16, end_u16 = start_u16 - place.length_u16, end_u16 - place.length_u16


def text_spans_in(text: bytes, *, is_whole: bool) -> Iterator[TextSpan]:
    """Yield the texts that are not empty. ``is_whole``: the text is a whole body, where choices may
    lack an index.
    """
    walk = _Walk(JsonSpans(text), is_whole)
    return (said for said in walk.texts() if said.length_u16)


class _Walk:
    def __init__(self, outline: JsonSpans, is_whole: bool) -> None:
        self._outline = outline
        self._is_whole = is_whole
        self._choices: set[int] = set()

    def texts(self) -> Iterator[TextSpan]:
        """Walk one answer or a list of them."""
        whole = MemberSpan(self._outline.start, self._outline.end, 0)
        is_list = self._kind(whole) is JsonKind.LIST
        for answer in self._members(whole) if is_list else [whole]:
            for choice in self._list(self._fields(answer).get("choices")):
                if self._kind(choice) is JsonKind.OBJECT:
                    yield from self._in_choice(choice)

    def _in_choice(self, choice: MemberSpan) -> Iterator[TextSpan]:
        fields = self._fields(choice)
        index = self._index(choice.position, fields.get("index"))
        delta = fields.get("delta")
        # The same precedence as in ``AnswerFold``: a message beside a delta is left out.
        has_delta = delta is not None and bool(self._fields(delta))
        is_legacy = "delta" not in fields and "message" not in fields
        for name, value in fields.items():
            if name == "delta" or (name == "message" and (self._is_whole or not has_delta)):
                yield from self._in_message(index, value)
            elif name == "text" and is_legacy and self._kind(value) is JsonKind.TEXT:
                yield self._said(LaneKind.TEXT, index, name, value)

    def _index(self, position: int, sent: MemberSpan | None) -> int:
        """Index of a choice, by the rules of ``AnswerFold``."""
        index = self._number(sent)
        if index is None:
            index = position if self._is_whole else 0
        if self._is_whole and index in self._choices:
            # As in the fold: a repeated index in a whole body is another choice.
            index = max(self._choices) + 1
        self._choices.add(index)
        return index

    def _number(self, sent: MemberSpan | None) -> int | None:
        if sent is None or self._kind(sent) is not JsonKind.NUMBER:
            return None
        try:
            value = msgspec.json.decode(self._outline.text[sent.start : sent.end])
        except msgspec.MsgspecError:
            return None
        return value if is_index(value) else None

    def _in_message(self, choice: int, message: MemberSpan) -> Iterator[TextSpan]:
        for name, value in self._fields(message).items():
            kind = self._kind(value)
            if name in TEXT_LANES and kind is JsonKind.TEXT:
                yield self._said(TEXT_LANES[name], choice, name, value)
            elif name == "content" and kind is JsonKind.LIST:
                yield from self._in_parts(choice, value)
            elif name == "tool_calls" and kind is JsonKind.LIST:
                for call in self._members(value):
                    yield from self._in_call(choice, call)
            elif name == "function_call":
                yield from self._in_function(LaneKind.FUNCTION_CALL, choice, value)

    def _in_call(self, choice: int, call: MemberSpan) -> Iterator[TextSpan]:
        for name, value in self._fields(call).items():
            if name == "function":
                yield from self._in_function(LaneKind.TOOL_CALL, choice, value)
            elif name == "custom":
                sent = self._fields(value).get("input")
                if sent is not None and self._kind(sent) is JsonKind.TEXT:
                    yield self._said(LaneKind.TOOL_CALL, choice, "input", sent)

    def _in_function(self, kind: LaneKind, choice: int, function: MemberSpan) -> Iterator[TextSpan]:
        """Walk a function. Arguments that are not a string are taken as the JSON text they are."""
        sent = self._fields(function).get("arguments")
        if sent is not None and self._outline.text[sent.start : sent.end] != b"null":
            yield self._said(kind, choice, "arguments", sent)

    def _in_parts(self, choice: int, parts: MemberSpan) -> Iterator[TextSpan]:
        for part in self._members(parts):
            name, places = self._part(part)
            yield TextSpan(TEXT_LANES[name], choice, name, tuple(places))

    def _part(self, part: MemberSpan) -> tuple[str, list[SpanPart]]:
        """Like ``message.part_text``: the field that a content part adds to, and the places of its
        text.
        """
        fields = self._fields(part)
        is_thinking = "type" in fields and self._text(fields["type"]) == '"thinking"'
        text = fields.get("thinking" if is_thinking else "text")
        places = [] if text is None else self._joined(text)
        return "reasoning_content" if is_thinking else "content", places

    def _joined(self, value: MemberSpan) -> list[SpanPart]:
        if self._kind(value) is JsonKind.TEXT:
            return [self._place(value)]
        return [place for part in self._list(value) for place in self._part(part)[1]]

    # -- places -----------------------------------------------------------------------------------

    def _kind(self, value: MemberSpan) -> JsonKind:
        return self._outline.kind(value.start)

    def _members(self, value: MemberSpan) -> list[MemberSpan]:
        return self._outline.members(value.start, value.end)

    def _list(self, value: MemberSpan | None) -> list[MemberSpan]:
        return self._members(value) if value and self._kind(value) is JsonKind.LIST else []

    def _fields(self, value: MemberSpan) -> MembersByName:
        """Members by name; empty if the value is not an object."""
        if self._kind(value) is not JsonKind.OBJECT:
            return {}
        return {self._outline.name(member): member for member in self._members(value)}

    def _text(self, value: MemberSpan) -> str:
        return self._outline.text[value.start : value.end].decode(errors="replace")

    def _said(self, kind: LaneKind, choice: int, name: str, value: MemberSpan) -> TextSpan:
        return TextSpan(kind, choice, name, (self._place(value),))

    def _place(self, value: MemberSpan) -> SpanPart:
        is_text = self._kind(value) is JsonKind.TEXT
        # Without the quotes of a string; other values are taken as spelt.
        start, end = value.start + is_text, value.end - is_text
        spelt = self._outline.text[start:end]
        length = strings.encoded_length_u16(spelt, is_escaped=is_text)
        return SpanPart(start, end, is_text, length)
