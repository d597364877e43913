"""A chunk that says what the one before it said, but for one text.

Nearly every chunk of a stream is its predecessor with another word in it. Once one has been read
in full, the bytes around its text tell whether the next is such a chunk; then the text alone is
decoded. It only saves time: both ways give the same reading (tests/core/test_template).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import msgspec

from inspector.core import json_text
from inspector.core.completion import Json
from inspector.core.cursor import GrowingText
from inspector.core.service_tier import NAME
from inspector.core.spelling import Spelling

PADDING = ("obfuscation", "p")
"""Names of random text that hides a chunk's length (OpenAI, Mistral); it always differs."""

_STRING_OF = {
    name: re.compile(rb'"%s"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")' % name.encode()).search
    for name in ("content", "reasoning", "reasoning_content", "refusal", "text", "arguments")
    + PADDING
}
_USAGE = re.compile(rb'"usage"\s*:\s*(?=\{)').search
MAX_CHOICES = 8
"""So many choices are kept in mind; looking for one more would cost more than reading the chunk."""
_decode_text = msgspec.json.Decoder(str).decode

_CALL_FIELDS = frozenset({"index", "id", "type", "function"})
_FUNCTION_FIELDS = frozenset({"name", "arguments"})


class Template:
    """The bytes before, between and after what differs: a text, then perhaps padding and usage."""

    __slots__ = ("_head", "_others", "_tail", "choice", "text")

    def __init__(
        self,
        choice: int,
        text: GrowingText,
        head: bytes,
        others: tuple[tuple[bytes, str], ...],
        tail: bytes,
    ) -> None:
        self.choice = choice
        self.text = text
        self._head = head
        self._others = others
        self._tail = tail

    def differences(self, chunk: bytes) -> tuple[str, dict[str, Json]] | None:
        """The text, and what else differs by its name; None where more may differ."""
        head, tail = self._head, self._tail
        if not (chunk.startswith(head) and chunk.endswith(tail)):
            return None
        start, end = len(head), len(chunk) - len(tail)
        # The reader of whole chunks looks at an escaped character, which may be half of one or NUL,
        # and at data on several lines.
        if chunk.find(b"\\u", start, end) >= 0 or chunk.find(b"\n", start, end) >= 0:
            return None
        try:
            if self._others:
                return self._several(chunk, start, end)
            return _decode_text(chunk[start:end]), {}
        except (msgspec.MsgspecError, UnicodeDecodeError, ValueError):
            return None

    def _several(self, chunk: bytes, start: int, end: int) -> tuple[str, dict[str, Json]]:
        """Raises ValueError where the bytes between are not where they are due."""
        name, found = self.text.name, dict[str, Json]()
        for between, following in self._others:
            middle = chunk.index(between, start, end)
            found[name] = _DECODERS.get(name, _decode_text)(chunk[start:middle])
            name, start = following, middle + len(between)
        found[name] = _DECODERS.get(name, _decode_text)(chunk[start:end])
        return found.pop(self.text.name), found


def _decode_usage(text: bytes) -> dict[str, Json]:
    parsed = json_text.parse(text)
    # It stands one level deeper in its chunk than alone.
    is_deep = text.count(b"{") + text.count(b"[") >= json_text.MAX_DEPTH
    if is_deep or parsed.faults or parsed.value.__class__ is not dict or NAME in parsed.value:
        raise ValueError("usage that the reader of whole chunks must look at")
    value: dict[str, Json] = parsed.value
    return value


_DECODERS: Mapping[str, Callable[[bytes], Json]] = {"usage": _decode_usage}


class Templates:
    """The last chunk of every choice, while nothing was told in between but texts."""

    def __init__(self) -> None:
        self._of_choice: dict[int, Template] = {}

    def match(self, chunk: bytes) -> tuple[Template, str, dict[str, Json]] | None:
        """The template that a chunk is like, with what differs."""
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
    spans = [(_span(chunk, text.name), text.name)]
    spans += [(_span(chunk, name), name) for name in PADDING if value.get(name).__class__ is str]
    usage = value.get("usage")
    if usage is not None:
        if usage.__class__ is dict and NAME in usage:
            # It is held against the tier beside it, chunk by chunk.
            return None
        spans.append((_usage_span(chunk), "usage"))
    placed = sorted((span, name) for span, name in spans if span)
    if len(placed) < len(spans) or placed[0][1] != text.name:
        return None
    ends = [span[1] for span, _ in placed]
    others = [
        (chunk[end : span[0]], name) for end, (span, name) in zip(ends, placed[1:], strict=False)
    ]
    (start, _), _ = placed[0]
    head, tail = chunk[:start], chunk[ends[-1] :]
    if any(b"\\u" in same for same in (head, tail, *(between for between, _ in others))):
        # A name that is spelt with an escape: another one was found in its place.
        return None
    return Template(value["choices"][0]["index"], text, head, tuple(others), tail)


def _span(chunk: bytes, name: str) -> tuple[int, int] | None:
    """Where the only string of that name stands, with its quotes.

    A quote inside a text is escaped, so the quoted name occurs only as a name or as a whole text.
    """
    found = _STRING_OF[name](chunk) if chunk.count(b'"%s"' % name.encode()) == 1 else None
    return found.span(1) if found else None


def _usage_span(chunk: bytes) -> tuple[int, int] | None:
    raw = Spelling(chunk).at(("usage",)) if chunk.count(b'"usage"') == 1 else None
    named = _USAGE(chunk)
    if raw is None or named is None or not chunk.startswith(raw, named.end()):
        return None
    return named.end(), named.end() + len(raw)


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
    if choice.get("text"):
        return False
    said = [key for key, item in delta.items() if item and key != "role"]
    if said == ["tool_calls"]:
        return _only_grows_arguments(delta["tool_calls"])
    return said == [name]


def _only_grows_arguments(calls: Json) -> bool:
    if calls.__class__ is not list or len(calls) != 1 or not _CALL_FIELDS.issuperset(calls[0]):
        return False
    function = calls[0].get("function")
    return function.__class__ is dict and _FUNCTION_FIELDS.issuperset(function)
