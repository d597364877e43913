"""Gemini's answers: what each of their own shapes becomes."""

import json
from typing import Any

import pytest

from inspector.core.analysis import Verdict
from inspector.core.completion import ArgumentsState, Result
from inspector.core.provenance import Origins
from inspector.core.wire.exchange import Read, TransportOutcome
from tests.core.bodies import analysis, codes, event, reading
from tests.core.formats.recordings import only_choice


def whole(candidate: bytes, more: bytes = b"") -> bytes:
    return b'{"candidates":[{%s}]%s}' % (candidate, more and b"," + more)


def streamed(*candidates: bytes) -> bytes:
    return b"".join(event(whole(candidate)) for candidate in candidates)


def text(said: bytes) -> bytes:
    return b'"content":{"parts":[{"text":"%s"}],"role":"model"}' % said


STOP = b',"finishReason":"STOP"'


# -- log probabilities ----------------------------------------------------------------------------

HE = (
    b'"logprobsResult":{"topCandidates":[{"candidates":[{"token":"He","tokenId":7,"logProbability":-0.1},'
    b'{"token":"She","tokenId":8,"logProbability":-2.5}]}],'
    b'"chosenCandidates":[{"token":"He","tokenId":7,"logProbability":-0.1}]}'
)
RAN = b'"logprobsResult":{"chosenCandidates":[{"token":" ran","tokenId":9,"logProbability":-0.3}]}'


def test_chosen_tokens_have_the_likeliest_ones_beside_them() -> None:
    assert only_choice(analysis(whole(text(b"He") + STOP + b"," + HE))).logprobs == {
        "content": [
            {
                "token": "He",
                "logprob": -0.1,
                "top_logprobs": [
                    {"token": "He", "logprob": -0.1},
                    {"token": "She", "logprob": -2.5},
                ],
            }
        ]
    }


def test_tokens_of_a_stream_follow_each_other() -> None:
    found = analysis(streamed(text(b"He") + b"," + HE, text(b" ran") + STOP + b"," + RAN))
    tokens = only_choice(found).logprobs
    assert isinstance(tokens, dict)
    assert [token["token"] for token in tokens["content"]] == ["He", " ran"]
    assert isinstance(found.completion, dict)
    kept = found.completion["candidates"][0]["logprobsResult"]["chosenCandidates"]
    assert [token["tokenId"] for token in kept] == [7, 9]
    assert not {code for code in codes(found) if code.startswith("logprobs.")}


@pytest.mark.parametrize(
    ("sent", "tokens"),
    [
        (b"null", None),
        (b"{}", []),
        (b'{"chosenCandidates":[{"token":"He"}],"topCandidates":"?"}', [{"token": "He"}]),
        (b'{"chosenCandidates":[7]}', [7]),
    ],
)
def test_log_probabilities_of_another_shape_are_no_trouble(sent: bytes, tokens: Any) -> None:
    read = only_choice(analysis(whole(text(b"He") + STOP + b',"logprobsResult":' + sent))).logprobs
    assert (read["content"] if isinstance(read, dict) else None) == tokens


# -- sources --------------------------------------------------------------------------------------


def annotations_of(candidate: bytes, said: bytes = "Né à Bâle, vit à Bâle.".encode()) -> Any:
    return only_choice(analysis(whole(text(said) + STOP + b"," + candidate))).annotations


def test_a_cited_place_is_counted_in_characters_not_in_bytes() -> None:
    citation = (
        b'"citationMetadata":{"citationSources":[{"endIndex":12,"uri":"https://a.example/"}]}'
    )
    assert annotations_of(citation) == [
        {"type": "url_citation", "start_index": 0, "end_index": 9, "url": "https://a.example/"}
    ]


def test_citations_of_vertex_have_another_name() -> None:
    citation = b'"citationMetadata":{"citations":[{"startIndex":0,"endIndex":3,"title":"A book"}]}'
    assert annotations_of(citation) == [
        {"type": "url_citation", "start_index": 0, "end_index": 2, "title": "A book"}
    ]


GROUNDING = (
    b'"groundingMetadata":{"webSearchQueries":["q"],'
    b'"groundingChunks":[{"web":{"uri":"https://a.example/","title":"A"}},'
    b'{"retrievedContext":{"title":"B.pdf","text":"Page 1"}},{"web":{"uri":"https://c.example/"}}],'
    b'"groundingSupports":[{"segment":{"startIndex":%d,"endIndex":%d,"text":"vit"},'
    b'"groundingChunkIndices":[1,0,9,-1,null]}]}'
)


@pytest.mark.parametrize("place", [(14, 17), (0, 3), (100, 200)], ids=["its", "another", "none"])
def test_a_passage_has_an_annotation_for_each_of_its_sources(place: tuple[int, int]) -> None:
    """Its text tells where it stands if its indexes count in another part."""
    assert annotations_of(GROUNDING % place) == [
        {"type": "file_citation", "title": "B.pdf", "text": "Page 1", "start_index": 11, "end_index": 14},
        {"type": "url_citation", "url": "https://a.example/", "title": "A", "start_index": 11, "end_index": 14},
        {"type": "url_citation", "url": "https://c.example/"},
    ]  # fmt: skip


def test_retrieved_addresses_are_annotations_without_a_place() -> None:
    retrieved = (
        b'"urlContextMetadata":{"urlMetadata":[{"retrievedUrl":"https://a.example/",'
        b'"urlRetrievalStatus":"URL_RETRIEVAL_STATUS_SUCCESS"}]}'
    )
    (found,) = annotations_of(retrieved)
    assert (found["type"], found["url"]) == ("url_context", "https://a.example/")


def test_sources_that_come_in_several_chunks_are_each_kept_once() -> None:
    sources = b',"citationMetadata":{"citationSources":[%s]}'
    one, two = (
        b'{"startIndex":0,"endIndex":1,"uri":"u:1"}',
        b'{"startIndex":1,"endIndex":2,"uri":"u:2"}',
    )
    body = streamed(text(b"ab") + sources % one, text(b"c") + STOP + sources % (one + b"," + two))
    found = analysis(body)
    assert [source["url"] for source in only_choice(found).annotations or ()] == ["u:1", "u:2"]
    assert isinstance(found.completion, dict)
    kept = found.completion["candidates"][0]["citationMetadata"]["citationSources"]
    assert [source["uri"] for source in kept] == ["u:1", "u:2"]


@pytest.mark.parametrize(
    "sent", [b"null", b"7", b'{"groundingChunks":7}', b'{"groundingChunks":[7]}']
)
def test_sources_of_another_shape_are_no_trouble(sent: bytes) -> None:
    annotations_of(b'"groundingMetadata":' + sent)


def test_fields_that_no_annotation_holds_are_extras_of_the_choice() -> None:
    more = b',"safetyRatings":[{"category":"c","probability":"LOW"}],"avgLogprobs":-0.25'
    extras = only_choice(analysis(whole(text(b"Hi") + STOP + more))).extras
    assert extras == {
        "/safetyRatings": [{"category": "c", "probability": "LOW"}],
        "/avgLogprobs": -0.25,
    }


# -- how it ended ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "result"),
    [
        (b'"STOP"', Result.ANSWERED), (b"1", Result.ANSWERED),
        (b'"MAX_TOKENS"', Result.TRUNCATED), (b"2", Result.TRUNCATED),
        (b'"SAFETY"', Result.FILTERED), (b"3", Result.FILTERED), (b"4", Result.FILTERED),
        (b'"MALFORMED_FUNCTION_CALL"', Result.UNUSABLE_CALL),
    ],
)  # fmt: skip
def test_a_finish_reason_may_be_a_number(sent: bytes, result: Result) -> None:
    found = analysis(whole(text(b"Hi") + b',"finishReason":' + sent))
    assert (found.verdict, found.result) == (Verdict.COMPLETE, result)
    told = {Result.TRUNCATED: {"choice.finish-length"}, Result.FILTERED: {"choice.finish-filtered"}}
    assert {code for code in codes(found) if code.startswith("choice.")} == told.get(result, set())


@pytest.mark.parametrize("sent", [b"99", b"true", b"[]"])
def test_a_number_without_a_name_is_malformed(sent: bytes) -> None:
    assert "choice.finish-malformed" in codes(
        analysis(whole(text(b"Hi") + b',"finishReason":' + sent))
    )


def test_the_finish_message_is_quoted() -> None:
    found = analysis(whole(b'"finishReason":4,"finishMessage":"Too  like a book."'))
    assert found.result_reason == (
        "The answer was ended by a content filter before any text (finish reason 4, RECITATION): "
        "“Too like a book.”"
    )


def test_arguments_cut_by_a_length_limit_that_is_a_number() -> None:
    part = b'{"functionCall":{"name":"find","args":{}}}'
    body = whole(b'"content":{"parts":[%s]},"finishReason":2' % part)
    assert analysis(body).result is Result.TRUNCATED


@pytest.mark.parametrize("framed", [bytes, event])
def test_a_blocked_prompt_is_filtered_and_whole(framed: Any) -> None:
    body = b'{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":4,"totalTokenCount":4}}'
    found = analysis(framed(body))
    assert (found.verdict, found.verdict_reason) == (
        Verdict.COMPLETE,
        "The prompt was blocked, so there is no choice.",
    )
    assert (found.result, found.result_reason) == (
        Result.FILTERED,
        "The prompt was blocked: SAFETY.",
    )
    assert not codes(found) & {"envelope.no-choices", "ending.missing-finish"}


def test_a_prompt_that_is_blocked_while_the_answer_comes_ends_it() -> None:
    blocked = event(b'{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}')
    found = analysis(streamed(text(b"Hi")) + blocked)
    assert (found.verdict, found.result, found.choices[0].content) == (
        Verdict.COMPLETE,
        Result.FILTERED,
        "Hi",
    )
    assert "blocked: PROHIBITED_CONTENT" in found.result_reason


def test_an_empty_answer_says_with_what_it_ended() -> None:
    (told,) = (
        one.message
        for one in analysis(whole(b'"finishReason":"NO_IMAGE"')).findings
        if one.code == "choice.says-nothing"
    )
    assert told.startswith("Choice 0 ended with NO_IMAGE and is empty")


def test_a_block_reason_may_be_a_number_and_have_a_message() -> None:
    body = b'{"promptFeedback":{"blockReason":3,"blockReasonMessage":"Not here."}}'
    assert analysis(body).result_reason == "The prompt was blocked: 3, BLOCKLIST: “Not here.”"


def test_feedback_without_a_reason_blocks_nothing() -> None:
    found = analysis(whole(text(b"Hi") + STOP, b'"promptFeedback":{"safetyRatings":[]}'))
    assert found.result is Result.ANSWERED


def test_several_candidates_are_several_choices() -> None:
    one, two = b'{"index":0,%s%s}' % (text(b"a"), STOP), b'{"index":1,%s%s}' % (text(b"b"), STOP)
    found = analysis(b'{"candidates":[%s,%s]}' % (one, two))
    assert [(choice.index, choice.content) for choice in found.choices] == [(0, "a"), (1, "b")]


ERROR = b'{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}'


@pytest.mark.parametrize(
    "body",
    [ERROR, b"[%s]" % ERROR, event(whole(text(b"Hi"))) + event(ERROR), b"[%s,%s]" % (whole(text(b"Hi")), ERROR)],
    ids=["alone", "in a list", "in mid-stream", "in a streamed list"],
)  # fmt: skip
def test_an_error_is_the_providers(body: bytes) -> None:
    found = analysis(body)
    assert (found.verdict, found.result) == (Verdict.PROVIDER_ERROR, Result.ERROR)
    assert "The model is overloaded." in found.result_reason


# -- parts ----------------------------------------------------------------------------------------


def blocks_of(parts: bytes) -> list[str]:
    found = analysis(whole(b'"content":{"parts":[%s]}%s' % (parts, STOP)))
    return [str(block.kind) for block in only_choice(found).blocks]


CALL = b'{"functionCall":{"name":"find","args":{"a":1}},"thoughtSignature":"c2ln"}'


def test_a_call_needs_no_id() -> None:
    found = analysis(whole(b'"content":{"parts":[%s]}%s' % (CALL, STOP)))
    assert found.result is Result.CALLED
    assert not {code for code in codes(found) if code.startswith("tool.")}


def test_parts_keep_their_order() -> None:
    a, b = b'{"text":"a"}', b'{"text":"b"}'
    thought = b'{"text":"hm","thought":true}'
    assert blocks_of(b",".join((CALL, a, CALL))) == ["tool-call", "text", "tool-call"]
    assert blocks_of(b",".join((thought, a, b, thought))) == ["reasoning", "text", "reasoning"]


def test_code_that_ran_and_media_are_blocks_of_their_own() -> None:
    code = b'{"executableCode":{"language":"PYTHON","code":"1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK"}}'
    image = b'{"inlineData":{"mimeType":"image/png","data":"iVBORw0K"}}'
    audio = b'{"inlineData":{"mimeType":"audio/L16;rate=24000","data":"AAAA"}}'
    assert blocks_of(b",".join((code, image, audio))) == ["hosted", "hosted", "image", "audio"]


def test_media_stand_in_their_block_alone() -> None:
    image = b'{"inlineData":{"mimeType":"image/png","data":"iVBORw0K"}}'
    found = analysis(streamed(b'"content":{"parts":[%s]}' % image, text(b"") + STOP))
    (block,) = only_choice(found).blocks
    assert block.value == {"inlineData": {"mimeType": "image/png", "data": "iVBORw0K"}}
    assert (only_choice(found).extras, found.result) == ({}, Result.ANSWERED)
    assert not only_choice(found).content


def test_an_empty_text_with_the_finish_reason_opens_no_block() -> None:
    found = analysis(streamed(text(b"Hi"), text(b"") + STOP))
    assert [block.text for block in only_choice(found).blocks] == ["Hi"]


def test_a_thought_signature_of_any_part_is_kept() -> None:
    signed = b'"content":{"parts":[{"text":"","thoughtSignature":"c2ln"}]}'
    found = analysis(streamed(text(b"Hi"), signed + STOP))
    assert isinstance(found.completion, dict)
    assert "c2ln" in str(found.completion["candidates"][0]["content"]["parts"])


# -- arguments in pieces --------------------------------------------------------------------------


def call_stream(*calls: bytes) -> bytes:
    parts = (b'"content":{"parts":[{"functionCall":{%s}}]}' % call for call in calls)
    return streamed(*parts, text(b"") + STOP)


def piece(path: bytes, value: bytes, more: bytes = b"") -> bytes:
    return b'"partialArgs":[{"jsonPath":"%s",%s%s}],"willContinue":true' % (path, value, more)


WENT_ON = b',"willContinue":true'
WEATHER = call_stream(
    b'"name":"weather","willContinue":true',
    piece(b"$.where.city", b'"stringValue":"Ba"', WENT_ON),
    piece(b"$.where.city", b'"stringValue":"s\\u00e9 \\"x"', WENT_ON),
    piece(b"$.where.city", b'"stringValue":""'),
    piece(b"$.where.country", b'"nullValue":"NULL_VALUE"'),
    piece(b"$.days[0]", b'"numberValue":1.50'),
    piece(b"$.days[1]", b'"numberValue":2'),
    piece(b"$['is warm']", b'"boolValue":true'),
    b"",
)
WEATHER_ARGUMENTS = '{"where":{"city":"Basé \\"x","country":null},"days":[1.50,2],"is warm":true}'


def test_values_with_paths_join_to_the_arguments_of_one_call() -> None:
    found = analysis(WEATHER)
    (call,) = only_choice(found).tool_calls
    assert (call.name, call.arguments_text) == ("weather", WEATHER_ARGUMENTS)
    assert (found.result, codes(found)) == (Result.CALLED, {"tool.arguments-derived"})
    assert isinstance(found.completion, dict)
    (part,) = found.completion["candidates"][0]["content"]["parts"]
    assert part["functionCall"] == {"name": "weather", "args": json.loads(WEATHER_ARGUMENTS)}


def test_the_bytes_of_a_value_are_found_and_what_is_derived_has_none() -> None:
    found = reading(WEATHER)
    origins = Origins(found.tape(), WEATHER)
    pieces = origins.of(0, 0, origins.length_u16(0))
    spelt = [b"".join(WEATHER[start:end] for start, end in one.byte_ranges) for one in pieces]
    assert [said for said in spelt if said] == [b"Ba", b"1.50", b"2", b"true"]


def test_calls_in_pieces_follow_each_other() -> None:
    one = b'"name":"a","willContinue":true', piece(b"$.x", b'"numberValue":1'), b""
    two = b'"name":"b","willContinue":true', b""
    calls = only_choice(analysis(call_stream(*one, *two))).tool_calls
    assert [(call.name, call.arguments_text) for call in calls] == [("a", '{"x":1}'), ("b", "{}")]


def test_a_call_in_pieces_ends_with_the_piece_that_does_not_go_on() -> None:
    last = b'"partialArgs":[{"jsonPath":"$.x","stringValue":"y"}]'
    found = analysis(call_stream(b'"name":"a","willContinue":true', last))
    assert [call.arguments_text for call in only_choice(found).tool_calls] == ['{"x":"y"}']


def test_a_call_that_is_cut_between_its_pieces_is_truncated() -> None:
    body = call_stream(
        b'"name":"a","willContinue":true', piece(b"$.x", b'"stringValue":"y"', WENT_ON)
    )
    (call,) = only_choice(analysis(body)).tool_calls
    assert (call.arguments_text, call.arguments_state) == ('{"x":"y', ArgumentsState.TRUNCATED)


@pytest.mark.parametrize("path", [b"$.x", b"$", b"x", b"$.y[1]", b"$.x.z", b"$.", b"$[0]", b"$.a["])
def test_a_value_without_a_place_is_left_out_and_told(path: bytes) -> None:
    twice = piece(b"$.x", b'"numberValue":1'), piece(path, b'"numberValue":2')
    found = analysis(call_stream(b'"name":"a","willContinue":true', *twice, b""))
    (call,) = only_choice(found).tool_calls
    assert call.arguments_text == '{"x":1}'
    assert "tool.partial-misplaced" in codes(found)


# -- one list -------------------------------------------------------------------------------------

FIRST, LAST = whole(text(b"He")), whole(text(b" ran") + STOP)
LIST = b"[%s\n,\r\n%s\n]\n" % (FIRST, LAST)


def test_each_object_of_a_streamed_list_is_an_event() -> None:
    found = reading(LIST)
    events = found.tape().events
    ranges = zip(events.byte_start, events.byte_end, strict=True)
    assert [LIST[start:end] for start, end in ranges] == [FIRST, LAST]
    result = found.analysis()
    assert (only_choice(result).content, result.streamed, result.verdict) == (
        "He ran",
        True,
        Verdict.COMPLETE,
    )
    assert result.completion == analysis(event(FIRST) + event(LAST)).completion


def test_an_object_of_a_streamed_list_came_with_its_last_byte() -> None:
    end = LIST.index(LAST)
    reads = (
        Read(10, LIST[: end - 4]),
        Read(20, LIST[end - 4 : end + 9]),
        Read(30, LIST[end + 9 :]),
    )
    tape = reading(LIST, reads=reads).tape()
    assert [tape.arrival_us(number) for number in (0, 1)] == [10, 30]


@pytest.mark.parametrize("cut", range(1, 40, 3))
def test_a_list_that_is_cut_is_read_as_far_as_it_came(cut: int) -> None:
    body = LIST[: LIST.index(LAST) + cut]
    found = analysis(body)
    assert (found.dialect, found.verdict, only_choice(found).content) == (
        "gemini",
        Verdict.CUT_OFF,
        "He",
    )


def test_a_list_that_lacks_its_bracket_alone_is_cut() -> None:
    found = analysis(LIST.rstrip(b"\n]"))
    assert (found.verdict, only_choice(found).content) == (Verdict.CUT_OFF, "He ran")


def test_a_list_that_still_comes_has_its_whole_objects_as_events() -> None:
    found = reading(LIST[: LIST.index(LAST) + 20], outcome=TransportOutcome.OPEN)
    assert len(found.tape().events.kind) == 1
    assert (found.analysis().verdict, found.analysis().result) == (
        Verdict.IN_PROGRESS,
        Result.PENDING,
    )


def test_objects_line_by_line_are_a_stream() -> None:
    found = analysis(FIRST + b"\n" + LAST + b"\n")
    assert (only_choice(found).content, found.streamed, found.verdict) == (
        "He ran",
        True,
        Verdict.COMPLETE,
    )


@pytest.mark.parametrize(
    "body", [LIST + b"x", b"[" + FIRST + b" " + LAST + b"]", b"[]", b"[" + FIRST + b"}"]
)
def test_what_is_no_list_is_not_taken_for_one(body: bytes) -> None:
    assert codes(analysis(body))


def test_every_character_of_a_streamed_list_leads_to_its_byte() -> None:
    found = reading(LIST)
    origins = Origins(found.tape(), LIST)
    pieces = [origins.origin(piece, 0, 100) for piece in origins.pieces(0)]
    spelt = [LIST[start:end] for one in pieces for start, end in one.byte_ranges]
    assert spelt == [b"He", b" ran"]


# -- wrapped --------------------------------------------------------------------------------------


@pytest.mark.parametrize("framed", [bytes, event])
def test_an_answer_that_is_passed_on_in_a_member_is_read(framed: Any) -> None:
    usage = b'"usageMetadata":{"promptTokenCount":4,"totalTokenCount":9},"responseId":"r"'
    body = framed(b'{"response":%s,"traceId":"t"}' % whole(text(b"Hi") + STOP, usage))
    found = analysis(body)
    assert (found.dialect, found.verdict, found.result) == (
        "gemini",
        Verdict.COMPLETE,
        Result.ANSWERED,
    )
    assert (only_choice(found).content, found.identity.id, found.usage.prompt_tokens) == (
        "Hi",
        "r",
        4,
    )
    assert found.extras == {"/traceId": "t"}


def test_pieces_that_are_passed_on_in_a_member_build_the_answer_without_it() -> None:
    first, last = whole(text(b"He")), whole(text(b" ran") + STOP)
    found = analysis(event(b'{"response":%s}' % first) + event(b'{"response":%s}' % last))
    assert found.completion == {
        "candidates": [
            {"content": {"parts": [{"text": "He ran"}], "role": "model"}, "finishReason": "STOP"}
        ]
    }


def test_findings_about_a_wrapped_answer_point_into_its_member() -> None:
    found = analysis(b'{"response":%s}' % whole(text(b"Hi") + b',"finishReason":99'))
    (finding,) = [one for one in found.findings if one.code == "choice.finish-malformed"]
    assert finding.where.pointer == "/response/candidates/0/finishReason"
    (block,) = only_choice(found).blocks
    assert block.places[0].pointer == "/response/candidates/0/content/parts/0"


def test_a_model_that_changes_in_a_stream_is_told() -> None:
    first, last = (
        whole(text(b"a"), b'"modelVersion":"m"'),
        whole(text(b"b") + STOP, b'"modelVersion":"n"'),
    )
    found = analysis(event(first) + event(last))
    assert (found.model, codes(found)) == ("m", {"envelope.identity-changed"})


def test_answers_of_a_batch_are_not_put_together() -> None:
    line = b'{"key":"%d","response":%s}\n'
    answers = (whole(text(b"Hi") + STOP, b'"responseId":"%d"' % number) for number in range(3))
    found = analysis(b"".join(line % (number, answer) for number, answer in enumerate(answers)))
    assert found.choices == () and "framing.several-documents" in codes(found)


def test_a_response_that_is_no_object_is_kept() -> None:
    assert analysis(whole(text(b"Hi") + STOP, b'"response":7')).extras == {"/response": 7}


THOUGHT = b'"content":{"parts":[{"text":"h\\u00e9","thought":true},{"text":"a"}],"role":"model"}'
CALLED = b'"content":{"parts":[{"text":"b"},%s,{"text":"c"}]}' % CALL
RECORDINGS = [
    WEATHER,
    LIST,
    streamed(text(b"He") + b"," + HE, text(b" ran") + STOP + b"," + RAN),
    streamed(THOUGHT, CALLED + STOP),
    whole(THOUGHT + STOP),
    b"[%s,%s]" % (whole(THOUGHT), whole(CALLED)),
]


THOUGHT = b'{"text":"%s","thought":true}'
SAID = b'{"text":"%s"}'


def parts(*each: bytes) -> bytes:
    return b'"content":{"parts":[%s],"role":"model"}' % b",".join(each)


@pytest.mark.parametrize(
    "candidates",
    [
        (parts(THOUGHT % b"Hm"), parts(THOUGHT % b"Hm so"), parts(THOUGHT % b"Hm so it is"), text(b"Ebb and flow") + STOP),
        (parts(THOUGHT % b"Hm so"), parts(THOUGHT % b" it is"), text(b"Ebb"), text(b" and flow"), parts(THOUGHT % b"Hm so it is", SAID % b"Ebb and flow") + STOP),
    ],
    ids=["each so far", "the last all"],
)  # fmt: skip
def test_texts_that_chunks_repeat_are_said_once(candidates: tuple[bytes, ...]) -> None:
    found = analysis(streamed(*candidates))
    assert (only_choice(found).reasoning, only_choice(found).content) == (
        "Hm so it is",
        "Ebb and flow",
    )
    assert len(only_choice(found).blocks) == 2
    assert "message.said-again" in codes(found)


@pytest.mark.parametrize(("again", "count"), [(b'{"a":1}', 1), (b'{"a":2}', 2)])
def test_a_call_that_a_chunk_repeats_with_its_id_is_one(again: bytes, count: int) -> None:
    call = b'{"functionCall":{"id":"k","name":"f","args":%s}}'
    found = analysis(streamed(parts(call % b'{"a":1}'), parts(call % again) + STOP))
    assert len(only_choice(found).tool_calls) == count


# -- dumps of the Python SDK ----------------------------------------------------------------------

DUMP = {
    "sdk_http_response": {"headers": {"server": "x"}},
    "candidates": [
        {
            "content": {
                "parts": [
                    {"inline_data": None, "thought": True, "function_call": None, "text": "Hm."},
                    {"inline_data": None, "thought": None, "function_call": None, "text": "Now."},
                    {
                        "thought_signature": "EqQB",
                        "function_call": {"id": None, "name": "dim", "args": {"lampId": 4}},
                        "text": None,
                    },
                ],
                "role": "model",
            },
            "citation_metadata": None,
            "finish_reason": "STOP",
            "safety_ratings": None,
        }
    ],
    "create_time": None,
    "model_version": "gemini-2.5-flash",
    "prompt_feedback": None,
    "response_id": "r-7",
    "usage_metadata": {
        "cached_content_token_count": None,
        "prompt_token_count": 8,
        "tool_use_prompt_token_count": 2,
        "candidates_token_count": 7,
        "thoughts_token_count": 5,
        "total_token_count": 22,
    },
}


def test_a_dump_in_snake_case_is_read_as_the_answer_that_it_is() -> None:
    found = analysis(json.dumps(DUMP).encode())
    choice = only_choice(found)
    (call,) = choice.tool_calls
    assert (choice.reasoning, choice.content, call.name) == ("Hm.", "Now.", "dim")
    assert (call.arguments_state, call.arguments_text) == (ArgumentsState.VALID, '{"lampId": 4}')
    assert (choice.finish_reason, found.result) == ("STOP", Result.CALLED)
    assert (found.model, found.identity.id, found.completion) == ("gemini-2.5-flash", "r-7", DUMP)
    usage = found.usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (10, 12, 22)
    assert (usage.reasoning_tokens, usage.cached_tokens, codes(found)) == (5, None, set())


def test_dumps_of_chunks_in_snake_case_build_one_answer() -> None:
    said = b'"content":{"parts":[{"text":"%s"}]}'
    counts = b'"usage_metadata":{"prompt_token_count":8,"candidates_token_count":%d}'
    first = event(whole(said % b"He", counts % 1))
    last = event(whole(said % b" ran" + b',"finish_reason":"MAX_TOKENS"', counts % 2))
    found = analysis(first + last)
    assert (only_choice(found).content, found.usage.completion_tokens) == ("He ran", 2)
    assert (found.verdict, found.result) == (Verdict.COMPLETE, Result.TRUNCATED)


def test_a_blocked_prompt_in_snake_case_is_filtered_with_its_message() -> None:
    body = {"candidates": None, "prompt_feedback": {"block_reason": "SAFETY"}}
    body["prompt_feedback"]["block_reason_message"] = "Not that."  # type: ignore[index]
    found = analysis(json.dumps(body).encode())
    assert found.result is Result.FILTERED
    assert "Not that." in found.result_reason


def test_counts_in_snake_case_alone_are_no_answer_of_this_format() -> None:
    body = b'{"content":"Hi","type":"ai","usage_metadata":{"input_tokens":8,"output_tokens":1}}'
    assert analysis(body).dialect is None
