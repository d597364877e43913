"""Selected characters are told by events, reads, times, bytes and tokens; never by a guess."""

import gzip
import json
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

import msgspec
import pytest
from django.test import Client

from inspector.core.tape import LaneKind
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.exchange import Exchange, Read
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.trace.character_trace import (
    MAX_PIECES,
    CharacterTrace,
    FirstAndLast,
    Untraced,
    trace_lane_range,
)
from tests.archive.samples import inspected
from tests.dashboard.capture.block_samples import call as call_block
from tests.dashboard.capture.block_samples import called, choice, streamed_blocks, text
from tests.dashboard.capture.samples import (
    DONE,
    SSE,
    TWO_CHOICES,
    call,
    chunk,
    delta,
    read_view,
    streamed,
    whole,
)
from tests.people import Person


def traced(view: CaptureView, start: int, end: int, lane: int = 0) -> CharacterTrace:
    found = trace_lane_range(view, lane, start, end)
    assert isinstance(found, CharacterTrace)
    return found


def spelt(view: CaptureView, found: CharacterTrace) -> list[bytes]:
    return [view.body[first:end] for piece in found.pieces for first, end in piece.bytes]


def test_a_selection_over_two_chunks() -> None:
    view = streamed(*TWO_CHOICES)
    found = traced(view, 5, 14)
    assert spelt(view, found) == [b"from ", b"Rott"]
    assert (found.choice, found.kind, found.name) == (0, LaneKind.CONTENT, "content")
    assert found.characters == FirstAndLast(5, 13, 9)
    assert (found.events, found.event_numbers) == (FirstAndLast(3, 5, 2), (3, 5))
    assert (found.reads.first, found.reads.last) == (2, 4)
    assert found.at_us == (700_000, 800_000)
    assert found.bytes is not None and found.bytes.count == 9
    assert (found.omitted, found.tokens) == (0, None)


def test_without_times_there_are_none() -> None:
    view = streamed((None, chunk(delta(content="one")) + DONE))
    assert traced(view, 0, 3).at_us is None


def test_a_whole_body_has_bytes_and_no_events() -> None:
    message = {"role": "assistant", "content": "Zażó 😀"}
    view = whole({"object": "chat.completion", "choices": [{"index": 0, "message": message}]})
    found = traced(view, 5, 7)
    assert spelt(view, found) == [rb"\ud83d\ude00"]
    assert (found.events, found.event_numbers) == (None, ())
    assert found.characters == FirstAndLast(5, 5, 1)


def test_arguments_are_shown_by_the_panel_of_the_calls() -> None:
    long = "x" * 9_000
    view = streamed(
        (100, chunk(delta(**call("{}", name="f"))) + chunk(delta(**call(long, 1))) + DONE)
    )
    assert traced(view, 0, 2).name == "f"
    assert traced(view, 0, 2).display.changes["call"] == "0-0"
    assert traced(view, 0, 2).display.changes["tool_calls"] == ""
    assert traced(view, 0, 2, lane=1).display.changes["tool_calls"] == "whole"
    assert traced(view, 0, 2, lane=1).display.panel == "tool_calls"


def test_a_choice_that_is_not_among_the_first_is_asked_for() -> None:
    view = streamed((100, "".join(chunk(delta(n, content="x")) for n in range(210)) + DONE))
    assert traced(view, 0, 1, lane=205).display.changes == {"choices": "", "choices_from": "205"}
    assert traced(view, 0, 1, lane=3).display.changes == {"choices": "", "choices_from": ""}


def test_tokens_are_those_that_stand_on_the_characters() -> None:
    tokens = [{"token": token, "logprob": -0.1} for token in ("Once", " upon", " a")]
    finish = {"index": 0, "delta": {"content": "Once upon a"}, "logprobs": {"content": tokens}}
    view = streamed((100, chunk(finish) + DONE))
    assert traced(view, 5, 11).tokens == FirstAndLast(1, 2, 2)
    assert traced(view, 0, 4).tokens == FirstAndLast(0, 0, 1)


def test_of_snapshots_characters_are_counted_in_the_last() -> None:
    first, last = '{"name":""}', '{"name":"Bas","canton":"BS"}'
    texts = [delta(content=text) | {"cost_usd": 0.001} for text in (first, '{"name":"Bas"}', last)]
    view = streamed((100, "".join(map(chunk, texts)) + DONE))
    start = len(first) + len('{"name":"Bas"}')
    assert traced(view, start + 9, start + 12).characters == FirstAndLast(9, 11, 3)
    assert spelt(view, traced(view, start + 9, start + 12)) == [b"Bas"]


def test_a_compressed_body_says_that_its_bytes_were_decoded() -> None:
    body = gzip.compress((chunk(delta(content="one")) + DONE).encode())
    exchange = Exchange(reads=(Read(None, body),), content_type=SSE)
    view = replace(read_view(exchange), body=decompressed(exchange).body)
    assert spelt(view, traced(view, 0, 3)) == [b"one"]
    assert traced(view, 0, 3).is_decoded
    assert not traced(streamed(*TWO_CHOICES), 0, 3).is_decoded


def test_a_long_selection_tells_its_first_pieces_and_its_last() -> None:
    view = streamed((100, "".join(chunk(delta(content="ab")) for _ in range(2_000)) + DONE))
    found = traced(view, 1, 3_999)
    assert (found.events, found.event_numbers) == (FirstAndLast(0, 1_999, 2_000), ())
    assert (len(found.pieces), found.omitted) == (MAX_PIECES + 1, 2_000 - MAX_PIECES - 1)
    assert spelt(view, found)[0] == b"b" and spelt(view, found)[-1] == b"a"
    assert found.pieces[-1].event == 1_999


@pytest.mark.parametrize(
    ("lane", "start", "end", "sentence"),
    [
        (2, 0, 1, "There is no text 2: this capture has 2."),
        (0, 5, 5, "5 to 5 is no part of content of choice 0: it is 20 long."),
        (1, 0, 19, "0 to 19 is no part of content of choice 1: it is 18 long."),
    ],
)
def test_what_is_not_there_is_told_in_a_sentence(
    lane: int, start: int, end: int, sentence: str
) -> None:
    assert trace_lane_range(streamed(*TWO_CHOICES), lane, start, end) == Untraced(sentence)


def test_a_capture_that_was_not_read_has_nothing_to_trace() -> None:
    view = streamed(*TWO_CHOICES)
    unread = CaptureView(facts=view.facts, body=view.body, analysis=view.analysis)
    assert isinstance(trace_lane_range(unread, 0, 0, 1), Untraced)


# -- the address ----------------------------------------------------------------------------------

STREAM = (chunk(delta(content="one")) + chunk(delta(content=" two")) + DONE).encode()


def ask(person: Person | None, capture_id: UUID, **query: object) -> Any:
    browser = person.browser() if person else Client()
    return browser.get(f"/captures/{capture_id}/trace/?{urlencode(query)}")


def test_owner_and_teammate_are_told_and_nobody_else(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    capture_id = inspected(owner, STREAM, content_type=SSE)
    for person in (owner, teammate):
        answer = ask(person, capture_id, lane=0, start=2, end=5)
        assert (answer.status_code, answer["Cache-Control"]) == (200, "private, no-store")
        told = json.loads(answer.content)
        first, last = (piece["bytes"][0] for piece in told["pieces"])
        assert STREAM[slice(*first)] + STREAM[slice(*last)] == b"e t"
    assert ask(stranger, capture_id, lane=0, start=2, end=5).status_code == 404
    assert ask(owner, uuid4(), lane=0, start=2, end=5).status_code == 404
    assert ask(None, capture_id, lane=0, start=2, end=5).status_code == 302


@pytest.mark.parametrize("query", [{}, {"lane": "x", "start": 0, "end": 1}, {"lane": 0, "start": -1, "end": 1}])  # fmt: skip
def test_an_address_that_names_no_characters_says_so(query: dict[str, Any], owner: Person) -> None:
    answer = ask(owner, inspected(owner, STREAM, content_type=SSE), **query)
    assert "three numbers" in json.loads(answer.content)["trouble"]


def test_the_second_text_of_a_choice_is_traced_in_its_own_lane() -> None:
    calls = (called("get_weather", '{"city":"Bergen"}'),)
    view = streamed_blocks(choice(text("Let me look."), call_block(), text("Rain."), calls=calls))
    found = traced(view, 0, 4, lane=2)
    assert (found.name, spelt(view, found)) == ("text 2", [b"Rain"])
    assert (found.event_numbers, found.characters) == ((2,), FirstAndLast(0, 3, 4))
    refused = trace_lane_range(view, 2, 0, 9)
    assert refused == Untraced("0 to 9 is no part of text 2 of choice 0: it is 5 long.")


def test_tokens_of_the_second_text_are_counted_over_the_whole_answer() -> None:
    said = choice(text("Wait. "), text("Rain."))
    tokens = [{"token": token, "logprob": -0.1, "bytes": None} for token in ("Wait. ", "Rain", ".")]
    said = msgspec.structs.replace(said, logprobs={"content": tokens})
    found = traced(streamed_blocks(said), 0, 4, lane=1)
    assert found.tokens == FirstAndLast(1, 1, 1)
