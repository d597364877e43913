"""Anthropic's Messages, whole and in events, and its older text completions.

Events build the very message that a whole call returns; a line of a batch's results holds it, or
says why there is none. Token counts come at the start and again at
the end; a null does not erase one. Block indexes need not be dense.
"""

from collections.abc import Mapping

from inspector.core.completion import BlockKind
from inspector.core.formats import grammar as effects
from inspector.core.formats.dialect import Dialect, EndMark, FieldsSeen, names
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.formats.grammar import At, Table, under
from inspector.core.formats.usage_table import UsageTable, at_first, sum_of
from inspector.core.json import Json

STREAM_TYPES = frozenset({"message_start", "message_delta", "content_block_delta", "message_stop"})
EVENT_TYPES = STREAM_TYPES | {"content_block_start", "content_block_stop"}
WHOLE_SHAPES = {
    "message": frozenset({"content", "role"}),
    "completion": frozenset({"completion", "stop_reason"}),
}
OUTCOMES = frozenset({"succeeded", "errored", "canceled", "expired"})
WRAPPER = "/result/message"
"""Place of the message in a line of a batch's results."""
BLOCK = "/content/{index}"
MESSAGE: Table = {
    "/id": effects.IdentityField(),
    "/model": effects.IdentityField(),
    "/type": effects.TypeLabel(),
    "/role": effects.MessageRole(),
    "/content": effects.BlockList(),
    "/content/*": effects.BlockItem(
        kinds={
            "text": BlockKind.TEXT,
            "thinking": BlockKind.REASONING,
            "redacted_thinking": BlockKind.REASONING,
            "tool_use": BlockKind.TOOL_CALL,
            "image": BlockKind.IMAGE,
        }
    ),
    "/content/*/text": effects.PartText(),
    "/content/*/thinking": effects.PartText(),
    "/content/*/citations": effects.CitationList(),
    "/content/*/id": effects.CallId(),
    "/content/*/name": effects.BlockName(),
    "/content/*/input": effects.BlockArguments(),
    "/content/*/?": effects.BlockField(),
    "/completion": effects.FieldBlock(BlockKind.TEXT),
    "/stop_reason": effects.FinishReason(),
    "/usage": effects.MergedUsage(
        preliminary=frozenset({"output_tokens", "output_tokens_details"})
    ),
    "/error": effects.ErrorObject(),
    "/?": effects.AnswerField(),
}
TABLE: Table = {
    "": effects.TypedEvent(
        answers=frozenset(WHOLE_SHAPES),
        closing=frozenset({"message_stop"}),
        idle=frozenset({"ping"}),
    ),
    **MESSAGE,
    # -- a line of a batch's results
    "/result": effects.BlockObject(),
    "/result/type": effects.OutcomeLabel(
        answered="succeeded", unsaid=frozenset({"canceled", "expired"})
    ),
    "/result/error": effects.ErrorObject(is_event=True),
    "/result/?": effects.BlockField(),
    WRAPPER: effects.PartialAnswer(),
    **under(WRAPPER, MESSAGE),
    # -- events
    At("message_start", "/message"): effects.Put("", begins=True),
    At("content_block_start", "/content_block"): effects.Put(BLOCK),
    At("content_block_delta", "/delta/text"): effects.Grow(f"{BLOCK}/text", BlockKind.TEXT),
    At("content_block_delta", "/delta/thinking"): effects.Grow(
        f"{BLOCK}/thinking", BlockKind.REASONING
    ),
    At("content_block_delta", "/delta/partial_json"): effects.Grow(
        f"{BLOCK}/input", BlockKind.TOOL_CALL, is_json=True
    ),
    At("content_block_delta", "/delta/signature"): effects.Grow(
        f"{BLOCK}/signature", BlockKind.REASONING
    ),
    At("content_block_delta", "/delta/citation"): effects.Add(f"{BLOCK}/citations"),
    At("content_block_delta", "/delta/content"): effects.Grow(f"{BLOCK}/content"),
    At("content_block_delta", "/delta/type"): effects.Key(),
    At("content_block_delta", "/delta/?"): effects.PieceField(),
    At("content_block_stop", "/index"): effects.Close(BLOCK),
    At("message_delta", "/delta"): effects.Put(""),
    At("message_delta", "/usage"): effects.Put("/usage"),
    At("message_delta", "/context_management"): effects.Put("/context_management"),
    At("error", ""): effects.ErrorObject(is_event=True),
    At("*", "/type"): effects.Key(),
    At("*", "/index"): effects.Key(),
    At("*", "/?"): effects.EventField(),
}
USAGE = UsageTable(
    counts={
        "prompt_tokens": sum_of(
            ("input_tokens",), ("cache_creation_input_tokens",), ("cache_read_input_tokens",)
        ),
        "completion_tokens": at_first(("output_tokens",)),
        "cached_tokens": at_first(("cache_read_input_tokens",)),
        "cache_write_tokens": at_first(("cache_creation_input_tokens",)),
        "cache_write_5m_tokens": at_first(("cache_creation", "ephemeral_5m_input_tokens")),
        "cache_write_1h_tokens": at_first(("cache_creation", "ephemeral_1h_input_tokens")),
        "reasoning_tokens": at_first(("output_tokens_details", "thinking_tokens")),
    },
    always=("prompt_tokens", "completion_tokens"),
    searches=("server_tool_use", "web_search_requests"),
    beside=frozenset({"inference_geo", "iterations", "server_tool_use", "service_tier", "speed"}),
)
"""Anthropic's Messages: ``usage`` of the message."""


def begins(value: Mapping[str, Json]) -> bool:
    kind = value.get("type")
    if not isinstance(kind, str):
        return _is_batch_line(value)
    if kind in EVENT_TYPES:
        return True
    return kind in WHOLE_SHAPES and WHOLE_SHAPES[kind] <= value.keys()


def _is_batch_line(value: Mapping[str, Json]) -> bool:
    result = value.get("result") if "custom_id" in value else None
    kind = result.get("type") if isinstance(result, dict) else None
    return isinstance(kind, str) and kind in OUTCOMES


def recognises(signs: FieldsSeen) -> bool:
    if "choices" in signs.top:
        return False
    if STREAM_TYPES & signs.types or (OUTCOMES & signs.types and "custom_id" in signs.top):
        return True
    return any(names <= signs.top for kind, names in WHOLE_SHAPES.items() if kind in signs.types)


def closing_of(signs: FieldsSeen, top: Mapping[str, Json]) -> str | None:
    if "message_stop" in signs.types:
        return "message_stop"
    return "stop_reason" if "completion" in signs.types and top.get("stop_reason") else None


DIALECT = Dialect(
    slug="anthropic",
    title="Anthropic message",
    recognises=recognises,
    begins=begins,
    table=TABLE,
    object="message",
    wrapper=WRAPPER,
    end_mark=EndMark.CLOSING_OBJECT,
    closing="message_stop",
    closing_of=closing_of,
    finish_reasons={
        "end_turn": FinishMeaning.COMPLETE,
        "max_tokens": FinishMeaning.LENGTH,
        "stop_sequence": FinishMeaning.STOP_SEQUENCE,
        "tool_use": FinishMeaning.CALLED,
        "pause_turn": FinishMeaning.PAUSED,
        "refusal": FinishMeaning.REFUSED,
        "model_context_window_exceeded": FinishMeaning.CONTEXT,
    },
    top_fields=names(
        """
        id type role model content stop_reason stop_sequence stop_details usage container
        context_management completion stop log_id error custom_id result
        """
    ),
    choice_fields=frozenset({"finish_reason"}),
    message_fields=frozenset({"role"}),
    usage=USAGE,
)
