"""What a translation gives, read again, is the answer that was translated."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import TOKEN_COUNTS, Choice
from inspector.core.findings import Severity
from inspector.core.json.pointer import steps_of
from inspector.core.translation import Translation, targets, translate
from inspector.core.translation.finish_meaning import finish_meaning
from tests.core.bodies import GOOD, GOOD_STREAM, analysis
from tests.core.translation.answers import ANSWERS

TEXT_ONLY = {
    "a text": GOOD,
    "a streamed text": GOOD_STREAM,
    "a text that hit its limit": GOOD.replace(b'"stop"', b'"length"'),
    "a filtered text": GOOD.replace(b'"stop"', b'"content_filter"'),
    "a stream of Anthropic's": (
        b'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":'
        b'"message","role":"assistant","model":"parcel-1","content":[],"stop_reason":null,"usage":'
        b'{"input_tokens":3,"output_tokens":1}}}\n\n'
        b'event: content_block_start\ndata: {"type":"content_block_start","index":0,'
        b'"content_block":{"type":"text","text":""}}\n\n'
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":'
        b'{"type":"text_delta","text":"Hello"}}\n\n'
        b'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n'
        b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},'
        b'"usage":{"output_tokens":2}}\n\n'
        b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
    ),
}
ALL = {**ANSWERS, **TEXT_ONLY}
EVERY = list(product(ALL, targets()))
FULL = list(product(ANSWERS, targets()))
UNRECOGNISABLE = {
    ("bedrock-converse", "ollama"),
    ("cohere", "ollama"),
    ("a filtered text", "cohere"),
}
"""Ollama's answers are known by their model, Cohere's by their finish reason: where there is none to
give, none is made up, and nobody could tell what the answer is.
"""
RECOGNISABLE = [pair for pair in EVERY if pair not in UNRECOGNISABLE]
THERE_AND_BACK = [
    (name, slug) for name, slug in FULL if not {(name, slug), (slug, name)} & UNRECOGNISABLE
]
WITHOUT_WORD = {("a filtered text", "ollama"), ("a filtered text", "anthropic")}
"""Ollama has no word for a filter, Anthropic one for it and for refusals: the losses tell it."""


def told(body: bytes, slug: str) -> tuple[Analysis, Translation]:
    read = analysis(body)
    found = translate(read, targets()[slug])
    assert found is not None
    return read, found


def again(found: Translation) -> Analysis:
    return analysis(json.dumps(found.value).encode())


def said(choice: Choice) -> Any:
    calls = [(call.id, call.name, json.loads(call.arguments_text)) for call in choice.tool_calls]
    return choice.content or None, choice.reasoning, calls


@pytest.mark.parametrize(("name", "slug"), RECOGNISABLE)
def test_a_translation_is_read_as_its_format_with_the_same_texts_and_calls(
    name: str, slug: str
) -> None:
    before, found = told(ALL[name], slug)
    after = again(found)
    assert after.dialect == slug == found.format
    assert [said(choice) for choice in after.choices] == [said(c) for c in before.choices]
    assert after.model == (before.model if _names_its_model(slug) else None)


@pytest.mark.parametrize(("name", "slug"), sorted({*RECOGNISABLE} - WITHOUT_WORD))
def test_a_translation_means_the_same_and_has_no_finding_that_the_answer_had_not(
    name: str, slug: str
) -> None:
    before, found = told(ALL[name], slug)
    after = again(found)
    assert _meanings(after) == _meanings(before)
    assert _findings(after) <= _findings(before)


@pytest.mark.parametrize(("name", "slug"), RECOGNISABLE)
def test_counts_are_the_same_wherever_the_format_has_them(name: str, slug: str) -> None:
    before, found = told(ALL[name], slug)
    after = again(found).usage
    for count in TOKEN_COUNTS:
        if count in targets()[slug].dialect.usage.counts:
            assert getattr(after, count) == getattr(before.usage, count), count


@pytest.mark.parametrize(("name", "slug"), THERE_AND_BACK)
def test_an_answer_comes_back_from_every_format_as_it_was(name: str, slug: str) -> None:
    before, found = told(ANSWERS[name], slug)
    back = translate(again(found), targets()[name])
    assert back is not None
    after = again(back)
    assert [said(choice) for choice in after.choices] == [said(c) for c in before.choices]
    assert _meanings(after) == _meanings(before)
    assert after.usage.prompt_tokens == 1000
    assert after.usage.completion_tokens == 50


@pytest.mark.parametrize(("name", "slug"), EVERY)
def test_each_loss_leads_to_a_place_of_the_answer(name: str, slug: str) -> None:
    before, found = told(ALL[name], slug)
    for loss in found.losses:
        assert _is_place(before.completion, loss.pointer), loss


@pytest.mark.parametrize(("name", "slug"), FULL)
def test_nothing_is_made_up(name: str, slug: str) -> None:
    before, found = told(ANSWERS[name], slug)
    after = again(found)
    assert after.identity.id in (UNSET, before.identity.id)
    assert (before.identity.created is UNSET) <= (after.identity.created is UNSET)
    assert (before.usage.total_tokens is UNSET) <= (after.usage.total_tokens is UNSET)


def _names_its_model(slug: str) -> bool:
    dialect = targets()[slug].dialect
    return dialect.identity.get("model", "model") in dialect.top_fields


def _meanings(read: Analysis) -> list[Any]:
    return [finish_meaning(choice.finish_reason, choice) for choice in read.choices]


def _findings(read: Analysis) -> set[str]:
    return {each.code for each in read.findings if each.severity is not Severity.INFO}


def _is_place(value: Any, pointer: str) -> bool:
    """The last step may name a missing field."""
    *way, last = steps_of(pointer) or [""]
    for step in way:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return isinstance(value, dict) or int(last) < len(value)
