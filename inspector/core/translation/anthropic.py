"""Answers as Anthropic's messages: blocks in their order, arguments as objects."""

from __future__ import annotations

from msgspec import UNSET

from inspector.core.completion import BlockKind
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.translation.loss import LossList
from inspector.core.translation.message_parts import (
    arguments_object,
    call_members,
    only_choice,
    refusal_as_text,
    writable_parts,
)
from inspector.core.translation.source import SourceAnswer, SourcePart
from inspector.core.translation.target_format import Body, TargetFormat, finish_word
from inspector.core.translation.web_citations import report_citations


def write(answer: SourceAnswer, losses: LossList) -> Body:
    source = only_choice(answer, losses)
    content = [_block(part, losses) for part in writable_parts(source, losses)]
    finish = finish_word(source, TARGET, losses)
    return {"content": content, **({} if finish is UNSET else {"stop_reason": finish})}


def _block(part: SourcePart, losses: LossList) -> Body:
    report_citations(part, part.citations, losses)
    if part.call is not None:
        named = call_members(part.call, losses)
        return {"type": "tool_use", **named, "input": arguments_object(part.call, losses)}
    if part.kind is BlockKind.REASONING:
        return {"type": "thinking", "thinking": part.text}
    is_refusal = part.kind is BlockKind.REFUSAL
    return {"type": "text", "text": refusal_as_text(part, losses) if is_refusal else part.text}


TARGET = TargetFormat(
    slug="anthropic",
    noun="an Anthropic message",
    labels={"type": "message", "role": "assistant"},
    write=write,
    finish={
        FinishMeaning.COMPLETE: "end_turn",
        FinishMeaning.STOP_SEQUENCE: "stop_sequence",
        FinishMeaning.CALLED: "tool_use",
        FinishMeaning.LENGTH: "max_tokens",
        FinishMeaning.FILTERED: "refusal",
        FinishMeaning.REFUSED: "refusal",
        FinishMeaning.PAUSED: "pause_turn",
    },
)
