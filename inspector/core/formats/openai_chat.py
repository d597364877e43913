"""Chat completions, whole and in chunks: the references of OpenAI and FlowAPI, the reasoning
reference, and many other senders.

The table is that of the whole family: text completions and WorkflowAI add their own lines in their
own files. They differ in which fields they define and in how a stream ends; text, calls and usage
are joined alike, so that a format that shows itself in the last chunk needs no second pass.
"""

from collections.abc import Mapping

from inspector.core.formats import grammar as effects
from inspector.core.formats.dialect import Dialect, FieldsSeen
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.formats.grammar import Table, under
from inspector.core.json import Json
from inspector.core.tape import LaneKind

FUNCTION: Table = {
    "": effects.CallBody(),
    "/name": effects.CallName(),
    "/arguments": effects.GrowArguments(),
    "/?": effects.CallBodyField(),
}
MESSAGE: Table = {
    "/role": effects.MessageRole(),
    "/content": effects.GrowText(LaneKind.CONTENT),
    "/content/*": effects.TextPart(),
    "/reasoning_content": effects.GrowText(LaneKind.REASONING),
    "/reasoning": effects.GrowText(LaneKind.REASONING),
    "/refusal": effects.GrowText(LaneKind.REFUSAL),
    "/annotations": effects.MessageField(is_list=True),
    "/tool_calls": effects.CallList(),
    "/tool_calls/*": effects.CallItem(index="index", bodies=("function", "custom")),
    "/tool_calls/*/index": effects.Key(),
    "/tool_calls/*/?": effects.CallField(),
    **under("/tool_calls/*/function", FUNCTION),
    "/tool_calls/*/custom": effects.CallBody(is_custom=True),
    "/tool_calls/*/custom/name": effects.CallName(),
    "/tool_calls/*/custom/input": effects.GrowInput(),
    "/tool_calls/*/custom/?": effects.CallBodyField(),
    **under("/function_call", FUNCTION),
    "/function_call": effects.LegacyCall(),
    "/?": effects.MessageField(),
}
TABLE: Table = {
    "": effects.Chunk(),
    "/id": effects.IdentityField(),
    "/created": effects.IdentityField(),
    "/model": effects.IdentityField(),
    "/system_fingerprint": effects.IdentityField(),
    "/service_tier": effects.IdentityField(),
    "/object": effects.ObjectLabel(),
    "/type": effects.TypeLabel(),
    "/error": effects.ErrorObject(),
    "/?/error": effects.ErrorObject(within="x_"),
    "/?/usage": effects.UsageElsewhere(sign="prompt_tokens"),
    "/obfuscation": effects.Padding(),
    "/p": effects.Padding(),
    "/timings": effects.ProviderTime(),
    "/time_info": effects.ProviderTime(),
    "/latency_checkpoint": effects.ProviderTime(),
    "/?": effects.AnswerField(),
    "/choices": effects.ChoiceList(
        beside=("id", "object", "created", "model", "system_fingerprint")
    ),
    "/choices/*": effects.ChoiceItem(index="index"),
    "/choices/*/index": effects.Key(),
    "/choices/*/finish_reason": effects.FinishReason(),
    "/choices/*/logprobs": effects.GrowingChoiceField(),
    "/choices/*/error": effects.ChoiceError(),
    "/choices/*/?": effects.ChoiceField(),
    **under("/choices/*/delta", MESSAGE),
    "/choices/*/delta": effects.Message(whole="message"),
    **under("/choices/*/message", MESSAGE),
    "/choices/*/message": effects.WholeMessage(piece="delta"),
    "/usage": effects.UsageCounts(),
}


def begins(value: Mapping[str, Json]) -> bool:
    return "choices" in value


def recognises(signs: FieldsSeen) -> bool:
    if "choices" not in signs.top:
        # Only its choices are missing: the kind of the answer is named.
        is_error = "error" in signs.top
        return bool(signs.objects & {"chat.completion", "chat.completion.chunk"}) and not is_error
    if {"message", "delta"} & signs.choice or signs.message:
        return True
    if signs.objects & {"chat.completion", "chat.completion.chunk"}:
        return True
    # Choices with neither message nor delta: nearest to this dialect; rules report what is missing.
    return "text" not in signs.choice and "text_completion" not in signs.objects


DIALECT = Dialect(
    slug="openai-chat",
    title="chat completion",
    recognises=recognises,
    begins=begins,
    table=TABLE,
    documents=("001", "002", "003"),
    object="chat.completion",
    chunk_object="chat.completion.chunk",
    finish_reasons={
        "stop": FinishMeaning.COMPLETE,
        "length": FinishMeaning.LENGTH,
        "content_filter": FinishMeaning.FILTERED,
        "tool_calls": FinishMeaning.CALLED,
        "function_call": FinishMeaning.FUNCTION_CALLED,
    },
    top_fields=frozenset(
        {
            "id",
            "object",
            "created",
            "model",
            "choices",
            "usage",
            "service_tier",
            "system_fingerprint",
            "error",
        }
    ),
    choice_fields=frozenset({"finish_reason", "logprobs"}),
    message_fields=frozenset(
        {
            "role",
            "content",
            "refusal",
            "annotations",
            "tool_calls",
            "function_call",
            "reasoning_content",
            "reasoning",
        }
    ),
)
