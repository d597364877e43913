"""Chat completions, whole and in chunks: the references of OpenAI and FlowAPI, the reasoning
reference, and many other senders.

The table is that of the whole family: text completions and WorkflowAI add their own lines in their
own files. They differ in which fields they define and in how a stream ends; text, calls and usage
are joined alike, so that a format that shows itself in the last chunk needs no second pass.
"""

from collections.abc import Mapping

from inspector.core.formats.dialect import Dialect, FieldsSeen
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.formats.grammar import (
    AnswerField,
    CallBody,
    CallBodyField,
    CallField,
    CallItem,
    CallList,
    CallName,
    ChoiceError,
    ChoiceField,
    ChoiceItem,
    ChoiceList,
    Chunk,
    ErrorObject,
    FinishReason,
    GrowArguments,
    GrowingChoiceField,
    GrowInput,
    GrowText,
    IdentityField,
    Key,
    LegacyCall,
    Message,
    MessageField,
    MessageRole,
    ObjectLabel,
    Padding,
    ProviderTime,
    Table,
    TextPart,
    TypeLabel,
    UsageCounts,
    UsageElsewhere,
    WholeMessage,
    under,
)
from inspector.core.json import Json
from inspector.core.tape import LaneKind

FUNCTION: Table = {
    "": CallBody(),
    "/name": CallName(),
    "/arguments": GrowArguments(),
    "/?": CallBodyField(),
}
MESSAGE: Table = {
    "/role": MessageRole(),
    "/content": GrowText(LaneKind.CONTENT),
    "/content/*": TextPart(),
    "/reasoning_content": GrowText(LaneKind.REASONING),
    "/reasoning": GrowText(LaneKind.REASONING),
    "/refusal": GrowText(LaneKind.REFUSAL),
    "/annotations": MessageField(is_list=True),
    "/tool_calls": CallList(),
    "/tool_calls/*": CallItem(index="index", bodies=("function", "custom")),
    "/tool_calls/*/index": Key(),
    "/tool_calls/*/?": CallField(),
    **under("/tool_calls/*/function", FUNCTION),
    "/tool_calls/*/custom": CallBody(is_custom=True),
    "/tool_calls/*/custom/name": CallName(),
    "/tool_calls/*/custom/input": GrowInput(),
    "/tool_calls/*/custom/?": CallBodyField(),
    **under("/function_call", FUNCTION),
    "/function_call": LegacyCall(),
    "/?": MessageField(),
}
TABLE: Table = {
    "": Chunk(),
    "/id": IdentityField(),
    "/created": IdentityField(),
    "/model": IdentityField(),
    "/system_fingerprint": IdentityField(),
    "/service_tier": IdentityField(),
    "/object": ObjectLabel(),
    "/type": TypeLabel(),
    "/error": ErrorObject(),
    "/?/error": ErrorObject(within="x_"),
    "/?/usage": UsageElsewhere(sign="prompt_tokens"),
    "/obfuscation": Padding(),
    "/p": Padding(),
    "/timings": ProviderTime(),
    "/time_info": ProviderTime(),
    "/latency_checkpoint": ProviderTime(),
    "/?": AnswerField(),
    "/choices": ChoiceList(beside=("id", "object", "created", "model", "system_fingerprint")),
    "/choices/*": ChoiceItem(index="index"),
    "/choices/*/index": Key(),
    "/choices/*/finish_reason": FinishReason(),
    "/choices/*/logprobs": GrowingChoiceField(),
    "/choices/*/error": ChoiceError(),
    "/choices/*/?": ChoiceField(),
    **under("/choices/*/delta", MESSAGE),
    "/choices/*/delta": Message(whole="message"),
    **under("/choices/*/message", MESSAGE),
    "/choices/*/message": WholeMessage(piece="delta"),
    "/usage": UsageCounts(),
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
