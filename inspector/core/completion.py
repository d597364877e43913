"""What an answer consists of: choices, tool calls and usage as values (design words, wire names).

``msgspec.UNSET`` is a field that was not sent; ``None`` is a null that was sent. The difference
survives into JSON, where an unset field is left out.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

Json = Any
"""A decoded JSON value: dict, list, str, int, float, bool or None."""


class ArgumentsState(StrEnum):
    """What can be said of a tool call's argument text, which "may be invalid JSON" (002)."""

    VALID = "valid"
    INVALID = "invalid"
    TRUNCATED = "truncated"
    EMPTY = "empty"


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call; ``invalid_at`` is the first breaking character of ``arguments_text``."""

    index: int
    id: str | None | UnsetType = UNSET
    type: str | None | UnsetType = UNSET
    name: str | None | UnsetType = UNSET
    arguments_text: str = ""
    arguments_state: ArgumentsState = ArgumentsState.EMPTY
    invalid_at: int | None = None
    extras: dict[str, Json] = msgspec.field(default_factory=dict)


class FunctionCall(msgspec.Struct, frozen=True, kw_only=True):
    """The deprecated single call of the chat format; a field of its own, not a tool call."""

    name: str | None | UnsetType = UNSET
    arguments_text: str = ""
    arguments_state: ArgumentsState = ArgumentsState.EMPTY
    invalid_at: int | None = None


class InlineReasoning(msgspec.Struct, frozen=True):
    """Where a ``<think>`` passage stands inside content, in characters; end None: never closed."""

    start: int
    end: int | None


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """One alternative answer. ``content`` belongs to chat, ``text`` to legacy completions."""

    index: int
    role: str | None | UnsetType = UNSET
    content: str | None | UnsetType = UNSET
    text: str | None | UnsetType = UNSET
    reasoning: str | None | UnsetType = UNSET
    refusal: str | None | UnsetType = UNSET
    finish_reason: Json | UnsetType = UNSET
    """Text or null in every document; shown as sent where a provider sent something else."""
    tool_calls: tuple[ToolCall, ...] = ()
    function_call: FunctionCall | None = None
    logprobs: Json | UnsetType = UNSET
    annotations: list[Json] | None | UnsetType = UNSET
    inline_reasoning: InlineReasoning | None = None
    feedback_token: Json | UnsetType = UNSET
    cost_usd: str | None | UnsetType = UNSET
    """Decimal text exactly as the wire had it (000)."""
    duration_seconds: str | None | UnsetType = UNSET
    """Decimal text exactly as the wire had it (000): the vendor's own clock."""
    extras: dict[str, Json] = msgspec.field(default_factory=dict)


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Token counts under their wire names, flat; detail objects are parts of their parent count.

    ``reported`` is False where no usage was sent at all: then every count is unset. A count that
    was sent as something other than a whole number of zero or more stands in ``extras``.
    """

    reported: bool = False
    found_at: str | int | None = None
    """JSON Pointer in a whole body, number of the event in a stream."""
    prompt_tokens: int | None | UnsetType = UNSET
    completion_tokens: int | None | UnsetType = UNSET
    total_tokens: int | None | UnsetType = UNSET
    cached_tokens: int | None | UnsetType = UNSET
    reasoning_tokens: int | None | UnsetType = UNSET
    cache_write_tokens: int | None | UnsetType = UNSET
    prompt_cache_hit_tokens: int | None | UnsetType = UNSET
    prompt_cache_miss_tokens: int | None | UnsetType = UNSET
    prompt_text_tokens: int | None | UnsetType = UNSET
    prompt_image_tokens: int | None | UnsetType = UNSET
    prompt_audio_tokens: int | None | UnsetType = UNSET
    completion_text_tokens: int | None | UnsetType = UNSET
    completion_image_tokens: int | None | UnsetType = UNSET
    completion_audio_tokens: int | None | UnsetType = UNSET
    accepted_prediction_tokens: int | None | UnsetType = UNSET
    rejected_prediction_tokens: int | None | UnsetType = UNSET
    cost: str | dict[str, Json] | None | UnsetType = UNSET
    """Decimal text exactly as the wire had it, or an object of such texts (Perplexity)."""
    cost_details: dict[str, Json] | None | UnsetType = UNSET
    """What the cost consists of; every number as decimal text exactly as the wire had it."""
    extras: dict[str, Json] = msgspec.field(default_factory=dict)
    """Everything else, by its JSON Pointer inside the usage object."""


def known(value: Any) -> bool:
    """True for a value that was sent and is not null: absent, null and 0 are three things."""
    return value is not UNSET and value is not None
