"""One line tells an answer from others, whatever its format, and never more than a line."""

import json
from typing import Any

import pytest

from inspector.core.answer.answer_line import (
    LINE_CHARACTERS,
    AnswerLine,
    AnswerLineKind,
    answer_line,
    one_line,
    prompt_line,
)
from inspector.core.request.prompt_digest import normalised_prompt
from inspector.core.wire.exchange import Request
from tests.core.bodies import analysis


def line_of(body: Any) -> AnswerLine:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    return answer_line(analysis(sent))


def said(*messages: dict[str, Any], finish_reason: str = "stop") -> AnswerLine:
    choices = [
        {"index": index, "finish_reason": finish_reason, "message": {"role": "assistant", **each}}
        for index, each in enumerate(messages)
    ]
    return line_of({"object": "chat.completion", "model": "m", "choices": choices})


CALL = {
    "tool_calls": [
        {
            "id": "call_1",
            "type": "function",
            "function": {"name": "create_ticket", "arguments": '{"title":"hold"}'},
        }
    ]
}


def test_a_text_is_its_own_line() -> None:
    assert said({"content": "It clears\n\n on\tThursday."}) == AnswerLine(
        AnswerLineKind.TEXT, "It clears on Thursday."
    )


def test_a_call_is_named_with_its_arguments_as_sent() -> None:
    assert said({"content": None, **CALL}) == AnswerLine(
        AnswerLineKind.CALL, 'create_ticket {"title":"hold"}', "null"
    )
    assert said({"content": "One moment.", **CALL}).kind is AnswerLineKind.TEXT


def test_a_deprecated_function_call_is_one_too() -> None:
    called = {"content": None, "function_call": {"name": "look_up", "arguments": "{}"}}
    assert said(called).text == "look_up {}"


def test_a_refusal_is_told() -> None:
    line = said({"content": None, "refusal": "I can’t help with that."})
    assert (line.kind, line.text) == (AnswerLineKind.REFUSAL, "I can’t help with that.")


@pytest.mark.parametrize(
    ("content", "blank"), [("", '""'), (None, "null"), ("\n\n", '"\\n\\n"'), (" \t", '" \\t"')]
)
def test_what_says_nothing_is_shown_as_it_was_sent(content: str | None, blank: str) -> None:
    line = said({"content": content})
    assert (line.kind, line.blank) == (AnswerLineKind.NOTHING, blank)


def test_very_much_white_space_is_shown_in_part() -> None:
    blank = said({"content": "\n" * 10_000}).blank
    assert blank is not None and len(blank) == 30 and blank.endswith("…")


def test_reasoning_stands_in_only_where_there_is_nothing_else() -> None:
    thought = {"reasoning_content": "The hold\nclears."}
    assert said({"content": "", **thought}) == AnswerLine(
        AnswerLineKind.REASONING, "The hold clears.", '""'
    )
    assert said({"content": "Thursday.", **thought}).text == "Thursday."


def test_reasoning_inside_the_content_is_not_the_answer() -> None:
    assert said({"content": "<think>Which day?</think>Thursday."}).text == "Thursday."


def test_the_first_choice_that_says_something_is_used() -> None:
    assert said({"content": ""}, {"content": "Here."}).text == "Here."


def test_an_error_is_its_message() -> None:
    line = line_of({"error": {"message": "Rate limit\nreached", "type": "tokens"}})
    assert line == AnswerLine(AnswerLineKind.ERROR, "Rate limit reached")


@pytest.mark.parametrize("body", [b"", b"<html>502</html>", b"[1,2", b"\xff\xfe", b"null"])
def test_what_is_no_response_says_why(body: bytes) -> None:
    line = line_of(body)
    assert line.kind in (AnswerLineKind.NOTHING, AnswerLineKind.ERROR) and line.text


IN_EACH_FORMAT = {
    "Anthropic": {"type": "message", "role": "assistant", "model": "c", "stop_reason": "end_turn",
                  "content": [{"type": "thinking", "thinking": "Hm."},
                              {"type": "text", "text": "On Thursday."}]},
    "Gemini": {"modelVersion": "g", "candidates": [
        {"finishReason": "STOP", "content": {"role": "model", "parts": [{"text": "On Thursday."}]}},
    ]},
    "Responses": {"object": "response", "id": "resp_1", "status": "completed", "model": "o",
                  "output": [{"type": "message", "role": "assistant", "status": "completed",
                              "content": [{"type": "output_text", "text": "On Thursday.",
                                           "annotations": []}]}]},
    "Ollama": {"model": "l", "done": True, "done_reason": "stop",
               "message": {"role": "assistant", "content": "On Thursday."}},
    "legacy completion": {"object": "text_completion", "model": "i", "choices": [
        {"index": 0, "text": "On Thursday.", "finish_reason": "stop"},
    ]},
}  # fmt: skip


@pytest.mark.parametrize("form", IN_EACH_FORMAT)
def test_every_format_has_its_line(form: str) -> None:
    assert line_of(IN_EACH_FORMAT[form]) == AnswerLine(AnswerLineKind.TEXT, "On Thursday.")


def test_a_line_is_cut_and_costs_no_more_than_what_is_read_of_it() -> None:
    assert said({"content": "word " * 100_000}).text == one_line("word " * 60)
    assert len(one_line("x" * 1_000_000)) == LINE_CHARACTERS
    assert one_line("x" * LINE_CHARACTERS) == "x" * LINE_CHARACTERS
    assert one_line("x" * (LINE_CHARACTERS + 1)).endswith("…")
    assert one_line(" \n\u2028 ") == ""


def asked(body: Any) -> str | None:
    return prompt_line(normalised_prompt(Request(body=json.dumps(body).encode())))


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [{"role": "system", "content": "Be brief."},
                      {"role": "user", "content": "Where is\nit?"}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "Where is it?"}]},
                      {"role": "assistant", "content": "One moment."},
                      {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t",
                                                    "content": "here"}]}]},
        {"system": "Be brief.", "messages": [
            {"role": "user", "content": [{"type": "image", "source": {}},
                                         {"type": "text", "text": "Where is it?"}]}]},
        {"contents": [{"role": "user", "parts": [{"text": "Where is it?"}]}]},
        {"instructions": "Be brief.", "input": "Where is it?"},
        {"input": [{"role": "user",
                    "content": [{"type": "input_text", "text": "Where is it?"}]}]},
        {"message": "Where is it?", "chat_history": [{"role": "CHATBOT", "message": "Hello"}]},
        {"system": [{"text": "Be brief."}],
         "messages": [{"role": "user", "content": [{"text": "Where is it?"}]}]},
        {"prompt": "Where is it?"},
        {"prompt": ["Where is it?"]},
    ],
)  # fmt: skip
def test_the_last_text_of_a_user_is_found_in_every_form(body: Any) -> None:
    assert asked(body) == "Where is it?"


@pytest.mark.parametrize(
    "body", [{}, {"model": "m"}, {"messages": [{"role": "system", "content": "Be brief."}]},
             {"prompt": [1, 2, 3]}, {"messages": "x", "prompt": ""}],
)  # fmt: skip
def test_where_no_user_wrote_there_is_no_line(body: Any) -> None:
    assert asked(body) in (None, "x")


def test_a_request_that_is_not_known_has_no_line() -> None:
    assert prompt_line(normalised_prompt(None)) is None
