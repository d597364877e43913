"""Ollama's own chat and generate, whole or line by line.

Every line is a part of the answer with its shape; the last one says why it ended, how many tokens
there were, and how long each step took.
"""

from collections.abc import Mapping

from inspector.core.completion import BlockKind
from inspector.core.formats.dialect import Dialect, EndMark, FieldsSeen, names
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.formats.grammar import (
    AnswerField,
    BlockArguments,
    BlockField,
    BlockList,
    BlockName,
    BlockObject,
    BlockPart,
    CallId,
    ChunkTime,
    ErrorObject,
    FieldBlock,
    FinishReason,
    IdentityField,
    MediaBlock,
    MessageRole,
    PartialAnswer,
    ProviderTime,
    Table,
    TokenLogprobs,
    UsageMember,
)
from inspector.core.formats.usage_table import UsageTable, at_first
from inspector.core.json import Json

TABLE: Table = {
    "": PartialAnswer(is_choice=True),
    "/model": IdentityField(),
    "/created_at": ChunkTime(),
    "/message": BlockObject(),
    "/message/role": MessageRole(),
    "/message/thinking": FieldBlock(BlockKind.REASONING),
    "/message/content": FieldBlock(BlockKind.TEXT),
    "/message/tool_calls": BlockList(),
    "/message/tool_calls/*": BlockPart(kinds={"function": BlockKind.TOOL_CALL}),
    "/message/tool_calls/*/id": CallId(),
    "/message/tool_calls/*/function": BlockObject(),
    "/message/tool_calls/*/function/name": BlockName(),
    "/message/tool_calls/*/function/arguments": BlockArguments(),
    "/message/tool_calls/*/function/?": BlockField(),
    "/message/tool_calls/*/?": BlockField(),
    "/message/images/*": MediaBlock(BlockKind.IMAGE),
    "/message/?": BlockField(),
    "/thinking": FieldBlock(BlockKind.REASONING),
    "/response": FieldBlock(BlockKind.TEXT),
    "/image": MediaBlock(BlockKind.IMAGE),
    "/logprobs": TokenLogprobs(),
    "/done_reason": FinishReason(),
    "/prompt_eval_count": UsageMember(),
    "/eval_count": UsageMember(),
    "/total_duration": ProviderTime(),
    "/load_duration": ProviderTime(),
    "/prompt_eval_duration": ProviderTime(),
    "/eval_duration": ProviderTime(),
    "/error": ErrorObject(),
    "/?": AnswerField(),
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
