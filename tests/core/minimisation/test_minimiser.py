"""The smallest exchange that still has a finding, of every kind of body."""

from __future__ import annotations

import gzip
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.core.minimisation import minimiser
from inspector.core.minimisation.minimiser import (
    Minimisation,
    begin_minimisation,
    continue_minimisation,
    minimise,
)
from inspector.core.reading import analyze
from inspector.core.wire.exchange import (
    Exchange,
    MeasuredBy,
    Read,
    Request,
    TransportOutcome,
)
from tests.core.frames import frame

SSE, JSON, FRAMES = "text/event-stream", "application/json", "application/vnd.amazon.eventstream"


def chunk(number: int, **choice: Any) -> bytes:
    said = {"index": 0, "delta": {"content": f"word {number} "}, "finish_reason": None, **choice}
    value = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1700000000,
        "model": "gpt-4o",
        "choices": [said],
    }
    return b"data: " + json.dumps(value).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
UNFINISHED = b"".join(map(chunk, range(40))) + DONE
CALL = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "gpt-4o",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "weather", "arguments": '{"town":"Chur","days":3}'},
                    }
                ],
            },
            "finish_reason": "tool_calls",
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 9},
}
OFFERED = {
    "model": "gpt-4o",
    "messages": [{"role": "user", "content": "Does it rain in Chur?"}],
    "tools": [{"type": "function", "function": {"name": "forecast", "description": "Asks."}}],
}


def whole(value: Any = CALL, indent: int | None = None) -> Exchange:
    return Exchange.of_body(json.dumps(value, indent=indent).encode(), JSON)


def smallest(exchange: Exchange, code: str, pointer: str | None = None) -> Minimisation:
    """Minimised to the end, and held against the promise that what comes out has the finding."""
    found = minimise(exchange, code, pointer)
    assert found is not None and found.is_done and not found.is_exhausted
    assert code in {finding.code for finding in analyze(found.exchange).findings}
    return found


def body_of(exchange: Exchange, code: str, pointer: str | None = None) -> bytes:
    return smallest(exchange, code, pointer).exchange.body


# -- bodies ---------------------------------------------------------------------------------------


def test_of_a_stream_the_events_stay_that_the_finding_needs() -> None:
    exchange = Exchange.of_body(UNFINISHED, SSE)
    found = smallest(exchange, "ending.missing-finish")
    assert found.exchange.body == b'data: {"choices":[{}]}\n\ndata: [DONE]\n\n'
    assert (found.bytes_before, found.bytes_now) == (len(UNFINISHED), 38)
    assert (found.exchange.content_type, found.exchange.status_code) == (SSE, None)


def test_of_an_answer_the_members_stay_that_the_finding_needs() -> None:
    assert body_of(whole(), "usage.total-mismatch") == (
        b'{"choices":[{}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":9}}'
    )


def test_white_space_goes_too() -> None:
    assert body_of(whole(indent=4), "usage.total-mismatch") == (
        b'{"choices":[{}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":9}}'
    )


def test_texts_and_numbers_are_shortened() -> None:
    odd = {**CALL, "created": 1700000000000, "model": "m" * 300}
    found = body_of(whole(odd), "envelope.created-out-of-range")
    assert found == b'{"created":7,"choices":[{}]}' or len(found) < 42


def test_of_lines_of_json_whole_lines_go() -> None:
    line = b'{"model":"llama3","created_at":"2024-05-01T00:00:00Z","message":{"role":"assistant","content":"a"},"done":false}\n'
    last = b'{"model":"llama3","created_at":"2024-05-01T00:00:01Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"length","eval_count":5}\n'
    exchange = Exchange.of_body(line * 20 + last, "application/x-ndjson")
    found = body_of(exchange, "choice.finish-length")
    assert found.count(b"\n") <= 1 and b'"done_reason":"length"' in found


def test_of_binary_frames_lengths_and_checksums_stay_right() -> None:
    body = frame("messageStart", b'{"p":"abc","role":"assistant"}') + b"".join(
        frame("contentBlockDelta", b'{"contentBlockIndex":0,"delta":{"text":"word %d"}}' % number)
        for number in range(10)
    )
    body += frame("messageStop", b'{"p":"abcd","stopReason":"max_tokens"}')
    found = smallest(Exchange.of_body(body, FRAMES), "choice.finish-length").exchange.body
    assert found == frame("messageStop", b'{"stopReason":"max_tokens"}')


def test_a_wrong_checksum_stays_wrong_if_it_is_the_finding() -> None:
    stop = frame("messageStop", b'{"p":"abcd","stopReason":"end_turn"}')
    body = frame("messageStart", b'{"role":"assistant"}') + stop[:-1] + bytes([stop[-1] ^ 1])
    found = smallest(Exchange.of_body(body, FRAMES), "framing.broken-frame")
    assert found.bytes_now < len(body)


def test_broken_bytes_are_shortened_byte_by_byte() -> None:
    body = chunk(1) + b'data: {"choices":[{"index":0,"delta":{"content":"b\xff\xfe"}}]}\n\n' + DONE
    found = body_of(Exchange.of_body(body, SSE), "json.invalid-utf8")
    assert found.count(b"\xff") + found.count(b"\xfe") == 1 and len(found) < 60


def test_a_cut_answer_stays_cut() -> None:
    cut = Exchange.of_body(json.dumps(CALL).encode()[:300], JSON)
    assert len(body_of(cut, "ending.cut-off")) < 30


# -- what is promised beside the finding ----------------------------------------------------------


def test_nothing_else_breaks() -> None:
    healthy = Exchange.of_body(UNFINISHED, SSE)
    found = smallest(healthy, "usage.missing").exchange
    after = analyze(found)
    assert [each.code for each in after.findings if each.severity == "error"] == []
    assert not [each.code for each in after.findings if each.code.startswith(("json.", "framing."))]


def test_a_stream_stays_a_stream_of_its_format() -> None:
    event = 'event: {0}\ndata: {{"type":"{0}"{1}}}\n\n'
    body = (
        event.format("message_start", ',"message":{"id":"m","role":"assistant","content":[]}')
        + event.format("content_block_start", ',"index":0,"content_block":{"type":"text"}')
        + event.format("message_delta", ',"delta":{"stop_reason":"max_tokens"}')
        + event.format("message_stop", "")
    ).encode()
    exchange = Exchange.of_body(body, SSE)
    before, after = analyze(exchange), analyze(smallest(exchange, "choice.finish-length").exchange)
    assert (after.dialect, after.streamed) == (before.dialect, True)


def test_status_and_content_type_stay() -> None:
    body = b'{"error":{"message":"too many requests","type":"rate_limit","code":"429"}}'
    exchange = msgspec.structs.replace(Exchange.of_body(body, JSON), status_code=429)
    found = smallest(exchange, "envelope.provider-error").exchange
    assert (found.status_code, found.content_type) == (429, JSON)
    assert len(found.body) < 30


def test_the_finding_keeps_its_place_but_for_positions() -> None:
    two = {
        **CALL,
        "choices": [
            {"index": 0, "message": {"role": "user", "content": "a"}, "finish_reason": "stop"},
            {"index": 1, "message": {"role": "assistant", "content": 5}, "finish_reason": "stop"},
        ],
    }
    analysis = analyze(whole(two))
    pointers = {each.code: each.where.pointer for each in analysis.findings}
    found = smallest(whole(two), "message.field-malformed")
    assert pointers["message.field-malformed"] == "/choices/1/message/content"
    assert found.exchange.body == b'{"choices":[{"message":{"content":5}}]}'
    assert found.target.place == "/choices/*/message/content"


# -- the exchange around the body -----------------------------------------------------------------


def around(body: bytes = UNFINISHED) -> Exchange:
    reads = [Read(100_000 + at, body[at : at + 50]) for at in range(0, len(body), 50)]
    return Exchange(
        reads=tuple(reads),
        content_type=SSE,
        status_code=200,
        headers=(("content-type", SSE), ("x-request-id", "r-1")),
        outcome=TransportOutcome.ENDED,
        request=Request(method="POST", url="https://api.example/v1", body=b'{"model":"gpt-4o"}'),
        measured_by=MeasuredBy.CLIENT,
    )


def test_times_headers_and_request_go_if_the_finding_needs_none() -> None:
    found = smallest(around(), "ending.missing-finish").exchange
    assert found == Exchange(
        reads=(Read(None, b'data: {"choices":[{}]}\n\ndata: [DONE]\n\n'),),
        content_type=SSE,
        status_code=200,
        headers=None,
    )


def test_a_finding_about_times_keeps_them() -> None:
    reads = [Read(100_000 + 20_000 * number, chunk(number)) for number in range(60)]
    late = [Read(6_000_000 + 20_000 * number, chunk(number)) for number in range(60, 80)]
    exchange = Exchange.of_reads([*reads, *late, Read(7_700_000, DONE)], SSE)
    found = smallest(exchange, "timing.stall").exchange
    assert found.body == b"".join(read.data for read in found.reads)
    assert {read.at_us for read in found.reads} <= {read.at_us for read in exchange.reads}
    assert 2 < len(found.reads) < 20


def test_a_request_that_the_finding_needs_is_minimised_too() -> None:
    exchange = msgspec.structs.replace(
        whole(),
        request=Request(
            method="POST",
            url="https://api.example/v1",
            headers=(("accept", "*/*"),),
            body=json.dumps(OFFERED).encode(),
        ),
    )
    found = smallest(exchange, "tool.unknown-name")
    request = found.exchange.request
    assert request is not None and request.body is not None
    assert (request.method, request.url, request.headers) == (None, None, None)
    assert len(request.body) < 60 < found.request_bytes_before
    assert json.loads(request.body)["tools"][0]["function"].keys() == {"name"}
    assert b'"tool_calls":[{"function":{"name":' in found.exchange.body


def test_a_compressed_body_is_minimised_as_it_reads() -> None:
    headers = (("content-encoding", "gzip"), ("content-length", "400"), ("vary", "accept"))
    coded = Exchange(
        reads=(Read(None, gzip.compress(UNFINISHED)),), content_type=SSE, headers=headers
    )
    found = smallest(coded, "ending.missing-finish")
    assert found.exchange.body == b'data: {"choices":[{}]}\n\ndata: [DONE]\n\n'
    assert (found.bytes_before, found.exchange.headers) == (len(UNFINISHED), None)


def test_a_finding_about_the_coding_has_no_smaller_body() -> None:
    coded = Exchange.of_body(gzip.compress(UNFINISHED), SSE)
    assert "framing.coding-undeclared" in {each.code for each in analyze(coded).findings}
    assert minimise(coded, "framing.coding-undeclared") is None
    assert len(body_of(coded, "ending.missing-finish")) < 40


# -- what cannot be minimised ---------------------------------------------------------------------


def test_a_finding_that_is_not_there_is_none() -> None:
    assert minimise(whole(), "ending.missing-finish") is None
    assert minimise(whole(), "no.such-code") is None
    assert minimise(whole(), "usage.total-mismatch", "/choices") is None


def test_what_happened_to_the_connection_is_in_no_body() -> None:
    capped = msgspec.structs.replace(whole(), outcome=TransportOutcome.CAPPED)
    assert "ending.capped" in {each.code for each in analyze(capped).findings}
    assert minimise(capped, "ending.capped") is None


def test_what_is_smallest_already_stays() -> None:
    exchange = smallest(around(), "ending.missing-finish").exchange
    again = smallest(exchange, "ending.missing-finish")
    assert again.exchange == exchange


def test_a_body_keeps_a_byte_at_least() -> None:
    found = smallest(
        Exchange.of_body(b"<html>Bad gateway</html>", "text/html"), "envelope.not-a-response"
    )
    assert found.bytes_now == 1


# -- steps ----------------------------------------------------------------------------------------


def stored(state: Minimisation) -> Minimisation:
    """As a task keeps it between two steps."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=Minimisation)


@pytest.mark.parametrize("tries", [1, 3, 50])
def test_steps_of_any_length_end_at_the_same(tries: int) -> None:
    exchange = around()
    state = begin_minimisation(exchange, "ending.missing-finish")
    assert state is not None
    while not state.is_done:
        asked = iter(range(tries))
        state = stored(continue_minimisation(state, lambda left=asked: next(left, None) is None))
    at_once = smallest(exchange, "ending.missing-finish")
    assert (state.exchange, state.tries) == (at_once.exchange, at_once.tries)


def test_each_step_has_the_finding_and_is_no_longer_than_the_last() -> None:
    state = begin_minimisation(whole(), "usage.total-mismatch")
    assert state is not None
    while not state.is_done:
        asked = iter(range(2))
        after = continue_minimisation(state, lambda left=asked: next(left, None) is None)
        assert after.target.is_met(analyze(after.exchange))
        assert after.bytes_now <= state.bytes_now and after.tries >= state.tries
        state = after


def test_a_limit_ends_it_with_what_was_found_by_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minimiser, "MAX_TRIES", 10)
    found = minimise(around(), "ending.missing-finish")
    assert found is not None and found.is_done and found.is_exhausted
    assert found.tries == 10 and found.bytes_now < found.bytes_before
    assert found.target.is_met(analyze(found.exchange))


def test_tries_cost_what_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minimiser, "MAX_COST_BYTES", 3 * minimiser.TRY_BYTES)
    found = minimise(around(), "ending.missing-finish")
    assert found is not None and found.is_exhausted and found.tries <= 3


# -- whatever comes -------------------------------------------------------------------------------

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**12) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["choices", "message", "usage", "error", "é", ""]), inner)
    ),
    max_leaves=12,
)


@settings(max_examples=15)
@given(VALUES, st.integers(0, 40))
def test_of_any_value_every_finding_that_is_minimised_is_there(value: Any, cut: int) -> None:
    body = json.dumps(value, ensure_ascii=False).encode()
    exchange = Exchange.of_body(body[: max(len(body) - cut, 1)], JSON)
    for finding in analyze(exchange).findings[:2]:
        found = minimise(exchange, finding.code, finding.where.pointer)
        if found is not None:
            assert found.target.is_met(analyze(found.exchange))
            assert found.bytes_now <= len(exchange.body)
