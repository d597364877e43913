"""Anthropic's Messages: each quirk in a small stream or a whole body of its own."""

import json
from typing import Any

import pytest
from msgspec import UNSET

from inspector.core import limits
from inspector.core.analysis import Analysis, Verdict
from inspector.core.completion import ArgumentsState, Choice, Result
from inspector.core.limits import LimitedItem
from inspector.core.pasted.responses import pasted_responses
from inspector.core.tape import LaneKind
from inspector.core.wire.exchange import Exchange, Read
from tests.core.bodies import analysis, codes, event, reading
from tests.core.formats.recordings import (
    assert_cuttings_agree,
    assert_every_character_has_bytes,
    only_choice,
)

START = (
    b'{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m",'
    b'"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":1}}}'
)
STOP = b'{"type":"message_stop"}'
PING = b'{"type":"ping"}'


def end(reason: bytes = b"end_turn", usage: bytes = b'{"output_tokens":7}') -> bytes:
    return b'{"type":"message_delta","delta":{"stop_reason":"%s"},"usage":%s}' % (reason, usage)


def begin(index: int, block: bytes) -> bytes:
    return b'{"type":"content_block_start","index":%d,"content_block":%s}' % (index, block)


def grow(index: int, delta: bytes) -> bytes:
    return b'{"type":"content_block_delta","index":%d,"delta":%s}' % (index, delta)


def close(index: int) -> bytes:
    return b'{"type":"content_block_stop","index":%d}' % index


def part(index: int, block: bytes, *deltas: bytes) -> tuple[bytes, ...]:
    """The events of one block."""
    return (begin(index, block), *(grow(index, delta) for delta in deltas), close(index))


def text(index: int, *pieces: bytes) -> tuple[bytes, ...]:
    deltas = (b'{"type":"text_delta","text":"%s"}' % piece for piece in pieces)
    return part(index, b'{"type":"text","text":""}', *deltas)


def tool_use(index: int, name: bytes, *pieces: bytes) -> tuple[bytes, ...]:
    block = b'{"type":"tool_use","id":"toolu_%d","name":"%s","input":{}}' % (index, name)
    spelt = (piece.replace(b'"', b'\\"') for piece in pieces)
    deltas = (b'{"type":"input_json_delta","partial_json":"%s"}' % piece for piece in spelt)
    return part(index, block, *deltas)


def stream(*events: bytes) -> bytes:
    return b"".join(map(event, events))


def message(*events: bytes, reason: bytes = b"end_turn") -> bytes:
    """A whole stream with these events between its start and its end."""
    return stream(START, *events, end(reason), STOP)


def whole(*blocks: bytes, reason: bytes = b"end_turn", more: bytes = b"") -> bytes:
    return (
        b'{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[%s],"stop_reason":"%s"%s}'
        % (b",".join(blocks), reason, more)
    )


def kinds(choice: Choice) -> list[tuple[str, str]]:
    return [(str(block.kind), block.type) for block in choice.blocks]


def built(found: Analysis) -> Any:
    return found.completion["content"]


TEXT = message(*text(0, b"Hel", b"lo", b"."))
THINKING = message(
    *part(
        0,
        b'{"type":"thinking","thinking":"","signature":""}',
        b'{"type":"thinking_delta","thinking":"Hm"}',
        b'{"type":"thinking_delta","thinking":"m."}',
        b'{"type":"signature_delta","signature":"EqQB"}',
    ),
    *text(1, b"Yes."),
)
REDACTED = message(*part(0, b'{"type":"redacted_thinking","data":"EmwK"}'), *text(1, b"Yes."))
CALL = message(*tool_use(0, b"book", b"", b'{"to":', b'"Basel"}'), reason=b"tool_use")
EMPTY_CALL = message(*tool_use(0, b"now"), reason=b"tool_use")
TWO_CALLS = message(
    *tool_use(0, b"book", b"", b'{"a":1}'), *tool_use(1, b"book", b'{"a":2}'), reason=b"tool_use"
)
LANES = message(*text(0, b"One"), *tool_use(1, b"f", b"{}"), *text(2, b"two"), reason=b"tool_use")
SEARCH = message(
    *part(
        0,
        b'{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}',
        b'{"type":"input_json_delta","partial_json":""}',
        b'{"type":"input_json_delta","partial_json":"{\\"query\\": \\"Basel\\"}"}',
    ),
    *part(
        1,
        b'{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://example.com","title":"Basel"}]}',
    ),
    *text(2, b"Found."),
)
CITED = message(
    *part(
        0,
        b'{"type":"text","text":"","citations":[]}',
        b'{"type":"citations_delta","citation":{"type":"page_location","cited_text":"Basel","document_index":0}}',
        b'{"type":"text_delta","text":"Basel."}',
        b'{"type":"citations_delta","citation":{"type":"page_location","cited_text":"Rhine","document_index":1}}',
    )
)
SPARSE = message(*text(0, b"a"), *text(7, b"b"))
PING_FIRST = stream(PING, START, PING, *text(0, b"Hi"), end(), STOP)
UNKNOWN_DELTA = message(
    begin(0, b'{"type":"text","text":""}'),
    grow(0, b'{"type":"mood_delta","mood":"calm"}'),
    grow(0, b'{"type":"text_delta","text":"Hi"}'),
    close(0),
)
UNKNOWN_EVENT = message(b'{"type":"weather_report","sky":"blue"}', *text(0, b"Hi"))
MID_ERROR = stream(
    START,
    *text(0, b"Hi")[:2],
    b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
)
CUT = stream(START, *text(0, b"Hello")[:2]) + b'data: {"type":"content_block_delta","ind'
TWO_ANSWERS = message(*text(0, b"One")) + message(*text(0, b"Two"))
STREAMS = {
    "text": TEXT,
    "thinking": THINKING,
    "redacted": REDACTED,
    "call": CALL,
    "call without a delta": EMPTY_CALL,
    "two calls": TWO_CALLS,
    "text, call, text": LANES,
    "search": SEARCH,
    "citations": CITED,
    "indexes with gaps": SPARSE,
    "ping first": PING_FIRST,
    "unknown delta": UNKNOWN_DELTA,
    "unknown event": UNKNOWN_EVENT,
    "error in the middle": MID_ERROR,
    "cut": CUT,
    "two answers": TWO_ANSWERS,
}


def test_text_is_joined_and_ends_in_the_message_of_a_whole_call() -> None:
    found = analysis(TEXT)
    assert (found.verdict, found.result, only_choice(found).content) == (
        Verdict.COMPLETE, Result.ANSWERED, "Hello.")  # fmt: skip
    assert found.completion == {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "Hello."}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 7},
    }
    assert codes(found) == set()


def test_thinking_is_reasoning_and_keeps_its_signature() -> None:
    found = analysis(THINKING)
    assert (only_choice(found).reasoning, only_choice(found).content) == ("Hmm.", "Yes.")
    assert built(found)[0] == {"type": "thinking", "thinking": "Hmm.", "signature": "EqQB"}


def test_redacted_thinking_is_reasoning_without_a_text() -> None:
    found = analysis(REDACTED)
    assert kinds(only_choice(found)) == [("reasoning", "redacted_thinking"), ("text", "text")]
    assert only_choice(found).blocks[0].value == {"type": "redacted_thinking", "data": "EmwK"}
    assert not only_choice(found).reasoning


def test_a_call_comes_in_pieces_of_which_the_first_is_empty() -> None:
    found = analysis(CALL)
    (call,) = only_choice(found).tool_calls
    assert (call.id, call.name, call.arguments_text) == ("toolu_0", "book", '{"to":"Basel"}')
    assert call.arguments_state is ArgumentsState.VALID
    assert built(found)[0]["input"] == {"to": "Basel"}
    assert (found.result, codes(found)) == (Result.CALLED, set())


def test_a_call_whose_beginning_was_lost_is_told_and_kept() -> None:
    lost = message(*tool_use(0, b"book", b'{"to":', b'"Basel"}')[1:], reason=b"tool_use")
    found = analysis(lost)
    assert "block.not-begun" in codes(found)
    (call,) = only_choice(found).tool_calls
    assert (call.name, call.arguments_text) == (UNSET, '{"to":"Basel"}')
    assert built(found) == [{"input": {"to": "Basel"}}]
    assert found.result is Result.UNUSABLE_CALL


@pytest.mark.parametrize(
    "delta",
    [
        b'{"type":"signature_delta","signature":"c2ln"}',
        b'{"type":"compaction_delta","content":"All so far."}',
        b'{"type":"citations_delta","citation":{"cited_text":"Basel"}}',
    ],
)
def test_any_piece_of_a_block_that_did_not_begin_is_told_once(delta: bytes) -> None:
    found = analysis(message(grow(0, delta), grow(0, delta), *text(1, b"Hi")))
    told = [each.message for each in found.findings if each.code == "block.not-begun"]
    assert told == ["A piece came for block 0, which never began."]


def test_pieces_beyond_the_limit_are_not_told_as_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.LIMITS, LimitedItem.CONTENT_PARTS, 1)
    found = analysis(message(*text(0, b"a"), *text(1, b"b"), *tool_use(2, b"f", b"{}")))
    assert "block.not-begun" not in codes(found)


def test_a_call_without_a_delta_has_no_arguments_and_is_whole() -> None:
    found = analysis(EMPTY_CALL)
    (call,) = only_choice(found).tool_calls
    assert (call.arguments_text, built(found)[0]["input"]) == ("{}", {})
    assert (found.result, codes(found)) == (Result.CALLED, set())


def test_two_calls_of_one_tool_are_two() -> None:
    calls = only_choice(analysis(TWO_CALLS)).tool_calls
    assert [(call.id, call.arguments_text) for call in calls] == [
        ("toolu_0", '{"a":1}'),
        ("toolu_1", '{"a":2}'),
    ]


def test_text_after_a_call_is_a_block_of_its_own() -> None:
    machine = reading(LANES)
    choice = only_choice(machine.analysis())
    assert kinds(choice) == [("text", "text"), ("tool-call", "tool_use"), ("text", "text")]
    assert choice.content == "Onetwo"
    assert [lane.kind for lane in machine.tape().lanes] == [
        LaneKind.CONTENT,
        LaneKind.TOOL_CALL,
        LaneKind.CONTENT,
    ]


def test_a_search_of_the_provider_is_no_call_of_the_client() -> None:
    found = analysis(SEARCH)
    assert kinds(only_choice(found)) == [
        ("hosted", "server_tool_use"),
        ("hosted", "web_search_tool_result"),
        ("text", "text"),
    ]
    assert only_choice(found).tool_calls == ()
    assert only_choice(found).blocks[0].value == {
        "type": "server_tool_use",
        "id": "srvtoolu_1",
        "name": "web_search",
        "input": {"query": "Basel"},
    }


def test_citations_belong_to_their_block() -> None:
    found = only_choice(analysis(CITED))
    assert [one["cited_text"] for one in found.blocks[0].citations] == ["Basel", "Rhine"]
    assert found.annotations is UNSET


def test_indexes_of_blocks_may_have_gaps() -> None:
    found = analysis(SPARSE)
    assert [block["text"] for block in built(found)] == ["a", "b"]
    assert codes(found) == set()


def test_a_ping_may_come_first() -> None:
    found = analysis(PING_FIRST)
    assert (found.dialect, only_choice(found).content, codes(found)) == ("anthropic", "Hi", set())


def test_a_null_in_the_last_usage_erases_no_count() -> None:
    usage = b'{"input_tokens":null,"output_tokens":7,"cache_read_input_tokens":null}'
    found = analysis(stream(START, *text(0, b"Hi"), end(usage=usage), STOP))
    assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (9, 7)


def test_a_delta_of_an_unknown_type_is_kept() -> None:
    found = analysis(UNKNOWN_DELTA)
    assert (only_choice(found).content, found.extras) == ("Hi", {"/mood": "calm"})


def test_pieces_of_an_unknown_type_are_told_once() -> None:
    glow = grow(0, b'{"type":"glow_delta","glow":1}')
    begins, *pieces, ends = text(0, b"Hi")
    found = analysis(message(begins, *pieces, glow, glow, ends))
    (told,) = found.findings
    assert (told.code, told.where.event) == ("block.piece-unknown", 3)
    assert told.message == "A piece is of an unknown type: glow_delta."


def test_a_null_in_place_of_a_piece_is_told_and_erases_nothing() -> None:
    null = grow(0, b'{"type":"input_json_delta","partial_json":null}')
    begins, *pieces, ends = tool_use(0, b"book", b'{"a":1}')
    found = analysis(message(begins, *pieces, null, null, ends, reason=b"tool_use"))
    assert only_choice(found).tool_calls[0].arguments_text == '{"a":1}'
    assert [each.message for each in found.findings] == [
        "partial_json is null, not a text: null (2 times, this is the first)."
    ]


def test_the_nulls_of_other_types_beside_a_piece_are_no_pieces() -> None:
    delta = b'{"type":"text_delta","text":"Hi","partial_json":null,"thinking":null}'
    begins, _, ends = text(0, b"")
    found = analysis(message(begins, grow(0, delta), ends))
    assert (only_choice(found).content, codes(found)) == ("Hi", set())


def test_an_event_of_an_unknown_type_is_kept() -> None:
    found = analysis(UNKNOWN_EVENT)
    assert (only_choice(found).content, found.extras) == ("Hi", {"/sky": "blue"})


def test_an_error_in_the_middle_is_the_providers_with_its_message() -> None:
    found = analysis(MID_ERROR)
    assert (found.verdict, found.result) == (Verdict.PROVIDER_ERROR, Result.ERROR)
    assert found.verdict_reason.endswith(": Overloaded")
    assert only_choice(found).content == "Hi"


def test_an_error_in_place_of_an_answer_is_the_providers() -> None:
    found = analysis(
        b'{"type":"error","error":{"type":"invalid_request_error","message":"no"},"request_id":"r"}'
    )
    assert (found.dialect, found.verdict) == ("provider-error", Verdict.PROVIDER_ERROR)
    assert found.verdict_reason == "The provider sent an error: no"


def test_a_stream_cut_inside_a_block_keeps_what_came() -> None:
    found = analysis(CUT)
    assert (found.verdict, found.result) == (Verdict.CUT_OFF, Result.TRUNCATED)
    assert only_choice(found).content == "Hello"
    assert built(found) == [{"type": "text", "text": "Hello"}]


def test_a_stream_without_its_last_event_lacks_its_end_mark() -> None:
    found = analysis(stream(START, *text(0, b"Hi"), end()))
    assert (found.verdict, found.result) == (Verdict.MISSING_TERMINATOR, Result.ANSWERED)


def test_a_message_that_ends_without_a_reason_is_not_cut_off() -> None:
    found = analysis(stream(START, *text(0, b"Hi"), STOP))
    assert (found.verdict, found.result) == (Verdict.MISSING_FINISH, Result.ANSWERED)


def test_two_answers_in_one_body_are_two_choices() -> None:
    found = analysis(TWO_ANSWERS)
    assert [choice.content for choice in found.choices] == ["One", "Two"]
    assert "block.several-answers" in codes(found)


def test_counts_of_two_answers_are_not_mixed() -> None:
    begin_ = b'{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":%s}}'
    done = (
        b'{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":%d}}'
    )
    first = stream(
        begin_ % b'{"input_tokens":9,"cache_read_input_tokens":4,"output_tokens":1}',
        *text(0, b"One"),
        done % 7,
        STOP,
    )
    second = stream(
        begin_ % b'{"input_tokens":2,"output_tokens":1}', *text(0, b"Two"), done % 3, STOP
    )
    found = analysis(first + second)
    usage = found.usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens) == (2, 3, UNSET)
    counts = {"input_tokens": 9, "cache_read_input_tokens": 4, "output_tokens": 7}
    assert [choice.extras for choice in found.choices] == [{"/usage": counts}, {}]
    assert codes(found) == {"block.several-answers"}


def test_an_answer_without_counts_behind_another_leaves_the_first_ones() -> None:
    bare = b'{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[]}}'
    ended = b'{"type":"message_delta","delta":{"stop_reason":"end_turn"}}'
    found = analysis(message(*text(0, b"One")) + stream(bare, *text(0, b"Two"), ended, STOP))
    assert found.usage == analysis(message(*text(0, b"One"))).usage


@pytest.mark.parametrize(
    ("reason", "result"),
    [
        (b"end_turn", Result.ANSWERED),
        (b"stop_sequence", Result.ANSWERED),
        (b"max_tokens", Result.TRUNCATED),
        (b"model_context_window_exceeded", Result.TRUNCATED),
        (b"pause_turn", Result.TO_BE_CONTINUED),
        (b"refusal", Result.REFUSED),
    ],
)
def test_the_stop_reason_decides_the_result(reason: bytes, result: Result) -> None:
    for body in (message(*text(0, b"Hi"), reason=reason), whole(b'{"type":"text","text":"Hi"}', reason=reason)):  # fmt: skip
        found = analysis(body)
        assert (found.verdict, found.result) == (Verdict.COMPLETE, result)
        assert only_choice(found).finish_reason == reason.decode()


def test_what_is_said_about_a_refusal_is_its_reason() -> None:
    details = b',"stop_details":{"type":"refusal","category":"cyber","explanation":"Not this one."}'
    found = analysis(whole(reason=b"refusal", more=details))
    said = "The answer was refused before any text (finish reason refusal): “Not this one.”"
    assert (found.result, found.result_reason) == (Result.REFUSED, said)
    assert found.extras == {}


def test_a_container_is_a_field_of_the_message() -> None:
    delta = b'{"type":"message_delta","delta":{"stop_reason":"end_turn","container":{"id":"c"}},"usage":{"output_tokens":1}}'
    found = analysis(stream(START, *text(0, b"Hi"), delta, STOP))
    assert (found.completion["container"], found.extras) == ({"id": "c"}, {})


def test_the_text_completion_before_messages_is_read_whole_and_in_events() -> None:
    answer = b'{"type":"completion","id":"c","completion":"%s","stop_reason":%s,"model":"m","stop":null,"log_id":"c"}'
    found = analysis(answer % (b" Hi.", b'"stop_sequence"'))
    assert (only_choice(found).content, only_choice(found).finish_reason) == (
        " Hi.",
        "stop_sequence",
    )
    assert (found.verdict, found.extras) == (Verdict.COMPLETE, {})
    events = stream(answer % (b" Hi", b"null"), PING, answer % (b".", b'"stop_sequence"'))
    found = analysis(events)
    assert (only_choice(found).content, found.verdict) == (" Hi.", Verdict.COMPLETE)
    assert codes(found) == set()


# -- batches --------------------------------------------------------------------------------------


def batch_line(result: bytes, custom_id: bytes = b"order-7") -> bytes:
    return b'{"custom_id":"%s","result":%s}\n' % (custom_id, result)


def succeeded(body: bytes) -> bytes:
    return b'{"type":"succeeded","message":%s}' % body


BATCHED = (
    b'{"type":"thinking","thinking":"Where?","signature":"c2ln"}',
    b'{"type":"text","text":"Basel."}',
    b'{"type":"tool_use","id":"toolu_1","name":"book","input":{"to": "Basel"}}',
)
FAILED = b'{"type":"errored","error":{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: too large"},"request_id":"req_1"}}'


def test_a_line_of_a_batch_is_the_message_that_it_holds() -> None:
    sent = whole(
        *BATCHED, reason=b"tool_use", more=b',"usage":{"input_tokens":9,"output_tokens":7}'
    )
    line = batch_line(succeeded(sent))
    found, alone = analysis(line), analysis(sent)
    assert (found.dialect, found.verdict, found.result) == (
        "anthropic", Verdict.COMPLETE, Result.CALLED)  # fmt: skip
    assert (codes(found), found.extras, found.identity) == (set(), {}, alone.identity)
    assert kinds(only_choice(found)) == kinds(only_choice(alone))
    assert only_choice(found).tool_calls[0].arguments_text == '{"to": "Basel"}'
    assert found.completion == json.loads(line)
    usage = found.usage
    assert (usage.pointer, usage.prompt_tokens) == ("/result/message/usage", 9)
    (first, *_) = only_choice(found).blocks
    assert first.places[0].pointer == "/result/message/content/0"
    assert_every_character_has_bytes(Exchange.of_body(line))


def test_a_finding_about_a_message_in_a_line_points_into_it() -> None:
    sent = whole(b'{"type":"text","text":"Hi"}').replace(b'"end_turn"', b"99")
    (finding,) = analysis(batch_line(succeeded(sent))).findings
    assert finding.where.pointer == "/result/message/stop_reason"


@pytest.mark.parametrize(
    ("result", "said", "pointer"),
    [
        (FAILED, "max_tokens: too large", "/result/error/error"),
        (b'{"type":"expired"}', "expired", "/result/type"),
        (b'{"type":"canceled"}', "canceled", "/result/type"),
    ],
)
def test_a_line_without_an_answer_says_why(result: bytes, said: str, pointer: str) -> None:
    found = analysis(batch_line(result))
    assert (found.dialect, found.verdict, found.result) == (
        "anthropic", Verdict.PROVIDER_ERROR, Result.ERROR)  # fmt: skip
    assert (found.verdict_reason, found.choices) == (f"The provider sent an error: {said}", ())
    (finding,) = found.findings
    assert (finding.code, finding.where.pointer) == ("envelope.provider-error", pointer)


@pytest.mark.parametrize("second", [succeeded(whole(*BATCHED)), FAILED, b'{"type":"expired"}'])
def test_answers_of_a_batch_are_not_put_together(second: bytes) -> None:
    lines = batch_line(succeeded(whole(*BATCHED))) + batch_line(second, b"order-8")
    found = analysis(lines)
    assert (found.dialect, found.verdict, found.choices) == ("anthropic", Verdict.UNREADABLE, ())
    assert found.verdict_reason == "The body has several answers, one a line; none was chosen."
    assert [part.title for part in pasted_responses(lines)] == ["an answer", "an answer"]
    assert_cuttings_agree(lines)


def test_a_line_among_text_is_read() -> None:
    found = analysis(b"One result:\n\n" + batch_line(succeeded(whole(*BATCHED))))
    assert (found.dialect, only_choice(found).content) == ("anthropic", "Basel.")


def test_a_result_of_something_else_is_no_line_of_a_batch() -> None:
    for body in (b'{"custom_id":"a","result":{"type":"parcel"}}', b'{"result":{"type":"expired"}}'):
        assert analysis(body).dialect is None


# -- whole and streamed ---------------------------------------------------------------------------


def test_a_message_whose_content_is_a_text_says_that_text() -> None:
    found = analysis(whole().replace(b"[]", b'"Hello."'))
    assert only_choice(found).content == "Hello."
    assert codes(found) == {"message.field-malformed"}


def test_a_whole_message_has_the_blocks_of_its_stream() -> None:
    for body in (THINKING, REDACTED, CALL, TWO_CALLS, LANES, SEARCH, CITED):
        streamed = analysis(body)
        again = analysis(json.dumps(streamed.completion).encode())
        assert kinds(only_choice(again)) == kinds(only_choice(streamed))
        assert only_choice(again).content == only_choice(streamed).content
        assert [call.name for call in only_choice(again).tool_calls] == [
            call.name for call in only_choice(streamed).tool_calls
        ]
        assert built(again) == built(streamed)


def test_a_finding_about_a_block_leads_to_it() -> None:
    found = analysis(message(*tool_use(0, b"f", b'{"a":'), reason=b"tool_use"))
    (finding,) = (one for one in found.findings if one.code == "tool.arguments-truncated")
    assert finding.where.pointer == "/content/0/input"


def test_the_count_of_the_start_is_no_count_of_the_answer() -> None:
    body = b"".join(map(event, (START, *text(0, b"Ebb ", b"tide"))))
    usage = analysis(body).usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (9, UNSET)
    assert usage.extras == {"/output_tokens": 1}
    ended = analysis(body + event(end()) + event(STOP)).usage
    assert (ended.completion_tokens, ended.extras) == (7, {})


def test_a_count_that_never_became_final_is_said_to_be_preliminary() -> None:
    body = b"".join(map(event, (START, *text(0, b"Ebb "), end(usage=b"{}"), STOP)))
    messages = [each.message for each in analysis(body).findings]
    assert messages == [
        "The output_tokens of 1 is preliminary: it was stated before the answer began; "
        "no final count came."
    ]


@pytest.mark.parametrize(
    "delta",
    [
        b'{"type":"thinking_delta","thinking":"late"}',
        b'{"type":"signature_delta","signature":"late"}',
    ],
)
def test_every_piece_after_the_end_of_its_block_is_told(delta: bytes) -> None:
    thought = part(0, b'{"type":"thinking","thinking":""}', b'{"thinking":"Hm"}')
    body = b"".join(map(event, (START, *thought, grow(0, delta), end(), STOP)))
    assert codes(analysis(body)) == {"block.after-stop", "choice.says-nothing"}


def thinking_delta(text: bytes) -> bytes:
    return b'{"type":"thinking_delta","thinking":"%s"}' % text


def text_delta(text: bytes) -> bytes:
    return b'{"type":"text_delta","text":"%s"}' % text


@pytest.mark.parametrize(
    "pieces", [(b"Ebb", b" tide"), (b"Ebb tide",), (b"Eb", b"b", b" tide")], ids=str
)
@pytest.mark.parametrize("start", [b"Ebb", b"Ebb tide"])
def test_a_start_said_again_by_pieces_is_said_once(start: bytes, pieces: tuple[bytes, ...]) -> None:
    said = part(0, b'{"type":"text","text":"%s"}' % start, *map(text_delta, pieces))
    thought = part(1, b'{"type":"thinking","thinking":"%s"}' % start, *map(thinking_delta, pieces))
    body = b"".join(map(event, (START, *said, *thought, end(), STOP)))
    (one,) = analysis(body).choices
    assert (one.content, one.reasoning) == ("Ebb tide", "Ebb tide")
    assert codes(analysis(body)) == {"block.start-repeated"}
    assert_cuttings_agree(body)


@pytest.mark.parametrize(
    ("start", "piece", "text"), [(b"Ebb", b" tide", "Ebb tide"), (b"1", b"10", "110")]
)
def test_a_text_that_a_block_begins_with_goes_on(start: bytes, piece: bytes, text: str) -> None:
    said = part(0, b'{"type":"text","text":"%s"}' % start, text_delta(piece))
    found = analysis(b"".join(map(event, (START, *said, end(), STOP))))
    assert (found.choices[0].content, codes(found)) == (text, set())


@pytest.mark.parametrize(
    ("pieces", "arguments"),
    [
        ((b'{\\"port\\":', b'\\"Ayr\\"}'), '{"port":"Ayr"}'),
        ((), '{"port": "Ayr"}'),
        ((b'{\\"port\\":\\"Oban\\"}',), '{"port":"Oban"}'),
    ],
    ids=["the same", "none", "others"],
)
def test_an_input_that_begins_yields_to_pieces(pieces: tuple[bytes, ...], arguments: str) -> None:
    begun = b'{"type":"tool_use","id":"t","name":"tide","input":{"port": "Ayr"}}'
    deltas = (b'{"type":"input_json_delta","partial_json":"%s"}' % piece for piece in pieces)
    body = b"".join(map(event, (START, *part(0, begun, *deltas), end(b"tool_use"), STOP)))
    found = analysis(body)
    (call,) = found.choices[0].tool_calls
    assert (call.arguments_text, call.arguments_state) == (arguments, ArgumentsState.VALID)
    assert codes(found) == ({"block.start-repeated"} if pieces else set())
    assert found.completion["content"][0]["input"] == json.loads(arguments)


def test_texts_whose_pieces_repeat_them_are_said_once() -> None:
    grown = (b"Ebb", b"Ebb and", b"Ebb and flow")
    thought = part(0, b'{"type":"thinking","thinking":""}', *map(thinking_delta, grown))
    body = b"".join(map(event, (START, *thought, *text(1, *grown), end(), STOP)))
    found = analysis(body)
    assert (found.choices[0].reasoning, found.choices[0].content) == ("Ebb and flow",) * 2
    assert [block["text"] for block in found.completion["content"][1:]] == ["Ebb and flow"]
    assert codes(found) == {"message.said-again"}


def test_a_message_behind_its_events_is_the_same_message() -> None:
    whole = (
        b'{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text",'
        b'"text":"Ebb tide"}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":7}}'
    )
    body = b"".join(map(event, (START, *text(0, b"Ebb", b" tide"), end(), STOP, whole)))
    found = analysis(body)
    assert [block.text for block in found.choices[0].blocks] == ["Ebb tide"]
    assert found.verdict is Verdict.COMPLETE


@pytest.mark.parametrize("pings", [1, 3])
def test_pings_behind_the_stop_reason_are_no_chunks_of_the_answer(pings: int) -> None:
    answer = stream(START, PING, *text(0, b"Hi"), end())
    reads = [Read(0, answer), *(Read(n * 5_000_000, event(PING)) for n in range(1, pings + 1))]
    found = analysis(b"", reads=tuple(reads))
    assert found.timeline.counts.chunks == analysis(answer).timeline.counts.chunks
    assert found.timeline.end_silence_us == pings * 5_000_000
    assert "without message_stop" in found.verdict_reason
