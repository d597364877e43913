"""Ollama's own chat and generate, whole or line by line.

Every line is a part of the answer with its shape; the last one says why it ended, how many tokens
there were, and how long each step took.
"""

from collections.abc import Mapping

from inspector.core.completion import BlockKind
from inspector.core.formats import grammar as effects
from inspector.core.formats.dialect import Dialect, EndMark, FieldsSeen, names
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.formats.grammar import Table
from inspector.core.formats.usage_table import UsageTable, at_first
from inspector.core.json import Json

TABLE: Table = {
    "": effects.PartialAnswer(is_choice=True),
    "/model": effects.IdentityField(),
    "/created_at": effects.ChunkTime(),
    "/message": effects.BlockObject(),
    "/message/role": effects.MessageRole(),
    "/message/thinking": effects.FieldBlock(BlockKind.REASONING),
    "/message/content": effects.FieldBlock(BlockKind.TEXT),
    "/message/tool_calls": effects.BlockList(),
    "/message/tool_calls/*": effects.BlockPart(kinds={"function": BlockKind.TOOL_CALL}),
    "/message/tool_calls/*/id": effects.CallId(),
    "/message/tool_calls/*/function": effects.BlockObject(),
    "/message/tool_calls/*/function/name": effects.BlockName(),
    "/message/tool_calls/*/function/arguments": effects.BlockArguments(is_object=True),
    "/message/tool_calls/*/function/?": effects.BlockField(),
    "/message/tool_calls/*/?": effects.BlockField(),
    "/message/images/*": effects.MediaBlock(BlockKind.IMAGE),
    "/message/?": effects.BlockField(),
    "/thinking": effects.FieldBlock(BlockKind.REASONING),
    "/response": effects.FieldBlock(BlockKind.TEXT),
    "/image": effects.MediaBlock(BlockKind.IMAGE),
    "/logprobs": effects.TokenLogprobs(),
    "/done_reason": effects.FinishReason(),
    "/prompt_eval_count": effects.UsageMember(),
    "/eval_count": effects.UsageMember(),
    "/total_duration": effects.ProviderTime(),
    "/load_duration": effects.ProviderTime(),
    "/prompt_eval_duration": effects.ProviderTime(),
    "/eval_duration": effects.ProviderTime(),
    "/error": effects.ErrorObject(),
    "/?": effects.AnswerField(),
}
USAGE = UsageTable(
    counts={
        "prompt_tokens": at_first(("prompt_eval_count",)),
        "completion_tokens": at_first(("eval_count",)),
    }
)
"""Ollama: members of the last object; no ``prompt_eval_count`` for a prompt cached whole."""


def begins(value: Mapping[str, Json]) -> bool:
    if "choices" in value:
        return False
    return {"model", "done"} <= value.keys() and bool({"message", "response"} & value.keys())


def recognises(signs: FieldsSeen) -> bool:
    if "choices" in signs.top:
        return False
    return {"model", "done"} <= signs.top and bool({"message", "response"} & signs.top)


def closing_of(signs: FieldsSeen, top: Mapping[str, Json]) -> str | None:
    return "done: true" if top.get("done") is True else None


DIALECT = Dialect(
    slug="ollama",
    title="Ollama response",
    recognises=recognises,
    begins=begins,
    table=TABLE,
    object="ollama.response",
    end_mark=EndMark.CLOSING_OBJECT,
    closing="done: true",
    closing_of=closing_of,
    done="done",
    identity={"created": "created_at"},
    finish_reasons={
        "stop": FinishMeaning.COMPLETE,
        "length": FinishMeaning.LENGTH,
        "load": FinishMeaning.OTHER,
        "unload": FinishMeaning.OTHER,
    },
    top_fields=names(
        """
        model created_at message response thinking done done_reason context image logprobs
        total_duration load_duration prompt_eval_count prompt_eval_duration eval_count
        eval_duration error
        """
    ),
    choice_fields=frozenset({"finish_reason", "logprobs"}),
    message_fields=frozenset({"role"}),
    usage=USAGE,
)
