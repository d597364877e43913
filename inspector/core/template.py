"""A chunk that says what the one before it said, but for one text.

Nearly every chunk of a stream is its predecessor with another word in it. Once one has been read
in full, the bytes around its text tell whether the next is such a chunk; then the text alone is
decoded. It only saves time: both ways give the same reading (tests/core/test_template).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from inspector.core.completion import Json
from inspector.core.cursor import GrowingText

PADDING = ("obfuscation", "p")
"""Names of random text that hides a chunk's length (OpenAI, Mistral); it always differs."""

_STRING_OF = {
    name: re.compile(rb'"%s"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")' % name.encode()).search
    for name in ("content", "reasoning", "reasoning_content", "refusal", "text", "arguments")
    + PADDING
}
MAX_CHOICES = 8
"""So many choices are kept in mind; looking for one more would cost more than reading the chunk."""
_decode_text = msgspec.json.Decoder(str).decode

_CALL_FIELDS = frozenset({"index", "id", "type", "function"})
_FUNCTION_FIELDS = frozenset({"name", "arguments"})


class Template:
    """The bytes before, between and after what differs."""

    __slots__ = ("_between", "_head", "_tail", "choice", "padding", "text")

    def __init__(
        self,
        choice: int,
        text: GrowingText,
        padding: str | None,
        head: bytes,
        between: bytes,
        tail: bytes,
    ) -> None:
        self.choice = choice
        self.text = text
        self.padding = padding
        self._head = head
        self._between = between
        self._tail = tail

    def differences(self, chunk: bytes) -> tuple[str, str | None] | None:
        """The text and the padding of a chunk that differs in nothing else; None of any other."""
        head, tail = self._head, self._tail
        if not (chunk.startswith(head) and chunk.endswith(tail)):
            return None
        end = len(chunk) - len(tail)
        # An escaped character may be half of one, or NUL: the reader of whole chunks looks at it.
        if chunk.find(b"\\u", len(head), end) >= 0:
            return None
        try:
            if self.padding is None:
                return _decode_text(chunk[len(head) : end]), None
            middle = chunk.index(self._between, len(head), end)
            padding = _decode_text(chunk[middle + len(self._between) : end])
            return _decode_text(chunk[len(head) : middle]), padding
        except (msgspec.MsgspecError, UnicodeDecodeError, ValueError):
            return None


class Templates:
    """The last chunk of every choice, while nothing was told in between but texts."""

    def __init__(self) -> None:
        self._of_choice: dict[int, Template] = {}

    def match(self, chunk: bytes) -> tuple[Template, str, str | None] | None:
        """The template of a chunk that differs from it in text and padding alone, with these."""
        for template in self._of_choice.values():
            if differences := template.differences(chunk):
                return template, *differences
        return None

    def learn(self, template: Template | None, *, has_news: bool) -> None:
        """The chunk just read; ``has_news``: the others would now take back what it said."""
        if template is None or has_news:
            self._of_choice.clear()
        if template and (len(self._of_choice) < MAX_CHOICES or template.choice in self._of_choice):
            self._of_choice[template.choice] = template

    def clear(self) -> None:
        self._of_choice.clear()


def template_of(chunk: bytes, value: Mapping[str, Json], text: GrowingText) -> Template | None:
    """What a chunk that grew one text has in common with its likes; None if more may differ."""
    if not _only_grows(value, text.name):
        return None
    choice = value["choices"][0]["index"]
    padding = next((name for name in PADDING if value.get(name).__class__ is str), None)
    first = _span(chunk, text.name)
    second = _span(chunk, padding) if padding else None
    if first is None or (padding and (second is None or second < first)):
        return None
    if second is None:
        return Template(choice, text, None, chunk[: first[0]], b"", chunk[first[1] :])
    between = chunk[first[1] : second[0]]
    return Template(choice, text, padding, chunk[: first[0]], between, chunk[second[1] :])


def _span(chunk: bytes, name: str) -> tuple[int, int] | None:
    """Where the only string of that name stands, with its quotes.

    A quote inside a text is escaped, so the quoted name occurs only as a name or as a whole text.
    """
    found = _STRING_OF[name](chunk) if chunk.count(b'"%s"' % name.encode()) == 1 else None
    return found.span(1) if found else None


def _only_grows(value: Mapping[str, Json], name: str) -> bool:
    """Read again, it would change nothing but that text: whatever else it says replaces itself."""
    choices = value.get("choices")
    if choices.__class__ is not list or len(choices) != 1:
        return False
    choice = choices[0]
    if choice.get("logprobs") is not None or "message" in choice:
        return False
    delta = choice.get("delta")
    if delta is None:
        return "delta" not in choice and name == "text"
    said = [key for key, item in delta.items() if item and key != "role"]
    if said == ["tool_calls"]:
        return _only_grows_arguments(delta["tool_calls"])
    return said == [name]


def _only_grows_arguments(calls: Json) -> bool:
    if calls.__class__ is not list or len(calls) != 1 or not _CALL_FIELDS.issuperset(calls[0]):
        return False
    function = calls[0].get("function")
    return function.__class__ is dict and _FUNCTION_FIELDS.issuperset(function)
