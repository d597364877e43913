"""OpenAI's Responses: whole and in events."""

import json
from typing import Any

import pytest
from msgspec import UNSET

from inspector.core.analysis import Analysis, Verdict
from inspector.core.completion import BlockKind, Result
from inspector.core.json import Json
from inspector.core.reading import read
from inspector.core.wire.exchange import Request
from tests.core.bodies import analysis, codes, exchange
from tests.core.formats.recordings import (
    assert_cuttings_agree,
    only_choice,
    texts,
)

RESPONSE: dict[str, Json] = {
    "id": "resp_7c31",
    "object": "response",
    "created_at": 1795183339,
    "status": "in_progress",
    "model": "parcel-1",
    "output": [],
    "usage": None,
}
USAGE = {"input_tokens": 71, "output_tokens": 6, "total_tokens": 77}
MESSAGE: dict[str, Json] = {
    "id": "msg_1",
    "type": "message",
    "status": "completed",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "Basel is dry.", "annotations": []}],
}
REASONING: dict[str, Json] = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [
        {"type": "summary_text", "text": "Look at the map."},
        {"type": "summary_text", "text": "It is dry."},
    ],
}
CALL: dict[str, Json] = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "call_id": "call_9",
    "name": "weather",
    "arguments": '{"town":"Basel"}',
}
SEARCH: dict[str, Json] = {
    "id": "ws_1",
    "type": "web_search_call",
    "status": "completed",
    "action": {"type": "search", "query": "rain in Basel"},
}


def whole(*output: Json, **fields: Json) -> bytes:
    return json.dumps(
        {**RESPONSE, "status": "completed", "output": output, "usage": USAGE, **fields}
    ).encode()


def sse(*events: dict[str, Json]) -> bytes:
    """Events with their names and numbers."""
    numbered = ({**event, "sequence_number": n} for n, event in enumerate(events))
    return b"".join(
        b"event: %s\ndata: %s\n\n" % (event["type"].encode(), json.dumps(event).encode())
        for event in numbered
    )


def of_response(kind: str, **fields: Json) -> dict[str, Json]:
    return {"type": f"response.{kind}", "response": {**RESPONSE, **fields}}


def of_item(kind: str, index: int, **fields: Json) -> dict[str, Json]:
    return {"type": f"response.{kind}", "output_index": index, **fields}


CREATED = of_response("created")
EMPTY_MESSAGE = {**MESSAGE, "status": "in_progress", "content": []}
EMPTY_PART: dict[str, Json] = {"type": "output_text", "text": "", "annotations": []}


def text_events(index: int, *pieces: str, done: str | None = None) -> list[dict[str, Json]]:
    """A message that grows by these pieces."""
    of = {"content_index": 0}
    said = "".join(pieces) if done is None else done
    part = {**EMPTY_PART, "text": said}
    item = {**MESSAGE, "content": [part]}
    return [
        of_item("output_item.added", index, item=EMPTY_MESSAGE),
        of_item("content_part.added", index, part=EMPTY_PART, **of),
        *(
            of_item("output_text.delta", index, delta=piece, obfuscation="a1", **of)
            for piece in pieces
        ),
        of_item("output_text.done", index, text=said, **of),
        of_item("content_part.done", index, part=part, **of),
        of_item("output_item.done", index, item=item),
    ]


def call_events(index: int, *pieces: str) -> list[dict[str, Json]]:
    spelt = "".join(pieces)
    return [
        of_item("output_item.added", index, item={**CALL, "arguments": ""}),
        *(of_item("function_call_arguments.delta", index, delta=piece) for piece in pieces),
        of_item("function_call_arguments.done", index, arguments=spelt),
        of_item("output_item.done", index, item={**CALL, "arguments": spelt}),
    ]


def completed(*output: Json) -> dict[str, Json]:
    return of_response("completed", status="completed", output=list(output), usage=USAGE)


STREAM = sse(CREATED, *text_events(0, "Basel", " is", " dry."), completed(MESSAGE))


def blocks(found: Analysis) -> list[tuple[BlockKind, Any]]:
    return [(block.kind, block.type) for block in only_choice(found).blocks]


def test_a_whole_response_is_read() -> None:
    found = analysis(whole(MESSAGE))
    choice = only_choice(found)
    assert (found.dialect, found.model, found.identity.id) == (
        "openai-responses",
        "parcel-1",
        "resp_7c31",
    )
    assert (found.identity.created, choice.content, choice.role) == (
        1795183339,
        "Basel is dry.",
        "assistant",
    )
    assert (choice.finish_reason, found.result) == ("completed", Result.ANSWERED)
    assert (found.usage.prompt_tokens, found.usage.completion_tokens, found.usage.total_tokens) == (
        71,
        6,
        77,
    )
    assert codes(found) == set()


def test_a_message_whose_content_is_a_text_says_that_text() -> None:
    found = analysis(whole({**MESSAGE, "content": "Basel is dry."}, CALL))
    (text, _), (call,) = only_choice(found).blocks, only_choice(found).tool_calls
    assert (only_choice(found).content, text.pointer) == ("Basel is dry.", "/output/0/content")
    assert (call.name, codes(found)) == ("weather", {"message.field-malformed"})


def test_a_text_in_place_of_a_reasonings_summary_is_no_content() -> None:
    found = analysis(whole({**REASONING, "summary": "Look at the map."}, MESSAGE))
    assert only_choice(found).content == "Basel is dry."


CHAT_USAGE: dict[str, Json] = {
    "prompt_tokens": 71,
    "completion_tokens": 6,
    "total_tokens": 77,
    "prompt_tokens_details": {"cached_tokens": 64},
    "completion_tokens_details": {"reasoning_tokens": 2},
}


def test_counts_under_the_names_of_chat_completions_are_read_and_told() -> None:
    found = analysis(whole(MESSAGE, usage=CHAT_USAGE))
    usage = found.usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.extras) == (71, 6, {})
    assert (usage.cached_tokens, usage.reasoning_tokens) == (64, 2)
    assert [each.message for each in found.findings] == [
        "usage has no input_tokens, but prompt_tokens, which is read as that.",
        "usage has no output_tokens, but completion_tokens, which is read as that.",
    ]


def test_names_of_chat_completions_beside_the_formats_own_are_not_read() -> None:
    found = analysis(whole(MESSAGE, usage={**USAGE, "prompt_tokens": 71, "completion_tokens": 0}))
    assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (71, 6)
    assert codes(found) == set()


def test_a_stream_ends_with_the_very_response_that_a_whole_call_returns() -> None:
    found = analysis(STREAM)
    assert found.completion == json.loads(whole(MESSAGE))
    assert texts(found) == [(BlockKind.TEXT, "Basel is dry.")]
    assert (found.verdict, found.verdict_reason) == (
        Verdict.COMPLETE,
        "The choice has a finish reason and the stream ended with response.completed.",
    )
    assert codes(found) == set()


def test_a_text_that_is_sent_once_more_is_not_added_again() -> None:
    assert only_choice(analysis(STREAM)).content == "Basel is dry."


def test_a_cut_stream_gives_the_answer_as_far_as_it_came() -> None:
    found = analysis(sse(CREATED, *text_events(0, "Basel", " is", " dry.")[:4]))
    assert (found.verdict, found.result) == (Verdict.CUT_OFF, Result.TRUNCATED)
    assert found.completion["output"] == [
        {**EMPTY_MESSAGE, "content": [{**EMPTY_PART, "text": "Basel is"}]}
    ]


def test_a_reasoning_item_is_one_block_with_all_its_summaries() -> None:
    found = analysis(whole(REASONING, MESSAGE))
    assert blocks(found) == [(BlockKind.REASONING, "reasoning"), (BlockKind.TEXT, "output_text")]
    assert only_choice(found).reasoning == "Look at the map.It is dry."


def test_summaries_that_grow_keep_their_texts_apart_in_the_completion() -> None:
    of = [
        of_item("output_item.added", 0, item={**REASONING, "summary": []}),
        of_item(
            "reasoning_summary_part.added",
            0,
            summary_index=0,
            part={"type": "summary_text", "text": ""},
        ),
        of_item("reasoning_summary_text.delta", 0, summary_index=0, delta="Look at"),
        of_item("reasoning_summary_text.delta", 0, summary_index=0, delta=" the map."),
        of_item(
            "reasoning_summary_part.added",
            0,
            summary_index=1,
            part={"type": "summary_text", "text": ""},
        ),
        of_item("reasoning_summary_text.delta", 0, summary_index=1, delta="It is dry."),
    ]
    found = analysis(sse(CREATED, *of))
    assert only_choice(found).reasoning == "Look at the map.It is dry."
    assert found.completion["output"] == [REASONING]


def test_reasoning_that_is_encrypted_is_a_block_without_text() -> None:
    found = analysis(whole({"id": "rs_1", "type": "reasoning", "summary": []}, MESSAGE))
    assert blocks(found)[0] == (BlockKind.REASONING, "reasoning")
    assert only_choice(found).blocks[0].text == ""


def test_text_call_text_are_three_blocks_with_three_lanes() -> None:
    body = sse(
        CREATED,
        *text_events(0, "Let me", " look."),
        *call_events(1, '{"town":', '"Basel"}'),
        *text_events(2, "It is", " dry."),
        completed(MESSAGE, CALL, MESSAGE),
    )
    found = read(exchange(body))
    choice = only_choice(found.analysis())
    assert [block.kind for block in choice.blocks] == [
        BlockKind.TEXT,
        BlockKind.TOOL_CALL,
        BlockKind.TEXT,
    ]
    assert [block.lane for block in choice.blocks] == [0, 1, 2]
    (call,) = choice.tool_calls
    assert (call.id, call.name, call.arguments_text) == ("call_9", "weather", '{"town":"Basel"}')
    assert (choice.content, choice.result) == ("Let me look.It is dry.", Result.CALLED)


def test_a_call_whose_beginning_was_lost_is_told_and_its_end_names_it() -> None:
    found = analysis(sse(CREATED, *call_events(0, '{"town":', '"Basel"}')[1:], completed()))
    assert "block.not-begun" in codes(found)
    (call,) = only_choice(found).tool_calls
    assert (call.id, call.name, call.arguments_text) == ("call_9", "weather", '{"town":"Basel"}')


def test_pieces_alone_are_a_call_without_a_name() -> None:
    found = analysis(sse(CREATED, *call_events(0, "{}")[1:2]))
    (call,) = only_choice(found).tool_calls
    assert (call.name, call.arguments_text) == (UNSET, "{}")
    assert blocks(found) == [(BlockKind.TOOL_CALL, "function_call")]


def test_the_input_of_a_custom_call_whose_beginning_was_lost_is_free_text() -> None:
    late = of_item("custom_tool_call_input.delta", 0, delta="select 1")
    (call,) = only_choice(analysis(sse(CREATED, late))).tool_calls
    assert (call.arguments_text, call.arguments_state) == ("select 1", "free-text")


@pytest.mark.parametrize(
    ("event", "type_"),
    [
        ("mcp_call_arguments.delta", "mcp_call"),
        ("code_interpreter_call_code.delta", "code_interpreter_call"),
    ],
)
def test_what_the_provider_ran_is_hosted_without_its_beginning(event: str, type_: str) -> None:
    found = analysis(sse(CREATED, of_item(event, 0, delta="a"), of_item(event, 0, delta="b")))
    assert "block.not-begun" in codes(found)
    assert blocks(found) == [(BlockKind.HOSTED, type_)]


def test_a_custom_call_has_free_text() -> None:
    found = analysis(
        whole({"type": "custom_tool_call", "call_id": "call_1", "name": "sql", "input": "select 1"})
    )
    (call,) = only_choice(found).tool_calls
    assert (call.name, call.arguments_text, call.arguments_state) == (
        "sql",
        "select 1",
        "free-text",
    )


@pytest.mark.parametrize(
    "type_",
    ["apply_patch_call", "computer_call", "local_shell_call", "mcp_approval_request", "shell_call"],
)
def test_what_the_client_must_act_on_without_a_name_is_an_unnamed_call(type_: str) -> None:
    found = analysis(whole({"id": "x", "type": type_, "action": {"command": ["ls"]}}))
    choice = only_choice(found)
    assert (blocks(found), choice.tool_calls) == ([(BlockKind.TOOL_CALL, type_)], ())
    assert (found.result, found.result_reason) == (Result.CALLED, f"The answer calls {type_}.")


def test_what_the_provider_ran_is_hosted_and_no_call() -> None:
    found = analysis(whole(SEARCH, MESSAGE))
    assert blocks(found) == [(BlockKind.HOSTED, "web_search_call"), (BlockKind.TEXT, "output_text")]
    assert only_choice(found).blocks[0].value == SEARCH
    assert found.result is Result.ANSWERED


def test_an_item_of_an_unknown_type_is_kept_as_one_block() -> None:
    item = {"type": "future_item", "content": [{"type": "output_text", "text": "hidden"}]}
    found = analysis(whole(item))
    assert blocks(found) == [(BlockKind.HOSTED, "future_item")]
    assert only_choice(found).blocks[0].value == item


def test_annotations_stand_with_their_text() -> None:
    source = {
        "type": "url_citation",
        "start_index": 0,
        "end_index": 5,
        "url": "https://a.example",
        "title": "A",
    }
    events = text_events(0, "Basel", " is dry.")
    added = of_item(
        "output_text.annotation.added", 0, content_index=0, annotation_index=0, annotation=source
    )
    found = analysis(sse(CREATED, *events[:4], added))
    assert only_choice(found).blocks[0].citations == (source,)
    assert found.completion["output"][0]["content"][0]["annotations"] == [source]


def test_log_probabilities_have_the_shape_of_a_chat_completion() -> None:
    token = {"token": "Basel", "logprob": -0.5, "bytes": None, "top_logprobs": []}
    part = {**EMPTY_PART, "text": "Basel", "logprobs": [token]}
    found = analysis(whole({**MESSAGE, "content": [part]}))
    assert only_choice(found).logprobs == {"content": [token]}


def test_log_probabilities_that_are_sent_whole_once_more_are_not_added_again() -> None:
    token = {"token": "Basel", "logprob": -0.5, "bytes": None, "top_logprobs": []}
    part = {**EMPTY_PART, "text": "Basel", "logprobs": [token]}
    item = {**MESSAGE, "content": [part]}
    grown = of_item("output_text.delta", 0, content_index=0, delta="Basel", logprobs=[token])
    body = sse(
        CREATED,
        *text_events(0)[:2],
        grown,
        of_item("output_item.done", 0, item=item),
        completed(item),
    )
    assert only_choice(analysis(body)).logprobs == {"content": [token]}


def test_a_refusal_is_a_block_of_its_own() -> None:
    part = {"type": "refusal", "refusal": "I cannot help with that."}
    found = analysis(whole({**MESSAGE, "content": [part]}))
    assert (only_choice(found).refusal, found.result) == (
        "I cannot help with that.",
        Result.REFUSED,
    )


@pytest.mark.parametrize(
    ("reason", "result"),
    [("max_output_tokens", Result.TRUNCATED), ("content_filter", Result.FILTERED)],
)
def test_an_incomplete_response_ended_as_it_states(reason: str, result: Result) -> None:
    body = sse(
        CREATED,
        *text_events(0, "Basel"),
        of_response(
            "incomplete",
            status="incomplete",
            incomplete_details={"reason": reason},
            output=[MESSAGE],
        ),
    )
    found = analysis(body)
    assert (found.verdict, only_choice(found).finish_reason, found.result) == (
        Verdict.COMPLETE,
        reason,
        result,
    )


def test_a_part_of_an_item_that_never_began_is_told() -> None:
    begun = text_events(0, "Basel")
    assert "block.not-begun" in codes(analysis(sse(CREATED, *begun[1:])))
    assert "block.not-begun" not in codes(analysis(sse(CREATED, *begun)))


def test_a_failed_response_without_an_error_is_no_answer() -> None:
    end = of_response("failed", status="failed", error=None)
    assert analysis(sse(CREATED, *text_events(0, "Basel"), end)).result is Result.ERROR


def test_a_response_whose_usage_is_null_has_none() -> None:
    end = of_response("completed", status="completed", usage=None)
    assert "usage.missing" in codes(analysis(sse(CREATED, *text_events(0, "Basel"), end)))


def test_a_failed_response_is_the_providers_error() -> None:
    error = {"code": "server_error", "message": "The model is overloaded."}
    found = analysis(sse(CREATED, of_response("failed", status="failed", error=error)))
    assert (found.verdict, found.result) == (Verdict.PROVIDER_ERROR, Result.ERROR)
    assert "The model is overloaded." in found.verdict_reason


@pytest.mark.parametrize(
    "error",
    [
        {"type": "error", "code": "rate_limit", "message": "Slow down.", "param": None},
        {"type": "error", "error": {"code": "rate_limit", "message": "Slow down."}},
    ],
)
def test_an_error_event_is_the_providers_error(error: dict[str, Json]) -> None:
    found = analysis(sse(CREATED, error))
    assert found.verdict is Verdict.PROVIDER_ERROR
    assert "Slow down." in found.verdict_reason


@pytest.mark.parametrize("status", ["queued", "in_progress"])
def test_a_response_of_the_background_is_pending_until_it_is_there(status: str) -> None:
    found = analysis(json.dumps({**RESPONSE, "status": status}).encode())
    assert (found.result, only_choice(found).finish_reason) == (Result.PENDING, UNSET)


def test_a_text_that_differs_from_its_pieces_is_told_and_the_pieces_are_the_content() -> None:
    found = analysis(
        sse(CREATED, *text_events(0, "Basel is", " dry.", done="Basel is wet."), completed(MESSAGE))
    )
    assert only_choice(found).content == "Basel is dry."
    assert "block.whole-differs" in codes(found)


@pytest.mark.parametrize("end", ["output_text.done", "content_part.done", "output_item.done"])
def test_a_piece_after_its_text_was_sent_whole_is_added_and_told(end: str) -> None:
    began = text_events(0, "Basel is")
    until = next(n for n, each in enumerate(began, 1) if each["type"].endswith(end))
    late = of_item("output_text.delta", 0, delta=" dry.", content_index=0)
    found = analysis(sse(CREATED, *began[:until], late, completed(MESSAGE)))
    assert only_choice(found).content == "Basel is dry."
    assert codes(found) == {"block.after-stop"}


def test_a_piece_of_arguments_after_they_were_sent_whole_is_told() -> None:
    begun = {**CALL, "arguments": ""}
    kind = "function_call_arguments"
    body = sse(
        CREATED,
        of_item("output_item.added", 0, item=begun),
        of_item(f"{kind}.delta", 0, delta='{"town":'),
        of_item(f"{kind}.done", 0, arguments='{"town":'),
        of_item(f"{kind}.delta", 0, delta='"Basel"}'),
        completed(CALL),
    )
    found = analysis(body)
    assert only_choice(found).tool_calls[0].arguments_text == '{"town":"Basel"}'
    assert codes(found) == {"block.after-stop"}


def test_a_number_that_is_missing_from_the_sequence_is_told() -> None:
    body = STREAM.replace(b'"sequence_number": 5', b'"sequence_number": 6', 1)
    assert "block.sequence-gap" in codes(analysis(body))
    assert "block.sequence-gap" not in codes(analysis(STREAM))


def test_a_tool_that_was_not_offered_is_told() -> None:
    offered = {
        "model": "parcel-1",
        "tools": [{"type": "function", "name": "map", "parameters": {}}],
    }
    request = Request(body=json.dumps(offered).encode())
    assert analysis(whole(CALL), request=request).result is Result.UNUSABLE_CALL


def test_events_of_an_unknown_type_keep_their_fields() -> None:
    found = analysis(
        sse(
            CREATED,
            {"type": "response.novel", "weight": 3},
            *text_events(0, "Hi"),
            completed(MESSAGE),
        )
    )
    assert found.extras["/weight"] == 3
    assert texts(found) == [(BlockKind.TEXT, "Hi")]


def test_a_response_that_stands_in_no_event_is_read_after_a_part_that_ended() -> None:
    thought = [
        of_item("output_item.added", 0, item={**REASONING, "summary": []}),
        of_item("reasoning_summary_part.done", 0, summary_index=0, part=REASONING["summary"][0]),
    ]
    alone = json.dumps({**RESPONSE, "status": "completed", "output": [REASONING, MESSAGE]})
    found = analysis(sse(CREATED, *thought) + b"data: " + alone.encode() + b"\n\n")
    assert only_choice(found).content == "Basel is dry."


def test_an_event_without_its_position_is_told_once() -> None:
    done = of_item("output_item.done", 0, item=MESSAGE)
    del done["output_index"]
    (finding,) = (
        each
        for each in analysis(sse(CREATED, done, completed(MESSAGE))).findings
        if each.where.pointer == "/output_index"
    )
    assert "times" not in finding.message


BODIES = [
    STREAM,
    whole(REASONING, SEARCH, MESSAGE, CALL),
    sse(
        CREATED,
        *text_events(0, "Bäsel ", "\u2014 🌧"),
        *call_events(1, '{"a":', "1}"),
        completed(MESSAGE, CALL),
    ),
]


@pytest.mark.parametrize(
    ("execution", "kind", "result"),
    [("client", "tool-call", Result.CALLED), ("server", "hosted", Result.EMPTY)],
)
def test_a_tool_search_is_a_call_of_its_runner(execution: str, kind: str, result: Result) -> None:
    search: dict[str, Json] = {
        "type": "tool_search_call",
        "id": "tsc_1",
        "status": "completed",
        "call_id": "call_1",
        "execution": execution,
        "arguments": {"queries": ["rates"]},
    }
    added = {**search, "status": "in_progress", "arguments": {}}
    streamed = sse(
        CREATED,
        of_item("output_item.added", 0, item=added),
        of_item("output_item.done", 0, item=search),
        of_response("completed", status="completed", output=[search], usage=USAGE),
    )
    for body in (whole(search), streamed):
        found = analysis(body)
        choice = only_choice(found)
        assert [(block.kind, block.type) for block in choice.blocks] == [(kind, "tool_search_call")]
        assert (found.result, choice.tool_calls) == (result, ())


def test_the_events_of_each_answer_are_numbered_anew() -> None:
    answer = [CREATED, *text_events(0, "Hi"), of_response("completed", status="completed", output=[MESSAGE], usage=USAGE)]  # fmt: skip
    found = analysis(sse(*answer) + sse(*answer))
    assert len(found.choices) == 2
    assert codes(found) & {"block.sequence-gap", "block.several-answers"} == {
        "block.several-answers"
    }
    missing = sse(*answer) + sse(*answer).replace(b'"sequence_number": 0', b'"sequence_number": 4')
    assert "block.sequence-gap" in codes(analysis(missing))


# -- what is said again -----------------------------------------------------------------------------

ENDINGS = [
    of_response("completed", status="completed", output=[], usage=USAGE),
    of_response("completed", status="completed", output=None, usage=USAGE),
    of_response("incomplete", output=[], incomplete_details={"reason": "max_output_tokens"}),
    of_response("failed", output=[], error={"code": "server_error", "message": "Out of steam."}),
    {"type": "response.completed", "response": {"status": "completed", "output": []}},
]


@pytest.mark.parametrize("end", ENDINGS)
def test_an_empty_list_at_the_end_wipes_out_nothing_and_is_told(end: dict[str, Json]) -> None:
    body = sse(CREATED, *text_events(0, "Basel is", " dry."), end)
    found = analysis(body)
    assert found.completion["output"] == [MESSAGE]
    assert found.completion["id"] == "resp_7c31"
    (remark,) = (each for each in found.findings if each.code == "block.whole-lacks")
    assert remark.message == (
        "output sent whole has 0 of the 1 items that came. It lacks “Basel is dry.”."
    )
    assert remark.where.pointer == "/response/output"
    assert_cuttings_agree(body)


def test_an_item_that_the_end_lacks_stays_where_it_came() -> None:
    thought = [
        of_item("output_item.added", 0, item={**REASONING, "summary": []}),
        of_item("output_item.done", 0, item=REASONING),
    ]
    found = analysis(sse(CREATED, *thought, *text_events(1, "Basel is dry."), completed(MESSAGE)))
    assert found.completion["output"] == [REASONING, MESSAGE]
    assert texts(found) == [("reasoning", "Look at the map.It is dry."), ("text", "Basel is dry.")]
    assert codes(found) == {"block.whole-lacks"}


def test_an_item_that_only_the_end_has_is_taken_from_it() -> None:
    found = analysis(sse(CREATED, *text_events(0, "Basel is dry."), completed(REASONING, MESSAGE)))
    assert found.completion["output"] == [REASONING, MESSAGE]
    one = only_choice(found)
    assert (one.reasoning, one.content) == ("Look at the map.It is dry.", "Basel is dry.")
    assert {block.pointer for block in one.blocks} == {"/output/0", "/output/1/content/0"}


def test_an_empty_text_at_the_end_wipes_out_none() -> None:
    end = completed({**MESSAGE, "content": [EMPTY_PART]})
    found = analysis(sse(CREATED, *text_events(0, "Basel is dry."), end))
    assert found.completion["output"] == [MESSAGE]


@pytest.mark.parametrize("last", [MESSAGE, {**MESSAGE, "id": "msg_other"}])
@pytest.mark.parametrize("index", [1, 7])
def test_positions_with_a_gap_name_the_items_of_the_end(index: int, last: Json) -> None:
    body = sse(CREATED, *text_events(index, "Basel is", " dry."), completed(last))
    found = analysis(body)
    assert texts(found) == [("text", "Basel is dry.")]
    assert found.completion["output"] == [last]
    assert only_choice(found).blocks[0].pointer == "/output/0/content/0"
    assert codes(found) == {"block.stands-elsewhere"}
    assert_cuttings_agree(body)


def test_positions_of_parts_with_a_gap_name_the_parts_of_the_end() -> None:
    events = [
        {**each, "content_index": 3} if "content_index" in each else each
        for each in text_events(0, "Basel is", " dry.")
    ]
    found = analysis(sse(CREATED, *events, completed(MESSAGE)))
    assert texts(found) == [("text", "Basel is dry.")]
    assert codes(found) == {"block.stands-elsewhere"}


@pytest.mark.parametrize("name", ["content_index", "output_index"])
def test_pieces_at_another_position_than_their_whole_are_said_once(name: str) -> None:
    events = [
        {**each, name: 1} if each["type"].endswith(".delta") else each
        for each in text_events(0, "Basel is", " dry.")
    ]
    found = analysis(sse(CREATED, *events, completed(MESSAGE)))
    assert texts(found) == [("text", "Basel is dry.")]
    assert found.completion["output"] == [MESSAGE]
    assert codes(found) == {"block.not-begun"}


def test_a_piece_that_names_its_item_by_id_goes_there_whatever_position_it_states() -> None:
    events = [
        {**each, "output_index": 4, "item_id": "msg_1"} if each["type"].endswith("delta") else each
        for each in text_events(0, "Basel is", " dry.")
    ]
    found = analysis(sse(CREATED, *events, completed(MESSAGE)))
    assert texts(found) == [("text", "Basel is dry.")]
    (remark,) = found.findings
    assert (remark.code, remark.message) == (
        "block.position-differs",
        "output_index is 4, but msg_1 began at 0 (2 times, this is the first).",
    )


def test_two_items_at_one_position_are_two() -> None:
    other = {**MESSAGE, "id": "msg_2", "content": [{**EMPTY_PART, "text": "Bern is wet."}]}
    second = [
        {**each, "item": {**each["item"], "id": "msg_2"}} if "item" in each else each
        for each in text_events(0, "Bern is wet.")
    ]
    body = sse(CREATED, *text_events(0, "Basel is dry."), *second, completed(MESSAGE, other))
    found = analysis(body)
    assert texts(found) == [("text", "Basel is dry."), ("text", "Bern is wet.")]
    assert found.completion["output"] == [MESSAGE, other]
    assert "block.repeated" in codes(found)


def test_a_response_behind_its_events_is_the_same_response() -> None:
    bare = b"data: " + whole(MESSAGE) + b"\n\n"
    found = analysis(sse(CREATED, *text_events(0, "Basel is", " dry.")) + bare)
    assert texts(found) == [("text", "Basel is dry.")]


def test_each_summary_is_compared_with_its_own_pieces() -> None:
    first, second = (part["text"] for part in REASONING["summary"])
    events = [of_item("output_item.added", 0, item={**REASONING, "summary": []})]
    for number, text in enumerate((first, second)):
        at = {"summary_index": number}
        part = {"type": "summary_text", "text": ""}
        events += [
            of_item("reasoning_summary_part.added", 0, part=part, **at),
            of_item("reasoning_summary_text.delta", 0, delta=text[:4], **at),
            of_item("reasoning_summary_text.delta", 0, delta=text[4:], **at),
            of_item("reasoning_summary_text.done", 0, text=text, **at),
        ]
    events += [of_item("output_item.done", 0, item=REASONING)]
    found = analysis(sse(CREATED, *events, completed(REASONING)))
    assert (only_choice(found).reasoning, codes(found)) == (first + second, {"choice.says-nothing"})


@pytest.mark.parametrize("pieces", [[CALL["arguments"]], ['{"town":', '"Basel"}'], []])
def test_arguments_that_an_item_begins_with_are_said_once(pieces: list[str]) -> None:
    body = sse(
        CREATED,
        of_item("output_item.added", 0, item=CALL),
        *(of_item("function_call_arguments.delta", 0, delta=piece) for piece in pieces),
        of_item("function_call_arguments.done", 0, arguments=CALL["arguments"]),
        completed(CALL),
    )
    found = analysis(body)
    assert [call.arguments_text for call in only_choice(found).tool_calls] == [CALL["arguments"]]
    assert codes(found) == ({"block.start-repeated"} if pieces else set())


def test_another_spelling_of_the_same_arguments_is_no_difference() -> None:
    body = sse(
        CREATED,
        of_item("output_item.added", 0, item={**CALL, "arguments": ""}),
        of_item("function_call_arguments.delta", 0, delta=CALL["arguments"]),
        of_item("function_call_arguments.done", 0, arguments='{"town": "Basel"}'),
        completed(CALL),
    )
    assert not codes(analysis(body))


@pytest.mark.parametrize("field", ["arguments", "name", "call_id"])
def test_a_field_that_is_empty_at_the_end_keeps_what_came(field: str) -> None:
    body = sse(
        CREATED,
        of_item("output_item.added", 0, item={**CALL, "arguments": ""}),
        of_item("function_call_arguments.delta", 0, delta=CALL["arguments"]),
        of_item("output_item.done", 0, item=CALL),
        completed({**CALL, field: ""}),
    )
    found = analysis(body)
    assert found.completion["output"] == [CALL]
    (call,) = only_choice(found).tool_calls
    assert (call.id, call.name, call.arguments_text) == ("call_9", "weather", CALL["arguments"])


@pytest.mark.parametrize("item", [{**MESSAGE, "content": []}, {**MESSAGE, "content": None}])
def test_an_item_that_is_whole_without_its_parts_keeps_them(item: Json) -> None:
    *events, _ = text_events(0, "Basel is", " dry.")
    done = of_item("output_item.done", 0, item=item)
    found = analysis(sse(CREATED, *events, done, completed(MESSAGE)))
    assert texts(found) == [("text", "Basel is dry.")]
    assert codes(found) == {"block.whole-lacks"}


def test_the_same_reasoning_as_content_and_as_summary_is_said_once() -> None:
    summary = [{"type": "summary_text", "text": "Look at the map."}]
    content = [{"type": "reasoning_text", "text": "Look at the map."}]
    both = {**REASONING, "summary": summary, "content": content}
    body = sse(
        CREATED,
        of_item("output_item.added", 0, item={**REASONING, "summary": [], "content": []}),
        of_item("reasoning_text.delta", 0, delta="Look at", content_index=0),
        of_item("reasoning_text.delta", 0, delta=" the map.", content_index=0),
        of_item("output_item.done", 0, item=both),
        *text_events(1, "Basel is dry."),
        completed(both, MESSAGE),
    )
    found = analysis(body)
    assert (only_choice(found).reasoning, codes(found)) == ("Look at the map.", set())


def test_a_second_end_adds_nothing() -> None:
    body = sse(CREATED, *text_events(3, "Basel is dry."), completed(MESSAGE), completed(MESSAGE))
    found = analysis(body)
    assert texts(found) == [("text", "Basel is dry.")]
    assert codes(found) == {"ending.event-after-end-mark", "block.stands-elsewhere"}


def test_a_text_that_a_part_begins_with_and_its_pieces_say_again_is_said_once() -> None:
    events = [
        {**each, "part": {**EMPTY_PART, "text": "Basel is"}}
        if "part.added" in each["type"]
        else each
        for each in text_events(0, "Basel is", " dry.")
    ]
    found = analysis(sse(CREATED, *events, completed(MESSAGE)))
    assert texts(found) == [("text", "Basel is dry.")]
    assert codes(found) == {"block.start-repeated"}
