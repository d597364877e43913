"""Answers as OpenAI's responses: items in their order, texts as parts of messages."""

from __future__ import annotations

from itertools import groupby

from msgspec import UNSET

from inspector.core.completion import BlockKind, Json
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.translation.loss import LossList
from inspector.core.translation.message_parts import call_members, only_choice, writable_parts
from inspector.core.translation.source import SourceAnswer, SourceCall, SourcePart
from inspector.core.translation.target_format import Body, TargetFormat, finish_word
from inspector.core.translation.web_citations import WEB, web_citations

MESSAGE_KINDS = (BlockKind.TEXT, BlockKind.REFUSAL)
INCOMPLETE = frozenset({"max_output_tokens", "content_filter"})


def write(answer: SourceAnswer, losses: LossList) -> Body:
    source = only_choice(answer, losses)
    parts = writable_parts(source, losses)
    output: list[Json] = []
    for is_message, group in groupby(parts, lambda part: part.kind in MESSAGE_KINDS):
        if is_message:
            content = [_part(part, losses) for part in group]
            output.append({"type": "message", "role": "assistant", "content": content})
        else:
            output += [_item(part, losses) for part in group]
    return {**_status(finish_word(source, TARGET, losses)), "output": output}


def _status(finish: Json) -> Body:
    if finish is UNSET:
        return {}
    if finish in INCOMPLETE:
        return {"status": "incomplete", "incomplete_details": {"reason": finish}}
    return {"status": finish}


def _part(part: SourcePart, losses: LossList) -> Body:
    if part.kind is BlockKind.REFUSAL:
        return {"type": "refusal", "refusal": part.text}
    annotations = [{"type": WEB, **one} for one in web_citations(part, losses)]
    return {"type": "output_text", "text": part.text, "annotations": annotations}


def _item(part: SourcePart, losses: LossList) -> Body:
    if part.call is not None:
        return _call(part.call, losses)
    content = [{"type": "reasoning_text", "text": part.text}]
    return {"type": "reasoning", "summary": [], "content": content}


def _call(call: SourceCall, losses: LossList) -> Body:
    named, text = call_members(call, losses, into="call_id"), call.call.arguments_text
    if call.is_custom:
        return {"type": "custom_tool_call", **named, "input": text}
    return {"type": "function_call", **named, "arguments": text}


TARGET = TargetFormat(
    slug="openai-responses",
    noun="an OpenAI response",
    labels={"object": "response"},
    write=write,
    finish={
        FinishMeaning.COMPLETE: "completed",
        FinishMeaning.STOP_SEQUENCE: "completed",
        FinishMeaning.CALLED: "completed",
        FinishMeaning.LENGTH: "max_output_tokens",
        FinishMeaning.FILTERED: "content_filter",
        FinishMeaning.REFUSED: "content_filter",
        FinishMeaning.PAUSED: "incomplete",
        FinishMeaning.UNUSABLE_CALL: "completed",
        FinishMeaning.FAILED: "failed",
    },
    shares={"openai-chat": frozenset({"service_tier"})},
)
