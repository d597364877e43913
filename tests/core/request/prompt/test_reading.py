"""Requests of every format are read as one prompt: messages, tools, parameters."""

import json
from typing import Any

import pytest

from inspector.core.request.prompt import request_body
from inspector.core.request.prompt.prompt import (
    PromptMessage,
    PromptPart,
    PromptReading,
    RequestState,
)
from inspector.core.request.prompt.reading import WINDOW, PromptRequest, read_prompt

PNG = "iVBORw0KGgo="


def read(body: bytes | dict[str, Any], start: int = 0) -> PromptReading:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    return read_prompt(PromptRequest(sent, start))


def told(part: PromptPart) -> str:
    """A part in one line, such as ``image image/png 8 B`` or ``tool-call track {"n":1}``."""
    media = part.media
    words = [str(part.kind), part.name, part.id]
    if media is not None:
        length = "" if media.byte_length is None else f"{media.byte_length} B"
        words += [media.media_type, length, media.address]
    words += [part.text.head if part.text else "", "error" if part.is_error else ""]
    words += [f"[{told(inner)}]" for inner in part.parts]
    words += [f"{extra.name}={extra.value.head}" for extra in part.extras]
    return " ".join(filter(None, words))


def title(message: PromptMessage) -> str:
    return message.role or message.type or message.field


def messages(body: dict[str, Any]) -> list[tuple[str, list[str]]]:
    return [(title(each), [told(part) for part in each.parts]) for each in read(body).messages]


def test_chat_completions() -> None:
    found = messages({
        "messages": [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "name": "ann", "content": [
                {"type": "text", "text": "What is it?"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}},
                {"type": "image_url", "image_url": {"url": "https://a.example/1.png"}},
                {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
                {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"}},
                {"type": "file", "file": {"file_id": "file-1"}},
            ]},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "track", "arguments": '{"n":1}'}},
                {"id": "call_2", "type": "custom", "custom": {"name": "sql", "input": "select 1"}},
            ]},
            {"role": "tool", "tool_call_id": "call_1", "content": "Bremen"},
            {"role": "assistant", "reasoning_content": "Hm.", "content": "In Bremen.", "refusal": "No."},
            {"role": "assistant", "function_call": {"name": "old", "arguments": "{}"}},
            {"role": "function", "name": "old", "content": "done"},
            {"role": "assistant", "audio": {"id": "audio_1"}},
        ]
    })  # fmt: skip
    assert found == [
        ("developer", ["text Be brief."]),
        ("user", [
            "text What is it?", "image image/png 8 B detail=low", "image https://a.example/1.png",
            "audio 3 B format=wav", "file a.pdf application/pdf 3 B", "file file-1",
        ]),
        ("assistant", ['tool-call track call_1 {"n":1}', "tool-call sql call_2 select 1"]),
        ("tool", ["tool-result call_1 [text Bremen]"]),
        ("assistant", ["reasoning Hm.", "text In Bremen.", "refusal No."]),
        ("assistant", ["tool-call old {}"]),
        ("function", ["tool-result old [text done]"]),
        ("assistant", ["audio audio_1"]),
    ]  # fmt: skip


def test_responses() -> None:
    found = messages({
        "instructions": "Be brief.",
        "input": [
            {"role": "user", "content": [
                {"type": "input_text", "text": "What is it?"},
                {"type": "input_image", "image_url": "https://a.example/1.png", "detail": "low"},
                {"type": "input_file", "file_id": "file-1"},
            ]},
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]},
            {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "track", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call_1", "output": "Bremen"},
            {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"query": "x"}},
            {"type": "computer_call_output", "call_id": "call_2",
             "output": {"type": "computer_screenshot", "image_url": f"data:image/png;base64,{PNG}"}},
            {"type": "item_reference", "id": "msg_1"},
        ],
    })  # fmt: skip
    assert found == [
        ("instructions", ["text Be brief."]),
        ("user", ["text What is it?", "image https://a.example/1.png detail=low", "file file-1"]),
        ("reasoning", ["reasoning rs_1 [reasoning Hm.]"]),
        ("function_call", ["tool-call track call_1 {}"]),
        ("function_call_output", ["tool-result call_1 [text Bremen]"]),
        ("web_search_call", ['tool-call ws_1 {"query":"x"} status=completed']),
        ("computer_call_output", ["tool-result call_2 [image image/png 8 B]"]),
        ("item_reference", ['unknown {"type":"item_reference","id":"msg_1"}']),
    ]  # fmt: skip
    assert messages({"input": "What is it?"}) == [("input", ["text What is it?"])]


def test_legacy_completions() -> None:
    one = {"prompt": "Once", "suffix": "the end.", "max_tokens": 5}
    assert messages(one) == [("prompt", ["text Once"]), ("suffix", ["text the end."])]
    assert messages({"prompt": ["Once", "Twice"]}) == [
        ("prompt", ["text Once"]),
        ("prompt", ["text Twice"]),
    ]
    assert messages({"prompt": [1, 2]}) == [("prompt", ["unknown [1,2]"])]
    assert len(messages({"prompt": [[1, 2], [3]]})) == 2


def test_anthropic_messages() -> None:
    found = messages({
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
                {"type": "document", "title": "Roads", "source": {"type": "text", "media_type": "text/plain", "data": "Closed."}},
                {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}},
                {"type": "search_result", "source": "https://a.example", "title": "A", "content": [{"type": "text", "text": "found"}]},
            ]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "sig"},
                {"type": "redacted_thinking", "data": "xx"},
                {"type": "tool_use", "id": "toolu_1", "name": "track", "input": {"n": 1}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": True, "content": [{"type": "text", "text": "No."}]},
                {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [{"type": "web_search_result", "url": "u"}]},
            ]},
        ],
    })  # fmt: skip
    assert found == [
        ("system", ['text Be brief. cache_control={"type":"ephemeral"}']),
        ("user", [
            "image image/png 8 B", "file Roads [text Closed.]", "file application/pdf 3 B",
            "file A [text found] source=https://a.example",
        ]),
        ("assistant", [
            "reasoning Hm. signature=sig", "reasoning xx", 'tool-call track toolu_1 {"n":1}',
        ]),
        ("user", [
            "tool-result toolu_1 error [text No.]",
            'tool-result srv_1 [unknown {"type":"web_search_result","url":"u"}]',
        ]),
    ]  # fmt: skip


def test_gemini() -> None:
    found = messages({
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [
                {"text": "What is it?"},
                {"inlineData": {"mimeType": "image/png", "data": PNG}},
                {"fileData": {"mimeType": "video/mp4", "fileUri": "gs://a"}},
                {"inline_data": {"mime_type": "application/pdf", "data": "AAAA"}},
            ]},
            {"role": "model", "parts": [
                {"text": "Hm.", "thought": True},
                {"functionCall": {"name": "track", "args": {"n": 1}}, "thoughtSignature": "sig"},
                {"executableCode": {"language": "PYTHON", "code": "1+1"}},
                {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}},
            ]},
            {"parts": [{"functionResponse": {"name": "track", "response": {"at": "Bremen"}}}]},
            {"role": "function", "parts": [{"functionResponse": {"name": "track", "response": {}}}]},
        ],
    })  # fmt: skip
    assert found == [
        ("systemInstruction", ["text Be brief."]),
        ("user", [
            "text What is it?", "image image/png 8 B", "video video/mp4 gs://a",
            "file application/pdf 3 B",
        ]),
        ("model", [
            "reasoning Hm. thought=true", 'tool-call track {"n":1} thoughtSignature=sig',
            "tool-call 1+1 language=PYTHON", "tool-result [text 2] outcome=OUTCOME_OK",
        ]),
        ("contents", ['tool-result track [unknown {"at":"Bremen"}]']),
        ("function", ["tool-result track [unknown {}]"]),
    ]  # fmt: skip


def test_ollama() -> None:
    chat = {
        "messages": [
            {"role": "user", "content": "What is it?", "images": [PNG]},
            {"role": "assistant", "content": "", "thinking": "Hm.",
             "tool_calls": [{"function": {"name": "track", "arguments": {"n": 1}}}]},
            {"role": "tool", "tool_name": "track", "content": "Bremen"},
        ],
    }  # fmt: skip
    assert messages(chat) == [
        ("user", ["text What is it?", "image image/png 8 B"]),
        ("assistant", ["reasoning Hm.", "text", 'tool-call track {"n":1}']),
        ("tool", ["tool-result track [text Bremen]"]),
    ]
    generate = {"system": "Be brief.", "prompt": "What is it?", "images": [PNG], "context": [1, 2]}
    assert messages(generate) == [
        ("system", ["text Be brief."]),
        ("prompt", ["text What is it?", "image image/png 8 B"]),
        ("context", ["unknown [1,2]"]),
    ]


def test_bedrock_converse() -> None:
    found = messages({
        "system": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
        "messages": [
            {"role": "user", "content": [
                {"text": "What is it?"},
                {"image": {"format": "png", "source": {"bytes": PNG}}},
                {"document": {"format": "pdf", "name": "Roads", "source": {"bytes": "AAAA"}}},
                {"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://a"}}}},
                {"guardContent": {"text": {"text": "safe", "qualifiers": ["query"]}}},
            ]},
            {"role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "sig"}}},
                {"toolUse": {"toolUseId": "t1", "name": "track", "input": {"n": 1}}},
            ]},
            {"role": "user", "content": [
                {"toolResult": {"toolUseId": "t1", "status": "error", "content": [{"json": {"at": 1}}, {"text": "No."}]}},
            ]},
        ],
    })  # fmt: skip
    assert found == [
        ("system", ["text Be brief.", 'unknown {"cachePoint":{"type":"default"}}']),
        ("user", [
            "text What is it?", "image image/png 8 B format=png", "file Roads 3 B format=pdf",
            "video s3://a format=mp4", 'text safe qualifiers=["query"]',
        ]),
        ("assistant", ["reasoning Hm. signature=sig", 'tool-call track t1 {"n":1}']),
        ("user", ['tool-result t1 error [unknown {"at":1}] [text No.] status=error']),
    ]  # fmt: skip


def test_cohere() -> None:
    second = {
        "messages": [
            {"role": "user", "content": "Where?"},
            {"role": "assistant", "tool_plan": "I look.",
             "tool_calls": [{"id": "1", "type": "function", "function": {"name": "track", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "1", "content": [{"type": "document", "document": {"id": "d", "data": "Bremen"}}]},
        ],
        "documents": [
            "It is late.", {"id": "2", "data": {"text": "x"}}, {"id": "3", "data": {"title": "t"}, "at": 1},
        ],
    }  # fmt: skip
    assert messages(second) == [
        (
            "documents",
            ["text It is late.", "file 2 [text x]", 'file 3 [unknown {"title":"t"}] at=1'],
        ),
        ("user", ["text Where?"]),
        ("assistant", ["reasoning I look.", "tool-call track 1 {}"]),
        ("tool", ["tool-result 1 [file d [text Bremen]]"]),
    ]
    first = {
        "preamble": "Be brief.",
        "chat_history": [{"role": "CHATBOT", "message": "Hi"}],
        "message": "Where?",
    }
    assert messages(first) == [
        ("preamble", ["text Be brief."]),
        ("CHATBOT", ["text Hi"]),
        ("message", ["text Where?"]),
    ]


def test_mistral() -> None:
    found = messages({
        "messages": [
            {"role": "user", "content": [
                {"type": "image_url", "image_url": "https://a.example/1.png"},
                {"type": "document_url", "document_url": "https://a.example/1.pdf", "document_name": "Roads"},
            ]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}], "closed": True},
                {"type": "text", "text": "In"},
            ], "prefix": True},
        ],
    })  # fmt: skip
    assert found == [
        ("user", ["image https://a.example/1.png", "file Roads https://a.example/1.pdf"]),
        ("assistant", ["reasoning [text Hm.] closed=true", "text In"]),
    ]


def test_workflowai_and_flowapi() -> None:
    templated = {
        "model": "greeter/gpt-4o",
        "messages": [{"role": "user", "content": "Greet {{name}}"}],
        "input": {"name": "Ann"},
    }
    assert messages(templated) == [
        ("user", ["text Greet {{name}}"]),
        ("input", ['unknown {"name":"Ann"}']),
    ]


def test_tools_of_every_format_have_name_description_and_schema() -> None:
    schema = {"type": "object", "properties": {"n": {}, "m": {}}, "required": ["n"]}
    plain = {"name": "track", "description": "Finds it."}
    forms: list[dict[str, Any]] = [
        {"tools": [{"type": "function", "function": {**plain, "parameters": schema}}]},
        {"tools": [{"type": "function", **plain, "parameters": schema}]},
        {"functions": [{**plain, "parameters": schema}]},
        {"tools": [{**plain, "input_schema": schema}]},
        {"tools": [{"functionDeclarations": [{**plain, "parameters": schema}]}]},
        {"toolConfig": {"tools": [{"toolSpec": {**plain, "inputSchema": {"json": schema}}}]}},
    ]
    for form in forms:
        (tool,) = read(form).tools
        assert (tool.name, tool.properties, tool.required) == ("track", 2, 1), form
        assert tool.description is not None and tool.description.head == "Finds it."
        assert tool.schema is not None and json.loads(tool.schema.head) == schema
        assert not tool.extras


def test_a_tool_of_the_provider_is_named_by_its_type_or_member() -> None:
    offered = read(
        {"tools": [{"type": "web_search", "max_uses": 3}, {"googleSearch": {}}, 7]}
    ).tools
    assert [tool.name for tool in offered] == ["web_search", "googleSearch", ""]
    assert [extra.name for extra in offered[0].extras] == ["max_uses"]
    assert offered[2].extras[0].value.head == "7"


def test_a_point_of_caching_among_the_tools_is_kept_and_is_no_tool() -> None:
    spec = {"toolSpec": {"name": "track", "inputSchema": {"json": {}}}}
    found = read({"toolConfig": {"tools": [spec, {"cachePoint": {"type": "default"}}]}})
    assert [(each.name, each.is_cache_point) for each in found.tools] == [
        ("track", False),
        ("cachePoint", True),
    ]
    assert found.tool_total == 1
    assert [extra.value.head for extra in found.tools[1].extras] == ['{"type":"default"}']


def test_parameters_are_all_that_is_neither_prompt_nor_tool() -> None:
    found = read({
        "model": "m", "messages": [], "tools": [], "temperature": 0, "stop": None, "unheard_of": "x",
        "generationConfig": {"topP": 1}, "options": {}, "previous_response_id": "r",
        "toolConfig": {"tools": [], "toolChoice": {"auto": {}}},
    })  # fmt: skip
    assert [(each.name, each.value.head, each.value.is_json) for each in found.parameters] == [
        ("model", "m", False), ("temperature", "0", True), ("stop", "null", True),
        ("unheard_of", "x", False), ("generationConfig.topP", "1", True), ("options", "{}", True),
        ("previous_response_id", "r", False), ("toolConfig.toolChoice", '{"auto":{}}', True),
    ]  # fmt: skip


def test_unknown_members_of_messages_and_parts_are_kept() -> None:
    (message,) = read(
        {"messages": [{"role": 5, "content": [{"type": "hologram", "at": 1}], "mood": "calm"}]}
    ).messages
    assert message.role == ""
    assert {each.name: each.value.head for each in message.extras} == {"role": "5", "mood": "calm"}
    assert told(message.parts[0]) == 'unknown {"type":"hologram","at":1}'


def test_a_pointer_leads_to_each_part() -> None:
    body = {"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}]}
    (message,) = read(body).messages
    assert (message.pointer, message.parts[0].pointer) == ("/messages/0", "/messages/0/content/0")


@pytest.mark.parametrize(
    ("sent", "state", "broken_at", "is_cut", "texts"),
    [
        (b"", RequestState.EMPTY, None, False, []),
        (b"[1]", RequestState.NO_OBJECT, None, False, []),
        (b"--x\r\nname=prompt", RequestState.NO_JSON, 1, False, []),
        (b'{"messages":[{"role":"user","content":"Where is', RequestState.BROKEN, 47, True, ["Where is"]),
        (b'{"messages":[{"role":"user","content":"a"},', RequestState.BROKEN, 43, True, ["a"]),
        (b'{"messages":[{"role":"user","content":"a\\u00', RequestState.BROKEN, 44, True, ["a"]),
        (b'{"messages":[{"role":"user","content":"a" oops}]}', RequestState.BROKEN, 42, False, ["a"]),
        (b'{"messages":[{"role":"user","content":"a"}, ...]}', RequestState.MENDED, None, False, ["a"]),
        (b'{"messages":[{"role":"user","content":"****"}]}', RequestState.WHOLE, None, False, ["****"]),
    ],
)  # fmt: skip
def test_a_body_is_read_as_far_as_it_goes(
    sent: bytes, state: RequestState, broken_at: int | None, is_cut: bool, texts: list[str]
) -> None:
    found = read(sent)
    assert (found.state, found.broken_at, found.is_cut) == (state, broken_at, is_cut)
    parts = (part for message in found.messages for part in message.parts)
    assert [part.text.head for part in parts if part.text] == texts
    assert (found.text is not None) == (state in (RequestState.NO_JSON, RequestState.NO_OBJECT))


def test_the_beginning_of_a_long_cut_body_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_body, "BROKEN_CHARACTERS", 60)
    messages = b",".join(b'{"role":"user","content":"%d"}' % n for n in range(9))
    found = read(b'{"messages":[' + messages)
    assert (found.state, found.broken_at, found.total) == (RequestState.BROKEN, 60, 2)
    assert (found.is_limited, found.is_cut) == (True, False)


def test_of_many_messages_a_window_is_read() -> None:
    body = {"messages": [{"role": "user", "content": str(n)} for n in range(10_000)]}
    found = read(body, start=9_970)
    assert (found.total, len(found.messages), found.messages[0].number) == (10_000, 30, 9_970)
    assert len(read(body).messages) == WINDOW
    assert [each.number for each in read(body, start=10**9).messages] == [9_999]


def test_what_is_read_is_bounded_by_the_length_of_texts_parts_and_depth() -> None:
    inner: dict[str, Any] = {"type": "text", "text": "x" * 100_000}
    for _ in range(12):
        inner = {"type": "tool_result", "tool_use_id": "t", "content": [inner]}
    body = {
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": "y" * 100_000}, inner, *["z"] * 500],
            }
        ]
    }
    (message,) = read(body).messages
    assert message.parts[0].text is not None
    assert (len(message.parts[0].text.head), message.parts[0].text.length) == (20_000, 100_000)
    assert (len(message.parts), message.parts_left_out) == (200, 302)
    assert len(told(message.parts[1])) < 25_000


@pytest.mark.parametrize(
    "field", ["messages", "input", "contents", "system", "prompt", "tools", "toolConfig", "images", "instructions", "message"],
)  # fmt: skip
def test_no_shape_of_a_field_raises(field: str) -> None:
    for value in (None, 0, True, "x", [], [None], {}, {"a": {}}, [[1]], 1.5):
        assert read({field: value}).state is RequestState.WHOLE
        assert read(
            {field: [{"role": "user", "content": value, "tool_calls": value, "images": value}]}
        )
        assert read({field: [{"type": value, "function": value, "source": value, "image": value}]})
