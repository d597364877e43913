"""Answers as Bedrock's Converse: parts in their order, each named by its member."""

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
    content = [_part(part, losses) for part in writable_parts(source, losses)]
    finish = finish_word(source, TARGET, losses)
    ending = {} if finish is UNSET else {"stopReason": finish}
    return {"output": {"message": {"role": "assistant", "content": content}}, **ending}


def _part(part: SourcePart, losses: LossList) -> Body:
    report_citations(part, part.citations, losses)
    if part.call is not None:
        named = call_members(part.call, losses, into="toolUseId")
        return {"toolUse": {**named, "input": arguments_object(part.call, losses)}}
    if part.kind is BlockKind.REASONING:
        return {"reasoningContent": {"reasoningText": {"text": part.text}}}
    is_refusal = part.kind is BlockKind.REFUSAL
    return {"text": refusal_as_text(part, losses) if is_refusal else part.text}


TARGET = TargetFormat(
    slug="bedrock-converse",
    noun="a Bedrock Converse response",
    labels={},
    write=write,
    finish={
        FinishMeaning.COMPLETE: "end_turn",
        FinishMeaning.STOP_SEQUENCE: "stop_sequence",
        FinishMeaning.CALLED: "tool_use",
        FinishMeaning.LENGTH: "max_tokens",
        FinishMeaning.FILTERED: "content_filtered",
        FinishMeaning.REFUSED: "content_filtered",
        FinishMeaning.UNUSABLE_CALL: "malformed_tool_use",
        FinishMeaning.FAILED: "malformed_model_output",
    },
)
