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
MAX_INDEX = 10**100


class ArgumentsState(StrEnum):
    """What can be said of a tool call's argument text, which "may be invalid JSON" (002)."""

    VALID = "valid"
    INVALID = "invalid"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    FREE_TEXT = "free-text"
    """The input of a custom tool: no JSON is due."""


class ArgumentsCause(StrEnum):
    """Why arguments cannot be used as they are."""

    CONTROL_CHARACTER = "control-character"
    DOUBLE_ENCODED = "double-encoded"
    EMPTY_OBJECT_PREFIX = "empty-object-prefix"
    GLUED_VALUES = "glued-values"
    INDEX_COLLISION = "index-collision"
    LENGTH_LIMIT = "length-limit"
    MALFORMED = "malformed"
    MARKDOWN_FENCE = "markdown-fence"
    NUMBER_OUT_OF_RANGE = "number-out-of-range"
    PYTHON_LITERAL = "python-literal"
    SENT_AGAIN = "sent-again"
    TOO_DEEP = "too-deep"
    TRAILING_TEXT = "trailing-text"
    TRUNCATED = "truncated"


class SchemaRemarkKind(StrEnum):
    """What arguments have against the schema that the request gave their tool."""

    BROKEN = "broken"
    INVENTED = "invented"
    """A field that the schema does not name, and does not forbid either."""
    FORBIDDEN = "forbidden"
    """A field that the schema does not name, and forbids by naming all that may stand there."""


class SchemaRemark(msgspec.Struct, frozen=True):
    """``pointer`` is the place inside the arguments, "" for all of them."""

    kind: SchemaRemarkKind
    pointer: str
    message: str


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call. Of a custom call, the name and the input stand as name and argument text.

    ``invalid_at`` and ``invalid_at_byte`` are the first breaking character of ``arguments_text``
    and its place in UTF-8: its end where it was cut. ``invalid_event`` is the event that brought
    it, None in a whole body; ``invalid_bytes`` is where the body spells it (end exclusive), None
    where that is not certain. ``arguments_cause`` is None where the arguments can be used.
    ``is_offered``: the request offers this tool, None where that is not known.
    """

    index: int
    id: str | None | UnsetType = UNSET
    type: str | None | UnsetType = UNSET
    name: str | None | UnsetType = UNSET
    arguments_text: str = ""
    arguments_state: ArgumentsState = ArgumentsState.EMPTY
    arguments_cause: ArgumentsCause | None = None
    invalid_at: int | None = None
    invalid_at_byte: int | None = None
    invalid_event: int | None = None
    invalid_bytes: tuple[int, int] | None = None
    is_offered: bool | None = None
    schema_remarks: tuple[SchemaRemark, ...] = ()
    extras: dict[str, Json] = msgspec.field(default_factory=dict)


class FunctionCall(msgspec.Struct, frozen=True, kw_only=True):
    """The deprecated single call of the chat format; a field of its own, not a tool call."""

    name: str | None | UnsetType = UNSET
    arguments_text: str = ""
    arguments_state: ArgumentsState = ArgumentsState.EMPTY
    arguments_cause: ArgumentsCause | None = None
    invalid_at: int | None = None
    invalid_at_byte: int | None = None
    invalid_event: int | None = None
    invalid_bytes: tuple[int, int] | None = None
    is_offered: bool | None = None
    schema_remarks: tuple[SchemaRemark, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Neither name nor arguments: Snowflake fills the field although nothing is called."""
        return not self.arguments_text and not (known(self.name) and self.name)


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

    @property
    def says_something(self) -> bool:
        """Text, reasoning, a refusal, speech or a call."""
        texts = (self.content, self.text, self.reasoning, self.refusal)
        if any(known(text) and text for text in texts):
            return True
        is_call = self.function_call is not None and not self.function_call.is_empty
        audio = self.extras.get("/message/audio")
        is_speech = isinstance(audio, dict) and any(audio.values())
        return bool(self.tool_calls) or is_call or is_speech


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Token counts under their wire names, flat; detail objects are parts of their parent count.

    ``reported`` is False where no usage was sent at all: then every count is unset. A count that
    was sent as something other than a whole number of zero or more stands in ``extras``.
    """

    reported: bool = False
    found_at: str | int | None = None
    """JSON Pointer in a whole body, number of the event in a stream."""
    pointer: str = "/usage"
    """JSON Pointer of the usage object in the body, or in the chunk of that event."""
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
    places: dict[str, str] = msgspec.field(default_factory=dict)
    """Where a count stood that did not stand at its usual place: name to JSON Pointer inside."""
    extras: dict[str, Json] = msgspec.field(default_factory=dict)
    """Everything else, by its JSON Pointer inside the usage object."""


def known(value: Any) -> bool:
    """True for a value that was sent and is not null: absent, null and 0 are three things."""
    return value is not UNSET and value is not None


def listed(value: Any) -> list[Json]:
    """A list as it was sent; a value of another type counts as an empty one."""
    return value if isinstance(value, list) else []


def is_index(value: Any) -> bool:
    """A whole number of zero or more, and not so long that the next one could not be written."""
    return value.__class__ is int and 0 <= value <= MAX_INDEX
