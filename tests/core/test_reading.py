"""The machine as a whole: any cutting gives the same, any bytes give something, at any time."""

import json
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.core.analysis import Analysis, Verdict, analysis_to_json
from inspector.core.formats import dialects
from inspector.core.reading import Reading, analyze, read
from inspector.core.tape import Tape
from inspector.core.wire.exchange import Exchange, Read, TransportOutcome
from tests.core.bodies import (
    DONE,
    GOOD,
    GOOD_STREAM,
    ROLE,
    STOP,
    USAGE,
    analysis,
    analysis_from_json,
    chunk,
    delta,
)

# -- bodies: realistic chunks, comments, odd lines, broken JSON, plain bytes ------------------------

SCALARS = st.sampled_from([None, True, 0, -1, 7, 1e300, "", "a", "é", "\U0001f600", "\ud83d", "\0"])
ODD = SCALARS | st.sampled_from([[], {}, [None], {"a": 1}, ["a"], [[1]], {"error": "x"}])
INDEXES = st.sampled_from([0, 0, 0, 1, 2, -1, "0", None, 10**30, 10**4299])
WORDS = st.sampled_from(
    ["a", " word", '{"a":1}', "{}\xa0", "{}\v", "<think>", "é", "\U0001f600", "\ud83d", "\ude00"]
)


def fields(**values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects that have any of these fields; now and then one holds what nobody would expect."""
    return st.fixed_dictionaries({}, optional={k: v | v | v | ODD for k, v in values.items()})


CALLS = st.lists(
    fields(
        index=INDEXES,
        id=st.sampled_from(["a", "b", ""]),
        type=st.sampled_from(["function", "custom", ""]),
        function=fields(name=st.sampled_from(["f", "g", "fg", ""]), arguments=WORDS),
        custom=fields(name=st.sampled_from(["f", "g"]), input=WORDS),
    ),
    max_size=2,
)
PARTS = st.lists(fields(type=st.sampled_from(["text", "thinking"]), text=WORDS, thinking=WORDS))
DELTAS = fields(
    role=st.sampled_from(["assistant", "assistant", "user", ""]),
    content=WORDS | PARTS,
    reasoning=WORDS,
    reasoning_content=WORDS,
    refusal=WORDS,
    tool_calls=CALLS,
    function_call=fields(name=st.just("f"), arguments=WORDS),
    annotations=st.just([{"a": 1}]),
    unknown=ODD,
)
USAGES = fields(
    prompt_tokens=st.integers(-1, 9),
    completion_tokens=st.integers(0, 9),
    total_tokens=st.integers(0, 9),
    completion_tokens_details=fields(reasoning_tokens=st.integers(0, 9)),
)
CHOICES = st.lists(
    fields(
        index=INDEXES,
        delta=DELTAS,
        message=DELTAS,
        text=WORDS,
        finish_reason=st.sampled_from(["stop", "length", "tool_calls", "", "null", None]),
        logprobs=fields(content=st.just([{"token": "a"}]), tokens=st.just(["a"])),
        usage=USAGES,
        cost_usd=st.just(0.001),
        feedback_token=st.sampled_from(["t", {"a": 1}, {"b": 1}]),
    ),
    max_size=2,
)
CHUNKS = fields(
    id=st.sampled_from(["a", "b", ""]),
    object=st.sampled_from(["chat.completion.chunk", "chat.completion", "text_completion"]),
    created=st.sampled_from([0, 1795183339, 1795183340]),
    model=st.sampled_from(["m", ""]),
    choices=CHOICES,
    usage=USAGES,
    error=fields(message=st.just("x")),
    type=st.sampled_from(["message_start", "message_stop", "response.completed"]),
    candidates=ODD,
    done=st.booleans(),
)
TEXTS = CHUNKS.map(json.dumps).map(str.encode)
PRINTED = st.one_of(
    TEXTS.map(lambda text: text[:-1] + b",}"),
    TEXTS.map(lambda text: text[:-1] + b"\n....\n}"),
    TEXTS.map(lambda text: text.replace(b"]", b",]").replace(b", ", b", /* x */ ")),
    CHUNKS.map(repr).map(lambda text: text.encode(errors="replace")),
)
"""As documents and Python print them."""
FRAGMENTS = st.one_of(DELTAS, USAGES).map(json.dumps).map(str.encode)
EVENTS = st.one_of(
    TEXTS.map(lambda text: b"data: " + text + b"\n\n"),
    TEXTS.map(lambda text: b"data:" + text + b"\r\n\r\n"),
    TEXTS.map(lambda text: b"data: " + text[: len(text) // 2] + b"\n\n"),
    TEXTS.map(lambda text: text + b"\n"),
    TEXTS,
    st.sampled_from([DONE, b"data: [DONE] \r\n\r\n", b": ping\n\n", b"event: error\n", b"id: 7\r"]),
    st.sampled_from([b"foo: bar\n", b"....\n", b" ", b"\n", b"\xef\xbb\xbf", b"data", b"data: {"]),
    st.binary(max_size=6),
)
BODIES = st.one_of(
    st.lists(EVENTS, max_size=7).map(b"".join),
    TEXTS,
    FRAGMENTS,
    PRINTED,
    st.lists(PRINTED, max_size=4).map(b"\n".join),
    TEXTS.map(lambda text: text[:-2]),
    st.binary(max_size=40),
)
ABOUTS = st.sampled_from(
    [
        Exchange(reads=()),
        Exchange(reads=(), outcome=TransportOutcome.OPEN),
        Exchange(reads=(), outcome=TransportOutcome.UPSTREAM_ERROR, status_code=502),
        *(Exchange(reads=(), dialect=slug) for slug in dialects()),
        Exchange(reads=(), dialect="workflowai", outcome=TransportOutcome.OPEN),
        Exchange(reads=(), headers=(("content-encoding", "br"),)),
    ]
)


def cut(body: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(body), *(place % (len(body) + 1) for place in cuts)})
    return [body[start:end] for start, end in pairwise(places)] or [b""]


def whole(about: Exchange, body: bytes) -> tuple[Analysis, Tape]:
    machine = Reading(about)
    machine.feed(Read(None, body))
    return without_reads(machine)


def without_reads(machine: Reading) -> tuple[Analysis, Tape]:
    """Analysis and tape, without the reads, which differ by cutting as they must."""
    tape = machine.tape()
    bare = msgspec.structs.replace(tape.reads, byte_end=[])
    return machine.analysis(), msgspec.structs.replace(tape, reads=bare)


@given(body=BODIES, cuts=st.lists(st.integers(0, 10_000), max_size=8), about=ABOUTS)
def test_any_cutting_gives_the_same_reading(body: bytes, cuts: list[int], about: Exchange) -> None:
    machine = Reading(about)
    for part in cut(body, cuts):
        machine.feed(Read(None, part))
    assert without_reads(machine) == whole(about, body)


@given(body=BODIES, cuts=st.lists(st.integers(0, 10_000), max_size=4), about=ABOUTS)
def test_asking_in_between_changes_nothing(body: bytes, cuts: list[int], about: Exchange) -> None:
    machine = Reading(about)
    told = []
    for part in cut(body, cuts):
        machine.feed(Read(None, part))
        early = machine.analysis()
        told.append(
            (early, analysis_to_json(early), machine.tape(), msgspec.json.encode(machine.tape()))
        )
    assert without_reads(machine) == whole(about, body)
    for early, early_text, tape, tape_text in told:
        assert analysis_to_json(early) == early_text
        assert msgspec.json.encode(tape) == tape_text


@given(body=BODIES, about=ABOUTS)
def test_what_is_read_of_any_bytes_goes_to_json_and_back(body: bytes, about: Exchange) -> None:
    result, _ = whole(about, body)
    assert analysis_from_json(analysis_to_json(result)) == result


@given(body=BODIES, about=ABOUTS)
def test_pieces_join_to_the_texts_of_the_choices(body: bytes, about: Exchange) -> None:
    result, tape = whole(about, body)
    drawn = [0] * len(tape.lanes)
    columns = tape.pieces
    for lane, start, length in zip(
        columns.lane, columns.start_u16, columns.length_u16, strict=True
    ):
        assert (start, length > 0) == (drawn[lane], True)
        drawn[lane] += length
    assert columns.event == sorted(columns.event)
    assert all(event < len(tape.events.kind) for event in columns.event)
    assert tape.events.byte_end == sorted(tape.events.byte_end)
    for call_lane, lane in zip(drawn, tape.lanes, strict=True):
        if lane.tool_call is not None and result.choices:
            (one,) = (one for one in result.choices if one.index == lane.choice)
            text = one.tool_calls[lane.tool_call].arguments_text
            # Halves of a pair that meet count two, a half that stays alone is replaced by one.
            assert len(text.encode("utf-16-le")) // 2 == call_lane


@given(body=BODIES, about=ABOUTS)
def test_every_finding_about_an_event_carries_its_bytes(body: bytes, about: Exchange) -> None:
    result, tape = whole(about, body)
    for finding in result.findings:
        where = finding.where
        assert finding.message and not finding.message.isspace()
        if where.event is not None:
            assert where.byte_start is not None and where.byte_end is not None
            assert where.event < len(tape.events.kind)
        if where.byte_start is not None:
            assert 0 <= where.byte_start <= (where.byte_end or 0) <= max(len(body), 1)


@given(body=BODIES, about=ABOUTS)
def test_a_bad_verdict_never_comes_without_a_finding(body: bytes, about: Exchange) -> None:
    result, _ = whole(about, body)
    good = {Verdict.COMPLETE, Verdict.PART, Verdict.IN_PROGRESS, Verdict.CLIENT_CANCELLED}
    flagged = any(finding.severity in ("error", "warning") for finding in result.findings)
    assert result.verdict in good or flagged
    assert result.verdict_reason.endswith((".", "…")) or result.verdict is Verdict.PROVIDER_ERROR


@given(st.binary(max_size=200))
@settings(max_examples=300)
def test_no_bytes_make_it_raise(body: bytes) -> None:
    assert isinstance(analyze(Exchange.of_body(body)), Analysis)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xef\xbb\xbf",
        b"\xef\xbb",
        b" \n ",
        b"null",
        b"0",
        b'"hello"',
        b"[]",
        b"{}",
        b"[" * 100_000,
        b'{"a":' * 5000,
        b"data: " + b"[" * 5000 + b"\n\n",
        b'{"choices":' + b"[" * 70 + b"]" * 70 + b"}",
        b"{'a\": " + b"[" * 3000,
        b"data: " + b"9" * 5000 + b"\n\n",
        b'{"choices":[{"index":' + b"9" * 4300 + b"}]}",
        b'{"choices":[],"created":' + b"9" * 4300 + b"}",
        b'{"choices":[{"message":{}}],"a":1e999,}',
        b'{"a":1e999,"choices":[}',
        b"\0" * 100,
        "{\u201cchoices\u201d: []}".encode(),
        b"\xff\xfe{\x00}\x00",
    ],
)
def test_what_nobody_would_send_is_read_too(body: bytes) -> None:
    result = analysis(body)
    assert analysis_from_json(analysis_to_json(result)) == result
    assert result.findings


# -- a stream that is not over ----------------------------------------------------------------------


def test_an_open_stream_tells_what_is_there_so_far() -> None:
    machine = Reading(Exchange(reads=(), outcome=TransportOutcome.OPEN))
    machine.feed(Read(1_000, chunk(ROLE) + chunk(delta(b'"content":"Hel"'))))
    machine.feed(Read(2_000, chunk(delta(b'"content":"lo"'))[:-9]))
    assert machine.analysis().verdict is Verdict.IN_PROGRESS
    assert machine.analysis().choices[0].content == "Hel"
    machine.feed(Read(3_000, chunk(delta(b'"content":"lo"'))[-9:]))
    assert machine.analysis().choices[0].content == "Hello"


@pytest.mark.parametrize(
    "body",
    [
        chunk(delta(b'"content":"He"')),
        chunk(delta(b'"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]')),
        chunk(more=USAGE),
        GOOD[:150],
    ],
    ids=["text", "half a call", "no choice yet", "half a document"],
)  # fmt: skip
def test_nothing_is_missed_in_a_stream_while_it_arrives(body: bytes) -> None:
    assert analysis(body, outcome=TransportOutcome.OPEN).findings == ()


def test_no_beginning_of_a_stream_is_taken_for_the_whole() -> None:
    whole_at = len(GOOD_STREAM) - 2
    assert GOOD_STREAM[:whole_at].endswith(b"[DONE]")
    for end in range(whole_at):
        assert analysis(GOOD_STREAM[:end]).verdict is not Verdict.COMPLETE, GOOD_STREAM[:end]


def test_no_beginning_of_a_document_is_taken_for_the_whole() -> None:
    for end in range(len(GOOD)):
        assert analysis(GOOD[:end]).verdict in (Verdict.CUT_OFF, Verdict.NOT_A_RESPONSE)


def test_a_dialect_that_shows_in_the_last_chunk_reads_the_whole_stream_by_it() -> None:
    body = chunk(ROLE) + chunk(STOP[:-1] + b',"cost_usd":0.10}')
    machine = Reading()
    machine.feed(Read(None, chunk(ROLE)))
    assert machine.analysis().dialect == "openai-chat"
    machine.feed(Read(None, body[len(chunk(ROLE)) :]))
    assert machine.analysis().dialect == "workflowai"
    assert machine.analysis().verdict is Verdict.COMPLETE


# -- the tail ---------------------------------------------------------------------------------------


def test_a_whole_tail_takes_part_and_is_flagged() -> None:
    result = analysis(chunk(ROLE) + chunk(STOP) + b"data: [DONE]")
    assert result.verdict is Verdict.COMPLETE
    assert "ending.unterminated-event" in {finding.code for finding in result.findings}


def test_a_cut_tail_does_not_take_part() -> None:
    result = analysis(chunk(ROLE) + chunk(delta(b'"content":"a"')) + chunk(STOP)[:-20])
    assert result.verdict is Verdict.CUT_OFF
    assert result.choices[0].content == "a"
    assert result.choices[0].finish_reason is None


def test_an_elision_inside_an_event_stream_is_no_complete_answer() -> None:
    body = chunk(ROLE) + b"....\n\n" + chunk(STOP) + DONE
    result = analysis(body)
    assert result.verdict is Verdict.ELIDED
    assert result.verdict_reason.startswith("2 chunks, shortened with “…” in 1 place")


# -- framing ----------------------------------------------------------------------------------------


def test_lines_of_chunks_without_data_are_read_and_flagged() -> None:
    body = GOOD_STREAM.replace(b"data: ", b"").replace(b"\n\n", b"\n")
    result = analysis(body)
    assert (result.choices[0].content, result.verdict) == ("Hello", Verdict.COMPLETE)
    assert "framing.no-data-prefix" in {finding.code for finding in result.findings}


def test_two_answers_one_a_line_are_both_evidence_and_neither_is_chosen() -> None:
    result = analysis(GOOD + b"\n" + GOOD + b"\n")
    assert result.choices == ()
    assert "framing.several-documents" in {finding.code for finding in result.findings}


def test_a_list_of_answers_is_no_answer() -> None:
    assert analysis(b"[" + GOOD + b"," + GOOD + b"]").verdict is Verdict.NOT_A_RESPONSE


def test_a_document_may_begin_with_white_space_and_a_mark() -> None:
    assert analysis(b"\xef\xbb\xbf" + GOOD).choices[0].content == "Hello"
    assert analysis(b" \r\n" + GOOD + b"\n").choices[0].content == "Hello"


def test_text_that_is_no_stream_is_no_response() -> None:
    for body in (b"<html>502</html>", b"upstream: gone\nretry later\n", b"event: x\n\n"):
        assert analysis(body).verdict is Verdict.NOT_A_RESPONSE


def test_reads_of_an_exchange_are_all_fed() -> None:
    reads = (Read(1, GOOD_STREAM[:100]), Read(2, b""), Read(3, GOOD_STREAM[100:]))
    assert read(Exchange.of_reads(reads)).analysis().choices[0].content == "Hello"


@pytest.mark.parametrize(
    ("line", "byte"), [(b": ab\xff\n", 4), (b"\xe9\xff: 1\n", 0), (b":\xc3\xa9 \xc3\n", 4)]
)
def test_bytes_that_are_not_utf8_are_placed_in_ignored_lines_too(line: bytes, byte: int) -> None:
    result = analysis(GOOD_STREAM + line + b"\n")
    (finding,) = (f for f in result.findings if f.code == "json.invalid-utf8")
    at = len(GOOD_STREAM) + byte
    assert finding.message == f"Byte {at} is not UTF-8."
    assert (finding.where.byte_start, finding.where.byte_end) == (at, at + 1)


def test_what_a_stream_tells_for_connecting_again_is_told() -> None:
    result = analysis(b"retry: 1500\nid: 41\n" + GOOD_STREAM.replace(DONE, b"id: 42\n" + DONE))
    (finding,) = (f for f in result.findings if f.code == "framing.reconnection")
    assert finding.message == (
        "Clients can reconnect: the last event ID is 42, the wait before reconnecting is 1500 ms."
    )


def test_an_id_with_nul_is_told_as_ignored_with_its_bytes() -> None:
    result = analysis(b"id: a\0b\n" + GOOD_STREAM)
    (finding,) = result.findings
    assert finding.message == "The value of id is ignored by every client."
    assert (finding.where.byte_start, finding.where.byte_end) == (0, 8)
