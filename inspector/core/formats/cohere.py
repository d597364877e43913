"""Cohere's chat of version 2, whole and in events.

Events put parts into the message and grow their texts; the last one says why it ended and how many
tokens there were. Texts and calls stand in two lists, each counted from 0 on. What the model plans
before it calls tools is a text of its own. Sources are those of the message, and name the part that
they are about.
"""

from collections.abc import Mapping

from inspector.core.completion import BlockKind
from inspector.core.formats.dialect import Dialect, EndMark, FieldsSeen, names
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.formats.grammar import (
    Add,
    AnswerField,
    At,
    BlockArguments,
    BlockField,
    BlockItem,
    BlockList,
    BlockName,
    BlockObject,
    CallId,
    Close,
    ErrorObject,
    EventField,
    FieldBlock,
    FinishReason,
    Grow,
    IdentityField,
    Key,
    MessageCitations,
    MessageRole,
    PartText,
    Put,
    Table,
    TextLogprobs,
    TypedEvent,
    UsageCounts,
)
from inspector.core.formats.usage_table import UsageTable, at_first
from inspector.core.json import Json

EVENT_TYPES = names(
    """
    message-start content-start content-delta content-end tool-plan-delta tool-call-start tool-
    call-delta tool-call-end citation-start citation-end message-end
    """
)
WHOLE_FIELDS = frozenset({"message", "finish_reason"})
PART = "/message/content/{index}"
CALL = "/message/tool_calls/{index}"
SENT = "/delta/message"
TABLE: Table = {
    "": TypedEvent(),
    # -- the answer
    "/id": IdentityField(),
    "/message": BlockObject(),
    "/message/role": MessageRole(),
    "/message/tool_plan": FieldBlock(BlockKind.REASONING),
    "/message/content": BlockList(),
    "/message/content/*": BlockItem(
        kinds={"text": BlockKind.TEXT, "thinking": BlockKind.REASONING}, other=BlockKind.UNKNOWN
    ),
    "/message/content/*/text": PartText(),
    "/message/content/*/thinking": PartText(),
    "/message/content/*/?": BlockField(),
    "/message/tool_calls": BlockList(),
    "/message/tool_calls/*": BlockItem(
        kinds={"function": BlockKind.TOOL_CALL, "": BlockKind.TOOL_CALL}
    ),
    "/message/tool_calls/*/id": CallId(),
    "/message/tool_calls/*/function": BlockObject(),
    "/message/tool_calls/*/function/name": BlockName(),
    "/message/tool_calls/*/function/arguments": BlockArguments(),
    "/message/tool_calls/*/function/?": BlockField(),
    "/message/tool_calls/*/?": BlockField(),
    "/message/citations": MessageCitations(
        index="content_index", label="type", fields={"PLAN": "tool_plan"}
    ),
    "/message/?": BlockField(),
    "/finish_reason": FinishReason(),
    "/usage": UsageCounts(),
    "/logprobs": TextLogprobs(text="text", values="logprobs"),
    "/error": ErrorObject(),
    "/?": AnswerField(),
    # -- events
    At("message-start", SENT): Put("/message", begins=True),
    At("content-start", f"{SENT}/content"): Put(PART),
    At("content-delta", f"{SENT}/content/text"): Grow(f"{PART}/text", BlockKind.TEXT),
    At("content-delta", f"{SENT}/content/thinking"): Grow(f"{PART}/thinking", BlockKind.REASONING),
    At("content-delta", f"{SENT}/content/type"): Key(),
    At("content-delta", f"{SENT}/content/?"): EventField(),
    At("content-delta", "/logprobs"): TextLogprobs(text="text", values="logprobs"),
    At("content-end", "/index"): Close(PART),
    At("tool-plan-delta", f"{SENT}/tool_plan"): Put("/message/tool_plan"),
    At("tool-call-start", f"{SENT}/tool_calls"): Put(CALL),
    At("tool-call-delta", f"{SENT}/tool_calls/function/arguments"): Grow(
        f"{CALL}/function/arguments", BlockKind.TOOL_CALL
    ),
    At("tool-call-delta", f"{SENT}/tool_calls/function/?"): EventField(),
    At("tool-call-delta", f"{SENT}/tool_calls/?"): EventField(),
    At("tool-call-end", "/index"): Close(CALL),
    At("citation-start", f"{SENT}/citations"): Add("/message/citations"),
    At("message-end", "/delta"): Put(""),
    **{At(kind, f"{SENT}/?"): EventField() for kind in sorted(EVENT_TYPES - {"message-end"})},
    **{At(kind, "/delta/?"): EventField() for kind in sorted(EVENT_TYPES - {"message-end"})},
    At("*", "/type"): Key(),
    At("*", "/id"): Put("/id"),
    At("*", "/index"): Key(),
    At("*", "/?"): EventField(),
}
USAGE = UsageTable(
    counts={
        "prompt_tokens": at_first(("tokens", "input_tokens")),
        "completion_tokens": at_first(("tokens", "output_tokens")),
        "cached_tokens": at_first(("cached_tokens",)),
    },
    billed={
        "prompt_tokens": ("billed_units", "input_tokens"),
        "completion_tokens": ("billed_units", "output_tokens"),
    },
    beside=frozenset({"billed_units"}),
)
"""Cohere's chat of version 2: ``usage``, whose ``billed_units`` leave out what Cohere adds to a
prompt itself, and stay beside the counts.
"""


def begins(value: Mapping[str, Json]) -> bool:
    kind = value.get("type")
    if isinstance(kind, str) and kind in EVENT_TYPES:
        return True
    is_whole = value.keys() >= WHOLE_FIELDS and isinstance(value["message"], dict)
    return is_whole and "choices" not in value


def recognises(signs: FieldsSeen) -> bool:
    if "choices" in signs.top:
        return False
    return bool(EVENT_TYPES & signs.types) or signs.top >= WHOLE_FIELDS


def closing_of(signs: FieldsSeen, top: Mapping[str, Json]) -> str | None:
    return "message-end" if "message-end" in signs.types else None


DIALECT = Dialect(
    slug="cohere",
    title="Cohere chat response",
    recognises=recognises,
    begins=begins,
    table=TABLE,
    object="cohere.response",
    end_mark=EndMark.CLOSING_OBJECT,
    closing="message-end",
    closing_of=closing_of,
    finish_reasons={
        "COMPLETE": FinishMeaning.COMPLETE,
        "STOP_SEQUENCE": FinishMeaning.STOP_SEQUENCE,
        "MAX_TOKENS": FinishMeaning.LENGTH,
        "TOOL_CALL": FinishMeaning.CALLED,
        "ERROR": FinishMeaning.FAILED,
        "TIMEOUT": FinishMeaning.FAILED,
    },
    top_fields=names("id finish_reason message usage logprobs error"),
    choice_fields=frozenset({"finish_reason", "logprobs"}),
    message_fields=frozenset({"role"}),
    usage=USAGE,
)
