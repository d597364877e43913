"""Equal digests are equal prompts, in whatever form a request writes them."""

import hashlib

import pytest

from inspector.core.request.outline import outline_of
from inspector.core.request.prompt.request_body import MAX_VALUES
from inspector.core.request.prompt_digest import MAX_PROMPT_BYTES, digest_of, normalised_prompt
from inspector.core.wire.exchange import Request
from tests.steps import steps


def digest(body: str | bytes | None) -> str | None:
    asked = Request(body=body.encode() if isinstance(body, str) else body)
    return digest_of(normalised_prompt(asked))


BRIEF_QUESTION = {
    "chat": '{"model":"a","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Where is it?"}]}',
    "chat, by a developer": '{"model":"o","messages":[{"role":"developer","content":"Be brief."},{"role":"user","content":"Where is it?"}]}',
    "chat, in parts": '{"messages":[{"role":"system","content":[{"type":"text","text":"Be brief."}]},{"role":"user","content":[{"type":"text","text":"Where is it?"}]}]}',
    "chat, keys in another order": '{"stream":true,"messages":[{"content":"Be brief.","role":"system"},{"content":"Where is it?","role":"user"}],"model":"b"}',
    "chat, laid out": '{\n  "messages": [\n    {"role": "system", "content": "Be brief."},\n    {"role": "user", "content": "Where \\u0069s it?"}\n  ]\n}',
    "chat, with nulls": '{"messages":[{"role":"system","content":"Be brief.","name":null},{"role":"user","content":"Where is it?","tool_calls":[],"refusal":null}]}',
    "Anthropic": '{"model":"c","max_tokens":9,"system":"Be brief.","messages":[{"role":"user","content":"Where is it?"}]}',
    "Anthropic, in cached parts": '{"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"Where is it?","cache_control":{"type":"ephemeral","ttl":"1h"}}]}]}',
    "Responses": '{"model":"d","instructions":"Be brief.","input":"Where is it?","store":false}',
    "Responses, in items": '{"instructions":"Be brief.","input":[{"type":"message","id":"msg_1","status":"completed","role":"user","content":[{"type":"input_text","text":"Where is it?"}]}]}',
    "Responses, instructions in items": '{"instructions":[{"role":"developer","content":"Be brief."}],"input":"Where is it?"}',
    "Responses, all in its input": '{"input":[{"role":"system","content":"Be brief."},{"role":"user","content":"Where is it?"}]}',
    "Gemini": '{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"Where is it?"}]}],"generationConfig":{"temperature":1}}',
    "Gemini, as its Python client writes it": '{"system_instruction":{"role":"user","parts":[{"text":"Be brief."}]},"contents":[{"parts":[{"text":"Where is it?"}]}]}',
    "Gemini, one content": '{"systemInstruction":{"parts":{"text":"Be brief."}},"contents":{"parts":[{"text":"Where is it?"}]}}',
    "Ollama": '{"model":"e","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Where is it?","images":[]}],"options":{"seed":1}}',
    "Cohere": '{"model":"f","preamble":"Be brief.","message":"Where is it?","chat_history":[]}',
    "Bedrock": '{"system":[{"text":"Be brief."}],"messages":[{"role":"user","content":[{"text":"Where is it?"}]}],"inferenceConfig":{"maxTokens":9}}',
    "FlowAPI": '{"model":"deepseek-ai/DeepSeek-V3.2","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Where is it?"}],"stream":false}',
}  # fmt: skip


@pytest.mark.parametrize("form", BRIEF_QUESTION)
def test_one_prompt_has_one_digest_in_every_form(form: str) -> None:
    assert digest(BRIEF_QUESTION[form]) == digest(BRIEF_QUESTION["chat"])


def test_a_digest_is_the_sha256_of_the_normalised_prompt() -> None:
    normalised = b'{"messages":[{"parts":["Where is it?"],"role":"user"}]}'
    found = digest('{"messages":[{"role":"user","content":"Where is it?"}]}')
    assert found == hashlib.sha256(normalised).hexdigest()


TURNS = {
    "chat": '{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"Where is it?"}]}',
    "Responses": '{"input":[{"role":"user","content":"Hi"},{"type":"message","id":"msg_7","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello","annotations":[],"logprobs":[]}]},{"role":"user","content":"Where is it?"}]}',
    "Gemini": '{"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"text":"Hello"}]},{"role":"user","parts":[{"text":"Where is it?"}]}]}',
    "Cohere": '{"chat_history":[{"role":"USER","message":"Hi"},{"role":"CHATBOT","message":"Hello"}],"message":"Where is it?"}',
}  # fmt: skip


@pytest.mark.parametrize("form", TURNS)
def test_turns_have_one_digest_in_every_form(form: str) -> None:
    assert digest(TURNS[form]) == digest(TURNS["chat"])


LEGACY = {
    "prompt": '{"model":"a","prompt":"Once upon","max_tokens":5}',
    "one prompt in a list": '{"prompt":["Once upon"]}',
    "inputs": '{"inputs":"Once upon","parameters":{"max_new_tokens":5}}',
    "both": '{"inputs":"Once upon","prompt":"Once upon"}',
    "Ollama's generate": '{"model":"e","prompt":"Once upon","system":"","template":"","context":[],"images":[],"suffix":""}',
}


@pytest.mark.parametrize("form", LEGACY)
def test_texts_to_complete_have_one_digest_in_every_form(form: str) -> None:
    assert digest(LEGACY[form]) == digest(LEGACY["prompt"])


ASKED = '{"messages":[{"role":"user","content":"Where is it?"}]}'


@pytest.mark.parametrize(
    "beside",
    [
        '"model":"b"', '"stream":true,"stream_options":{"include_usage":true}', '"temperature":0', '"n":3', '"seed":7',
        '"tools":[{"type":"function","function":{"name":"track"}}],"tool_choice":"auto"', '"user":"u-1","metadata":{"a":"b"}',
        '"response_format":{"type":"json_object"}', '"max_tokens":1', '"system":""', '"system":null', '"instructions":[]',
    ],
)  # fmt: skip
def test_model_parameters_and_tools_do_not_count(beside: str) -> None:
    assert digest(ASKED[:-1] + "," + beside + "}") == digest(ASKED)


@pytest.mark.parametrize(
    "other",
    [
        '{"messages":[{"role":"user","content":"Where is it? "}]}',
        '{"messages":[{"role":"user","content":"where is it?"}]}',
        '{"messages":[{"role":"assistant","content":"Where is it?"}]}',
        '{"messages":[{"role":"user","content":["Where is"," it?"]}]}',
        '{"messages":[{"role":"user","content":"Where is it?","name":"ann"}]}',
        '{"messages":[{"role":"user","content":[{"type":"text","text":"Where is it?"},{"type":"image_url","image_url":{"url":"https://a.example/1.png"}}]}]}',
        '{"messages":[{"role":"user","content":"Where is it?","images":["iVBORw0"]}]}',
        '{"messages":[{"role":"user","content":"Where is it?"}],"system":"Be brief."}',
        '{"messages":[{"role":"user","content":"Where is it?"},{"role":"user","content":"Where is it?"}]}',
        '{"messages":[{"role":"user","content":"Where is it?"}],"documents":["It is in Bremen."]}',
        '{"contents":[{"parts":[{"text":"Where is it?","thought":true}]}]}',
        '{"contents":[{"parts":[{"text":"Where is it?"}]}],"cachedContent":"cachedContents/1"}',
        '{"input":"Where is it?","previous_response_id":"resp_1"}',
        '{"prompt":"Where is it?"}',
    ],
)  # fmt: skip
def test_another_prompt_has_another_digest(other: str) -> None:
    assert digest(other) not in (None, digest(ASKED))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            '{"messages":[{"role":"tool","tool_call_id":"call_1","content":"Bremen"}]}',
            '{"messages":[{"content":[{"text":"Bremen","type":"text"}],"tool_call_id":"call_1","role":"tool"}]}',
        ),
        (
            '{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"Bremen"}]}]}',
            '{"messages":[{"role":"user","content":[{"content":[{"type":"text","text":"Bremen"}],"tool_use_id":"t1","type":"tool_result","cache_control":{"type":"ephemeral"}}]}]}',
        ),
        (
            '{"input":[{"type":"function_call_output","call_id":"call_1","output":"Bremen"}]}',
            '{"input":[{"type":"function_call_output","call_id":"call_1","status":"completed","output":[{"type":"input_text","text":"Bremen"}]}]}',
        ),
        (
            '{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"track","arguments":"{}"}}]}]}',
            '{"messages":[{"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"track"},"type":"function","id":"call_1"}]}]}',
        ),
        (
            '{"messages":[{"role":"user","content":""}]}',
            '{"messages":[{"role":"user","content":[{"type":"text","text":""}]}]}',
        ),
        (
            '{"messages":[{"role":"user","content":null}]}',
            '{"messages":[{"role":"user","content":[]}]}',
        ),
    ],
)  # fmt: skip
def test_a_text_is_a_list_of_one_part_wherever_it_stands(one: str, other: str) -> None:
    assert digest(one) == digest(other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            '{"messages":[{"role":"tool","tool_call_id":"call_1","content":"Bremen"}]}',
            '{"messages":[{"role":"tool","tool_call_id":"call_2","content":"Bremen"}]}',
        ),
        (
            '{"messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"track","arguments":"{}"}}]}]}',
            '{"messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"track","arguments":"{\\"id\\":1}"}}]}]}',
        ),
        ('{"prompt":["a","b"]}', '{"prompt":["b","a"]}'),
        ('{"prompt":[1,2]}', '{"prompt":[1,3]}'),
        ('{"prompt":"a","suffix":"b"}', '{"prompt":"a"}'),
        ('{"prompt":{"id":"pmpt_1","version":"1"}}', '{"prompt":{"id":"pmpt_1","version":"2"}}'),
        ('{"instruction":"Mend it.","input":"thsi"}', '{"instruction":"Break it.","input":"thsi"}'),
        (
            '{"messages":[{"role":"user","content":""}]}',
            '{"messages":[{"role":"user","content":null}]}',
        ),
    ],
)
def test_what_the_model_reads_counts(one: str, other: str) -> None:
    assert None is not digest(one) != digest(other)


@pytest.mark.parametrize(
    "body",
    [
        None, b"", b"[]", b"7", b"{", b"\xff", b"[" * 100_000, b"{}", b'{"model":"a","temperature":1}',
        b'{"messages":[],"prompt":null}', b'{"messages":null,"system":""}', b'{"previous_response_id":"resp_1"}',
        b'{"variables":{"city":"Bremen"}}', b"--x\r\nContent-Disposition: form-data\r\n\r\n",
        b'{"messages":[{"role":"user","content":"Whe',
    ],
)  # fmt: skip
def test_what_holds_no_prompt_has_no_digest(body: bytes | None) -> None:
    assert digest(body) is None


def test_an_unknown_request_has_no_digest() -> None:
    assert digest_of(normalised_prompt(None)) is None


@pytest.mark.parametrize(
    "body",
    [
        b'{"messages":7}', b'{"messages":[null,7,[],"a"]}', b'{"messages":[{}]}', b'{"messages":[{"role":[],"content":{"a":1}}]}',
        b'{"messages":[{"role":7,"content":[null,[[]],{"content":[{"content":7}]}]}]}', b'{"system":7,"messages":[{"type":[]}]}',
        b'{"contents":[{"parts":7}],"systemInstruction":{"parts":null}}', b'{"messages":[{"role":"user","content":"\\ud800"}]}',
        b'{"prompt":"a","prompt":"b"}', b'{"prompt":' + b"9" * 4_300 + b"}", b'{"prompt":[' + b"[" * 60 + b"]" * 60 + b"]}",
        b'{"prompt":1e308}', b'{"prompt":"\\u0000"}',
    ],
)  # fmt: skip
def test_an_odd_prompt_has_a_digest_of_its_own(body: bytes) -> None:
    found = digest(body)
    assert found is not None and len(found) == 64


def test_a_body_beyond_the_bound_has_no_digest() -> None:
    longest = b'{"prompt":"' + b"a" * (MAX_PROMPT_BYTES - 13) + b'"}'
    assert len(longest) == MAX_PROMPT_BYTES
    assert digest(longest) is not None
    assert digest(longest + b" ") is None


def test_a_request_of_half_a_million_messages_is_not_looked_into() -> None:
    body = b'{"messages":[' + b"{}," * MAX_VALUES + b"{}]}"
    request = Request(method="POST", url="http://127.0.0.1/v1/x", headers=(), body=body)
    assert steps(lambda: (normalised_prompt(request), outline_of(request))) < 50
    assert normalised_prompt(request) == {} and outline_of(request) is None
