"""Cohere's chat of version 2: whole and in events."""

import msgspec
import pytest

from inspector.core.analysis import Verdict, analysis_to_json
from inspector.core.completion import ArgumentsState, Result
from inspector.core.wire.exchange import Request
from tests.core.bodies import analysis, analysis_from_json, codes
from tests.core.formats.recordings import (
    assert_cuttings_agree,
    only_choice,
    sse,
    texts,
)

START = b'{"id":"7c31","type":"message-start","delta":{"message":{"role":"assistant","content":[],"tool_plan":"","tool_calls":[],"citations":[]}}}'
TEXT = (
    b'{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"text","text":""}}}}'
)
TEXT_END = b'{"type":"content-end","index":0}'
USAGE = b'"usage":{"billed_units":{"input_tokens":9,"output_tokens":4},"tokens":{"input_tokens":71,"output_tokens":6},"cached_tokens":48}'
END = b'{"type":"message-end","delta":{"finish_reason":"COMPLETE",%s}}' % USAGE


def piece(text: bytes, index: int = 0) -> bytes:
    return b'{"type":"content-delta","index":%d,"delta":{"message":{"content":{"text":"%s"}}}}' % (
        index,
        text,
    )


def thought(text: bytes) -> bytes:
    return (
        b'{"type":"content-delta","index":0,"delta":{"message":{"content":{"thinking":"%s"}}}}'
        % text
    )


def planned(text: bytes) -> bytes:
    return b'{"type":"tool-plan-delta","delta":{"message":{"tool_plan":"%s"}}}' % text


def called(index: int, id_: bytes, name: bytes) -> bytes:
    return (
        b'{"type":"tool-call-start","index":%d,"delta":{"message":{"tool_calls":'
        b'{"id":"%s","type":"function","function":{"name":"%s","arguments":""}}}}}'
        % (index, id_, name)
    )


def arguments(index: int, text: bytes) -> bytes:
    return (
        b'{"type":"tool-call-delta","index":%d,"delta":{"message":{"tool_calls":'
        b'{"function":{"arguments":"%s"}}}}}' % (index, text)
    )


def call_end(index: int) -> bytes:
    return b'{"type":"tool-call-end","index":%d}' % index


CITED = (
    b'{"type":"citation-start","index":0,"delta":{"message":{"citations":{"start":0,"end":5,'
    b'"text":"Basel","sources":[{"type":"document","id":"doc:0"}],"type":"TEXT_CONTENT"}}}}'
)
STREAM = sse(START, TEXT, piece(b"Basel"), piece(b" is"), piece(b" dry."), CITED, b'{"type":"citation-end","index":0}', TEXT_END, END)  # fmt: skip
CALLS = sse(
    START,
    planned(b"I will ask"),
    planned(b" twice."),
    called(0, b"w1", b"weather"),
    arguments(0, rb"{\"town\":"),
    arguments(0, rb"\"Basel\"}"),
    call_end(0),
    called(1, b"w2", b"weather"),
    arguments(1, rb"{\"town\":\"Chur\"}"),
    call_end(1),
    b'{"type":"message-end","delta":{"finish_reason":"TOOL_CALL"}}',
)
THINKING = sse(
    START,
    b'{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"thinking","thinking":""}}}}',
    thought(b"Rain"),
    thought(rb" \u2014 no."),
    TEXT_END,
    b'{"type":"content-start","index":1,"delta":{"message":{"content":{"type":"text","text":""}}}}',
    piece("Trocken. \N{SUN BEHIND CLOUD}".encode(), 1),
    b'{"type":"content-end","index":1}',
    END,
)
WHOLE = (
    b'{"id":"7c31","finish_reason":"COMPLETE","message":{"role":"assistant",'
    b'"content":[{"type":"thinking","thinking":"Rain?"},{"type":"text","text":"Basel is dry."}],'
    b'"citations":[{"start":0,"end":5,"text":"Basel","sources":[]}]},%s}' % USAGE
)
WHOLE_CALL = (
    b'{"id":"7c31","finish_reason":"TOOL_CALL","message":{"role":"assistant","tool_plan":"I will ask.",'
    b'"tool_calls":[{"id":"w1","type":"function","function":{"name":"weather","arguments":"{\\"town\\":\\"Basel\\"}"}}]}}'
)
RECORDINGS = [STREAM, CALLS, THINKING, WHOLE, WHOLE_CALL]


@pytest.mark.parametrize("body", RECORDINGS)
def test_every_recording_is_read_by_its_format_without_a_finding(body: bytes) -> None:
    result = analysis(body)
    assert (result.dialect, result.vendor, result.object) == ("cohere", "cohere", "cohere.response")
    assert (result.verdict, codes(result), result.extras) == (Verdict.COMPLETE, set(), {})


def test_a_stream_builds_the_answer_that_a_whole_call_returns() -> None:
    assert analysis(STREAM).completion == {
        "id": "7c31",
        "message": {
            "role": "assistant",
            "content": [{"type": "text", "text": "Basel is dry."}],
            "tool_plan": "",
            "tool_calls": [],
            "citations": [
                {
                    "start": 0,
                    "end": 5,
                    "text": "Basel",
                    "sources": [{"type": "document", "id": "doc:0"}],
                    "type": "TEXT_CONTENT",
                }
            ],
        },
        "finish_reason": "COMPLETE",
        "usage": {
            "billed_units": {"input_tokens": 9, "output_tokens": 4},
            "tokens": {"input_tokens": 71, "output_tokens": 6},
            "cached_tokens": 48,
        },
    }


@pytest.mark.parametrize("body", RECORDINGS[:3])
def test_the_answer_of_a_stream_reads_like_the_stream(body: bytes) -> None:
    streamed = analysis(body)
    whole = analysis(msgspec.json.encode(streamed.completion))
    assert sorted(texts(whole), key=str) == sorted(texts(streamed), key=str)
    assert only_choice(whole).finish_reason == only_choice(streamed).finish_reason
    assert whole.result is streamed.result


def test_thinking_and_text_are_blocks() -> None:
    assert texts(analysis(THINKING)) == [
        ("reasoning", "Rain \N{EM DASH} no."),
        ("text", "Trocken. \N{SUN BEHIND CLOUD}"),
    ]
    assert texts(analysis(WHOLE)) == [("reasoning", "Rain?"), ("text", "Basel is dry.")]


def test_the_plan_before_calls_is_reasoning() -> None:
    for body in (CALLS, WHOLE_CALL):
        assert texts(analysis(body))[0] == (
            "reasoning",
            "I will ask twice." if body is CALLS else "I will ask.",
        )


def test_a_plan_does_not_go_on_with_thinking_before_it() -> None:
    body = THINKING.replace(
        b'data: {"type":"content-start","index":1', sse(planned(b"Ask.")) + b'data: {"type":"content-start","index":1'
    )  # fmt: skip
    assert [text for _, text in texts(analysis(body))][:2] == ["Rain \N{EM DASH} no.", "Ask."]


def test_calls_are_counted_apart_from_texts() -> None:
    result = analysis(CALLS)
    calls = only_choice(result).tool_calls
    assert [(call.id, call.name, call.arguments_text) for call in calls] == [
        ("w1", "weather", '{"town":"Basel"}'),
        ("w2", "weather", '{"town":"Chur"}'),
    ]
    assert {call.arguments_state for call in calls} == {ArgumentsState.VALID}
    assert result.result is Result.CALLED
    assert only_choice(analysis(WHOLE_CALL)).tool_calls[0].id == "w1"


def test_a_call_without_a_type_is_a_call() -> None:
    body = CALLS.replace(b'"type":"function",', b"")
    assert [call.name for call in only_choice(analysis(body)).tool_calls] == ["weather", "weather"]


def cited(body: bytes) -> list[tuple[object, list[object]]]:
    """Type of each block, and the quotes of its sources."""
    blocks = only_choice(analysis(body)).blocks
    return [(block.type, [each["text"] for each in block.citations]) for block in blocks]


def test_a_source_that_names_no_part_is_about_the_first_text() -> None:
    assert cited(STREAM) == [("text", ["Basel"])]
    assert cited(WHOLE) == [("thinking", []), ("text", ["Basel"])]


def test_a_source_is_about_the_part_that_it_names() -> None:
    sources = (
        b'[{"text":"Ra","content_index":0,"type":"THINKING_CONTENT"},'
        b'{"text":"ask","type":"PLAN"},{"text":"dry","content_index":1,"type":"TEXT_CONTENT"}]'
    )
    start, end = WHOLE.index(b'[{"start"'), WHOLE.index(b'},"usage"')
    body = WHOLE[:start] + sources + b',"tool_plan":"I will ask."' + WHOLE[end:]
    assert cited(body) == [("thinking", ["Ra"]), ("tool_plan", ["ask"]), ("text", ["dry"])]


@pytest.mark.parametrize("source", [b"7", b'{"content_index":[],"type":{}}', b'{"type":"PLAN"}'])
def test_a_source_of_another_shape_is_kept(source: bytes) -> None:
    body = WHOLE.replace(b'{"start":0,"end":5,"text":"Basel","sources":[]}', source)
    (_, text) = only_choice(analysis(body)).blocks
    assert len(text.citations) == 1


def test_tokens_are_those_read_and_not_those_billed() -> None:
    for body in (STREAM, WHOLE):
        usage = analysis(body).usage
        assert (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens) == (71, 6, 48)
        assert usage.extras == {"/billed_units": {"input_tokens": 9, "output_tokens": 4}}


def test_log_probabilities_stand_beside_each_piece() -> None:
    said = (
        piece(b"Basel")[:-1] + b',"logprobs":{"token_ids":[5],"text":"Basel","logprobs":[-0.25]}}'
    )
    split = piece(b"!")[:-1] + b',"logprobs":{"token_ids":[6,7],"text":"!","logprobs":[-1.5,-0.5]}}'
    result = analysis(sse(START, TEXT, said, split, TEXT_END, END))
    assert only_choice(result).logprobs == {
        "content": [
            {"token": "Basel", "logprob": -0.25},
            {"token": "!", "logprob": -1.5},
            {"token": "", "logprob": -0.5},
        ]
    }
    whole = (
        WHOLE[:-1] + b',"logprobs":[{"token_ids":[5],"text":"Basel is dry.","logprobs":[-0.25]}]}'
    )
    assert only_choice(analysis(whole)).logprobs == {
        "content": [{"token": "Basel is dry.", "logprob": -0.25}]
    }
    assert codes(result) | codes(analysis(whole)) == set()


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        (b"COMPLETE", Result.ANSWERED),
        (b"STOP_SEQUENCE", Result.ANSWERED),
        (b"MAX_TOKENS", Result.TRUNCATED),
        (b"ERROR", Result.ERROR),
        (b"TIMEOUT", Result.ERROR),
    ],
)
def test_finish_reasons_decide_the_result(reason: bytes, expected: Result) -> None:
    result = analysis(STREAM.replace(b"COMPLETE", reason))
    assert (only_choice(result).finish_reason, result.result) == (reason.decode(), expected)


def test_an_error_at_the_end_is_the_providers() -> None:
    ended = b'{"type":"message-end","delta":{"finish_reason":"ERROR","error":"no room left"}}'
    result = analysis(sse(START, TEXT, piece(b"Ba"), ended))
    assert result.verdict is Verdict.PROVIDER_ERROR
    assert "no room left" in result.verdict_reason
    assert texts(result) == [("text", "Ba")]


def test_an_event_named_error_leaves_the_message_as_it_is() -> None:
    body = sse(START, TEXT, piece(b"Ba")) + b'event: error\ndata: {"message":"too slow"}\n\n'
    result = analysis(body)
    assert result.verdict is Verdict.PROVIDER_ERROR and "too slow" in result.verdict_reason
    assert isinstance(result.completion, dict) and result.completion["message"]["role"]


def test_an_error_in_place_of_the_answer_is_a_message_alone() -> None:
    result = analysis(b'{"id":"1f","message":"invalid api token"}', status_code=401)
    assert (result.dialect, result.verdict) == ("provider-error", Verdict.PROVIDER_ERROR)
    assert "invalid api token" in result.verdict_reason


def test_a_message_alone_that_is_no_text_is_no_error() -> None:
    result = analysis(b'{"message":{"role":"assistant","content":"Hi"}}')
    assert result.verdict is Verdict.NOT_A_RESPONSE


def test_a_stream_without_its_last_event_is_cut() -> None:
    result = analysis(STREAM.partition(b'data: {"type":"message-end"')[0])
    assert (result.verdict, result.result) == (Verdict.CUT_OFF, Result.TRUNCATED)
    assert texts(result) == [("text", "Basel is dry.")]


def test_the_name_of_an_event_is_its_type_where_its_data_has_none() -> None:
    body = (
        b'event: message-start\ndata: {"id":"7c31"}\n\n'
        b'event: content-delta\ndata: {"index":0,"delta":{"message":{"content":{"text":"Hi"}}}}\n\n'
        b'event: content-delta\ndata: {"index":0,"delta":{"message":{"content":{"text":"!"}}}}\n\n'
        b'event: tool-plan-delta\ndata: {"index":0,"delta":{"message":{"content":{"text":"?"}}}}\n\n'
        b'event: message-end\ndata: {"delta":{"finish_reason":"COMPLETE"}}\n\n'
    )
    result = analysis(body)
    assert (result.dialect, result.verdict) == ("cohere", Verdict.COMPLETE)
    assert texts(result) == [("text", "Hi!")]
    assert_cuttings_agree(body)


def test_a_text_that_was_not_begun_is_read_and_told() -> None:
    result = analysis(sse(START, piece(b"Basel"), TEXT_END, END))
    assert texts(result) == [("text", "Basel")]


def test_unknown_fields_are_kept() -> None:
    body = STREAM.replace(b'"usage"', b'"warmth":3,"usage"').replace(
        b'"content":{"text":" is"}', b'"content":{"text":" is","tone":"calm"}'
    )
    result = analysis(body)
    assert result.extras == {"/warmth": 3, "/tone": "calm"}
    whole = analysis(WHOLE[:-1] + b',"warmth":3}')
    assert whole.extras == {"/warmth": 3}


def test_the_compatible_route_is_cohere_by_its_host_alone() -> None:
    body = b'{"id":"1","object":"chat.completion","created":1795183339,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}'
    request = Request(url="https://api.cohere.ai/compatibility/v1/chat/completions")
    result = analysis(body, request=request)
    assert (result.dialect, result.vendor) == ("openai-chat", "cohere")
    assert analysis(body).vendor is None


def test_a_call_whose_beginning_was_lost_is_told_and_kept() -> None:
    lost = sse(START, arguments(0, b'{\\"a\\":1}'), b'{"type":"tool-call-end","index":0}', END)
    found = analysis(lost)
    assert "block.not-begun" in codes(found)
    (call,) = only_choice(found).tool_calls
    assert call.arguments_text == '{"a":1}'


def test_log_probabilities_without_their_text_stay_without() -> None:
    body = WHOLE[:-1] + b',"logprobs":[{"token_ids":[1],"logprobs":[-0.1]}]}'
    result = analysis(body)
    assert only_choice(result).logprobs == {"content": [{"logprob": -0.1}]}
    assert analysis_from_json(analysis_to_json(result)) == result
