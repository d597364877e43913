"""Amazon Bedrock's Converse, whole and as a stream of binary frames.

The type of an event stands in its frame, not in its JSON. Clients write it down as the name of a
member around the event, and some models do so inside their own frames. Only blocks that are no
text have an event that begins them. What a part is, the name of its member says. The event after
the one with the stop reason has the token counts.
"""

from collections.abc import Mapping

from inspector.core.completion import BlockKind
from inspector.core.formats import grammar as effects
from inspector.core.formats.dialect import Dialect, EndMark, FieldsSeen, names
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.formats.grammar import At, Table, under
from inspector.core.formats.usage_table import ListItem, UsageTable, at_first, sum_of
from inspector.core.json import Json

EVENT_TYPES = names("messageStart contentBlockStart contentBlockDelta contentBlockStop messageStop")
WHOLE_FIELDS = frozenset({"output", "stopReason"})
METADATA = names("usage metrics serviceTier trace performanceConfig")
PART: Table = {
    "": effects.BlockItem(
        label="",
        kinds={
            "toolUse": BlockKind.TOOL_CALL,
            "reasoningContent": BlockKind.REASONING,
            "citationsContent": BlockKind.TEXT,
            "text": BlockKind.TEXT,
            "image": BlockKind.IMAGE,
            "audio": BlockKind.AUDIO,
            "toolResult": BlockKind.HOSTED,
        },
        hosted="server_tool_use",
    ),
    "/text": effects.PartText(),
    "/citations": effects.CitationList(),
    "/reasoningContent": effects.BlockObject(),
    "/reasoningContent/reasoningText": effects.BlockObject(),
    "/reasoningContent/reasoningText/text": effects.PartText(),
    "/reasoningContent/reasoningText/?": effects.BlockField(),
    "/reasoningContent/?": effects.BlockField(),
    "/citationsContent": effects.BlockObject(),
    "/citationsContent/content": effects.BlockList(),
    "/citationsContent/content/*": effects.BlockObject(),
    "/citationsContent/content/*/text": effects.PartText(),
    "/citationsContent/content/*/?": effects.BlockField(),
    "/citationsContent/citations": effects.CitationList(),
    "/citationsContent/?": effects.BlockField(),
    "/toolUse": effects.BlockObject(),
    "/toolUse/toolUseId": effects.CallId(),
    "/toolUse/name": effects.BlockName(),
    "/toolUse/input": effects.BlockArguments(),
    "/toolUse/?": effects.BlockField(),
    "/toolResult": effects.BlockObject(),
    "/toolResult/?": effects.BlockField(),
    "/?": effects.BlockField(),
}
CONTENT = "/output/message/content"
BLOCK = f"{CONTENT}/{{contentBlockIndex}}"
THOUGHT = f"{BLOCK}/reasoningContent"
DELTA = "contentBlockDelta"
TABLE: Table = {
    "": effects.TypedEvent(member=""),
    # -- the answer
    "/output": effects.BlockObject(),
    "/output/message": effects.BlockObject(),
    "/output/message/role": effects.MessageRole(),
    CONTENT: effects.BlockList(),
    **under(f"{CONTENT}/*", PART),
    "/output/message/?": effects.BlockField(),
    "/output/?": effects.BlockField(),
    "/stopReason": effects.FinishReason(),
    "/usage": effects.UsageCounts(),
    "/metrics": effects.ProviderTime(),
    "/serviceTier": effects.BlockObject(),
    "/serviceTier/type": effects.TierField(),
    "/serviceTier/?": effects.BlockField(),
    "/?": effects.AnswerField(),
    # -- events
    At("messageStart", "/role"): effects.Put("/output/message/role", begins=True),
    At("contentBlockStart", "/start"): effects.Put(BLOCK),
    At(DELTA, "/delta/text"): effects.Grow(f"{BLOCK}/text", BlockKind.TEXT, begins=True),
    At(DELTA, "/delta/reasoningContent/text"): effects.Grow(
        f"{THOUGHT}/reasoningText/text", BlockKind.REASONING, begins=True
    ),
    At(DELTA, "/delta/reasoningContent/signature"): effects.Grow(
        f"{THOUGHT}/reasoningText/signature", BlockKind.REASONING, begins=True
    ),
    At(DELTA, "/delta/reasoningContent/redactedContent"): effects.Grow(
        f"{THOUGHT}/redactedContent", BlockKind.REASONING, begins=True
    ),
    At(DELTA, "/delta/reasoningContent/?"): effects.EventField(),
    At(DELTA, "/delta/toolUse/input"): effects.Grow(
        f"{BLOCK}/toolUse/input", BlockKind.TOOL_CALL, is_json=True
    ),
    At(DELTA, "/delta/toolUse/?"): effects.EventField(),
    At(DELTA, "/delta/toolResult"): effects.Extend(f"{BLOCK}/toolResult/content"),
    At(DELTA, "/delta/image"): effects.Put(f"{BLOCK}/image"),
    At(DELTA, "/delta/citation"): effects.Add(f"{BLOCK}/citations"),
    At(DELTA, "/delta/?"): effects.EventField(),
    At("contentBlockStop", "/contentBlockIndex"): effects.Close(BLOCK),
    At("messageStop", "/stopReason"): effects.Put("/stopReason"),
    At("messageStop", "/additionalModelResponseFields"): effects.Put(
        "/additionalModelResponseFields"
    ),
    **{At("metadata", f"/{name}"): effects.Put(f"/{name}") for name in sorted(METADATA)},
    At("*", "/contentBlockIndex"): effects.Key(),
    At("*", "/p"): effects.Padding(),
    At("*", "/?"): effects.EventField(),
}
USAGE = UsageTable(
    counts={
        "prompt_tokens": sum_of(
            ("inputTokens",), ("cacheReadInputTokens",), ("cacheWriteInputTokens",)
        ),
        "completion_tokens": at_first(("outputTokens",)),
        "total_tokens": at_first(("totalTokens",)),
        "cached_tokens": at_first(("cacheReadInputTokens",)),
        "cache_write_tokens": at_first(("cacheWriteInputTokens",)),
        "cache_write_5m_tokens": at_first(
            ("cacheDetails", ListItem("ttl", ("5m",)), "inputTokens")
        ),
        "cache_write_1h_tokens": at_first(
            ("cacheDetails", ListItem("ttl", ("1h",)), "inputTokens")
        ),
    },
    always=("prompt_tokens", "completion_tokens", "total_tokens"),
)
"""Bedrock's Converse: ``usage``, in which input tokens are those beside the cache."""


def begins(value: Mapping[str, Json]) -> bool:
    kind, output = value.get("type"), value.get("output")
    if isinstance(kind, str) and kind in EVENT_TYPES:
        return True
    if any(isinstance(value[name], dict) for name in EVENT_TYPES.intersection(value)):
        return True
    return isinstance(output, dict) and ("stopReason" in value or "message" in output)


def recognises(signs: FieldsSeen) -> bool:
    return bool(EVENT_TYPES & signs.types) or signs.top >= WHOLE_FIELDS


def closing_of(signs: FieldsSeen, top: Mapping[str, Json]) -> str | None:
    return "messageStop" if "messageStop" in signs.types else None


DIALECT = Dialect(
    slug="bedrock-converse",
    title="Bedrock Converse response",
    recognises=recognises,
    begins=begins,
    table=TABLE,
    object="bedrock.converse",
    end_mark=EndMark.CLOSING_OBJECT,
    closing="messageStop",
    closing_of=closing_of,
    finish_reasons={
        "end_turn": FinishMeaning.COMPLETE,
        "tool_use": FinishMeaning.CALLED,
        "max_tokens": FinishMeaning.LENGTH,
        "stop_sequence": FinishMeaning.STOP_SEQUENCE,
        "guardrail_intervened": FinishMeaning.FILTERED,
        "content_filtered": FinishMeaning.FILTERED,
        "malformed_model_output": FinishMeaning.FAILED,
        "malformed_tool_use": FinishMeaning.UNUSABLE_CALL,
        "model_context_window_exceeded": FinishMeaning.CONTEXT,
    },
    top_fields=METADATA | names("output stopReason additionalModelResponseFields"),
    choice_fields=frozenset({"finish_reason", "logprobs"}),
    message_fields=frozenset({"role"}),
    usage=USAGE,
)
