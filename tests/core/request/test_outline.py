"""Outlines of prompts in every format, and how two of them are compared."""

import json
from typing import Any

import pytest

from inspector.core.request.changes import ChangeKind, changes_between, common_items
from inspector.core.request.outline import (
    MAX_ITEMS,
    PromptOutline,
    Section,
    before_the_answer,
    outline_of,
)
from inspector.core.wire.exchange import Request


def outline(body: Any) -> PromptOutline:
    found = outline_of(Request(body=json.dumps(body).encode()))
    assert found is not None
    return found


CHAT = {
    "model": "gpt-4o",
    "tools": [{"type": "function", "function": {"name": "read", "parameters": {}}}],
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [
            {"type": "text", "text": "What is this?"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        ]},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "call_1", "content": "A cat"},
    ],
}  # fmt: skip
MESSAGES = {
    "model": "claude-sonnet-4-5",
    "tools": [{"name": "read", "input_schema": {}}],
    "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    "messages": [
        {"role": "user", "content": [
            {"type": "text", "text": "What is this?"},
            {"type": "image", "source": {"type": "base64", "data": "AAAA"}},
        ]},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "call_1", "name": "read", "input": {}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "call_1", "content": "A cat"},
        ]},
    ],
}  # fmt: skip
RESPONSES = {
    "model": "gpt-4o",
    "tools": [{"type": "function", "name": "read", "parameters": {}}],
    "instructions": "Be brief.",
    "input": [
        {"role": "user", "content": [
            {"type": "input_text", "text": "What is this?"},
            {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        ]},
        {"type": "function_call", "call_id": "call_1", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "A cat"},
    ],
}  # fmt: skip
GEMINI = {
    "tools": [{"functionDeclarations": [{"name": "read"}]}],
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "contents": [
        {"role": "user", "parts": [
            {"text": "What is this?"}, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
        ]},
        {"role": "model", "parts": [{"functionCall": {"id": "call_1", "name": "read", "args": {}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "call_1", "name": "read", "response": {"text": "A cat"}}},
        ]},
    ],
}  # fmt: skip
BEDROCK = {
    "toolConfig": {"tools": [{"toolSpec": {"name": "read"}}, {"cachePoint": {"type": "default"}}]},
    "system": [{"text": "Be brief."}],
    "messages": [
        {"role": "user", "content": [
            {"text": "What is this?"}, {"image": {"format": "png", "source": {"bytes": "AAAA"}}},
        ]},
        {"role": "assistant", "content": [
            {"toolUse": {"toolUseId": "call_1", "name": "read", "input": {}}},
        ]},
        {"role": "user", "content": [
            {"toolResult": {"toolUseId": "call_1", "content": [{"text": "A cat"}]}},
        ]},
    ],
}  # fmt: skip
FORMATS = {
    "chat": CHAT, "messages": MESSAGES, "responses": RESPONSES, "gemini": GEMINI,
    "bedrock": BEDROCK,
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_a_prompt_has_the_same_outline_in_every_format(name: str) -> None:
    found = outline(FORMATS[name])
    assert [(each.section, each.is_answer) for each in found.items] == [
        (Section.TOOLS, False),
        (Section.SYSTEM, False),
        (found.items[2].section, False),
        (Section.HISTORY, True),
        (Section.RESULTS, False),
    ]
    assert {*found.sizes} == {*Section}
    assert found.results == ("call_1",) and found.head == 2
    assert before_the_answer(found) == found.conversation[:8]
    assert found.items[0].name == "read"


@pytest.mark.parametrize("name", ["messages", "bedrock"])
def test_marks_of_caching_are_counted_and_change_nothing(name: str) -> None:
    marked = outline(FORMATS[name])
    assert marked.marks.marks == 1
    plain = json.loads(json.dumps(FORMATS[name]))
    if name == "messages":
        del plain["system"][0]["cache_control"]
    else:
        plain["toolConfig"]["tools"].pop()
    assert outline(plain).digests == marked.digests


@pytest.mark.parametrize("body", [None, b"", b"[]", b"{", b'{"model":"gpt-4o"}', b"\xff"])
def test_without_a_prompt_there_is_no_outline(body: bytes | None) -> None:
    assert outline_of(Request(body=body)) is None
    assert outline_of(None) is None


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [None, 1, [], {"role": 3, "content": {"a": 1}}, {"content": [None, []]}]},
        {
            "messages": [{"role": "user", "content": "\ud800"}],
            "tools": [None, 7, {"name": "\udfff"}],
        },
        {"messages": "hi", "tools": {"a": 1}, "toolConfig": []},
        {"input": [{"type": "function_call_output", "output": 10**40}]},
    ],
)
def test_no_shape_of_a_request_is_too_odd(body: Any) -> None:
    assert len(outline(body).digests) == 8 * len(outline(body).items)


def chat(*texts: str, system: str = "S") -> PromptOutline:
    roles = ("user", "assistant")
    said = [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]
    return outline({"messages": [{"role": "system", "content": system}, *said]})


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        (("a",), ("a", "b", "c"), {ChangeKind.APPENDED: 2}),
        (("a", "b", "c"), ("a", "b", "c"), {}),
        (("a", "b", "c"), ("a", "b", "x"), {ChangeKind.EDITED: 1}),
        (("a", "b", "c", "d", "e"), ("a", "d", "e"), {ChangeKind.DROPPED: 2}),
        (("a", "b", "c"), ("c", "b", "a"), {ChangeKind.MOVED: 2}),
        (("a", "b", "e"), ("a", "b", "c", "d", "e"), {ChangeKind.INSERTED: 2}),
    ],
)
def test_changes_are_counted_message_by_message(
    before: tuple[str, ...], after: tuple[str, ...], counts: dict[ChangeKind, int]
) -> None:
    assert changes_between(chat(*before), chat(*after)).counts == counts


def test_a_prompt_departs_within_a_block_of_a_long_message() -> None:
    text = "".join(f"{number:07d} " for number in range(1_000))
    there = text[:5_000] + "X" + text[5_001:]
    found = changes_between(chat("hi", system=text), chat("hi", system=there))
    assert found.departure is not None and found.departure.section is Section.SYSTEM
    assert found.departure.byte <= 5_000 + 60 < found.departure.byte + 1_024 + 60
    assert 0.5 < found.departure.share < 0.7


def test_the_whole_prompt_before_is_a_prefix() -> None:
    assert changes_between(chat("a"), chat("a", "b")).departure is None
    assert changes_between(chat("a", "b"), chat("a")).departure is not None


def test_a_long_prompt_is_bounded() -> None:
    long = outline(
        {"messages": [{"role": "user", "content": f"{n}"} for n in range(MAX_ITEMS + 50)]}
    )
    assert len(long.items) == MAX_ITEMS == len(long.digests) // 8
    longer = outline(
        {"messages": [{"role": "user", "content": f"{n}"} for n in range(MAX_ITEMS + 51)]}
    )
    assert common_items(long.digests, longer.digests) == MAX_ITEMS - 1


def test_a_call_and_its_result_have_the_name_of_the_tool() -> None:
    items = outline(CHAT).items[-2:]
    assert [(each.kind, each.name) for each in items] == [
        ("tool-call", "read"), ("tool-result", "read"),
    ]  # fmt: skip
