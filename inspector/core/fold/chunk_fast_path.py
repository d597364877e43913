"""Fast path for chunks that differ from an earlier one only in their text.

Nearly every chunk of a stream repeats its predecessor with another word in it. Once one has been
parsed in full, comparing the bytes around its text tells whether the next is of the same shape;
then only the text is decoded. Both ways give the same reading
(tests/core/fold/test_chunk_fast_path).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import msgspec

from inspector.core.completion import Json
from inspector.core.fold.fold_context import GrowingText
from inspector.core.json import parser
from inspector.core.json.raw_values import RawValues
from inspector.core.service_tier import NAME

PADDING = ("obfuscation", "p")
"""Names of random text that hides the length of a chunk (OpenAI, Mistral). It always differs."""

_STRING_OF = {
    name: re.compile(rb'"%s"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")' % name.encode()).search
    for name in ("content", "reasoning", "reasoning_content", "refusal", "text", "arguments")
    + PADDING
}
_USAGE = re.compile(rb'"usage"\s*:\s*(?=\{)').search
MAX_CHOICES = 8
"""Shapes that are kept. Comparing with more would cost more than parsing the chunk."""
_decode_text = msgspec.json.Decoder(str).decode

_CALL_FIELDS = frozenset({"index", "id", "type", "function"})
_FUNCTION_FIELDS = frozenset({"name", "arguments"})


class ChunkShape:
    """The bytes of a chunk before, between and after its variable parts: a text, then perhaps
    padding and usage.
    """

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
        """Compare a chunk. Return its text and its other variable fields by name; None if anything
        else may differ.
        """
        head, tail = self._head, self._tail
        # Both ends are compared first, in C: nearly all chunks of another shape differ there.
        if not (chunk.startswith(head) and chunk.endswith(tail)):
            return None
        start, end = len(head), len(chunk) - len(tail)
        # Left to the full parser: an escape may be a lone surrogate or NUL, and data on several
        # lines is noted.
        if chunk.find(b"\\u", start, end) >= 0 or chunk.find(b"\n", start, end) >= 0:
            return None
        try:
            if self._others:
                return self._several(chunk, start, end)
            return _decode_text(chunk[start:end]), {}
        except (msgspec.MsgspecError, UnicodeDecodeError, ValueError):
            return None

    def _several(self, chunk: bytes, start: int, end: int) -> tuple[str, dict[str, Json]]:
        """Raises ValueError if the bytes between the variable parts differ."""
        name, found = self.text.name, dict[str, Json]()
        for between, following in self._others:
            middle = chunk.index(between, start, end)
            found[name] = _DECODERS.get(name, _decode_text)(chunk[start:middle])
            name, start = following, middle + len(between)
        found[name] = _DECODERS.get(name, _decode_text)(chunk[start:end])
        return found.pop(self.text.name), found


def _decode_usage(text: bytes) -> dict[str, Json]:
    parsed = parser.parse_json(text)
    # In its chunk it stands one level deeper than it does here.
    is_deep = text.count(b"{") + text.count(b"[") >= parser.MAX_DEPTH
    if is_deep or parsed.faults or parsed.value.__class__ is not dict or NAME in parsed.value:
        raise ValueError("usage that the reader of whole chunks must look at")
    value: dict[str, Json] = parsed.value
    return value


_DECODERS: Mapping[str, Callable[[bytes], Json]] = {"usage": _decode_usage}


class ChunkShapes:
    """The shape of the last chunk of each choice."""

    def __init__(self) -> None:
        self._of_choice: dict[int, ChunkShape] = {}

    def match(self, chunk: bytes) -> tuple[ChunkShape, str, dict[str, Json]] | None:
        """Find a shape that the chunk has. Return it with the text and the other fields that
        differ.
        """
        for template in self._of_choice.values():
            if differences := template.differences(chunk):
                return template, *differences
        return None

    def learn(self, template: ChunkShape | None, *, has_news: bool) -> None:
        """Keep the shape of the chunk just parsed.

        Earlier shapes are dropped if it has none, and if it changed a top-level field
        (``has_news``), because chunks of those shapes would change the field back.
        """
        if template is None or has_news:
            self._of_choice.clear()
        if template and (len(self._of_choice) < MAX_CHOICES or template.choice in self._of_choice):
            self._of_choice[template.choice] = template

    def clear(self) -> None:
        self._of_choice.clear()


def chunk_shape_of(chunk: bytes, value: Mapping[str, Json], text: GrowingText) -> ChunkShape | None:
    """The shape of a chunk that added to one text, or None if such chunks may differ in more."""
    if not _only_grows(value, text.name):
        return None
    spans = [(_span(chunk, text.name), text.name)]
    spans += [(_span(chunk, name), name) for name in PADDING if value.get(name).__class__ is str]
    usage = value.get("usage")
    if usage is not None:
        if usage.__class__ is dict and NAME in usage:
            # A tier inside usage must be compared with the one beside it in every chunk.
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
        # A name may be spelt with an escape; the search found another one then.
        return None
    return ChunkShape(value["choices"][0]["index"], text, head, tuple(others), tail)


def _span(chunk: bytes, name: str) -> tuple[int, int] | None:
    """Range of the only string value of that name, quotes included; None if the name occurs more
    often.
    """
    # Quotes inside a string are escaped: the quoted name is a name or a whole string, never a part.
    found = _STRING_OF[name](chunk) if chunk.count(b'"%s"' % name.encode()) == 1 else None
    return found.span(1) if found else None


def _usage_span(chunk: bytes) -> tuple[int, int] | None:
    raw = RawValues(chunk).at(("usage",)) if chunk.count(b'"usage"') == 1 else None
    named = _USAGE(chunk)
    if raw is None or named is None or not chunk.startswith(raw, named.end()):
        return None
    return named.end(), named.end() + len(raw)


def _only_grows(value: Mapping[str, Json], name: str) -> bool:
    """True if taking the chunk again would change nothing but that text."""
    choices = value.get("choices")
    if choices.__class__ is not list or len(choices) != 1:
        return False
    choice = choices[0]
    # Both would have to be folded as well, and differ in every chunk.
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
