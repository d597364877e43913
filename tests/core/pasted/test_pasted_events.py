"""Streams of typed events in a pasted text: quoted, indented, printed without ``data:``."""

import json
import re
from collections.abc import Callable

import pytest

from inspector.core.analysis import Analysis, Verdict
from inspector.core.pasted.responses import pasted_responses
from tests.core.bodies import analysis, codes
from tests.core.formats.recordings import assert_cuttings_agree, only_choice
from tests.core.native_bodies import ANTHROPIC_EVENTS, ANTHROPIC_WHOLE, RESPONSES_EVENTS, as_events

COHERE_EVENTS = (
    b'{"type":"message-start","id":"c1","delta":{"message":{"role":"assistant","content":[]}}}',
    b'{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"text","text":""}}}}',
    b'{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"Chur "}}}}',
    b'{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"is dry."}}}}',
    b'{"type":"content-end","index":0}',
    b'{"type":"message-end","delta":{"finish_reason":"COMPLETE","usage":{"tokens":{"input_tokens":3,"output_tokens":4}}}}',
)
STREAMS = {"anthropic": ANTHROPIC_EVENTS, "responses": RESPONSES_EVENTS, "cohere": COHERE_EVENTS}
CONVERSE_WHOLE = b'{"output":{"message":{"role":"assistant","content":[{"text":"Dry."}]}},"stopReason":"end_turn","usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3}}'


def named(events: tuple[bytes, ...], *, without_types: bool = False) -> bytes:
    """Events under their names, which may stand there alone."""

    def framed(event: bytes) -> bytes:
        value = json.loads(event)
        name = value.pop("type") if without_types else value["type"]
        return b"event: %s\ndata: %s\n\n" % (name.encode(), json.dumps(value).encode())

    return b"".join(map(framed, events))


def quoted(text: bytes) -> bytes:
    return re.sub(rb"^", b"> ", text, flags=re.MULTILINE)


def indented(text: bytes) -> bytes:
    return re.sub(rb"^", b"    ", text, flags=re.MULTILINE)


def said(result: Analysis) -> object:
    """What reading found, without the places."""
    choice = only_choice(result)
    return (
        result.dialect,
        result.verdict,
        result.result,
        result.completion,
        result.usage.prompt_tokens,
        result.usage.completion_tokens,
        [(block.kind, block.type, block.text) for block in choice.blocks],
        [(call.id, call.name, call.arguments_text) for call in choice.tool_calls],
    )


@pytest.mark.parametrize("around", [quoted, indented])
@pytest.mark.parametrize("without_types", [False, True])
@pytest.mark.parametrize("name", STREAMS)
def test_a_quoted_stream_is_read_like_the_stream(
    name: str, without_types: bool, around: Callable[[bytes], bytes]
) -> None:
    stream = named(STREAMS[name], without_types=without_types)
    pasted = b"This came back:\n\n" + around(stream) + b"\nand then nothing.\n"
    assert said(analysis(pasted)) == said(analysis(stream))
    assert codes(analysis(pasted)) - codes(analysis(stream)) <= {"framing.pasted"}


def test_any_cutting_of_a_quoted_stream_gives_the_same() -> None:
    assert_cuttings_agree(b"It said:\n\n" + quoted(named(COHERE_EVENTS, without_types=True)))


@pytest.mark.parametrize("name", STREAMS)
def test_events_that_a_page_prints_one_after_the_other_are_one_stream(name: str) -> None:
    printed = b"\n\n".join(json.dumps(json.loads(one), indent=2).encode() for one in STREAMS[name])
    found = analysis(b"The events are:\n\n" + printed + b"\n")
    assert said(found) == said(analysis(as_events(STREAMS[name])))


def test_a_quoted_stream_that_breaks_off_is_cut_off() -> None:
    stream = (
        quoted(named(ANTHROPIC_EVENTS[:9])) + b'event: content_block_delta\n> data: {"type":"cont'
    )
    found = analysis(b"Look:\n" + stream)
    assert (found.verdict, only_choice(found).content) == (Verdict.CUT_OFF, "Well ")


def test_a_name_belongs_to_the_data_of_its_own_event() -> None:
    stream = named(ANTHROPIC_EVENTS, without_types=True)
    # A blank line ends the event that has the name; the data behind it has none.
    apart = stream.replace(b"event: ping\n", b"event: message_stop\n\n")
    found = analysis(quoted(apart))
    assert (found.dialect, only_choice(found).finish_reason) == ("anthropic", "tool_use")
    assert "framing.event-after-end" not in codes(found)


def test_whole_answers_among_text_are_answers_of_their_own() -> None:
    text = b"First:\n\n%s\n\nthen:\n\n%s\n" % (ANTHROPIC_WHOLE, CONVERSE_WHOLE)
    assert [part.title for part in pasted_responses(text)] == ["an answer", "an answer"]
    assert "framing.several-documents" in codes(analysis(text))


def test_a_converse_answer_inside_a_text_is_read() -> None:
    found = analysis(b"The answer:\n\n" + CONVERSE_WHOLE + b"\n")
    assert (found.dialect, only_choice(found).content) == ("bedrock-converse", "Dry.")


def test_an_object_of_no_format_is_still_text() -> None:
    assert pasted_responses(b'See {"type":"note","index":0} and {"name":"x"}.') == ()
