"""Answers as Gemini's responses: parts in their order, arguments as objects, several candidates."""

from __future__ import annotations

from msgspec import UNSET

from inspector.core.completion import BlockKind
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.translation.loss import LossList
from inspector.core.translation.message_parts import (
    arguments_object,
    call_members,
    refusal_as_text,
    report_role,
    writable_parts,
)
from inspector.core.translation.source import SourceAnswer, SourceChoice, SourcePart
from inspector.core.translation.target_format import Body, TargetFormat, finish_word
from inspector.core.translation.web_citations import report_citations


def write(answer: SourceAnswer, losses: LossList) -> Body:
    return {"candidates": [_candidate(source, losses) for source in answer.choices]}


def _candidate(source: SourceChoice, losses: LossList) -> Body:
    report_role(source, losses)
    parts = [_part(part, losses) for part in writable_parts(source, losses)]
    finish = finish_word(source, TARGET, losses)
    ending = {} if finish is UNSET else {"finishReason": finish}
    content = {"role": "model", "parts": parts}
    return {"content": content, **ending, "index": source.choice.index}


def _part(part: SourcePart, losses: LossList) -> Body:
    report_citations(part, part.citations, losses)
    if part.call is not None:
        named = call_members(part.call, losses)
        return {"functionCall": {**named, "args": arguments_object(part.call, losses)}}
    if part.kind is BlockKind.REASONING:
        return {"text": part.text, "thought": True}
    is_refusal = part.kind is BlockKind.REFUSAL
    return {"text": refusal_as_text(part, losses) if is_refusal else part.text}


TARGET = TargetFormat(
    slug="gemini",
    noun="a Gemini response",
    labels={},
    write=write,
    finish={
        FinishMeaning.COMPLETE: "STOP",
        FinishMeaning.STOP_SEQUENCE: "STOP",
        FinishMeaning.CALLED: "STOP",
        FinishMeaning.LENGTH: "MAX_TOKENS",
        FinishMeaning.FILTERED: "SAFETY",
        FinishMeaning.REFUSED: "SAFETY",
        FinishMeaning.PAUSED: "OTHER",
        FinishMeaning.UNUSABLE_CALL: "MALFORMED_FUNCTION_CALL",
        FinishMeaning.FAILED: "OTHER",
    },
    usage_member="usageMetadata",
    writes_time_as_text=True,
)
