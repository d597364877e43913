"""OpenAI's Responses, whole and in events.

Events put items and parts, grow their texts, and send each once more when it is whole; the closing
event holds the very response that a whole call returns. A reasoning item is one block, whatever
number of summaries it has.
"""

from collections.abc import Mapping

from inspector.core.completion import BlockKind
from inspector.core.formats import grammar as effects
from inspector.core.formats.dialect import Dialect, EndMark, FieldsSeen, names
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.formats.grammar import At, Table
from inspector.core.formats.usage_table import UsageTable, at_first
from inspector.core.json import Json

CLOSING_TYPES = frozenset({"response.completed", "response.incomplete", "response.failed"})
UNNAMED_CALLS = names(
    """
    apply_patch_call computer_call local_shell_call mcp_approval_request shell_call
    """
)
"""Calls that the client must act on, of tools that have no name."""
SIDE_EVENTS = {
    "image_generation_call.partial_image": (
        "background",
        "output_format",
        "partial_image_b64",
        "partial_image_index",
        "quality",
        "size",
    ),
    "shell_call_command.added": ("command", "command_index"),
    "shell_call_command.delta": ("command_index", "delta"),
    "shell_call_command.done": ("command", "command_index"),
}
"""Fields of events that show a part early, which its item has whole."""
ITEM = "/output/{output_index}"
PART = f"{ITEM}/content/{{content_index}}"
SUMMARY = f"{ITEM}/summary/{{summary_index}}"
CALL, HOSTED = BlockKind.TOOL_CALL, BlockKind.HOSTED


def grown(event: str, name: str, at: str, kind: BlockKind, type_: str = "") -> Table:
    """Return the events of a text that comes in pieces, and then once more as a whole."""
    return {
        At(f"{event}.delta", "/delta"): effects.Grow(f"{at}/{name}", kind, type_),
        At(f"{event}.done", f"/{name}"): effects.Complete(f"{at}/{name}"),
    }


TABLE: Table = {
    "": effects.TypedEvent(
        closing=CLOSING_TYPES, numbered="output_index", item_id="item_id", item="item"
    ),
    # -- the response
    "/id": effects.IdentityField(),
    "/model": effects.IdentityField(),
    "/object": effects.ObjectLabel(),
    "/status": effects.FinishStatus(
        pending=frozenset({"queued", "in_progress"}), reason=("incomplete_details", "reason")
    ),
    "/output": effects.BlockList(),
    "/output/*": effects.BlockItem(
        kinds={
            "message": None,
            "reasoning": BlockKind.REASONING,
            "function_call": BlockKind.TOOL_CALL,
            "custom_tool_call": BlockKind.TOOL_CALL,
            **dict.fromkeys(sorted(UNNAMED_CALLS), BlockKind.TOOL_CALL),
        },
        unnamed=UNNAMED_CALLS | {"tool_search_call"},
        client={"tool_search_call": ("execution", "client")},
        custom=frozenset({"custom_tool_call"}),
    ),
    "/output/*/role": effects.MessageRole(),
    "/output/*/content": effects.BlockList(),
    "/output/*/content/*": effects.BlockItem(
        kinds={
            "output_text": BlockKind.TEXT,
            "refusal": BlockKind.REFUSAL,
            "reasoning_text": BlockKind.REASONING,
        },
        other=BlockKind.UNKNOWN,
    ),
    "/output/*/content/*/text": effects.PartText(),
    "/output/*/content/*/refusal": effects.PartText(),
    "/output/*/content/*/annotations": effects.CitationList(),
    "/output/*/content/*/logprobs": effects.TokenLogprobs(),
    "/output/*/content/*/?": effects.BlockField(),
    "/output/*/summary": effects.BlockList(),
    "/output/*/summary/*": effects.BlockObject(),
    "/output/*/summary/*/text": effects.PartText(),
    "/output/*/summary/*/?": effects.BlockField(),
    "/output/*/call_id": effects.CallId(),
    "/output/*/name": effects.BlockName(),
    "/output/*/arguments": effects.BlockArguments(),
    "/output/*/input": effects.BlockArguments(),
    "/output/*/?": effects.BlockField(),
    "/service_tier": effects.TierField(),
    "/usage": effects.UsageCounts(),
    "/error": effects.ErrorObject(),
    "/?": effects.AnswerField(),
    # -- events
    At("response.created", "/response"): effects.Put("", begins=True),
    At("response.queued", "/response"): effects.Put(""),
    At("response.in_progress", "/response"): effects.Put(""),
    **{At(kind, "/response"): effects.Complete("") for kind in sorted(CLOSING_TYPES)},
    At("response.output_item.added", "/item"): effects.Put(ITEM),
    At("response.output_item.done", "/item"): effects.Complete(ITEM),
    At("response.content_part.added", "/part"): effects.Put(PART),
    At("response.content_part.done", "/part"): effects.Complete(PART),
    At("response.reasoning_summary_part.added", "/part"): effects.Put(SUMMARY),
    At("response.reasoning_summary_part.done", "/part"): effects.Complete(SUMMARY),
    **grown("response.output_text", "text", PART, BlockKind.TEXT),
    **grown("response.refusal", "refusal", PART, BlockKind.REFUSAL),
    **grown("response.reasoning_text", "text", PART, BlockKind.REASONING),
    **grown("response.reasoning_summary_text", "text", SUMMARY, BlockKind.REASONING),
    **grown("response.function_call_arguments", "arguments", ITEM, CALL, "function_call"),
    **grown("response.custom_tool_call_input", "input", ITEM, CALL, "custom_tool_call"),
    **grown("response.mcp_call_arguments", "arguments", ITEM, HOSTED, "mcp_call"),
    **grown("response.code_interpreter_call_code", "code", ITEM, HOSTED, "code_interpreter_call"),
    At("response.output_text.delta", "/logprobs"): effects.Extend(f"{PART}/logprobs"),
    At("response.output_text.done", "/logprobs"): effects.Key(),
    At("response.output_text.annotation.added", "/annotation"): effects.Add(f"{PART}/annotations"),
    **{
        At(f"response.{event}", f"/{name}"): effects.Key()
        for event, names in SIDE_EVENTS.items()
        for name in names
    },
    At("error", ""): effects.ErrorObject(is_event=True),
    At("*", "/type"): effects.Key(),
    At("*", "/item_id"): effects.Key(),
    At("*", "/output_index"): effects.Key(),
    At("*", "/content_index"): effects.Key(),
    At("*", "/summary_index"): effects.Key(),
    At("*", "/annotation_index"): effects.Key(),
    At("*", "/sequence_number"): effects.SequenceNumber(),
    At("*", "/obfuscation"): effects.Padding(),
    At("*", "/?"): effects.EventField(),
}
USAGE = UsageTable(
    counts={
        # Gateways to a model of chat completions keep the names of its counts.
        "prompt_tokens": at_first(("input_tokens",), ("prompt_tokens",)),
        "completion_tokens": at_first(("output_tokens",), ("completion_tokens",)),
        "total_tokens": at_first(("total_tokens",)),
        "cached_tokens": at_first(
            ("input_tokens_details", "cached_tokens"), ("prompt_tokens_details", "cached_tokens")
        ),
        "cache_write_tokens": at_first(("input_tokens_details", "cache_write_tokens")),
        "reasoning_tokens": at_first(
            ("output_tokens_details", "reasoning_tokens"),
            ("completion_tokens_details", "reasoning_tokens"),
        ),
        "prompt_text_tokens": at_first(("input_tokens_details", "text_tokens")),
        "prompt_image_tokens": at_first(("input_tokens_details", "image_tokens")),
        "prompt_audio_tokens": at_first(("input_tokens_details", "audio_tokens")),
        "completion_text_tokens": at_first(("output_tokens_details", "text_tokens")),
        "completion_image_tokens": at_first(("output_tokens_details", "image_tokens")),
        "completion_audio_tokens": at_first(("output_tokens_details", "audio_tokens")),
    },
    always=("prompt_tokens", "completion_tokens", "total_tokens"),
)
"""OpenAI's Responses: ``usage`` of the response."""


def begins(value: Mapping[str, Json]) -> bool:
    kind = value.get("type")
    if isinstance(kind, str) and kind.startswith("response."):
        return True
    return value.get("object") == "response" and "choices" not in value


def recognises(signs: FieldsSeen) -> bool:
    if "choices" in signs.top:
        return False
    return "response" in signs.objects or any(kind.startswith("response.") for kind in signs.types)


def closing_of(signs: FieldsSeen, top: Mapping[str, Json]) -> str | None:
    return min(CLOSING_TYPES & signs.types, default=None)


DIALECT = Dialect(
    slug="openai-responses",
    title="OpenAI response",
    recognises=recognises,
    begins=begins,
    table=TABLE,
    object="response",
    end_mark=EndMark.CLOSING_OBJECT,
    closing="response.completed",
    closing_of=closing_of,
    identity={"created": "created_at"},
    finish_reasons={
        "completed": FinishMeaning.COMPLETE,
        "incomplete": FinishMeaning.OTHER,
        "cancelled": FinishMeaning.OTHER,
        "max_tool_calls": FinishMeaning.OTHER,
        "failed": FinishMeaning.ERROR_BESIDE,
        "max_output_tokens": FinishMeaning.LENGTH,
        "content_filter": FinishMeaning.FILTERED,
    },
    top_fields=names(
        """
        id object created_at completed_at status background billing error incomplete_details
        instructions max_output_tokens max_tool_calls metadata model output output_text
        parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_retention
        reasoning safety_identifier service_tier store temperature text tool_choice tools
        top_logprobs top_p truncation usage user conversation frequency_penalty presence_penalty
        """
    ),
    choice_fields=frozenset({"finish_reason", "logprobs"}),
    message_fields=frozenset({"role"}),
    usage=USAGE,
)
