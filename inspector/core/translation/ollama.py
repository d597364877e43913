"""Answers as Ollama's chat responses: one message with a field for each kind of part."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from inspector.core.completion import BlockKind
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.translation.loss import LossList
from inspector.core.translation.message_parts import (
    arguments_object,
    call_id_and_name,
    joined_text,
    only_choice,
    refusal_as_text,
    report_order,
    writable_parts,
)
from inspector.core.translation.source import SourceAnswer, SourceCall, SourcePart
from inspector.core.translation.target_format import Body, TargetFormat, finish_word
from inspector.core.translation.web_citations import report_citations


def write(answer: SourceAnswer, losses: LossList) -> Body:
    source = only_choice(answer, losses)
    parts = writable_parts(source, losses)
    report_order(parts, losses)
    finish = finish_word(source, TARGET, losses)
    ending = {} if finish is UNSET else {"done_reason": finish}
    # An answer that never told why it ended is not known to be done.
    is_done = source.choice.finish_reason not in (UNSET, None)
    return {"message": _message(parts, losses), **ending, "done": is_done}


def _message(parts: Sequence[SourcePart], losses: LossList) -> Body:
    for part in parts:
        report_citations(part, part.citations, losses)
    texts = [joined_text(parts, BlockKind.TEXT, losses) or ""]
    texts += [refusal_as_text(part, losses) for part in parts if part.kind is BlockKind.REFUSAL]
    thinking = joined_text(parts, BlockKind.REASONING, losses)
    calls = [_call(part.call, losses) for part in parts if part.call]
    return {
        "role": "assistant",
        "content": "".join(texts),
        **({} if thinking is None else {"thinking": thinking}),
        **({"tool_calls": calls} if calls else {}),
    }


def _call(call: SourceCall, losses: LossList) -> Body:
    place, named = call_id_and_name(call, losses)
    return {**place, "function": {**named, "arguments": arguments_object(call, losses)}}


TARGET = TargetFormat(
    slug="ollama",
    noun="an Ollama response",
    labels={},
    write=write,
    finish={
        FinishMeaning.COMPLETE: "stop",
        FinishMeaning.STOP_SEQUENCE: "stop",
        FinishMeaning.CALLED: "stop",
        FinishMeaning.LENGTH: "length",
    },
    usage_member="",
    writes_time_as_text=True,
)
