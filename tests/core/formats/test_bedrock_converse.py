"""Bedrock's Converse: whole, and as a stream of binary frames."""

from base64 import b64encode

import msgspec
import pytest

from inspector.core.analysis import Verdict
from inspector.core.completion import BlockKind, Result
from inspector.core.json import Json
from inspector.core.provenance import Origins
from tests.core.bodies import analysis, codes, exchange, reading
from tests.core.formats.recordings import (
    assert_cuttings_agree,
    assert_every_character_has_bytes,
    only_choice,
    texts,
)
from tests.core.frames import exception, frame, frame_of, header

FRAMES = "application/vnd.amazon.eventstream"


def delta(said: bytes, index: int = 0) -> bytes:
    payload = b'{"contentBlockIndex":%d,"delta":{%s},"p":"abcdefgh"}' % (index, said)
    return frame("contentBlockDelta", payload)


def stop(index: int = 0) -> bytes:
    return frame("contentBlockStop", b'{"contentBlockIndex":%d,"p":"ab"}' % index)


def ended(reason: bytes = b"end_turn") -> bytes:
    return frame("messageStop", b'{"p":"abcd","stopReason":"%s"}' % reason)


def called(index: int, id_: bytes) -> bytes:
    return frame(
        "contentBlockStart",
        b'{"contentBlockIndex":%d,"p":"a","start":{"toolUse":{"name":"weather","toolUseId":"%s"}}}'
        % (index, id_),
    )


START = frame("messageStart", b'{"p":"abc","role":"assistant"}')
METADATA = frame(
    "metadata",
    b'{"metrics":{"latencyMs":812},"p":"abc","usage":{"cacheReadInputTokens":40,"inputTokens":9,"outputTokens":5,"totalTokens":54}}',
)
STREAM = START + delta(b'"text":"Basel"') + delta(b'"text":" is"') + delta(b'"text":" dry."') + stop() + ended() + METADATA  # fmt: skip
CALLS = (
    START
    + delta(b'"text":"I will ask."')
    + stop()
    + called(1, b"tooluse_1")
    + delta(b'"toolUse":{"input":""}', 1)
    + delta(rb'"toolUse":{"input":"{\"town\":"}', 1)
    + delta(rb'"toolUse":{"input":"\"Chur\"}"}', 1)
    + stop(1)
    + called(2, b"tooluse_2")
    + delta(b'"toolUse":{"input":"{}"}', 2)
    + stop(2)
    + ended(b"tool_use")
    + METADATA
)
THINKING = (
    START
    + delta(b'"reasoningContent":{"text":"Rain"}')
    + delta(rb'"reasoningContent":{"text":" \u2014 no."}')
    + delta(b'"reasoningContent":{"signature":"c2ln"}')
    + stop()
    + delta('"text":"Trocken. \N{SUN BEHIND CLOUD}"'.encode(), 1)
    + stop(1)
    + ended()
    + METADATA
)
USAGE = b'"usage":{"inputTokens":9,"outputTokens":5,"totalTokens":54,"cacheReadInputTokens":40}'


def whole(*parts: bytes, reason: bytes = b"end_turn") -> bytes:
    return (
        b'{"metrics":{"latencyMs":812},"output":{"message":{"content":[%s],"role":"assistant"}},"stopReason":"%s",%s}'
        % (b",".join(parts), reason, USAGE)
    )


WHOLE = whole(
    b'{"reasoningContent":{"reasoningText":{"text":"Rain?","signature":"c2ln"}}}',
    b'{"text":"Basel is dry."}',
)
WHOLE_CALL = whole(
    b'{"text":"I will ask."}',
    b'{"toolUse":{"toolUseId":"tooluse_1","name":"weather","input":{"town": "Chur"}}}',
    reason=b"tool_use",
)
STREAMS = [STREAM, CALLS, THINKING]
RECORDINGS = [*STREAMS, WHOLE, WHOLE_CALL]


@pytest.mark.parametrize("body", RECORDINGS)
def test_every_recording_is_read_by_its_format_without_a_finding(body: bytes) -> None:
    result = analysis(body)
    assert (result.dialect, result.vendor) == ("bedrock-converse", "bedrock")
    assert (result.verdict, codes(result), result.extras) == (Verdict.COMPLETE, set(), {})
    assert result.streamed is (body in STREAMS)


def test_a_stream_builds_the_answer_that_a_whole_call_returns() -> None:
    assert analysis(CALLS).completion == {
        "output": {
            "message": {
                "role": "assistant",
                "content": [
                    {"text": "I will ask."},
                    {
                        "toolUse": {
                            "name": "weather",
                            "toolUseId": "tooluse_1",
                            "input": {"town": "Chur"},
                        }
                    },
                    {"toolUse": {"name": "weather", "toolUseId": "tooluse_2", "input": {}}},
                ],
            }
        },
        "stopReason": "tool_use",
        "metrics": {"latencyMs": 812},
        "usage": {
            "cacheReadInputTokens": 40,
            "inputTokens": 9,
            "outputTokens": 5,
            "totalTokens": 54,
        },
    }


@pytest.mark.parametrize("body", STREAMS)
def test_the_answer_of_a_stream_reads_like_the_stream(body: bytes) -> None:
    streamed = analysis(body)
    again = analysis(msgspec.json.encode(streamed.completion))
    assert texts(again) == texts(streamed)
    assert [block.type for block in only_choice(again).blocks] == [
        block.type for block in only_choice(streamed).blocks
    ]
    assert only_choice(again).finish_reason == only_choice(streamed).finish_reason


def test_a_text_begins_its_block_itself() -> None:
    assert texts(analysis(STREAM)) == [("text", "Basel is dry.")]
    assert texts(analysis(WHOLE)) == [("reasoning", "Rain?"), ("text", "Basel is dry.")]


def test_an_empty_beginning_leaves_it_to_the_text_what_the_block_is() -> None:
    begun = frame("contentBlockStart", b'{"contentBlockIndex":0,"start":{}}')
    result = analysis(START + begun + STREAM[len(START) :])
    assert (texts(result), codes(result)) == ([("text", "Basel is dry.")], set())


def test_thinking_keeps_its_signature_beside_the_text() -> None:
    result = analysis(THINKING)
    assert texts(result) == [
        ("reasoning", "Rain \N{EM DASH} no."),
        ("text", "Trocken. \N{SUN BEHIND CLOUD}"),
    ]
    assert content(result.completion)[0] == {
        "reasoningContent": {"reasoningText": {"text": "Rain \N{EM DASH} no.", "signature": "c2ln"}}
    }


def content(completion: Json) -> list[Json]:
    found: list[Json] = completion["output"]["message"]["content"]
    return found


@pytest.mark.parametrize(
    "body",
    [
        START + delta(b'"reasoningContent":{"redactedContent":"c2VjcmV0"}') + stop() + ended(),
        whole(b'{"reasoningContent":{"redactedContent":"c2VjcmV0"}}'),
    ],
)
def test_hidden_thinking_is_there_without_a_text(body: bytes) -> None:
    (block,) = only_choice(analysis(body)).blocks
    assert (block.kind, block.type) == (BlockKind.REASONING, "reasoningContent")
    assert block.value == {"reasoningContent": {"redactedContent": "c2VjcmV0"}}


def test_calls_have_their_arguments() -> None:
    result = analysis(CALLS)
    calls = only_choice(result).tool_calls
    assert [(call.id, call.name, call.arguments_text) for call in calls] == [
        ("tooluse_1", "weather", '{"town":"Chur"}'),
        ("tooluse_2", "weather", "{}"),
    ]
    assert result.result is Result.CALLED
    (call,) = only_choice(analysis(WHOLE_CALL)).tool_calls
    assert (call.id, call.name, call.arguments_text) == ("tooluse_1", "weather", '{"town": "Chur"}')


def test_a_call_whose_arguments_never_came_is_told() -> None:
    body = START + called(0, b"tooluse_1") + delta(b'"toolUse":{"input":""}') + ended(b"tool_use")
    result = analysis(body)
    assert only_choice(result).tool_calls[0].arguments_text == ""
    assert codes(result) == {"tool.arguments-empty"}


def test_arguments_of_a_call_that_was_not_begun_are_read_and_told() -> None:
    result = analysis(START + delta(b'"toolUse":{"input":"{}"}') + stop() + ended(b"tool_use"))
    assert [call.arguments_text for call in only_choice(result).tool_calls] == ["{}"]


def test_sources_belong_to_the_text_that_they_are_about() -> None:
    source = b'{"title":"Almanac","sourceContent":[{"text":"dry"}]}'
    streamed = START + delta(b'"text":"Dry."') + delta(b'"citation":' + source) + stop() + ended()
    sent = whole(
        b'{"citationsContent":{"content":[{"text":"Dry."}],"citations":[%s]}}' % source
    )  # fmt: skip
    for body in (streamed, sent):
        choice = only_choice(analysis(body))
        assert texts(analysis(body)) == [("text", "Dry.")]
        assert choice.blocks[0].citations == (
            {"title": "Almanac", "sourceContent": [{"text": "dry"}]},
        )
        assert_every_character_has_bytes(exchange(body))


def test_images_and_results_of_tools_are_kept() -> None:
    body = whole(
        b'{"image":{"format":"png","source":{"bytes":"aGk="}}}',
        b'{"toolResult":{"toolUseId":"t","content":[{"text":"3"}]}}',
        b'{"cachePoint":{"type":"default"}}',
    )
    blocks = only_choice(analysis(body)).blocks
    assert [block.kind for block in blocks] == ["image", "hosted", "unknown"]
    assert blocks[0].value == {"image": {"format": "png", "source": {"bytes": "aGk="}}}


HOSTED_USE = b'{"toolUse":{"toolUseId":"t","name":"nova_grounding","type":"server_tool_use","input":{"query": "Chur"}}}'
HOSTED_RESULT = b'{"toolResult":{"toolUseId":"t","type":"nova_grounding_result","status":"success","content":[{"text":"dry"},{"json":{"n":1}}]}}'


def test_what_the_provider_ran_itself_is_no_call_of_the_client() -> None:
    started = b'{"contentBlockIndex":%d,"start":{%s}}'
    streamed = (
        START
        + frame("contentBlockStart", started % (0, b'"toolUse":{"toolUseId":"t","name":"nova_grounding","type":"server_tool_use"}'))
        + delta(rb'"toolUse":{"input":"{\"query\":"}')
        + delta(rb'"toolUse":{"input":" \"Chur\"}"}')
        + stop()
        + frame("contentBlockStart", started % (1, b'"toolResult":{"toolUseId":"t","type":"nova_grounding_result","status":"success"}'))
        + delta(b'"toolResult":[{"text":"dry"}]', 1)
        + delta(b'"toolResult":[{"json":{"n":1}}]', 1)
        + stop(1)
        + delta(b'"text":"Chur is dry."', 2)
        + stop(2)
        + ended()
        + METADATA
    )  # fmt: skip
    sent = whole(HOSTED_USE, HOSTED_RESULT, b'{"text":"Chur is dry."}')
    for body in (streamed, sent):
        result = analysis(body)
        choice = only_choice(result)
        assert (choice.tool_calls, result.result, codes(result)) == ((), Result.ANSWERED, set())
        assert [block.kind for block in choice.blocks] == ["hosted", "hosted", "text"]
        used, told, _ = (block.value for block in choice.blocks)
        assert used["toolUse"]["input"] == {"query": "Chur"}
        assert told["toolResult"]["content"] == [{"text": "dry"}, {"json": {"n": 1}}]
        assert_cuttings_agree(body)
        assert_every_character_has_bytes(exchange(body))


@pytest.mark.parametrize(("status", "faults"), [(b"error", 1), (b"success", 0)])
def test_a_tool_of_the_provider_that_failed_is_told(status: bytes, faults: int) -> None:
    told = HOSTED_RESULT.replace(b"success", status)
    found = analysis(whole(HOSTED_USE, told, b'{"text":"Hm."}'))
    assert [one.code for one in found.findings] == ["tool.hosted-failed"] * faults


def test_tokens_and_the_providers_time_come_after_the_stop_reason() -> None:
    for body in (STREAM, WHOLE):
        result = analysis(body)
        usage = result.usage
        assert (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens) == (49, 5, 40)
        (clock,) = result.timeline.provider_clocks
        assert (clock.name, clock.seconds) == ("latencyMs", "0.812")


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        (b"end_turn", Result.ANSWERED),
        (b"stop_sequence", Result.ANSWERED),
        (b"max_tokens", Result.TRUNCATED),
        (b"model_context_window_exceeded", Result.TRUNCATED),
        (b"guardrail_intervened", Result.FILTERED),
        (b"content_filtered", Result.FILTERED),
        (b"malformed_tool_use", Result.UNUSABLE_CALL),
        (b"malformed_model_output", Result.ERROR),
    ],
)
def test_stop_reasons_decide_the_result(reason: bytes, expected: Result) -> None:
    body = START + delta(b'"text":"Dry."') + stop() + ended(reason)
    assert (analysis(body).result, analysis(whole(b'{"text":"Dry."}', reason=reason)).result) == (
        expected,
        expected,
    )


# -- errors and ends ------------------------------------------------------------------------------


def test_an_exception_in_mid_stream_is_the_providers_error() -> None:
    failed = exception("modelStreamErrorException", b'{"message":"the model broke off"}')
    result = analysis(START + delta(b'"text":"Ba"') + failed)
    assert (result.dialect, result.verdict) == ("bedrock-converse", Verdict.PROVIDER_ERROR)
    assert result.verdict_reason.endswith("modelStreamErrorException: the model broke off")
    assert texts(result) == [("text", "Ba")]


def test_an_exception_alone_is_a_providers_error() -> None:
    result = analysis(exception("throttlingException", b'{"message":"too many requests"}'))
    assert (result.dialect, result.verdict) == ("provider-error", Verdict.PROVIDER_ERROR)
    assert result.verdict_reason.endswith("throttlingException: too many requests")
    assert codes(result) == {"envelope.provider-error"}


def test_an_error_that_stands_in_the_headers_is_told() -> None:
    headers = header(":message-type", "error") + header(":error-code", "InternalFailure")
    failed = frame_of(headers + header(":error-message", "broken"), b"")
    result = analysis(START + failed)
    assert result.verdict is Verdict.PROVIDER_ERROR
    assert result.verdict_reason.endswith("InternalFailure: broken")


def test_a_refused_call_is_a_message_alone() -> None:
    result = analysis(b'{"message":"The security token is expired"}', status_code=403)
    assert (result.dialect, result.verdict) == ("provider-error", Verdict.PROVIDER_ERROR)


def test_a_stream_cut_inside_a_frame_is_cut() -> None:
    result = analysis(STREAM[: STREAM.index(ended()) + 20])
    assert (result.verdict, result.result) == (Verdict.CUT_OFF, Result.TRUNCATED)
    assert "inside event #5" in result.verdict_reason


def test_a_stream_cut_between_frames_is_cut() -> None:
    assert analysis(STREAM[: STREAM.index(ended())]).verdict is Verdict.CUT_OFF


# -- frames that are not as they should be ---------------------------------------------------------


def fault_places(body: bytes) -> list[tuple[int | None, int | None]]:
    found = analysis(body, content_type=FRAMES).findings
    return [
        (one.where.byte_start, one.where.byte_end)
        for one in found
        if one.code == "framing.broken-frame"
    ]


def test_a_damaged_frame_is_read_and_told_with_its_place() -> None:
    body = STREAM.replace(b" dry.", b" wet.")
    end = body.index(b" wet.") + len(b' wet."},"p":"abcdefgh"}') + 4
    result = analysis(body)
    assert texts(result) == [("text", "Basel is wet.")]
    assert fault_places(body) == [(end - 4, end)]


def test_a_length_that_cannot_be_ends_the_reading() -> None:
    at = STREAM.index(ended())
    body = STREAM[:at] + b"\xff\xff\xff\xff" + STREAM[at + 4 :]
    result = analysis(body)
    assert (result.verdict, texts(result)) == (Verdict.CUT_OFF, [("text", "Basel is dry.")])
    assert fault_places(body) == [(at, at + 4)]


def test_headers_beyond_the_frame_lose_the_event_alone() -> None:
    at = STREAM.index(delta(b'"text":" is"'))
    body = STREAM[: at + 4] + (50_000).to_bytes(4) + STREAM[at + 8 :]
    result = analysis(body)
    assert texts(result) == [("text", "Basel dry.")]
    assert (at + 4, at + 8) in fault_places(body)
    assert "framing.empty-data" in codes(result)


def test_a_payload_that_is_no_json_is_told_at_its_event() -> None:
    body = STREAM + frame("contentBlockDelta", b'{"contentBlockIndex":0,"delta"')
    result = analysis(body)
    assert codes(result) == {"json.broken-chunk"}
    assert texts(result) == [("text", "Basel is dry.")]


def test_an_event_of_an_unknown_type_is_kept_beside_the_answer() -> None:
    body = STREAM + frame("weatherReport", b'{"role":"user","sky":"clear"}')
    result = analysis(body)
    assert result.extras == {"/role": "user", "/sky": "clear"}
    assert only_choice(result).role == "assistant"


def test_the_type_of_an_event_is_that_of_its_frame_alone() -> None:
    body = STREAM.replace(delta(b'"text":" is"'), frame("contentBlockDelta", b'{"type":"messageStop","contentBlockIndex":0,"delta":{"text":" is"}}'))  # fmt: skip
    assert texts(analysis(body)) == [("text", "Basel is dry.")]


def test_equal_json_under_another_type_is_another_event() -> None:
    same = b'{"contentBlockIndex":0,"delta":{"text":" is"},"p":"abcdefgh"}'
    body = STREAM.replace(delta(b'"text":" dry."'), frame("contentBlockStop", same))
    assert texts(analysis(body)) == [("text", "Basel is")]


# -- events of a model's own format ----------------------------------------------------------------


def chunk(event: bytes) -> bytes:
    return frame("chunk", b'{"bytes":"%s","p":"abcd"}' % b64encode(event))


INVOKED = (
    chunk(b'{"type":"message_start","message":{"id":"msg_bdrk_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":3,"output_tokens":1}}}')
    + chunk(b'{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}')
    + chunk(b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}')
    + chunk(b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"!"}}')
    + chunk(b'{"type":"content_block_stop","index":0}')
    + chunk(b'{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":4}}')
    + chunk(b'{"type":"message_stop"}')
)  # fmt: skip


def test_wrapped_events_are_read_by_the_models_own_format() -> None:
    result = analysis(INVOKED)
    assert (result.dialect, result.vendor) == ("anthropic", "bedrock")
    assert (result.verdict, texts(result)) == (Verdict.COMPLETE, [("text", "Hi!")])
    assert_cuttings_agree(INVOKED)


def test_characters_of_wrapped_events_have_their_event_and_no_bytes() -> None:
    machine = reading(INVOKED)
    origins = list(Origins(machine.tape(), INVOKED).of(0, 0, 3))
    assert [(origin.event, origin.byte_ranges) for origin in origins] == [(2, ()), (3, ())]


@pytest.mark.parametrize("payload", [b'{"bytes":"%%%"}', b'{"bytes":7}', b"[]", b"{}"])
def test_a_chunk_that_wraps_nothing_is_taken_as_it_is(payload: bytes) -> None:
    assert analysis(frame("chunk", payload)).verdict is Verdict.NOT_A_RESPONSE


# -- events as clients write them down -------------------------------------------------------------

EVENTS = [
    b'{"messageStart":{"role":"assistant"}}',
    b'{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"Basel"}}}',
    b'{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":" is"}}}',
    b'{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":" dry."}}}',
    b'{"contentBlockStop":{"contentBlockIndex":0}}',
    b'{"messageStop":{"stopReason":"end_turn"}}',
    b'{"metadata":{"usage":{"inputTokens":9,"outputTokens":5,"totalTokens":14}}}',
]
LINES = b"".join(each + b"\n" for each in EVENTS)


@pytest.mark.parametrize("body", [LINES, b"".join(map(chunk, EVENTS))])
def test_an_event_in_a_member_with_the_name_of_its_type_is_read(body: bytes) -> None:
    result = analysis(body)
    assert (result.dialect, result.verdict) == ("bedrock-converse", Verdict.COMPLETE)
    assert (texts(result), codes(result)) == ([("text", "Basel is dry.")], set())
    assert (result.usage.prompt_tokens, result.extras) == (9, {})
    assert_cuttings_agree(body)


def test_characters_of_such_events_have_their_bytes() -> None:
    assert_every_character_has_bytes(exchange(LINES))


def test_what_stands_beside_such_an_event_is_kept() -> None:
    body = LINES.replace(b'"end_turn"}}', b'"end_turn"},"trace_id":"t"}')
    assert analysis(body).extras == {"/trace_id": "t"}
