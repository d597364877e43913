"""Hostile bodies of the native formats: reading never raises, and keeps what came before the fault."""

import json
import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from unittest.mock import patch

import pytest

from inspector.core.analysis import Analysis, analysis_to_json
from inspector.core.completion import Choice, ToolCall
from inspector.core.findings import Severity
from inspector.core.fold import assembly
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.growing_text import GrowingText
from inspector.core.reading import Reading, read
from inspector.core.wire.exchange import Exchange, Read, TransportOutcome
from tests.core.bodies import DONE, GOOD_STREAM, analysis, analysis_from_json
from tests.core.native_bodies import (
    ANTHROPIC_EVENTS,
    GEMINI_CHUNKS,
    NATIVES,
    OLLAMA_LINES,
    RESPONSES_EVENTS,
    Native,
    as_array,
    as_events,
    as_lines,
)
from tests.core.native_mutations import CHAT_CHUNK, Hostile, changed_bodies, hostile_bodies
from tests.core.test_places import has_place
from tests.core.tracing import Traced
from tests.tiers import mostly_thorough

CHANCE = 20_261_123
SHARES = 24
TRIED_SHARES = 3
"""Shares that are read of the hostile bodies, one in eight: all together take seven minutes."""
SAMPLE = 240
SAMPLE_PARTS = 8
CUTTINGS = 3
MAX_CUT_BYTES = 12_000


@cache
def hostile() -> list[Hostile]:
    return list(hostile_bodies())


@pytest.mark.parametrize("native", NATIVES, ids=lambda native: native.name)
def test_a_good_answer_of_each_format_is_read_whole(native: Native) -> None:
    result = analysis(native.body)
    [choice] = result.choices
    assert result.dialect == native.slug
    assert (choice.reasoning or "").startswith("Two words")
    assert (choice.content or "").startswith("Well received")
    assert [call.name for call in choice.tool_calls] == ["send"]


def test_bodies_of_every_format_are_tried() -> None:
    names = [each.native.name for each in hostile()]
    assert all(names.count(native.name) > 200 for native in NATIVES)


@pytest.mark.parametrize("part", mostly_thorough((part,) for part in range(SAMPLE_PARTS)))
def test_a_sample_of_hostile_bodies_is_read_as_far_as_it_goes(part: int) -> None:
    chance = random.Random(CHANCE)
    for each in chance.sample(hostile(), SAMPLE)[part::SAMPLE_PARTS]:
        with named(each):
            assert_is_read(each)
            assert_cuts_make_no_difference(each.body, chance)


@pytest.mark.parametrize("number", mostly_thorough([(50,), (150,), (300,), (301,)]))
def test_bodies_with_several_changes_are_read(number: int) -> None:
    chance = random.Random(CHANCE + number)
    for each in changed_bodies(chance, number):
        with named(each):
            assert_is_read(each)


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(TRIED_SHARES))
@pytest.mark.parametrize("native", NATIVES, ids=lambda native: native.name)
def test_every_hostile_body_is_read_as_far_as_it_goes(native: Native, part: int) -> None:
    chance = random.Random(CHANCE)
    for number, each in enumerate(hostile()):
        if each.native is native and number % SHARES == part:
            with named(each):
                assert_is_read(each)
                if number // SHARES % 10 == 0:
                    assert_cuts_make_no_difference(each.body, chance)


@contextmanager
def named(each: Hostile) -> Iterator[None]:
    """Names the body in an error. A subtest for each of so many costs more than its reading."""
    try:
        yield
    except Exception as error:
        error.add_note(each.name)
        raise


# -- what must hold -------------------------------------------------------------------------------


def assert_is_read(each: Hostile) -> None:
    result = analysis(each.body)
    told = analysis_to_json(result)
    assert analysis_to_json(analysis_from_json(told)) == told
    assert told_without_shapes(each.body) == told
    assert_findings_have_places(result, each.body)
    if not each.is_printed:
        assert list(Traced(Exchange.of_body(each.body)).faults()) == []
    if each.read_before:
        begun = analysis(each.native.frame(each.native.objects[: each.read_before]))
        for choice in begun.choices:
            assert_goes_on(choice, result.choices)


def told_without_shapes(body: bytes) -> bytes:
    """The same, with every chunk read in full."""
    with patch.object(assembly, "chunk_shape_of", return_value=None):
        return analysis_to_json(analysis(body))


def assert_findings_have_places(result: Analysis, body: bytes) -> None:
    for finding in result.findings:
        assert has_place(finding), finding
        start, end = finding.where.byte_start, finding.where.byte_end
        if start is not None and end is not None:
            assert 0 <= start <= end <= len(body), finding


def assert_goes_on(begun: Choice, choices: Iterable[Choice]) -> None:
    """Assert that what was read before the fault is the beginning of what is read of all."""
    [choice] = [each for each in choices if each.index == begun.index]
    for name in ("content", "reasoning", "refusal"):
        before, whole = getattr(begun, name), getattr(choice, name)
        if isinstance(before, str):
            assert isinstance(whole, str) and whole.startswith(before)
    for before, call in zip(begun.tool_calls, choice.tool_calls, strict=False):
        assert spelt(call).startswith(spelt(before).removesuffix("{}"))
    assert len(begun.tool_calls) <= len(choice.tool_calls)


def spelt(call: ToolCall) -> str:
    return call.arguments_text or ""


def assert_cuts_make_no_difference(body: bytes, chance: random.Random) -> None:
    due = analysis_to_json(analysis(body))
    for cut in cuttings(body, chance) if len(body) <= MAX_CUT_BYTES else ():
        reads = tuple(Read(None, data) for data in cut)
        assert analysis_to_json(read(Exchange(reads=reads)).analysis()) == due


def cuttings(body: bytes, chance: random.Random) -> Iterator[list[bytes]]:
    yield [body[at : at + 1] for at in range(len(body))]
    for _ in range(CUTTINGS):
        places = sorted(chance.randrange(len(body) + 1) for _ in range(chance.randrange(1, 9)))
        yield [body[start:end] for start, end in pairwise([0, *places, len(body)])]


# -- faults that were found so --------------------------------------------------------------------


START = b'{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[]}}'  # fmt: skip


def anthropic(*events: bytes) -> Analysis:
    return analysis(as_events((START, *events, b'{"type":"message_stop"}')))


def test_a_block_that_is_no_object_leaves_its_place_to_its_pieces() -> None:
    result = anthropic(
        b'{"type":"content_block_start","index":0,"content_block":["a"]}',
        b'{"type":"content_block_delta","index":0,"delta":{"text":"Hi"}}',
    )
    assert result.choices[0].content == "Hi"
    assert result.completion["content"] == [{"text": "Hi"}]


def test_parts_with_names_do_not_stand_among_parts_with_positions() -> None:
    chunk = b'{"candidates":[{"content":{"parts":%s},"index":0}]}'
    result = analysis(as_events((chunk % b'[{"text":"a"}]', chunk % b'{"0":1}')))
    assert result.choices[0].content == "a"
    assert result.completion["candidates"][0]["content"]["parts"] == [{"text": "a"}]


def test_a_block_that_begins_twice_keeps_its_first_text() -> None:
    start = b'{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}'
    delta = b'{"type":"content_block_delta","index":0,"delta":{"text":"%s"}}'
    result = anthropic(start, delta % b"a", start, delta % b"b")
    assert [block.text for block in result.choices[0].blocks] == ["a", "b"]


def test_pieces_of_a_summary_whose_item_did_not_begin_are_one_block() -> None:
    delta = b'{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"%s"}'  # fmt: skip
    result = analysis(as_events((delta % b"Two ", delta % b"words")))
    assert [block.text for block in result.choices[0].blocks] == ["Two words"]


def test_a_second_answer_of_a_stream_adds_nothing_to_the_calls_of_the_first() -> None:
    result = anthropic(
        b'{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"send","input":{}}}',
        b'{"type":"content_block_delta","index":0,"delta":{"partial_json":"{"}}',
        START,
        b'{"type":"content_block_delta","index":0,"delta":{"partial_json":"}"}}',
    )
    [call] = result.choices[0].tool_calls
    assert call.arguments_text == "{"


def test_a_piece_behind_an_item_that_was_sent_whole_is_added_to_it() -> None:
    item = b'{"type":"response.output_item.done","output_index":0,"item":{"type":"x_call","summary":[{"text":"Two "}]}}'  # fmt: skip
    delta = b'{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"words"}'  # fmt: skip
    result = analysis(as_events((item, item, delta)))
    [block] = result.choices[0].blocks
    assert block.value == {"type": "x_call", "summary": [{"text": "Two words"}]}
    assert analysis_from_json(analysis_to_json(result)) == result


def test_a_list_of_chunks_is_shown_as_sent_whatever_its_pieces_build() -> None:
    done = b'{"type":"response.completed","response":{"output":[{"type":"reasoning","summary":[{"text":"Two "}]}]}}'  # fmt: skip
    delta = b'{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"words"}'  # fmt: skip
    body = as_array((done, delta))
    assert analysis(body).completion == json.loads(body)


def test_null_counts_are_null_in_the_answer() -> None:
    start = START.replace(b'"content":[]', b'"content":[],"usage":null')
    result = analysis(as_events((start, b'{"type":"message_stop"}')))
    assert result.completion["usage"] is None


def test_an_input_that_is_an_empty_text_and_gets_no_pieces_is_one() -> None:
    result = anthropic(
        b'{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"send","input":""}}',
        b'{"type":"content_block_delta","index":0,"delta":{"partial_json":""}}',
    )
    assert result.completion["content"][0]["input"] == ""


def test_each_of_two_parts_of_one_place_keeps_its_own_value() -> None:
    start = b'{"type":"content_block_start","index":0,"content_block":{"type":"x_result","%s":1}}'
    result = anthropic(start % b"a", start % b"b")
    values = [block.value for block in result.choices[0].blocks]
    assert values == [{"type": "x_result", "a": 1}, {"type": "x_result", "b": 1}]


def test_a_whole_text_with_half_a_surrogate_pair_is_compared_as_its_pieces_are() -> None:
    spelt = b'{"type":"response.output_text.%s","output_index":0,"content_index":0,"%s":"a\\ud83d"}'
    body = as_events((spelt % (b"delta", b"delta"), spelt % (b"done", b"text")))
    assembled = assembly.Assembly()
    for data in body.split(b"\n\n")[:-1]:
        assembled.event(0, 0, data.removeprefix(b"data: "))
    assert assembled.notes.count(Anomaly.DONE_DIFFERS) == 0


def test_a_text_grows_between_two_comparisons() -> None:
    text = GrowingText("text")
    text.parts.append("")
    assert text.says("") and not text.is_begun
    text.parts.append("Bern \ud83d")
    text.parts.append("\ude80")
    assert text.says("Bern \N{ROCKET}") and text.is_begun
    assert not text.says("Bern \N{PACKAGE}")
    text.parts.append("!")
    assert text.says("Bern \N{ROCKET}!")


def test_counts_of_an_analysis_stay_as_they_were_when_more_come() -> None:
    delta = b'{"type":"message_delta","delta":{},"usage":{"output_tokens":1,"x":{"%s":1}}}'
    open_ = Reading(Exchange(reads=(), outcome=TransportOutcome.OPEN))
    open_.feed(Read(None, as_events((START, delta % b"a"))))
    first = open_.analysis()
    told = analysis_to_json(first)
    open_.feed(Read(None, as_events((delta % b"b",))))
    assert analysis_to_json(first) == told != analysis_to_json(open_.analysis())


# -- formats mixed in one body --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "message", "where", "content"),
    [
        (
            as_events((*ANTHROPIC_EVENTS[:9], CHAT_CHUNK, *ANTHROPIC_EVENTS[9:])),
            "Part of another format, chat completion, stands in this Anthropic message.",
            ("", 9),
            "Well received \N{PACKAGE}",
        ),
        (
            GOOD_STREAM.removesuffix(DONE) + as_events((ANTHROPIC_EVENTS[8],)) + DONE,
            "Part of another format, Anthropic message, stands in this chat completion.",
            ("", 4),
            "Hello",
        ),
        (
            as_events((*RESPONSES_EVENTS[:10], GEMINI_CHUNKS[1], *RESPONSES_EVENTS[10:])),
            "Part of another format, Gemini response, stands in this OpenAI response.",
            ("", 10),
            "Well received",
        ),
        (
            as_lines((*OLLAMA_LINES[:2], *(CHAT_CHUNK,) * 2, *OLLAMA_LINES[2:])),
            "Part of another format, chat completion, stands in this Ollama response"
            " (2 times, this is the first).",
            ("", 2),
            "Well received",
        ),
        (
            as_array((*GEMINI_CHUNKS[:2], CHAT_CHUNK, *GEMINI_CHUNKS[2:])),
            "Part of another format, chat completion, stands in this Gemini response.",
            ("", 2),
            "Well received \N{PACKAGE}",
        ),
    ],
    ids=["chat in Anthropic", "Anthropic in chat", "Gemini in Responses", "lines", "array"],
)
def test_an_object_of_another_format_is_told_and_not_read(
    body: bytes, message: str, where: tuple[str, int], content: str
) -> None:
    result = analysis(body)
    [finding] = [each for each in result.findings if each.code == "chunks.format-mixed"]
    assert (finding.message, finding.severity) == (message, Severity.WARNING)
    assert (finding.where.pointer, finding.where.event) == where
    assert [choice.content for choice in result.choices] == [content]
