"""Texts that people paste: printed streams and answers with something around, read and told."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.core.analysis import Analysis, Verdict, analysis_to_json
from inspector.core.pasted.mending import mend
from inspector.core.pasted.responses import PastedResponse, pasted_responses
from inspector.core.reading import read
from inspector.core.tape import EventKind, Tape
from inspector.core.wire.exchange import Exchange, Read
from tests.core.bodies import GOOD, GOOD_STREAM, TOP, analysis, codes, reading
from tests.tiers import mostly_thorough

ELIDED = "6 chunks, shortened with “…” in 1 place, so the text is incomplete."


def chunk(delta: str, finish: str = "null") -> str:
    choice = f'"index":0,"delta":{{{delta}}},"finish_reason":{finish}'
    return f'{{{TOP.decode()},"choices":[{{{choice}}}]}}'


CHUNKS = [
    chunk('"role":"assistant","content":""'),
    chunk('"content":"Ship"'),
    chunk('"content":" it"'),
    chunk('"content":" to"'),
    chunk('"content":" Gera"'),
    chunk("", '"stop"'),
]
ANSWER = json.dumps(json.loads(GOOD), indent=2)
LINES = ANSWER.count("\n") + 1
REQUEST = '{"model":"parcel-1","messages":[{"role":"user","content":"Where to?"}]}'


def printed(between: str = "\n\n", data: str = "", dots: str = "....", pretty: bool = False) -> str:
    """The stream as a page prints it: a part left out, no end mark."""
    shown = [json.dumps(json.loads(one), indent=2) if pretty else one for one in CHUNKS]
    return between.join(
        [*(data + one for one in shown[:3]), dots, *(data + one for one in shown[3:])]
    )


def quoted(text: str, mark: str = "> ") -> str:
    return "\n".join(mark + line for line in text.split("\n"))


def told(result: Analysis) -> list[str]:
    return [finding.message for finding in result.findings if finding.code == "framing.pasted"]


PRINTED = {
    "as it is": printed(),
    "in a fence": f"```\n{printed()}\n```\n",
    "in a fence that names a language": f"Every chunk:\n\n```json\n{printed()}\n```\n\nThat is all.",
    "in a fence of tildes": f"~~~\n{printed()}\n~~~",
    "with Windows line ends": f"```\n{printed()}\n```\n".replace("\n", "\r\n"),
    "over many lines": printed(pretty=True),
    "over many lines in a fence": f"```\n{printed(pretty=True)}\n```",
    "over many lines behind data:": printed(pretty=True, data="data: "),
    "behind data:": printed(data="data: "),
    "behind data: in a fence": f"```\n{printed(data='data: ')}\n\n```\n",
    "glued": printed(between=""),
    "with commas": printed(between=",\n"),
    "as a list": f"[{printed(between=', ')}]",
    "as a list with a text of dots": "[\n" + printed(between=",\n", dots='"..."') + "\n]",
    "quoted": quoted(printed(pretty=True)),
    "quoted behind data:": quoted(printed(data="data: ")),
    "indented": quoted(printed(pretty=True), "    "),
    "indented behind data:": quoted(printed(data="data: "), "\t"),
    "with an ellipsis": printed(dots="…"),
    "with dots in brackets": printed(dots="[...]"),
    "with dots in braces": printed(dots="{...}"),
    "with a remark": printed(dots="// ... 40 more"),
    "with another remark": printed(dots="# ..."),
    "with dots behind data:": printed(data="data: ", dots="data: ..."),
    "behind a command": f"$ curl https://api.example/v1 -d '{REQUEST}'\n{printed()}",
    "behind headers": f"HTTP/1.1 200 OK\r\nServer: parcel\r\n\r\n{printed()}",
    "in a log": "\n".join(f"12:00 INFO {one}" for one in printed(between="\n").split("\n")).replace(
        "12:00 INFO ....", "...."
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PRINTED)
def test_a_printed_stream_is_read_however_it_is_pasted(name: str) -> None:
    machine = read(Exchange.of_body(body := PRINTED[name].encode()))
    result = machine.analysis()
    assert (result.verdict, result.verdict_reason) == (Verdict.ELIDED, ELIDED)
    assert (result.dialect, result.streamed) == ("openai-chat", True)
    (choice,) = result.choices
    assert (choice.content, choice.finish_reason) == ("Ship it to Gera", "stop")
    assert any(finding.severity == "warning" for finding in result.findings)
    assert_ranges_are_of_the_body(machine.tape(), body)


def assert_ranges_are_of_the_body(tape: Tape, body: bytes) -> None:
    """Every chunk's range ends with its object, wherever that stands."""
    ranges = list(zip(tape.events.byte_start, tape.events.byte_end, tape.events.kind, strict=True))
    for start, end, kind in ranges:
        if kind is EventKind.CHUNK and b"..." not in body[start:end]:
            assert b'"chatcmpl-1"' in body[start:end]
            assert body[start:end].rstrip().endswith(b"}")
    assert all(before <= start for (_, before, _), (start, _, _) in pairwise(ranges))


@pytest.mark.parametrize("name", PRINTED)
@settings(max_examples=8, deadline=None)
@given(cuts=st.lists(st.integers(0, 10_000), max_size=8))
def test_any_cutting_of_a_paste_gives_the_same(name: str, cuts: list[int]) -> None:
    body = PRINTED[name].encode()
    places = sorted({0, len(body), *(cut % len(body) for cut in cuts)})
    reads = [Read(None, body[start:end]) for start, end in pairwise(places)]
    whole, cut = read(Exchange.of_body(body)), read(Exchange.of_reads(reads))
    assert cut.analysis() == whole.analysis()
    assert cut.tape().events == whole.tape().events


@pytest.mark.parametrize(
    ("body", "messages"),
    [
        (f"```json\n{ANSWER}\n```", ["Ignored a code fence around the response (2 times, this is the first)"]),
        (f"It said:\n{ANSWER}\n", ["Ignored text around the response"]),
        (f"{ANSWER}\n200\n", ["Ignored text around the response"]),
        (f"Response: {ANSWER};", ["Ignored text around the response", "Ignored commas or brackets around the objects"]),
        (f"HTTP/2 200\r\ncontent-type: application/json\r\n\r\n{ANSWER}", ["Ignored a status line or headers in the text"]),
        (f"$ curl \\\n -H 'X: y' \\\n https://api.example\n{ANSWER}", ["Ignored a command before the response"]),
        (quoted(ANSWER), ["Ignored the > at the beginning of lines"]),
        (f"Request:\n{REQUEST}\n\nResponse:\n{ANSWER}", ["Ignored text around the response (2 times, this is the first)"]),
    ],
)  # fmt: skip
def test_an_answer_in_a_text_is_read_and_the_rest_is_told(body: str, messages: list[str]) -> None:
    result = analysis(body.encode())
    assert result.verdict is Verdict.COMPLETE
    assert (result.choices[0].content, result.usage.total_tokens) == ("Hello", 5)
    assert told(result) == [f"{message}." for message in messages]


def test_the_reason_says_where_the_answer_was_found() -> None:
    result = analysis(b"```\n" + GOOD + b"\n```")
    assert result.verdict_reason == (
        "The choice has a finish reason; it was extracted from a longer text, at line 2, byte 4."
    )
    (finding,) = result.findings
    assert (finding.severity, finding.where.byte_start, finding.where.byte_end) == ("warning", 0, 3)


@pytest.mark.parametrize(
    "body", [GOOD + b"x", b"/* hi */" + GOOD, b"x" + GOOD, GOOD[:-9], b"\n" + GOOD[:-1] + b",,}"]
)
def test_a_broken_body_is_no_paste(body: bytes) -> None:
    result = analysis(body)
    assert result.verdict in (Verdict.UNREADABLE, Verdict.CUT_OFF)
    assert (result.choices, told(result)) == ((), [])
    assert "json.invalid" in codes(result)


def test_a_broken_answer_in_a_text_is_placed_in_the_text_and_read_as_repaired() -> None:
    body = b"See:\n\n" + GOOD.replace(b'"stop"}', b'"stop" ,\n}')
    result = analysis(body)
    assert result.verdict is Verdict.UNREADABLE
    assert result.verdict_reason.startswith("The response in the text is not valid JSON: ")
    assert f"line 3, column 181 (byte {body.index(b' ,') + 1})" in result.verdict_reason
    assert (result.choices[0].content, result.completion) == ("Hello", None)
    assert result.repair is not None
    assert result.repair.steps == ("Left out commas before a closing bracket",)
    assert result.repair.completion == json.loads(GOOD)


@pytest.mark.parametrize(
    ("broken", "step"),
    [
        (ANSWER.replace('"stop"', '"stop" // or length'), "Left out remarks"),
        (ANSWER.replace("  ", "\u00a0 "), "Read no-break spaces as spaces"),
        (ANSWER.replace('"stop"', '"stop",\n...'), "Left out dots that stand for something left out"),
    ],
)  # fmt: skip
def test_what_printed_answers_do_has_one_remedy(broken: str, step: str) -> None:
    result = analysis(f"See:\n{broken}\n".encode())
    assert (result.choices[0].content, result.usage.total_tokens) == ("Hello", 5)
    assert result.repair is not None and result.repair.is_read
    assert (result.repair.steps, result.repair.completion) == ((step,), json.loads(GOOD))


def test_dots_inside_an_answer_are_an_elision() -> None:
    result = analysis(ANSWER.replace('"stop"', '"stop", ...').encode())
    assert (result.verdict, result.verdict_reason) == (
        Verdict.ELIDED,
        "Shortened with “…” in 1 place, so the text is incomplete.",
    )


# The example of the paste page: two deviations, on lines 17 and 19.
PRINTED_ANSWER = """{
  "id": "chatcmpl-123",
  "object": "chat.completion",
  "created": 1677652288,
  "model": "gpt-4.1",
  "choices": [{
    "index": 0,
    "message": {
      "role": "assistant",
      "content": "Hello! How can I help you today?"
    },
    "finish_reason": "stop"
  }],
  "usage": {
    "prompt_tokens": 19,
    "completion_tokens": 10,
    "total_tokens": 29,
  }
  ....
}"""


@pytest.mark.parametrize("around", ["%s", "Example:\n\n```json\n%s\n```\n", quoted("%s")])
def test_a_printed_answer_shows_its_model_choices_and_counts(around: str) -> None:
    is_quoted = around.startswith(">")
    body = quoted(PRINTED_ANSWER) if is_quoted else around % PRINTED_ANSWER
    result = analysis(body.encode())
    assert (result.verdict, result.model) == (Verdict.ELIDED, "gpt-4.1")
    (choice,) = result.choices
    assert choice.content == "Hello! How can I help you today?"
    assert choice.finish_reason == "stop"
    usage = result.usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (19, 10, 29)
    comma, dots = body.index("29,") + 2, body.index("....")
    assert {
        finding.code: (finding.where.byte_start, finding.where.byte_end)
        for finding in result.findings
        if finding.code != "framing.pasted"
    } == {"ending.elided": (dots, dots + 4), "json.trailing-comma": (comma, comma + 1)}
    (message,) = (f.message for f in result.findings if f.code == "json.trailing-comma")
    assert message == f"A trailing comma stands on line {body.count(chr(10), 0, comma) + 1}."


def test_the_first_trailing_comma_is_told_by_what_breaks_and_the_others_by_their_lines() -> None:
    body = ANSWER.replace('"stop"', '"stop",').replace('"total_tokens": 5', '"total_tokens": 5,')
    result = analysis(body.encode())
    told = {f.code: f.message for f in result.findings if f.code.startswith("json.")}
    assert result.verdict_reason.endswith("; choices and usage are those of the proposed repair.")
    assert told["json.invalid"].endswith(" It is read as repaired.")
    line = body.count("\n", 0, body.index("5,\n")) + 1
    assert told["json.trailing-comma"] == f"A trailing comma stands on line {line}."


@pytest.mark.parametrize(
    ("printed_", "value"),
    [
        ('{"choices":[],\n...\n"n":1}', {"choices": [], "n": 1}),
        ('{"choices":[], ..., "n":1}', {"choices": [], "n": 1}),
        ('{"choices":[]\n...\n"n":1}', {"choices": [], "n": 1}),
        ('{"choices":[] …, "n":1}', {"choices": [], "n": 1}),
        ('{...,"choices":[...],"n":{...}}', {"choices": [], "n": {}}),
        ('{"choices":[1,2,...,9],"s":"a...b,}"}', {"choices": [1, 2, 9], "s": "a...b,}"}),
        ('{"choices":[1,// ... 7 more\n9]}', {"choices": [1, 9]}),
    ],
)
def test_dots_leave_a_comma_where_one_is_needed(printed_: str, value: object) -> None:
    mended = mend(printed_.encode())
    assert mended is not None
    assert (mended.value, len(mended.text)) == (value, len(printed_.encode()))


def test_chunks_with_trailing_commas_are_read_as_they_are_meant() -> None:
    result = analysis(printed().replace("null}", "null,}").encode())
    assert (result.verdict, len(result.choices)) == (Verdict.ELIDED, 1)
    assert result.choices[0].content == "Ship it to Gera"
    assert result.repair is not None and result.repair.is_read
    assert result.repair.steps == ("Left out commas before a closing bracket (5 objects)",)
    assert result.repair.completion["choices"][0]["message"]["content"] == "Ship it to Gera"
    (broken,) = (f for f in result.findings if f.code == "json.broken-chunk")
    assert "(5 times, this is the first). It is read as repaired." in broken.message


@pytest.mark.parametrize(
    "noted",
    [
        "2026-02-03T10:00:07.120Z INFO read data: %s",
        "api-1  | data: %s",
        "b'data: %s\\n\\n'",
    ],
)
def test_the_end_mark_is_found_in_a_log_too(noted: str) -> None:
    result = analysis("\n".join(noted % text for text in (*CHUNKS, "[DONE]")).encode())
    assert (result.verdict, result.choices[0].content) == (Verdict.COMPLETE, "Ship it to Gera")


def test_a_sentence_about_the_end_mark_is_none() -> None:
    result = analysis((quoted("\n".join(CHUNKS)) + "\nThe last event is data: [DONE]").encode())
    assert result.verdict is Verdict.MISSING_TERMINATOR


@pytest.mark.parametrize(
    ("body", "which"),
    [
        (f"{ANSWER}\n\n{ANSWER}", "an answer (line 1) and an answer (line 23)"),
        (f"{ANSWER}{ANSWER}", "an answer (line 1) and an answer (line 21)"),
        (f"Whole:\n{ANSWER}\n\nStreamed:\n\n{printed()}", "an answer (line 2) and a stream of 6 chunks (line 26)"),
        (f"{ANSWER}\n\n{printed(data='data: ')}\n\n", f"an answer (line 1) and a stream of 6 chunks (line {LINES + 2})"),
        (f"{ANSWER}\nA chunk:\n{CHUNKS[1]}", "an answer (line 1) and a chunk (line 23)"),
        (f"{CHUNKS[0]}\nOf another:\n{CHUNKS[1]}".replace("chatcmpl-1", "other", 1), "a chunk (line 1) and a chunk (line 3)"),
        (f"{CHUNKS[0]}\ndata: [DONE]\n\n{CHUNKS[1]}\n\nEnd", "a chunk (line 1) and a chunk (line 4)"),
    ],
)  # fmt: skip
def test_of_several_responses_none_is_chosen(body: str, which: str) -> None:
    result = analysis(body.encode())
    assert result.verdict is Verdict.UNREADABLE
    assert result.verdict_reason == f"The body has {which}; none was chosen."
    assert (result.choices, result.completion, result.dialect) == ((), None, "openai-chat")
    assert "framing.several-documents" in codes(result)


def test_every_response_of_a_text_is_an_input_of_its_own() -> None:
    body = f"Whole:\n{ANSWER}\n\nStreamed:\n\n{printed()}\n\nEnd.".encode()
    answer, stream = pasted_responses(body)
    assert (answer.title, stream.title) == ("an answer", "a stream of 6 chunks")
    assert analysis(body[answer.byte_start : answer.byte_end]).verdict is Verdict.COMPLETE
    assert analysis(body[stream.byte_start : stream.byte_end]).verdict_reason == ELIDED


def test_a_text_without_a_response_has_no_parts() -> None:
    assert pasted_responses(b'{"messages":[]} {"a":1} class A { b, c } {"role":"user"} {') == ()
    assert pasted_responses(GOOD) == (PastedResponse(0, len(GOOD), 1, 1, False),)


@pytest.mark.parametrize(
    "body",
    [
        b"Say { id, choices } and {} and {1}.",
        b'logprobs: { "a", b }\nclass A { x }',
        b'{"role": "assistant", "content": "a message alone"}\nis a message.',
        b'It can\'t be "quoted" {or} `{}` [1] <b>.',
        b"'" * 7 + b'{"' * 9,
    ],
)
def test_prose_is_no_response(body: bytes) -> None:
    assert analysis(body).verdict is Verdict.NOT_A_RESPONSE


def test_a_list_of_chunks_is_a_stream_that_a_program_collected() -> None:
    machine = reading(f"[{','.join(CHUNKS)}]".encode())
    result = machine.analysis()
    assert (result.verdict, result.streamed) == (Verdict.MISSING_TERMINATOR, True)
    assert result.choices[0].content == "Ship it to Gera"
    assert machine.tape().events.byte_start[:2] == [1, 2 + len(CHUNKS[0])]


def test_a_stream_that_is_cut_inside_an_object_is_cut_off() -> None:
    body = "```\n" + "\n\n".join(CHUNKS)[:-30]
    result = analysis(body.encode())
    assert result.verdict is Verdict.CUT_OFF
    assert result.choices[0].content == "Ship it to Gera"


def test_a_chunk_that_cannot_be_followed_is_reported_and_the_others_are_read() -> None:
    body = printed(pretty=True).replace('"content": " it"', '"content" " it"')
    result = analysis(body.encode())
    assert result.choices[0].content == "Ship to Gera"
    assert "json.broken-chunk" in codes(result)


def test_recognised_formats_are_found_in_a_text_too() -> None:
    result = analysis(
        b'Events:\n\n{"type":"message_start","message":{"stop_reason":"end_turn"}}\n\n'
        b'{"type":"message_stop"}\n'
    )
    assert (result.dialect, result.verdict) == ("anthropic", Verdict.COMPLETE)
    error = analysis(b'Sorry:\n```\n{"error":{"message":"gone"}}\n```')
    assert error.verdict is Verdict.PROVIDER_ERROR


@pytest.mark.thorough
def test_a_text_over_the_bound_is_not_searched() -> None:
    assert pasted_responses(b"x\n" * 2_000_000 + GOOD) != ()
    assert pasted_responses(b"x\n" * 2_100_000 + GOOD) == ()


HOSTILE = {
    "names": b'{"' * 500_000,
    "braces": b"{" * 1_000_000,
    "small objects": b'{"a":1}' * 20_000,
    "objects without an end": b'{"a":[1,\n' * 100_000,
    "chunks on one line": b'{"choices":[{"delta":{}}]} x ' * 40_000,
    "fences": b"```\n" * 50_000,
    "escapes": b"see " + b'{"' + b'\\"' * 500_000,
    "white space": b"x {" + b" " * 1_000_000,
    "line ends": b"x" + b"\n" * 300_000 + b'{"a"',
    "remarks": b'x {"a":1,' + b"/*" * 200_000,
    "quotes": b'"\n' * 100_000,
    "signs of quoting": b'x\n{"a":\n' + b">\n" * 100_000,
}


@pytest.mark.parametrize("name", mostly_thorough(((name,) for name in HOSTILE), by_default=1))
def test_hostile_texts_take_no_more_than_their_length(name: str) -> None:
    assert analysis_to_json(analysis(HOSTILE[name]))


@given(st.lists(st.sampled_from([*CHUNKS, ANSWER, "```\n", "> ", "data: ", "....", ",", "[", "]", "\n", "\r\n", "x", "data: [DONE]", '{"', '{"a":', "}", "//", "\u00a0", '"']), max_size=12).map("".join))  # fmt: skip
def test_no_text_makes_it_raise(text: str) -> None:
    result = analysis(text.encode())
    assert analysis_to_json(result)
    bad = result.verdict not in (Verdict.COMPLETE, Verdict.PART, Verdict.IN_PROGRESS)
    assert not bad or any(finding.severity != "info" for finding in result.findings)


@pytest.mark.parametrize(
    "printed",
    [
        b'\xef\xbb\xbf {"a": 1,}',
        b'\xc2\xa0{"a": 1,}',
        b'// the answer\n{"a": 1}',
        b'# the answer\n{"a": 1}',
        b'/* the answer */ {"a": 1}',
    ],
)
def test_whatever_may_stand_before_an_object_is_mended(printed: bytes) -> None:
    mended = mend(printed)
    assert mended is not None and mended.value == {"a": 1}


@pytest.mark.parametrize("printed", [b"", b"[1,]", b"text, ... {}", b"\x00" * 1000 + b'{"a": 1,}'])
def test_what_cannot_become_an_object_is_not_mended(printed: bytes) -> None:
    assert mend(printed) is None


PROSE = b"Streaming\n=====\nNote: each line is an event.\ndata: it stands here\nData: the same\n"


def findings_of(body: bytes, content_type: str | None = None) -> list[tuple[str, str]]:
    found = analysis(body, content_type=content_type).findings
    return [(each.code, each.message) for each in found if each.code.startswith("framing.")]


def test_a_page_without_a_response_gets_no_findings_about_fields() -> None:
    assert findings_of(PROSE) == []
    assert findings_of(PROSE, "text/event-stream") == []


def test_lines_around_a_pasted_stream_are_text_and_no_fields() -> None:
    pasted = b"Here is what came:\n\n" + GOOD_STREAM + b"Note: it went well\n\n"
    around = "Ignored text around the response (2 times, this is the first)."
    assert findings_of(pasted) == [("framing.pasted", around)]


def test_lines_inside_a_stream_that_a_server_sent_are_quoted() -> None:
    sent = GOOD_STREAM + b"upstream reset: connection failure\n\ncost: 3\n\n"
    assert findings_of(sent, "text/event-stream") == [
        ("framing.ignored-line", "The line 'upstream reset: connection failure' is ignored by every client."),
        ("framing.ignored-line", "The field 'cost' is ignored by every client."),
    ]  # fmt: skip
