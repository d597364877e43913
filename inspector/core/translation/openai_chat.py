"""Answers as chat completions: a message has a field for each kind of part."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from inspector.core import formats
from inspector.core.completion import BlockKind, Json
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.translation.loss import LossCode, LossList
from inspector.core.translation.message_parts import (
    call_id_and_name,
    joined_text,
    report_order,
    report_role,
    writable_parts,
)
from inspector.core.translation.source import SourceAnswer, SourceCall, SourceChoice, SourcePart
from inspector.core.translation.target_format import Body, TargetFormat, finish_word
from inspector.core.translation.web_citations import WEB, web_citations


def write(answer: SourceAnswer, losses: LossList) -> Body:
    return {"choices": [_choice(source, answer, losses) for source in answer.choices]}


def _choice(source: SourceChoice, answer: SourceAnswer, losses: LossList) -> Body:
    report_role(source, losses)
    parts = writable_parts(source, losses)
    report_order(parts, losses)
    message = _message(parts, losses)
    if "reasoning_content" in message and answer.family != formats.DEFAULT_FAMILY:
        _report_reasoning(source, losses)
    finish = finish_word(source, TARGET, losses)
    ending = {} if finish is UNSET else {"finish_reason": finish}
    return {"index": source.choice.index, "message": message, **ending}


def _message(parts: Sequence[SourcePart], losses: LossList) -> Body:
    """A message without text has content null, as all references have it beside calls."""
    texts = {
        "content": joined_text(parts, BlockKind.TEXT, losses),
        "reasoning_content": joined_text(parts, BlockKind.REASONING, losses),
        "refusal": joined_text(parts, BlockKind.REFUSAL, losses),
    }
    lists = {
        "annotations": _annotations(parts, losses),
        "tool_calls": [_call(part.call, losses) for part in parts if part.call],
    }
    sent = {name: text for name, text in texts.items() if text is not None or name == "content"}
    return {"role": "assistant", **sent, **{name: each for name, each in lists.items() if each}}


def _report_reasoning(source: SourceChoice, losses: LossList) -> None:
    part = source.parts_of(BlockKind.REASONING)[0]
    message = (
        "Only the reasoning reference has a place for reasoning: it is given as reasoning_content."
    )
    losses.add(LossCode.REASONING_CHANGED, part.pointer, message)


def _annotations(parts: Sequence[SourcePart], losses: LossList) -> list[Json]:
    found: list[Json] = []
    before = 0
    for part in parts:
        if part.kind is BlockKind.TEXT:
            found += [{"type": WEB, WEB: one} for one in web_citations(part, losses, before)]
            before += len(part.text)
    return found


def _call(call: SourceCall, losses: LossList) -> Body:
    place, named = call_id_and_name(call, losses)
    text = call.call.arguments_text
    if call.is_custom:
        return {**place, "type": "custom", "custom": {**named, "input": text}}
    return {**place, "type": "function", "function": {**named, "arguments": text}}


TARGET = TargetFormat(
    slug="openai-chat",
    noun="a chat completion",
    labels={"object": "chat.completion"},
    write=write,
    finish={
        FinishMeaning.COMPLETE: "stop",
        FinishMeaning.STOP_SEQUENCE: "stop",
        FinishMeaning.CALLED: "tool_calls",
        FinishMeaning.LENGTH: "length",
        FinishMeaning.FILTERED: "content_filter",
        FinishMeaning.REFUSED: "content_filter",
        FinishMeaning.PAUSED: "stop",
    },
    shares={
        "openai-chat": frozenset({"service_tier", "system_fingerprint"}),
        "openai-responses": frozenset({"service_tier"}),
    },
)
