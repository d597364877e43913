"""Cohere's chat of version 2, whole and in events.

Events put parts into the message and grow their texts; the last one says why it ended and how many
tokens there were. Texts and calls stand in two lists, each counted from 0 on. What the model plans
before it calls tools is a text of its own. Sources are those of the message, and name the part that
they are about.
"""

from collections.abc import Mapping

from inspector.core.completion import BlockKind
from inspector.core.formats import grammar as effects
from inspector.core.formats.dialect import Dialect, EndMark, FieldsSeen, names
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.formats.grammar import At, Table
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
    "": effects.TypedEvent(),
    # -- the answer
    "/id": effects.IdentityField(),
    "/message": effects.BlockObject(),
    "/message/role": effects.MessageRole(),
    "/message/tool_plan": effects.FieldBlock(BlockKind.REASONING),
    "/message/content": effects.BlockList(),
    "/message/content/*": effects.BlockItem(
        kinds={"text": BlockKind.TEXT, "thinking": BlockKind.REASONING}, other=BlockKind.UNKNOWN
    ),
    "/message/content/*/text": effects.PartText(),
    "/message/content/*/thinking": effects.PartText(),
    "/message/content/*/?": effects.BlockField(),
    "/message/tool_calls": effects.BlockList(),
    "/message/tool_calls/*": effects.BlockItem(
        kinds={"function": BlockKind.TOOL_CALL, "": BlockKind.TOOL_CALL}
    ),
    "/message/tool_calls/*/id": effects.CallId(),
    "/message/tool_calls/*/function": effects.BlockObject(),
    "/message/tool_calls/*/function/name": effects.BlockName(),
    "/message/tool_calls/*/function/arguments": effects.BlockArguments(),
    "/message/tool_calls/*/function/?": effects.BlockField(),
    "/message/tool_calls/*/?": effects.BlockField(),
    "/message/citations": effects.MessageCitations(
        index="content_index", label="type", fields={"PLAN": "tool_plan"}
    ),
    "/message/?": effects.BlockField(),
    "/finish_reason": effects.FinishReason(),
    "/usage": effects.UsageCounts(),
    "/logprobs": effects.TextLogprobs(text="text", values="logprobs"),
    "/error": effects.ErrorObject(),
    "/?": effects.AnswerField(),
    # -- events
    At("message-start", SENT): effects.Put("/message", begins=True),
    At("content-start", f"{SENT}/content"): effects.Put(PART),
    At("content-delta", f"{SENT}/content/text"): effects.Grow(f"{PART}/text", BlockKind.TEXT),
    At("content-delta", f"{SENT}/content/thinking"): effects.Grow(
        f"{PART}/thinking", BlockKind.REASONING
    ),
    At("content-delta", f"{SENT}/content/type"): effects.Key(),
    At("content-delta", f"{SENT}/content/?"): effects.EventField(),
    At("content-delta", "/logprobs"): effects.TextLogprobs(text="text", values="logprobs"),
    At("content-end", "/index"): effects.Close(PART),
    At("tool-plan-delta", f"{SENT}/tool_plan"): effects.Put("/message/tool_plan"),
    At("tool-call-start", f"{SENT}/tool_calls"): effects.Put(CALL),
    At("tool-call-delta", f"{SENT}/tool_calls/function/arguments"): effects.Grow(
        f"{CALL}/function/arguments", BlockKind.TOOL_CALL
    ),
    At("tool-call-delta", f"{SENT}/tool_calls/function/?"): effects.EventField(),
    At("tool-call-delta", f"{SENT}/tool_calls/?"): effects.EventField(),
    At("tool-call-end", "/index"): effects.Close(CALL),
    At("citation-start", f"{SENT}/citations"): effects.Add("/message/citations"),
    At("message-end", "/delta"): effects.Put(""),
    **{
        At(kind, f"{SENT}/?"): effects.EventField()
        for kind in sorted(EVENT_TYPES - {"message-end"})
    },
    **{
        At(kind, "/delta/?"): effects.EventField() for kind in sorted(EVENT_TYPES - {"message-end"})
    },
    At("*", "/type"): effects.Key(),
    At("*", "/id"): effects.Put("/id"),
    At("*", "/index"): effects.Key(),
    At("*", "/?"): effects.EventField(),
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
"""Cohere's chat of version 2: ``billed_units`` of ``usage`` stay beside the counts."""


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
