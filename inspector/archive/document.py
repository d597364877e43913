"""The stored form of an analysis: bounded, compressed, equal on every database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import UNSET

from inspector.archive.compression import compressed, decompressed
from inspector.core.analysis import Analysis
from inspector.core.completion import known
from inspector.core.logprobs import read_logprobs
from inspector.core.pointer import escaped

TEXT_CHARACTERS = 65_536
LIST_ITEMS = 1_000


class Cut(msgspec.Struct, frozen=True):
    """A value that the document holds only in part, or (logprobs) not at all.

    ``length`` is its whole length: characters, entries or, of logprobs, tokens.
    """

    pointer: str
    length: int


@dataclass(frozen=True, slots=True)
class Bounded:
    """An analysis as the archive keeps it: without completion and logprobs, long values cut."""

    analysis: Analysis
    cuts: tuple[Cut, ...]


def pack(analysis: Analysis) -> bytes:
    cutter = _Cutter(list(_left_out(analysis)))
    value = msgspec.to_builtins(_without_bulk(analysis))
    if not _fits(value):
        value = cutter.cut(value, "")
    document = {"analysis": value, "cuts": msgspec.to_builtins(cutter.cuts)}
    # ASCII escapes: a lone surrogate is no UTF-8, and still what the provider said.
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    return compressed(text.encode())


def unpack(packed: bytes) -> Bounded:
    document = json.loads(decompressed(packed))
    return Bounded(
        analysis=msgspec.convert(document["analysis"], Analysis),
        cuts=msgspec.convert(document["cuts"], tuple[Cut, ...]),
    )


def readable(packed: bytes) -> Bounded | None:
    """None where a program of another release wrote it in a shape that is not known here."""
    try:
        return unpack(packed)
    except msgspec.ValidationError:
        return None


def _without_bulk(analysis: Analysis) -> Analysis:
    """Both are computed again from the evidence when somebody asks for them."""
    choices = tuple(
        msgspec.structs.replace(choice, logprobs=UNSET) if known(choice.logprobs) else choice
        for choice in analysis.choices
    )
    return msgspec.structs.replace(analysis, completion=None, choices=choices)


def _left_out(analysis: Analysis) -> Iterator[Cut]:
    """The logprobs of each choice, their tokens counted."""
    for position, choice in enumerate(analysis.choices[:LIST_ITEMS]):
        if known(choice.logprobs):
            yield Cut(f"/choices/{position}/logprobs", len(read_logprobs(choice).tokens))


def _fits(value: Any) -> bool:
    """Most do, and are told so sooner than they are copied."""
    if isinstance(value, str):
        return len(value) <= TEXT_CHARACTERS
    if isinstance(value, dict):
        return len(value) <= LIST_ITEMS and all(map(_fits, value.values()))
    if isinstance(value, list | tuple):
        return len(value) <= LIST_ITEMS and all(map(_fits, value))
    return True


@dataclass(slots=True)
class _Cutter:
    cuts: list[Cut] = field(default_factory=list)

    def cut(self, value: Any, pointer: str) -> Any:
        if isinstance(value, str):
            return self._kept(value, TEXT_CHARACTERS, pointer)
        if isinstance(value, list | tuple):
            kept = self._kept(value, LIST_ITEMS, pointer)
            return [self.cut(item, f"{pointer}/{n}") for n, item in enumerate(kept)]
        if isinstance(value, dict):
            kept = dict(self._kept(list(value.items()), LIST_ITEMS, pointer))
            return {n: self.cut(item, f"{pointer}/{escaped(n)}") for n, item in kept.items()}
        return value

    def _kept(self, value: Any, limit: int, pointer: str) -> Any:
        if len(value) <= limit:
            return value
        self.cuts.append(Cut(pointer, len(value)))
        return value[:limit]
