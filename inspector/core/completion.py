"""The parts of an answer: choices, tool calls and usage.

``msgspec.UNSET`` is a field that was not sent, ``None`` a null that was sent. JSON keeps the
difference: an unset field is left out.
"""

from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from inspector.core.findings import Where
from inspector.core.json import Json

USAGE_TOTALS = ("prompt_tokens", "completion_tokens", "total_tokens")
"""The counts that every reference document has in usage."""
# Far below the numbers that Python refuses to print (4,300 digits).
MAX_INDEX = 10**100


class Result(StrEnum):
    """The outcome for the reader, beside the verdict: the first that applies, in this order."""

    ERROR = "error"
    """The provider or upstream failed: an error object, a status of 500 or more, or its reason."""
    PENDING = "pending"
    """The answer is not there yet."""
    REFUSED = "refused"
    """There is a refusal text, or the finish reason is a refusal."""
    FILTERED = "filtered"
    """A content filter ended the answer, by its finish reason."""
    TRUNCATED = "truncated"
    """The length limit ended the answer, or the transport ended before a finish reason came."""
    UNUSABLE_CALL = "unusable-call"
    """A tool call cannot be made: its arguments are no JSON, it has no name, or was not offered."""
    EMPTY = "empty"
    """No text, tool call, refusal, audio or image. Reasoning and white space alone are empty."""
    TO_BE_CONTINUED = "to-be-continued"
    """The provider paused; the next request continues the answer."""
    CALLED = "called"
    """The answer ends in tool calls that can be made."""
    ANSWERED = "answered"
    """There is text, audio or an image."""
    UNKNOWN = "unknown"
    """There is no response."""


class ArgumentsState(StrEnum):
    """The state of a tool call's argument text, which may be invalid JSON."""

    VALID = "valid"
    INVALID = "invalid"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    FREE_TEXT = "free-text"
    """The input of a custom tool, which need not be JSON."""


class ArgumentsCause(StrEnum):
    """Why the arguments of a call cannot be used as they are."""

    CONTROL_CHARACTER = "control-character"
    DOUBLE_ENCODED = "double-encoded"
    EMPTY_OBJECT_PREFIX = "empty-object-prefix"
    GLUED_VALUES = "glued-values"
    INDEX_COLLISION = "index-collision"
    LENGTH_LIMIT = "length-limit"
    MALFORMED = "malformed"
    MARKDOWN_FENCE = "markdown-fence"
    NOT_AN_OBJECT = "not-an-object"
    NUMBER_OUT_OF_RANGE = "number-out-of-range"
    PYTHON_LITERAL = "python-literal"
    REPEATED_NAME = "repeated-name"
    SENT_AGAIN = "sent-again"
    TOO_DEEP = "too-deep"
    TRAILING_TEXT = "trailing-text"
    TRUNCATED = "truncated"


class SchemaRemarkKind(StrEnum):
    """How arguments differ from the JSON schema that the request gave for their tool."""

    BROKEN = "broken"
    INVENTED = "invented"
    """A field that the schema neither names nor forbids."""
    FORBIDDEN = "forbidden"
    """A field that the schema does not name and does not allow."""


class SchemaRemark(msgspec.Struct, frozen=True):
    """How a JSON text differs from its schema; ``pointer`` leads into the text, "" to all of it."""

    kind: SchemaRemarkKind
    pointer: str
    message: str


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """One tool call. For a custom tool, ``name`` and ``arguments_text`` hold its name and input.

    ``invalid_at`` is the position of the first character of ``arguments_text`` that breaks its JSON
    (its end if the text was cut off) and ``invalid_at_byte`` the same position in UTF-8.
    ``invalid_event`` is the event that brought this character, null in a whole body;
    ``invalid_bytes`` is its range in the body (end exclusive), null if that is not certain. A text
    that was cut off has those of its last character: the event, and the quote right behind it.
    ``arguments_cause`` is null if the arguments can be used. ``is_offered`` tells whether the
    request offered this tool, null if that is unknown.
    """

    index: int
    id: str | None | UnsetType = UNSET
    type: str | None | UnsetType = UNSET
    name: str | None | UnsetType = UNSET
    name_pieces: tuple[str, ...] = ()
    """The pieces of a name that came in several."""
    arguments_text: str = ""
    arguments_state: ArgumentsState = ArgumentsState.EMPTY
    arguments_cause: ArgumentsCause | None = None
    invalid_at: int | None = None
    invalid_at_byte: int | None = None
    invalid_event: int | None = None
    invalid_bytes: tuple[int, int] | None = None
    is_offered: bool | None = None
    schema_remarks: tuple[SchemaRemark, ...] = ()
    pointer: str | UnsetType = UNSET
    """JSON Pointer to the call in ``completion``, in formats whose calls are parts of a message."""
    extras: dict[str, Json] = msgspec.field(default_factory=dict)


class FunctionCall(msgspec.Struct, frozen=True, kw_only=True):
    """The deprecated ``function_call`` of the chat format. It is not counted as a tool call."""

    name: str | None | UnsetType = UNSET
    name_pieces: tuple[str, ...] = ()
    """The pieces of a name that came in several."""
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
    """A name that is not a text, under ``/function_call/name``."""

    @property
    def is_empty(self) -> bool:
        """True if it has neither name nor arguments: Snowflake sends it if nothing is called."""
        is_named = self.extras or (known(self.name) and self.name)
        return not self.arguments_text and not is_named


class BlockKind(StrEnum):
    """The kind of a part of a message."""

    TEXT = "text"
    REASONING = "reasoning"
    REFUSAL = "refusal"
    TOOL_CALL = "tool-call"
    """A call that the client must run."""
    HOSTED = "hosted"
    """A call that the provider ran itself, or its result."""
    IMAGE = "image"
    AUDIO = "audio"
    CITATION = "citation"
    UNKNOWN = "unknown"


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a message, in the order in which the parts came.

    ``type`` is the format's own name of the part. ``lane`` is the number of its text on the tape.
    ``text`` is that text, unless it is a call's; ``tool_call`` is then the call's position in
    ``tool_calls``, null for the deprecated function call and for a part that names no tool.
    ``value`` is the part as it was sent, if it is more than a text. ``pointer`` leads to it in
    ``completion``, in formats whose messages are lists of parts. ``places`` are its first place
    and, where it was completed elsewhere, the last.
    """

    kind: BlockKind
    type: str | UnsetType = UNSET
    lane: int | None = None
    text: str | UnsetType = UNSET
    tool_call: int | None = None
    value: Json | UnsetType = UNSET
    citations: tuple[Json, ...] = ()
    pointer: str | UnsetType = UNSET
    places: tuple[Where, ...] = ()


class InlineReasoning(msgspec.Struct, frozen=True):
    """Characters of a passage of reasoning in the content, with its tags, such as ``<think>``;
    ``end`` is null if it is never closed.
    """

    start: int
    end: int | None


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """One of the alternative answers. ``content`` is of chat, ``text`` of legacy completions."""

    index: int
    role: str | None | UnsetType = UNSET
    content: str | None | UnsetType = UNSET
    text: str | None | UnsetType = UNSET
    reasoning: str | None | UnsetType = UNSET
    refusal: str | None | UnsetType = UNSET
    finish_reason: Json | UnsetType = UNSET
    """A text or null by every document; kept as sent if it is something else."""
    result: Result = Result.UNKNOWN
    blocks: tuple[Block, ...] = ()
    """The parts of the message in their order; the fields around it are derived from them."""
    tool_calls: tuple[ToolCall, ...] = ()
    function_call: FunctionCall | None = None
    logprobs: Json | UnsetType = UNSET
    annotations: list[Json] | None | UnsetType = UNSET
    inline_reasoning: InlineReasoning | None = None
    feedback_token: Json | UnsetType = UNSET
    cost_usd: str | None | UnsetType = UNSET
    """Decimal text exactly as sent (WorkflowAI)."""
    duration_seconds: str | None | UnsetType = UNSET
    """Decimal text exactly as sent, by the provider's own clock (WorkflowAI)."""
    schema_remarks: tuple[SchemaRemark, ...] = ()
    """How the content differs from the strict schema that the request gave for it."""
    extras: dict[str, Json] = msgspec.field(default_factory=dict)

    @property
    def says_something(self) -> bool:
        """True if the choice holds text, reasoning, a refusal, audio or a call."""
        texts = (self.content, self.text, self.reasoning, self.refusal)
        if any(known(text) and text for text in texts):
            return True
        is_call = self.function_call is not None and not self.function_call.is_empty
        audio = self.extras.get("/message/audio")
        is_speech = isinstance(audio, dict) and any(audio.values())
        return bool(self.tool_calls) or is_call or is_speech


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Token counts as a flat object, under the names that chat completions have for them.

    ``reported`` is false if the response has no usage; every count is then absent. A value that was
    sent as a count but is not a whole number of zero or more stands in ``extras``.
    """

    reported: bool = False
    found_at: str | int | None = None
    """The place of the usage object: JSON Pointer in a whole body, event number in a stream."""
    pointer: str = "/usage"
    """JSON Pointer to the usage object, in the body or in the chunk of that event."""
    prompt_tokens: int | None | UnsetType = UNSET
    completion_tokens: int | None | UnsetType = UNSET
    total_tokens: int | None | UnsetType = UNSET
    cached_tokens: int | None | UnsetType = UNSET
    reasoning_tokens: int | None | UnsetType = UNSET
    cache_write_tokens: int | None | UnsetType = UNSET
    cache_write_5m_tokens: int | None | UnsetType = UNSET
    """Tokens written to the cache that stay there for 5 minutes."""
    cache_write_1h_tokens: int | None | UnsetType = UNSET
    """Tokens written to the cache that stay there for an hour."""
    prompt_cache_hit_tokens: int | None | UnsetType = UNSET
    prompt_cache_miss_tokens: int | None | UnsetType = UNSET
    prompt_text_tokens: int | None | UnsetType = UNSET
    prompt_image_tokens: int | None | UnsetType = UNSET
    prompt_audio_tokens: int | None | UnsetType = UNSET
    prompt_video_tokens: int | None | UnsetType = UNSET
    cached_image_tokens: int | None | UnsetType = UNSET
    cached_audio_tokens: int | None | UnsetType = UNSET
    completion_text_tokens: int | None | UnsetType = UNSET
    completion_image_tokens: int | None | UnsetType = UNSET
    completion_audio_tokens: int | None | UnsetType = UNSET
    completion_video_tokens: int | None | UnsetType = UNSET
    accepted_prediction_tokens: int | None | UnsetType = UNSET
    rejected_prediction_tokens: int | None | UnsetType = UNSET
    cost: str | dict[str, Json] | None | UnsetType = UNSET
    """Decimal text exactly as sent, or an object of such texts (Perplexity)."""
    cost_details: dict[str, Json] | None | UnsetType = UNSET
    """The parts of the cost, every number as decimal text exactly as sent."""
    places: dict[str, str] = msgspec.field(default_factory=dict)
    """JSON Pointer inside usage for each count, or what stood for it, at an unusual place."""
    sums: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)
    """What each count that was added up is made of, by JSON Pointers inside the usage object."""
    extras: dict[str, Json] = msgspec.field(default_factory=dict)
    """All other fields, by their JSON Pointer inside the usage object."""


TOKEN_COUNTS = tuple(name for name in Usage.__struct_fields__ if name.endswith("_tokens"))


def known(value: Any) -> bool:
    """Return True for what was sent and is not null. Absent, null and 0 are three things."""
    return value is not UNSET and value is not None


def list_or_empty(value: Any) -> list[Json]:
    """Return the value if it is a list, an empty list otherwise."""
    return value if isinstance(value, list) else []


def is_index(value: Any) -> bool:
    """Return True for a whole number from 0 to ``MAX_INDEX``."""
    return value.__class__ is int and 0 <= value <= MAX_INDEX
