"""The stored form of an analysis: bounded, compressed, equal on every database."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import msgspec
from msgspec import UNSET

from inspector.archive.storage.compression import compressed, decompressed
from inspector.core.analysis import Analysis, analysis_to_json
from inspector.core.completion import Choice, known
from inspector.core.json.pointer import escape_step
from inspector.core.logprobs import token_count

TEXT_CHARACTERS = 65_536
LIST_ITEMS = 1_000
MEMBER_CHARACTERS = 1_000_000
"""Most characters of one member of the analysis, such as all choices, findings or extras."""
VALUE_CHARACTERS = 8
"""Characters a value counts beside its text: commas, brackets, digits."""
SHORT_CHARACTERS = 1_000
"""A text of ours, a code among them, is not cut to less."""
ANSWER_BYTES = 2_000_000
"""An analysis of more is answered as it would be stored."""
FREE_FORM_MEMBERS = frozenset({
    "annotations", "completion", "cost", "cost_details", "extras", "feedback_token",
    "citations", "finish_reason", "identity", "logprobs", "places", "value",
})  # fmt: skip
"""Members whose structure the payload defines: they can be cut anywhere."""


class TruncatedValue(msgspec.Struct, frozen=True):
    """A value that the document holds only in part, or (logprobs) not at all.

    ``length`` is its whole length: characters, entries or, of logprobs, tokens.
    """

    pointer: str
    length: int


@dataclass(frozen=True, slots=True)
class StoredAnalysis:
    """An analysis as the archive keeps it: without completion and logprobs, long values cut."""

    analysis: Analysis
    cuts: tuple[TruncatedValue, ...]


def pack(analysis: Analysis) -> bytes:
    cuts = list(_omitted_logprobs(analysis))
    value = msgspec.to_builtins(_without_bulk(analysis))
    text = _text_of(value, cuts)
    # Most analyses need no cut: one pass over the text is enough to know.
    if len(text) > MEMBER_CHARACTERS or not _fits(value):
        text = _text_of(_cut(value, cuts), cuts)
    return compressed(text.encode())


def pack_stored(stored: StoredAnalysis) -> bytes:
    """Packs what was unpacked and made smaller."""
    return compressed(_text_of(msgspec.to_builtins(stored.analysis), stored.cuts).encode())


def analysis_for_response(analysis: Analysis) -> StoredAnalysis:
    """The full analysis where it is of ordinary length, else as it would be stored."""
    if len(analysis_to_json(analysis)) <= ANSWER_BYTES:
        return StoredAnalysis(analysis, ())
    return unpack(pack(analysis))


def _text_of(value: Any, cuts: Sequence[TruncatedValue]) -> str:
    # ASCII escapes: a lone surrogate is no UTF-8, and still what the provider said.
    document = {"analysis": value, "cuts": msgspec.to_builtins(cuts)}
    return json.dumps(document, ensure_ascii=True, separators=(",", ":"))


def _cut(value: dict[str, Any], cuts: list[TruncatedValue]) -> dict[str, Any]:
    # Each member has a limit of its own, so that many choices leave the findings intact.
    return {
        name: _Cutter(cuts=cuts).cut(item, f"/{name}", is_free=name in FREE_FORM_MEMBERS)
        for name, item in value.items()
    }


def unpack(packed: bytes) -> StoredAnalysis:
    document = json.loads(decompressed(packed))
    analysis = msgspec.convert(document["analysis"], Analysis)
    choices = tuple(_with_block_texts(choice) for choice in analysis.choices)
    return StoredAnalysis(
        analysis=msgspec.structs.replace(analysis, choices=choices),
        cuts=msgspec.convert(document["cuts"], tuple[TruncatedValue, ...]),
    )


def unpack_if_known(packed: bytes) -> StoredAnalysis | None:
    """Returns None if another release wrote the document in an unknown shape."""
    try:
        return unpack(packed)
    except msgspec.ValidationError:
        return None


def _without_bulk(analysis: Analysis) -> Analysis:
    # Completion and logprobs are read again from the evidence on request.
    choices = tuple(_without_repetition(choice) for choice in analysis.choices)
    return msgspec.structs.replace(analysis, completion=None, choices=choices)


def _without_repetition(choice: Choice) -> Choice:
    # The only text of a kind stands in the choice as well: it is stored, and cut, once.
    texts = choice.only_texts()
    blocks = tuple(
        msgspec.structs.replace(block, text=UNSET)
        if block.kind in texts and block.text == texts[block.kind]
        else block
        for block in choice.blocks
    )
    logprobs = UNSET if known(choice.logprobs) else choice.logprobs
    return msgspec.structs.replace(choice, blocks=blocks, logprobs=logprobs)


def _with_block_texts(choice: Choice) -> Choice:
    texts = choice.only_texts()
    blocks = tuple(
        msgspec.structs.replace(block, text=texts[block.kind])
        if block.text is UNSET and block.kind in texts
        else block
        for block in choice.blocks
    )
    return msgspec.structs.replace(choice, blocks=blocks)


def _omitted_logprobs(analysis: Analysis) -> Iterator[TruncatedValue]:
    """The logprobs of each choice, their tokens counted."""
    for position, choice in enumerate(analysis.choices[:LIST_ITEMS]):
        if known(choice.logprobs):
            yield TruncatedValue(f"/choices/{position}/logprobs", token_count(choice))


def _fits(value: Any) -> bool:
    # Most values fit, and checking is faster than copying.
    if isinstance(value, str):
        return len(value) <= TEXT_CHARACTERS
    if isinstance(value, dict):
        return len(value) <= LIST_ITEMS and all(map(_fits, value.values()))
    if isinstance(value, list | tuple):
        return len(value) <= LIST_ITEMS and all(map(_fits, value))
    return True


@dataclass(slots=True)
class _Cutter:
    """Cuts long texts, and lists and free-form objects once ``room`` is used up."""

    room: int = MEMBER_CHARACTERS
    cuts: list[TruncatedValue] = field(default_factory=list)

    def cut(self, value: Any, pointer: str, *, is_free: bool = False) -> Any:
        if isinstance(value, str):
            return self._text(value, pointer, is_free=is_free)
        self.room -= VALUE_CHARACTERS
        if isinstance(value, list | tuple):
            return self._list(value, pointer, is_free=is_free)
        if isinstance(value, dict):
            return self._object(value, pointer, is_free=is_free)
        return value

    def _text(self, text: str, pointer: str, *, is_free: bool) -> str:
        least = 0 if is_free else SHORT_CHARACTERS
        shortened = self._shortened(text, min(TEXT_CHARACTERS, max(self.room, least)), pointer)
        self.room -= len(shortened)
        return shortened

    def _list(self, values: Sequence[Any], pointer: str, *, is_free: bool) -> list[Any]:
        members: list[Any] = []
        for number, item in enumerate(values[:LIST_ITEMS]):
            if self.room <= 0:
                break
            members.append(self.cut(item, f"{pointer}/{number}", is_free=is_free))
        self._note(pointer, len(values), len(members))
        return members

    def _object(self, value: dict[str, Any], pointer: str, *, is_free: bool) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for name, item in islice(value.items(), LIST_ITEMS):
            if is_free and self.room <= 0:
                break
            self.room -= len(name)
            free = is_free or name in FREE_FORM_MEMBERS
            members[name] = self.cut(item, f"{pointer}/{escape_step(name)}", is_free=free)
        self._note(pointer, len(value), len(members))
        return members

    def _shortened(self, text: str, limit: int, pointer: str) -> str:
        self._note(pointer, len(text), min(len(text), limit))
        return text[:limit]

    def _note(self, pointer: str, length: int, kept_length: int) -> None:
        if kept_length < length:
            self.cuts.append(TruncatedValue(pointer, length))
