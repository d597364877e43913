"""Answers as Cohere's chat of version 2: texts in their order, calls in a list of their own."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from inspector.core.completion import BlockKind
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.translation.loss import LossCode, LossList
from inspector.core.translation.message_parts import (
    call_id_and_name,
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
    ending = {} if finish is UNSET else {"finish_reason": finish}
    return {"message": _message(parts, losses), **ending}


def _message(parts: Sequence[SourcePart], losses: LossList) -> Body:
    content = [_text(part, losses) for part in parts if part.call is None]
    calls = [_call(part.call, losses) for part in parts if part.call]
    sent = {"content": content, "tool_calls": calls}
    return {"role": "assistant", **{name: each for name, each in sent.items() if each}}


def _text(part: SourcePart, losses: LossList) -> Body:
    report_citations(part, part.citations, losses)
    if part.kind is BlockKind.REASONING:
        return {"type": "thinking", "thinking": part.text}
    is_refusal = part.kind is BlockKind.REFUSAL
    return {"type": "text", "text": refusal_as_text(part, losses) if is_refusal else part.text}


def _call(call: SourceCall, losses: LossList) -> Body:
    place, named = call_id_and_name(call, losses)
    if call.is_custom:
        message = f"The free text of a custom tool is given as arguments: {losses.noun} has JSON."
        losses.add(LossCode.CALL_CHANGED, call.pointer, message)
    function = {**named, "arguments": call.call.arguments_text}
    return {**place, "type": "function", "function": function}


TARGET = TargetFormat(
    slug="cohere",
    noun="a Cohere chat response",
    labels={},
    write=write,
    finish={
        FinishMeaning.COMPLETE: "COMPLETE",
        FinishMeaning.STOP_SEQUENCE: "STOP_SEQUENCE",
        FinishMeaning.CALLED: "TOOL_CALL",
        FinishMeaning.LENGTH: "MAX_TOKENS",
        FinishMeaning.FAILED: "ERROR",
    },
)
