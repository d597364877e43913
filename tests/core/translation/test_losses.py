"""What each translation drops, changes and lacks, and where."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.core.translation import LossCode, Translation, targets, translate
from tests.core.bodies import analysis, choice, completion
from tests.core.translation.answers import ANSWERS, ANTHROPIC, CHAT, GEMINI, RESPONSES

TEXT = b'{"type":"text","text":"Hello"}'
CALL = b'{"type":"tool_use","id":"t1","name":"f","input":{}}'


def given(body: bytes, slug: str) -> Translation:
    found = translate(analysis(body), targets()[slug])
    assert found is not None
    return found


def losses(body: bytes, slug: str) -> set[tuple[str, str]]:
    return {(loss.code.value, loss.pointer) for loss in given(body, slug).losses}


def message_of(found: Translation) -> Any:
    return found.value["choices"][0]["message"]


def anthropic(*blocks: bytes, more: bytes = b'"stop_reason":"end_turn"') -> bytes:
    top = b'"id":"msg_1","type":"message","role":"assistant","model":"parcel-1"'
    return b'{%s,"content":[%s],%s}' % (top, b",".join(blocks), more)


def responses(*items: bytes, more: bytes = b'"status":"completed"') -> bytes:
    top = b'"id":"resp_1","object":"response","created_at":1795183339,"model":"parcel-1"'
    return b'{%s,"output":[%s],%s}' % (top, b",".join(items), more)


def called(arguments: bytes, call_id: bytes = b'"id":"call_1",') -> bytes:
    function = b'{"name":"f","arguments":%s}' % arguments
    call = b'{%s"type":"function","function":%s}' % (call_id, function)
    message = b'"role":"assistant","content":null,"tool_calls":[%s]' % call
    return completion(choice(message, b'"finish_reason":"tool_calls"'))


# -- what every format does -----------------------------------------------------------------------


def test_an_answer_of_the_format_itself_is_given_as_it_is() -> None:
    found = given(ANTHROPIC, "anthropic")
    assert found.value == analysis(ANTHROPIC).completion
    assert found.losses == ()


def test_formats_that_name_no_model_drop_it() -> None:
    for slug in ("bedrock-converse", "cohere"):
        assert ("model-dropped", "/model") in losses(CHAT, slug)
    assert ("model-lacking", "/model") in losses(ANSWERS["cohere"], "ollama")


def test_converse_names_each_part_by_its_member() -> None:
    assert given(ANTHROPIC, "bedrock-converse").value == {
        "output": {
            "message": {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"reasoningText": {"text": "A parcel is asked for."}}},
                    {"text": "I look it up."},
                    {
                        "toolUse": {
                            "toolUseId": "toolu_1",
                            "name": "find_parcel",
                            "input": {"number": 17},
                        }
                    },
                ],
            }
        },
        "stopReason": "tool_use",
        "usage": {"inputTokens": 100, "outputTokens": 50, "cacheReadInputTokens": 900},
    }


def test_cohere_has_calls_in_a_list_of_their_own() -> None:
    assert given(ANTHROPIC, "cohere").value == {
        "id": "msg_1",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "A parcel is asked for."},
                {"type": "text", "text": "I look it up."},
            ],
            "tool_calls": [
                {
                    "id": "toolu_1",
                    "type": "function",
                    "function": {"name": "find_parcel", "arguments": '{"number":17}'},
                }
            ],
        },
        "finish_reason": "TOOL_CALL",
        "usage": {
            "tokens": {"input_tokens": 1000, "output_tokens": 50},
            "cached_tokens": 900,
        },
    }


def test_a_workflowai_answer_is_a_chat_completion_already() -> None:
    body = completion(choice(b'"role":"assistant","content":"Hi"', b'"feedback_token":"a.b"'))
    assert given(body, "openai-chat").losses == ()


def test_an_answer_that_is_passed_on_is_given_with_the_places_of_the_body() -> None:
    line = b'{"custom_id":"a","result":{"type":"succeeded","message":%s}}' % anthropic(TEXT, CALL)
    found = given(line, "openai-chat")
    assert (found.value["id"], found.value["model"]) == ("msg_1", "parcel-1")
    assert losses(line, "openai-chat") == {
        ("field-dropped", "/custom_id"),
        ("finish-changed", "/result/message/stop_reason"),
        ("time-lacking", "/result/message/created"),
    }
    assert given(b'{"response":%s}' % GEMINI, "anthropic").value["id"] == "r1"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b'{"error":{"message":"no"}}',
        b'{"choices":[]}',
        b'{"custom_id":"a","result":{"type":"expired"}}',
    ],
)
def test_what_has_no_choices_is_not_translated(body: bytes) -> None:
    assert translate(analysis(body), targets()["anthropic"]) is None


def test_targets_are_formats_that_are_read() -> None:
    assert sorted(targets()) == sorted(ANSWERS)


def test_losses_are_listed_by_what_became_of_them() -> None:
    kinds = [loss.code.kind.value for loss in given(CHAT, "anthropic").losses]
    assert kinds == sorted(kinds, key=["dropped", "changed", "lacking"].index)


def test_a_text_loses_only_what_the_other_format_spells_otherwise() -> None:
    body = completion(choice(b'"role":"assistant","content":"Hello"'))
    assert losses(body, "openai-responses") == {("finish-changed", "/choices/0/finish_reason")}
    assert losses(body, "anthropic") == {
        ("time-dropped", "/created"),
        ("count-dropped", "/usage/total_tokens"),
        ("finish-changed", "/choices/0/finish_reason"),
    }


# -- parts ----------------------------------------------------------------------------------------


def test_blocks_in_another_order_than_fields_have_lose_their_order() -> None:
    body = anthropic(TEXT, CALL, TEXT)
    found = losses(body, "openai-chat")
    assert ("order-changed", "/content/2") in found
    assert ("texts-changed", "/content/0") in found
    assert message_of(given(body, "openai-chat"))["content"] == "HelloHello"


def test_blocks_in_the_order_of_fields_lose_nothing() -> None:
    codes = {code for code, _ in losses(anthropic(TEXT, CALL), "openai-chat")}
    assert codes.isdisjoint({"order-changed", "texts-changed"})


def test_a_list_of_parts_keeps_every_order() -> None:
    codes = {code for code, _ in losses(anthropic(TEXT, CALL, TEXT), "gemini")}
    assert codes.isdisjoint({"order-changed", "texts-changed"})


def test_reasoning_is_given_as_reasoning_content_and_told() -> None:
    found = given(ANTHROPIC, "openai-chat")
    assert message_of(found)["reasoning_content"] == "A parcel is asked for."
    assert ("reasoning-changed", "/content/0") in losses(ANTHROPIC, "openai-chat")


def test_a_signature_is_dropped() -> None:
    body = anthropic(b'{"type":"thinking","thinking":"Hm","signature":"EqQB"}', TEXT)
    assert ("signature-dropped", "/content/0/signature") in losses(body, "openai-chat")
    part = b'{"text":"Hello"'
    signed = GEMINI.replace(b'{"text":"I look it up."', part + b',"thoughtSignature":"Eq"')
    at = "/candidates/0/content/parts/1/thoughtSignature"
    assert ("signature-dropped", at) in losses(signed, "anthropic")


def test_encrypted_reasoning_is_dropped() -> None:
    body = anthropic(b'{"type":"redacted_thinking","data":"EqQB"}', TEXT)
    assert ("reasoning-dropped", "/content/0") in losses(body, "gemini")


def test_what_the_provider_ran_is_dropped_with_its_result() -> None:
    call = b'{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"x"}}'
    result = b'{"type":"web_search_tool_result","tool_use_id":"s1","content":[]}'
    found = losses(anthropic(call, result, TEXT), "openai-responses")
    assert {("hosted-dropped", "/content/0"), ("hosted-dropped", "/content/1")} <= found


def test_an_image_is_dropped() -> None:
    image = b'{"inlineData":{"mimeType":"image/png","data":"iVBO"}},{"text":"I look it up."'
    body = GEMINI.replace(b'{"text":"I look it up."', image)
    assert ("part-dropped", "/candidates/0/content/parts/1") in losses(body, "anthropic")


def test_a_refusal_is_given_as_text_where_it_has_no_place() -> None:
    body = completion(choice(b'"role":"assistant","content":null,"refusal":"I cannot."'))
    assert ("refusal-changed", "/choices/0/message/refusal") in losses(body, "anthropic")
    assert given(body, "anthropic").value["content"] == [{"type": "text", "text": "I cannot."}]
    codes = {code for code, _ in losses(body, "openai-responses")}
    assert "refusal-changed" not in codes


def test_citations_of_web_pages_become_annotations_with_their_places() -> None:
    cited = b'{"type":"url_citation","url":"https://a.example/","start_index":0,"end_index":5}'
    part = b'{"type":"output_text","text":"Hello","annotations":[%s]}'
    items = [
        b'{"type":"message","role":"assistant","content":[%s]}' % (part % it) for it in (b"", cited)
    ]
    body = responses(*items)
    link = {"url": "https://a.example/", "start_index": 5, "end_index": 10}
    annotations = message_of(given(body, "openai-chat"))["annotations"]
    assert annotations == [{"type": "url_citation", "url_citation": link}]
    assert ("citations-changed", "/output/1/content/0/annotations") in losses(body, "openai-chat")
    assert ("citations-dropped", "/output/1/content/0/annotations") in losses(body, "ollama")


def test_citations_of_documents_are_dropped() -> None:
    cited = b'{"type":"text","text":"Hello","citations":[{"type":"char_location"}]}'
    assert ("citations-dropped", "/content/0/citations") in losses(anthropic(cited), "openai-chat")


def test_only_the_first_of_several_choices_fits_into_one() -> None:
    one = choice(b'"role":"assistant","content":"Hello"')
    body = completion(one, one.replace(b'"index":0', b'"index":1'))
    assert ("choice-dropped", "/choices/1") in losses(body, "anthropic")
    assert len(given(body, "gemini").value["candidates"]) == 2


def test_another_role_than_that_of_an_answer_is_told() -> None:
    body = completion(choice(b'"role":"system","content":"Hello"'))
    assert ("role-changed", "/choices/0") in losses(body, "gemini")


# -- calls ----------------------------------------------------------------------------------------


def test_a_call_without_id_stays_without() -> None:
    body = called(b'"{}"', call_id=b"")
    assert ("call-id-lacking", "/choices/0/message/tool_calls/0") in losses(body, "anthropic")
    assert "id" not in given(body, "anthropic").value["content"][0]


def test_a_call_without_name_stays_without() -> None:
    body = called(b'"{}"').replace(b'"name":"f",', b"")
    assert ("name-lacking", "/choices/0/message/tool_calls/0") in losses(body, "gemini")


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (b'"{\\"a\\":1"', '{"a":1'),
        (b'"[1]"', "[1]"),
        (b'"{\\"a\\":1,\\"a\\":2}"', '{"a":1,"a":2}'),
        (b'""', {}),
    ],
)
def test_arguments_that_are_no_object_stay_the_text_that_was_sent(
    arguments: bytes, kept: object
) -> None:
    body = called(arguments)
    assert given(body, "anthropic").value["content"][0]["input"] == kept
    assert ("arguments-changed", "/choices/0/message/tool_calls/0") in losses(body, "anthropic")


def test_arguments_that_are_an_object_are_given_as_one() -> None:
    found = losses(called(b'"{\\"a\\":1}"'), "anthropic")
    assert "arguments-changed" not in {code for code, _ in found}


def test_a_custom_tool_stays_one_where_there_are_such() -> None:
    body = responses(b'{"type":"custom_tool_call","call_id":"c1","name":"sql","input":"SELECT 1"}')
    call = message_of(given(body, "openai-chat"))["tool_calls"][0]
    custom = {"name": "sql", "input": "SELECT 1"}
    assert call == {"id": "c1", "type": "custom", "custom": custom}
    assert ("call-changed", "/output/0") in losses(body, "anthropic")


def test_a_call_that_names_no_tool_is_dropped() -> None:
    body = responses(b'{"type":"local_shell_call","call_id":"c1","action":{"command":["ls"]}}')
    found = given(body, "openai-chat")
    assert ("call-dropped", "/output/0") in losses(body, "openai-chat")
    assert found.value["choices"][0]["finish_reason"] == "stop"


def test_the_deprecated_function_call_is_given_as_a_call() -> None:
    message = b'"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}'
    body = completion(choice(message, b'"finish_reason":"function_call"'))
    assert ("call-changed", "/choices/0/message/function_call") in losses(body, "ollama")


# -- ending, identity, counts ---------------------------------------------------------------------


def test_a_finish_reason_without_counterpart_is_left_out() -> None:
    body = anthropic(TEXT, more=b'"stop_reason":"refusal"')
    found = given(body, "ollama")
    assert "done_reason" not in found.value
    assert ("finish-dropped", "/stop_reason") in losses(body, "ollama")


def test_a_finish_reason_that_nobody_knows_stays_as_it_is_spelt() -> None:
    body = completion(choice(b'"role":"assistant","content":"Hi"', b'"finish_reason":"whim"'))
    assert given(body, "anthropic").value["stop_reason"] == "whim"


@pytest.mark.parametrize(
    ("more", "members"), [(b'"finish_reason":null', {"stop_reason": None}), (b"", {})]
)
def test_null_and_absence_of_a_finish_reason_stay_what_they_are(
    more: bytes, members: dict[str, Any]
) -> None:
    value = given(completion(choice(b'"role":"assistant","content":"Hi"', more)), "anthropic").value
    assert {name: it for name, it in value.items() if name == "stop_reason"} == members


def test_a_time_is_given_in_the_notation_of_the_format() -> None:
    assert given(CHAT, "ollama").value["created_at"] == "2026-11-20T14:02:19Z"
    assert ("time-changed", "/created") in losses(CHAT, "ollama")


def test_a_time_that_is_none_is_left_out() -> None:
    body = CHAT.replace(b"1795183339", b"1e300")
    assert ("time-dropped", "/created") in losses(body, "gemini")
    assert "createTime" not in given(body, "gemini").value


def test_what_names_the_answer_is_lacking_where_it_was_not_sent() -> None:
    body = CHAT.replace(b'"id":"chatcmpl-1",', b"").replace(b',"model":"parcel-1"', b"")
    body = body.replace(b'"created":1795183339', b'"n":null')
    found = losses(body, "openai-responses")
    assert {
        ("id-lacking", "/id"),
        ("model-lacking", "/model"),
        ("time-lacking", "/created"),
    } <= found


def test_an_id_that_has_no_place_is_dropped() -> None:
    assert ("id-dropped", "/id") in losses(CHAT, "ollama")


def test_cached_tokens_are_beside_the_input_of_anthropic() -> None:
    usage = given(CHAT, "anthropic").value["usage"]
    assert usage == {"input_tokens": 100, "cache_read_input_tokens": 900, "output_tokens": 50}
    assert ("count-changed", "/usage/prompt_tokens") in losses(CHAT, "anthropic")


def test_cached_tokens_are_inside_the_prompt_of_chat_completions() -> None:
    usage = given(ANTHROPIC, "openai-chat").value["usage"]
    assert usage["prompt_tokens"] == 1000
    assert ("count-changed", "/usage") in losses(ANTHROPIC, "openai-chat")
    assert ("count-lacking", "/usage") in losses(ANTHROPIC, "openai-chat")
    assert "total_tokens" not in usage


def test_reasoning_that_was_counted_beside_is_counted_inside() -> None:
    details = b'"completion_tokens_details":{"reasoning_tokens":7}'
    more = b'"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":12,%s}' % details
    body = completion(choice(b'"role":"assistant","content":"Hi"'), more=more)
    assert given(body, "openai-responses").value["usage"]["output_tokens"] == 9
    assert ("count-changed", "/usage/completion_tokens") in losses(body, "openai-responses")


def test_parts_that_exceed_their_whole_leave_it_out() -> None:
    body = CHAT.replace(b'"prompt_tokens":1000', b'"prompt_tokens":10')
    assert "input_tokens" not in given(body, "anthropic").value["usage"]
    assert ("count-dropped", "/usage/prompt_tokens") in losses(body, "anthropic")


def test_tokens_by_modality_stand_in_lists_where_the_format_has_them() -> None:
    body = RESPONSES.replace(b'"cached_tokens":900', b'"text_tokens":1000')
    details = given(body, "gemini").value["usageMetadata"]["promptTokensDetails"]
    assert details == [{"modality": "TEXT", "tokenCount": 1000}]


def test_cache_hits_are_cached_tokens_elsewhere() -> None:
    body = CHAT.replace(
        b'"prompt_tokens_details":{"cached_tokens":900}', b'"prompt_cache_hit_tokens":900'
    )
    assert given(body, "gemini").value["usageMetadata"]["cachedContentTokenCount"] == 900
    assert ("count-changed", "/usage/prompt_cache_hit_tokens") in losses(body, "gemini")


def test_a_count_without_a_place_is_dropped() -> None:
    assert ("count-dropped", "/usage/total_tokens") in losses(CHAT, "ollama")


# -- fields ---------------------------------------------------------------------------------------


def test_fields_without_a_place_are_dropped_each_with_its_object() -> None:
    body = CHAT.replace(b'"model"', b'"system_fingerprint":"fp","warning":"slow","model"')
    body = body.replace(b'"finish_reason"', b'"logprobs":{"content":[]},"finish_reason"')
    found = losses(body, "anthropic")
    assert {("field-dropped", ""), ("field-dropped", "/choices/0/logprobs")} <= found


def test_the_service_tier_is_given_only_between_formats_that_mean_the_same() -> None:
    body = CHAT.replace(b'"model"', b'"service_tier":"default","model"')
    assert given(body, "openai-responses").value["service_tier"] == "default"
    assert ("field-dropped", "/service_tier") in losses(body, "anthropic")


@pytest.mark.parametrize("slug", targets())
@pytest.mark.parametrize("body", [CHAT, RESPONSES, GEMINI])
def test_an_answer_whose_fields_all_have_a_place_drops_none(body: bytes, slug: str) -> None:
    assert "field-dropped" not in {code for code, _ in losses(body, slug)}


def test_a_null_and_an_empty_list_are_no_loss() -> None:
    body = CHAT.replace(b'"model"', b'"warnings":[],"system_fingerprint":null,"model"')
    assert "field-dropped" not in {code for code, _ in losses(body, "anthropic")}


def test_every_code_says_what_became_of_what_it_names() -> None:
    assert {code.kind.value for code in LossCode} == {"dropped", "changed", "lacking"}
