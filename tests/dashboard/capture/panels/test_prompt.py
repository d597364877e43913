"""The prompt before its answer: messages by role, tools, parameters, and what could not be read."""

import base64
import json
from typing import Any

from django.template.loader import render_to_string
from pytest import MonkeyPatch

from inspector.core.analysis import Analysis
from inspector.core.completion import Choice, ToolCall, Usage
from inspector.core.request.prompt import request_body
from inspector.core.request.prompt.request_body import MAX_VALUES
from inspector.core.wire.exchange import Request
from inspector.dashboard.capture.find.search import search_capture
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel_body import PanelDisplay
from inspector.dashboard.capture.prompt.panel import PANEL, PromptDisplay, draw
from tests.dashboard.capture.samples import analysis, text_of, view

ASKED = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [
            {"type": "text", "text": "What is <b>it</b>?"},
            {"type": "image_url", "image_url": {"url": "https://a.example/1.png"}},
        ]},
    ],
    "max_tokens": 9,
    "tools": [{"type": "function", "function": {"name": "track", "parameters": {"properties": {"n": {}}}}}],
}  # fmt: skip


def asked(
    body: dict[str, Any] | bytes | None, read: Analysis | None = None, **changes: Any
) -> CaptureView:
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    return view(read, request=Request(body=sent), **changes)


def drawn(shown: CaptureView) -> PromptDisplay:
    content: PromptDisplay = draw(shown).content
    return content


def html(shown: CaptureView) -> str:
    display = PanelDisplay(PANEL, draw(shown))
    return render_to_string("dashboard/capture/panel.html", {"view": shown, "display": display})


def test_a_request_that_is_not_known_is_not_an_empty_one() -> None:
    assert draw(view()).why_empty == "Only the response was stored: the request is not known."
    assert draw(asked(None)).why_empty == "The request was sent along without its body."
    assert draw(asked(b"")).why_empty == "The body of the request is empty."


def test_it_counts_messages_images_tools_and_the_tokens_that_usage_states() -> None:
    shown = asked(ASKED, analysis(usage=Usage(prompt_tokens=75)))
    assert draw(shown).count == "2"
    assert drawn(shown).facts == ("2 messages", "1 image", "1 tool")


def test_texts_are_escaped_and_images_are_described_but_not_loaded() -> None:
    shown = html(asked(ASKED))
    assert "What is &lt;b&gt;it&lt;/b&gt;?" in shown
    assert "<img" not in shown and "https://a.example/1.png</a>" in shown
    assert 'id="prompt-0"' in shown and 'id="prompt-1"' in shown


def test_a_tool_tells_how_often_the_answer_calls_it() -> None:
    calls = (ToolCall(index=0, name="track"), ToolCall(index=1, name="track"))
    (tool,) = drawn(asked(ASKED, analysis(Choice(index=0, tool_calls=calls)))).tools
    assert (text_of(tool.name), tool.called) == ("track", "called twice")
    (uncalled,) = drawn(asked(ASKED)).tools
    assert uncalled.called == "" and uncalled.facts[0] == "1 property"


def test_a_limit_of_tokens_says_whether_it_was_reached() -> None:
    def notes(reason: str) -> dict[str, str]:
        read = analysis(Choice(index=0, finish_reason=reason))
        return {text_of(each.name): each.note for each in drawn(asked(ASKED, read)).parameters}

    assert notes("length") == {"model": "", "max_tokens": "reached"}
    assert notes("stop") == {"model": "", "max_tokens": ""}


def test_usual_parameters_that_were_not_sent_are_named() -> None:
    assert drawn(asked(ASKED)).not_sent == "temperature, top_p"
    gemini = {
        "contents": [{}],
        "generationConfig": {"temperature": 0, "topP": 1, "maxOutputTokens": 1},
    }
    assert drawn(asked(gemini)).not_sent == ""
    cohere = {"messages": [{}], "temperature": 0, "p": 0.8, "max_tokens": 1}
    assert drawn(asked(cohere)).not_sent == ""
    # Of a body that is cut off nothing is known to be missing.
    assert drawn(asked(b'{"messages":[{"role":"user","content":"Wh')).not_sent == ""


def test_a_body_that_is_cut_off_is_shown_as_far_as_it_goes() -> None:
    shown = html(asked(b'{"messages":[{"role":"user","content":"Where is my or'))
    assert "The body is cut off after 53 characters: shown is what comes before." in shown
    assert "Where is my or" in shown


def test_a_long_body_that_is_cut_off_says_how_much_is_read(monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setattr(request_body, "BROKEN_CHARACTERS", 45)
    shown = html(asked(b'{"messages":[{"role":"user","content":"Where is my or'))
    assert "The body is long: only its first 45 characters are read." in shown


def test_of_a_body_of_very_many_values_the_beginning_is_read() -> None:
    many = asked(b'{"messages":[{"role":"user","content":"Where?"}],"x":[' + b"[]," * MAX_VALUES)
    assert many.request_body is None and many.tools is None
    shown = html(many)
    assert "The body is long: only its first 262,144 characters are read." in shown
    assert "Where?" in shown
    assert found(many, '"messages"') == [("request body", "#prompt")]


def test_a_body_that_is_no_json_is_shown_as_its_text() -> None:
    shown = html(asked(b"--x\r\nContent-Disposition: form-data\r\n\r\nA truck"))
    assert "The body is not JSON; this is its beginning." in shown and "A truck" in shown
    assert "has no fields to read a prompt from" in html(asked(b'["a"]'))


def test_a_body_of_no_known_format_lists_its_fields() -> None:
    shown = html(asked({"question": "Where?"}))
    assert "No field of the request is known to hold a prompt" in shown
    assert "question" in shown and "Where?" in shown


def test_the_raw_request_is_scrolled_to_when_it_is_asked_for() -> None:
    assert 'hx-target="#raw" hx-swap="outerHTML show:top"' in html(asked(ASKED))


def test_of_many_messages_one_window_is_on_the_page() -> None:
    many = {"messages": [{"role": "user", "content": f"turn {n}"} for n in range(10_000)]}
    at_end = asked(many, query_params={"prompt": "9990"})
    assert [each.anchor for each in drawn(at_end).messages][0] == "prompt-9990"
    shown = html(at_end)
    assert "messages 9,991 to 10,000 of 10,000" in " ".join(shown.split()) and "turn 9999" in shown
    assert "turn 9989" not in shown


def test_a_window_of_one_message_leads_to_the_others() -> None:
    many = {"messages": [{"role": "user", "content": f"turn {n}"} for n in range(120)]}
    shown = " ".join(html(asked(many, query_params={"prompt": "119"})).split())
    assert "messages 120 to 120 of 120" in shown and "Earlier</a>" in shown
    assert "earlier message" not in shown


def test_the_last_message_stands_below_those_before_it_which_are_folded() -> None:
    many = {"messages": [{"role": "user", "content": f"turn {n}"} for n in range(120)]}
    shown = " ".join(html(asked(many)).split())
    assert "messages 71 to 120 of 120" in shown.partition("<details")[0]
    assert "49 earlier messages" in shown
    assert "turn 119" in shown.rpartition("</details>")[2]


def found(shown: CaptureView, query: str) -> list[tuple[str, str]]:
    return [(place.name, place.hits[0].href) for place in search_capture(shown, query).places]


def test_all_of_it_is_found_by_the_search_in_the_capture() -> None:
    shown = asked(ASKED)
    assert found(shown, "brief") == [("prompt 1 system", "#prompt-0")]
    assert found(shown, "a.example") == [("prompt 2 user", "#prompt-1")]
    assert found(shown, "track") == [("tool offered", "#prompt-tools")]
    assert found(shown, "max_tokens") == [("parameter", "#prompt-parameters")]
    assert found(shown, "nothing of it") == []


def test_a_message_outside_of_the_window_is_found_where_the_page_shows_it() -> None:
    turns = [{"role": "user", "content": f"turn {n}."} for n in range(3_000)]
    ((name, href),) = found(asked({"messages": turns[:200]}), "turn 120.")
    assert name == "prompt 121 user"
    assert href.endswith("?prompt=100#prompt-120")
    ((_, early),) = found(asked({"messages": turns[:200]}), "turn 7.")
    assert early.endswith("?prompt=0#prompt-7")
    assert found(asked({"messages": turns[:200]}), "turn 160.") == [
        ("prompt 161 user", "#prompt-160")
    ]
    assert found(asked({"messages": turns}), "turn 2999.") == [("request body", "#prompt")]


def test_a_broken_body_is_searched_as_it_was_sent() -> None:
    assert found(asked(b'{"messages":[{"content":"Where'), "Where") == [("request body", "#prompt")]


def test_an_image_tells_its_type_its_pixels_and_its_length() -> None:
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (1240).to_bytes(4, "big") + (1754).to_bytes(4, "big")
    data = base64.b64encode(head).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    (message,) = drawn(asked({
        "messages": [{"role": "user", "content": [{"type": "image", "source": source}]}]
    })).messages  # fmt: skip
    assert message.parts[0].media is not None
    assert message.parts[0].media.facts == ("image/png", "1,240 × 1,754", "24 B")


SCHEMA = {"type": "object", "properties": {f"field_{n}": {"type": "string"} for n in range(9)}}


def test_json_of_parameters_calls_and_results_stands_over_several_lines() -> None:
    sent = json.dumps(SCHEMA, separators=(",", ":"))
    shown = html(asked({
        "messages": [
            {"role": "assistant", "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "track", "arguments": sent}}
            ]},
            {"role": "tool", "tool_call_id": "c", "content": sent},
        ],
        "response_format": {"type": "json_schema", "json_schema": {"schema": SCHEMA}},
    }))  # fmt: skip
    assert shown.count("    &quot;field_3&quot;: {&quot;type&quot;: &quot;string&quot;},\n") == 3
    # Where a text was sent, its reader is told that its white space is ours.
    assert shown.count("laid out") == 2


def test_short_json_and_json_that_a_user_wrote_are_left_as_they_were_sent() -> None:
    long = json.dumps(SCHEMA)
    shown = drawn(asked({
        "messages": [
            {"role": "user", "content": long},
            {"role": "tool", "content": '{"n":1}'},
            {"role": "tool", "content": json.dumps(SCHEMA, indent=1)},
        ],
    }))  # fmt: skip
    user, short, indented = (message.parts[0] for message in shown.messages)
    assert user.text is not None and text_of((*user.text.head, *user.text.rest)) == long
    assert not user.is_laid_out and not short.parts[0].is_laid_out
    assert short.parts[0].text is not None and text_of(short.parts[0].text.head) == '{"n":1}'
    assert not indented.parts[0].is_laid_out


def test_a_long_schema_among_the_parameters_is_shown_whole() -> None:
    schema = {"properties": {f"field_{n}": {"type": "string"} for n in range(200)}}
    (format_of_answer,) = (
        each
        for each in drawn(asked({**ASKED, "response_format": schema})).parameters
        if text_of(each.name) == "response_format"
    )
    assert format_of_answer.is_below
    assert text_of(format_of_answer.value.head).endswith(",\n")
    assert "field_199" in text_of(format_of_answer.value.rest)


def test_a_long_name_breaks_between_its_words() -> None:
    shown = html(asked({
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "generationConfig": {"maxOutputTokens": 5},
        "a<b_c": 1,
    }))  # fmt: skip
    assert "<code>system<wbr>Instruction</code>" in shown
    assert "<code>generation<wbr>Config.<wbr>max<wbr>Output<wbr>Tokens</code>" in shown
    assert "<code>a&lt;b_<wbr>c</code>" in shown


def test_a_point_of_caching_is_not_counted_among_the_tools() -> None:
    spec = {"toolSpec": {"name": "track", "inputSchema": {"json": SCHEMA}}}
    shown = asked({"toolConfig": {"tools": [spec, {"cachePoint": {"type": "default"}}]}})
    assert drawn(shown).facts == ("1 tool",) and drawn(shown).tools_left_out == 0
    assert "No schema was sent." not in html(shown)


def test_a_type_that_says_no_more_than_the_kind_is_not_repeated() -> None:
    shown = html(asked({
        "messages": [{"role": "user", "content": [
            {"type": "image", "source": {"type": "url", "url": "https://a.example/1.png"}},
            {"type": "input_image", "image_url": "https://a.example/2.png"},
        ]}],
    }))  # fmt: skip
    assert '<code class="soft">input_image</code>' in shown
    assert '<code class="soft">image</code>' not in shown
