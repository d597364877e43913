"""Chat completions, whole and in chunks: the references of OpenAI and FlowAPI, the reasoning
reference, and many other senders.
"""

from inspector.core.formats.dialect import Dialect, FieldsSeen


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
    documents=("001", "002", "003"),
    object="chat.completion",
    chunk_object="chat.completion.chunk",
    finish_reasons=frozenset({"stop", "length", "content_filter", "tool_calls", "function_call"}),
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
