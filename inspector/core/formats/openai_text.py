"""Legacy text completions (OpenAI's completions reference); whole and streamed in one shape."""

from inspector.core.formats.dialect import Dialect, FieldsSeen
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.formats.grammar import LegacyText


def recognises(signs: FieldsSeen) -> bool:
    if "choices" not in signs.top:
        return "text_completion" in signs.objects and "error" not in signs.top
    if signs.message:
        return False
    if signs.objects & {"chat.completion", "chat.completion.chunk"}:
        return False
    return "text" in signs.choice or "text_completion" in signs.objects


DIALECT = Dialect(
    slug="openai-text",
    title="legacy text completion",
    table={"/choices/*/text": LegacyText(unless=("delta", "message"))},
    recognises=recognises,
    documents=("004",),
    object="text_completion",
    finish_reasons={
        "stop": FinishMeaning.COMPLETE,
        "length": FinishMeaning.LENGTH,
        "content_filter": FinishMeaning.FILTERED,
    },
    top_fields=frozenset(
        {"id", "object", "created", "model", "choices", "usage", "system_fingerprint", "error"}
    ),
    choice_fields=frozenset({"text", "finish_reason", "logprobs"}),
)
