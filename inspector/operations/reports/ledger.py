"""The usage counts as a ledger: wire names, parts inside their wholes, and what follows of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import UNSET, UnsetType

from inspector.core.completion import Usage

Count = int | None | UnsetType


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    value: str
    depth: int = 0
    is_derived: bool = False


def ledger(usage: Usage) -> Iterator[Row]:
    """Derived rows are arithmetic of counts that were sent; where one is missing there is none."""
    yield _sent("prompt_tokens", usage.prompt_tokens)
    yield _sent("cached_tokens", usage.cached_tokens, depth=1)
    yield _sent("audio_tokens", usage.prompt_audio_tokens, depth=1)
    yield from _rest("not cached", usage.prompt_tokens, usage.cached_tokens)
    yield _sent("completion_tokens", usage.completion_tokens)
    yield _sent("reasoning_tokens", usage.reasoning_tokens, depth=1)
    yield _sent("audio_tokens", usage.completion_audio_tokens, depth=1)
    yield _sent("accepted_prediction_tokens", usage.accepted_prediction_tokens, depth=1)
    yield _sent("rejected_prediction_tokens", usage.rejected_prediction_tokens, depth=1)
    yield from _rest("not reasoning", usage.completion_tokens, usage.reasoning_tokens)
    yield _sent("total_tokens", usage.total_tokens)
    yield from _sum(usage.prompt_tokens, usage.completion_tokens, usage.total_tokens)


def written(count: Count) -> str:
    if count is UNSET:
        return "not sent"
    return "null" if count is None else f"{count:,}"


def _sent(name: str, count: Count, depth: int = 0) -> Row:
    return Row(name, written(count), depth)


def _rest(name: str, whole: Count, part: Count) -> Iterator[Row]:
    if isinstance(whole, int) and isinstance(part, int):
        yield Row(f"{name}, derived", written(whole - part), depth=1, is_derived=True)


def _sum(prompt: Count, completion: Count, total: Count) -> Iterator[Row]:
    if isinstance(prompt, int) and isinstance(completion, int):
        total_said = prompt + completion
        sign = "" if not isinstance(total, int) else "= " if total == total_said else "≠ "
        yield Row("prompt + completion, derived", sign + written(total_said), is_derived=True)
