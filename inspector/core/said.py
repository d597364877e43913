"""The texts that one JSON text gives to lanes, in the order in which the fold takes them.

The fold (core/answer, core/message, core/tool_calls/calls) has the values and forgets where they
stood; here the same steps are taken by their places. A name that stands twice counts where it
stood first, with what it said last, as every reader of JSON has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from inspector.core import json_string
from inspector.core.completion import is_index
from inspector.core.event_data import Range
from inspector.core.message import TEXT_LANES
from inspector.core.outline import Kind, Member, Outline
from inspector.core.tape import LaneKind

Fields = Mapping[str, Member]


class Place(msgspec.Struct, frozen=True):
    """The content of a JSON string, or a value that is taken as a text just as it is spelt."""

    start: int
    end: int
    is_escaped: bool
    length_u16: int


class Said(msgspec.Struct, frozen=True):
    """A text, in as many parts as it was sent; never empty."""

    kind: LaneKind
    choice: int
    name: str
    places: tuple[Place, ...]

    @property
    def length_u16(self) -> int:
        return sum(place.length_u16 for place in self.places)

    def bytes_of(self, text: bytes, start_u16: int, end_u16: int) -> Iterator[Range]:
        """What spells some of its units in the JSON text."""
        for place in self.places:
            first, last = max(start_u16, 0), min(end_u16, place.length_u16)
            if first < last:
                spelt = text[place.start : place.end]
                at, to = json_string.bytes_of(spelt, first, last, is_escaped=place.is_escaped)
                yield place.start + at, place.start + to
            start_u16, end_u16 = start_u16 - place.length_u16, end_u16 - place.length_u16


def said_in(text: bytes, *, is_whole: bool) -> Iterator[Said]:
    """``is_whole``: it is all of a body, and its choices are told apart by their places."""
    walk = _Walk(Outline(text), is_whole)
    return (said for said in walk.texts() if said.length_u16)


class _Walk:
    def __init__(self, outline: Outline, is_whole: bool) -> None:
        self._outline = outline
        self._is_whole = is_whole
        self._choices: set[int] = set()

    def texts(self) -> Iterator[Said]:
        """Of an answer, or of those in a list."""
        whole = Member(self._outline.start, self._outline.end, 0)
        is_list = self._kind(whole) is Kind.LIST
        for answer in self._members(whole) if is_list else [whole]:
            for choice in self._list(self._fields(answer).get("choices")):
                if self._kind(choice) is Kind.OBJECT:
                    yield from self._in_choice(choice)

    def _in_choice(self, choice: Member) -> Iterator[Said]:
        fields = self._fields(choice)
        index = self._index(choice.position, fields.get("index"))
        delta = fields.get("delta")
        has_delta = delta is not None and bool(self._fields(delta))
        is_legacy = "delta" not in fields and "message" not in fields
        for name, value in fields.items():
            if name == "delta" or (name == "message" and (self._is_whole or not has_delta)):
                yield from self._in_message(index, value)
            elif name == "text" and is_legacy and self._kind(value) is Kind.TEXT:
                yield self._said(LaneKind.TEXT, index, name, value)

    def _index(self, position: int, sent: Member | None) -> int:
        """Of a choice, as ``AnswerFold`` has it."""
        index = self._number(sent)
        if index is None:
            index = position if self._is_whole else 0
        if self._is_whole and index in self._choices:
            index = max(self._choices) + 1
        self._choices.add(index)
        return index

    def _number(self, sent: Member | None) -> int | None:
        if sent is None or self._kind(sent) is not Kind.NUMBER:
            return None
        try:
            value = msgspec.json.decode(self._outline.text[sent.start : sent.end])
        except msgspec.MsgspecError:
            return None
        return value if is_index(value) else None

    def _in_message(self, choice: int, message: Member) -> Iterator[Said]:
        for name, value in self._fields(message).items():
            kind = self._kind(value)
            if name in TEXT_LANES and kind is Kind.TEXT:
                yield self._said(TEXT_LANES[name], choice, name, value)
            elif name == "content" and kind is Kind.LIST:
                yield from self._in_parts(choice, value)
            elif name == "tool_calls" and kind is Kind.LIST:
                for call in self._members(value):
                    yield from self._in_call(choice, call)
            elif name == "function_call":
                yield from self._in_function(LaneKind.FUNCTION_CALL, choice, value)

    def _in_call(self, choice: int, call: Member) -> Iterator[Said]:
        for name, value in self._fields(call).items():
            if name == "function":
                yield from self._in_function(LaneKind.TOOL_CALL, choice, value)
            elif name == "custom":
                sent = self._fields(value).get("input")
                if sent is not None and self._kind(sent) is Kind.TEXT:
                    yield self._said(LaneKind.TOOL_CALL, choice, "input", sent)

    def _in_function(self, kind: LaneKind, choice: int, function: Member) -> Iterator[Said]:
        """Arguments are text; what is sent as another value is the text that spells it."""
        sent = self._fields(function).get("arguments")
        if sent is not None and self._outline.text[sent.start : sent.end] != b"null":
            yield self._said(kind, choice, "arguments", sent)

    def _in_parts(self, choice: int, parts: Member) -> Iterator[Said]:
        for part in self._members(parts):
            name, places = self._part(part)
            yield Said(TEXT_LANES[name], choice, name, tuple(places))

    def _part(self, part: Member) -> tuple[str, list[Place]]:
        """As ``message.part_text``: the field that a content part grows, and its text."""
        fields = self._fields(part)
        is_thinking = "type" in fields and self._text(fields["type"]) == '"thinking"'
        text = fields.get("thinking" if is_thinking else "text")
        places = [] if text is None else self._joined(text)
        return "reasoning_content" if is_thinking else "content", places

    def _joined(self, value: Member) -> list[Place]:
        if self._kind(value) is Kind.TEXT:
            return [self._place(value)]
        return [place for part in self._list(value) for place in self._part(part)[1]]

    # -- places -----------------------------------------------------------------------------------

    def _kind(self, value: Member) -> Kind:
        return self._outline.kind(value.start)

    def _members(self, value: Member) -> list[Member]:
        return self._outline.members(value.start, value.end)

    def _list(self, value: Member | None) -> list[Member]:
        return self._members(value) if value and self._kind(value) is Kind.LIST else []

    def _fields(self, value: Member) -> Fields:
        """Nothing of what is no object."""
        if self._kind(value) is not Kind.OBJECT:
            return {}
        return {self._outline.name(member): member for member in self._members(value)}

    def _text(self, value: Member) -> str:
        return self._outline.text[value.start : value.end].decode(errors="replace")

    def _said(self, kind: LaneKind, choice: int, name: str, value: Member) -> Said:
        return Said(kind, choice, name, (self._place(value),))

    def _place(self, value: Member) -> Place:
        is_text = self._kind(value) is Kind.TEXT
        start, end = value.start + is_text, value.end - is_text
        spelt = self._outline.text[start:end]
        length = json_string.length_u16(spelt, is_escaped=is_text)
        return Place(start, end, is_text, length)
