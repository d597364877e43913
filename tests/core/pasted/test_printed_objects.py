"""Objects of a client library as Python and JavaScript print them: recognised, read, and said so."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from inspector.core.analysis import Verdict
from inspector.core.completion import Result
from inspector.core.pasted.printed_objects import MAX_BYTES, OBJECT_CHARACTERS, printed_objects
from inspector.core.pasted.responses import pasted_responses
from inspector.core.reading import read
from inspector.core.wire.exchange import Exchange, Read
from tests.core.bodies import GOOD, analysis, codes, reading

ANSWER = (
    "ChatCompletion(id='chatcmpl-1', choices=[Choice(finish_reason='stop', index=0, logprobs=None, "
    'message=ChatCompletionMessage(content="It\'s on the way\\n— Ana", refusal=None, '
    "role='assistant', annotations=[], audio=None, function_call=None, tool_calls=None))], "
    "created=1795183339, model='parcel-1', object='chat.completion', service_tier='default', "
    "system_fingerprint='fp_1', usage=CompletionUsage(completion_tokens=12, prompt_tokens=9, "
    "total_tokens=21, completion_tokens_details=None))"
)
CHUNK = (
    "ChatCompletionChunk(id='chatcmpl-1', choices=[Choice(delta=ChoiceDelta(content=%s, "
    "function_call=None, refusal=None, role=%s, tool_calls=None), finish_reason=%s, index=0, "
    "logprobs=None)], created=1795183339, model='parcel-1', object='chat.completion.chunk', "
    "service_tier=None, system_fingerprint=None, usage=None)\n"
)
STREAM = (
    CHUNK % ("''", "'assistant'", "None")
    + CHUNK % ("'Ship '", "None", "None")
    + CHUNK % ("'it'", "None", "None")
    + CHUNK % ("None", "None", "'stop'")
)
AS_DICTIONARY = repr(json.loads(GOOD))


def test_a_printed_answer_is_read_and_said_to_be_none_of_the_providers() -> None:
    result = analysis(ANSWER.encode())
    assert (result.verdict, result.dialect, result.model) == (
        Verdict.UNREADABLE,
        "openai-chat",
        "parcel-1",
    )
    assert result.verdict_reason == (
        "The text is what Python prints of ChatCompletion; choices and usage are read from it."
    )
    (choice,) = result.choices
    assert (choice.role, choice.content) == ("assistant", "It's on the way\n— Ana")
    assert choice.finish_reason == "stop"
    assert (result.usage.prompt_tokens, result.usage.total_tokens) == (9, 21)
    assert result.completion is None
    assert result.repair is not None and result.repair.is_read
    assert codes(result) == {"json.python-notation"}


def test_a_printed_dictionary_is_read() -> None:
    result = analysis(AS_DICTIONARY.encode())
    assert (result.choices[0].content, result.usage.total_tokens) == ("Hello", 5)
    assert result.verdict_reason.startswith("The text is what Python prints of an object; ")


def test_printed_chunks_are_one_stream() -> None:
    machine = reading(STREAM.encode())
    result = machine.analysis()
    assert result.streamed and result.choices[0].content == "Ship it"
    assert result.choices[0].finish_reason == "stop"
    assert len(machine.tape().events.kind) == 4
    assert machine.tape().events.byte_start[1] == len(CHUNK % ("''", "'assistant'", "None"))


@pytest.mark.parametrize(
    "around",
    [
        "$ python ask.py\n%s\n",
        ">>> response\n%s\n>>> ",
        "```python\n%s\n```",
        "response = %s",
        'client = OpenAI(api_key=os.environ["KEY"])\nprint(response)\n%s',
        "It printed {'this': 1} and then %s.",
    ],
)
def test_it_is_found_in_a_longer_text_with_its_place(around: str) -> None:
    body = (around % ANSWER).encode()
    result = analysis(body)
    assert result.choices[0].finish_reason == "stop"
    (finding,) = (each for each in result.findings if each.code == "json.python-notation")
    start, end = finding.where.byte_start, finding.where.byte_end
    assert body[start:end].decode() == ANSWER


def test_of_several_answers_none_is_chosen_and_each_is_offered() -> None:
    body = f"{ANSWER}\n{ANSWER}\n".encode()
    assert analysis(body).verdict is Verdict.UNREADABLE
    assert analysis(body).choices == ()
    assert [part.title for part in pasted_responses(body)] == ["an answer", "an answer"]


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("{'a': 1, 'b': [True, False, None], 'c': -2.5e-07,}", {"a": 1, "b": [True, False, None], "c": -2.5e-07}),
        ("{'a': 'one '\n      'two', 'b': {}}", {"a": "one two", "b": {}}),
        (r"{'a': 'it\'s \x41 \u00e9 \U0001f600 \\ \t'}", {"a": "it's A é \U0001f600 \\ \t"}),
        ("{'a': (1, 2), 'b': ('one '\n 'two'), 'c': ()}", {"a": [1, 2], "b": "one two", "c": []}),
        ("A(b=<Reason.stop: 'stop'>, c=datetime.datetime(2026, 11, 20), d=B())", {"b": "stop", "c": [2026, 11, 20], "d": {}}),
        ("A(b=None, content=None, finish_reason=None)", {"content": None, "finish_reason": None}),
    ],
)  # fmt: skip
def test_literals_are_read_as_python_prints_them(printed: str, value: object) -> None:
    (found,) = printed_objects(printed.encode())
    assert json.loads(found.text) == value
    assert (found.byte_start, found.byte_end) == (0, len(printed.encode()))


@pytest.mark.parametrize(
    "text",
    [
        "A(b=c)",
        "A(b=f(1, c=2)",
        "A(b=1",
        "A(b='x",
        "{'a': 1]",
        "{'a': 1 'b': 2}",
        "{'a', 'b'}",
        "{'a': }",
        "{'a': b'x'}",
        "A(b=__import__('os').system('x'))",
        "A(" + "b=A(" * 70,
        "{'a': [" * 70,
        "A(b=1)" + " " * MAX_BYTES,
        f"A(b='{'x' * OBJECT_CHARACTERS}')",
    ],
)
def test_what_is_no_literal_is_no_object(text: str) -> None:
    found = [json.loads(each.text) for each in printed_objects(text.encode())]
    assert all(isinstance(value, dict) for value in found)
    assert analysis(text.encode()).verdict in (Verdict.NOT_A_RESPONSE, Verdict.CUT_OFF)


def test_a_text_that_is_not_utf8_is_not_searched() -> None:
    assert list(printed_objects(b"A(b='\xff')")) == []


@settings(max_examples=30, deadline=None)
@given(cuts=st.lists(st.integers(0, 10_000), max_size=8), body=st.sampled_from([ANSWER, STREAM]))
def test_any_cutting_gives_the_same(cuts: list[int], body: str) -> None:
    sent = body.encode()
    places = sorted({0, len(sent), *(cut % len(sent) for cut in cuts)})
    reads = [Read(None, sent[start:end]) for start, end in pairwise(places)]
    whole, cut = read(Exchange.of_body(sent)), read(Exchange.of_reads(reads))
    assert cut.analysis() == whole.analysis()
    assert cut.tape().events == whole.tape().events


@given(st.lists(st.sampled_from([ANSWER, STREAM[:400], "A(", "b=", "'", '"', "{'a':", "[", "]", ")", "}", ",", "None", "1", "\n", "<A.b: ", ">", "\\"]), max_size=12).map("".join))  # fmt: skip
def test_no_text_makes_it_raise(text: str) -> None:
    for each in printed_objects(text.encode()):
        assert 0 <= each.byte_start < each.byte_end <= len(text.encode())
        assert isinstance(json.loads(each.text), dict | list | str | int | float | bool | None)


@pytest.mark.parametrize(
    "text", ["A(b=" * 100_000, "{'a':" * 100_000, "A(b='" * 100_000, "{'a': 'x\\" * 60_000]
)
def test_hostile_texts_take_no_more_than_their_length(text: str) -> None:
    assert list(printed_objects(text.encode())) == []


NODE_ANSWER = """{
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1795183339,
  model: 'parcel-1',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: `It's "on the way"` +
          '\\n— Ana, {id: 7}',
        refusal: null
      },
      logprobs: null,
      finish_reason: 'stop'
    }
  ],
  usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 },
  system_fingerprint: undefined
}
"""


@pytest.mark.parametrize("name", ["", "ChatCompletion "])
def test_an_answer_that_node_prints_is_read(name: str) -> None:
    result = analysis(f"> node ask.mjs\n{name}{NODE_ANSWER}".encode())
    what = name.strip() or "an object"
    assert result.verdict_reason == (
        f"The text is what JavaScript prints of {what}; choices and usage are read from it."
    )
    assert result.choices[0].content == 'It\'s "on the way"\n— Ana, {id: 7}'
    assert result.choices[0].finish_reason == "stop"
    assert result.usage.total_tokens == 21
    assert "json.javascript-notation" in codes(result)
    assert "json.python-notation" not in codes(result)


def test_what_node_leaves_out_is_said_to_be_left_out() -> None:
    printed = NODE_ANSWER[: NODE_ANSWER.index("{\n        role")] + "[Object],\n"
    printed += NODE_ANSWER[NODE_ANSWER.index("      logprobs") :]
    result = analysis(printed.encode())
    assert result.verdict_reason == (
        "The text is what JavaScript prints of an object, shortened; only what it shows is read."
    )
    assert (result.choices[0].content, result.usage.total_tokens) == (UNSET, 21)
    assert (result.result, result.result_reason) == (
        Result.UNKNOWN,
        "The answer was left out where the response was shortened.",
    )
    assert [each.code for each in result.findings] == ["json.javascript-notation"]


@pytest.mark.parametrize(
    "message",
    ["[Object]", "{ role: 'assistant', content: null, tool_calls: [ [Object] ] }"],
)
def test_a_call_that_node_leaves_out_is_not_missed(message: str) -> None:
    printed = f"{{ object: 'chat.completion', choices: [ {{ index: 0, message: {message}, finish_reason: 'tool_calls' }} ] }}"
    found = codes(analysis(printed.encode()))
    told = {
        "choice.finish-mismatch",
        "choice.says-nothing",
        "message.malformed",
        "tool.call-malformed",
    }
    assert not told.intersection(found)


def test_a_text_of_which_node_leaves_out_the_end_is_said_to_be_shortened() -> None:
    printed = NODE_ANSWER.replace("{id: 7}'", "{id: 7}'... 3500 more characters")
    result = analysis(printed.encode())
    assert "an object, shortened;" in result.verdict_reason
    assert result.choices[0].content == 'It\'s "on the way"\n— Ana, {id: 7}'


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("{ a: [ 1, 'b', true, null, -2.5e-7 ] }", {"a": [1, "b", True, None, -2.5e-07]}),
        ("{ a: undefined, 'content-type': 'x' }", {"content-type": "x"}),
        ("{ a: [Array], b: [ 1, ... 3 more items ], c: {…}, d: Array(2) }", {"a": None, "b": [1], "c": None, "d": None}),
        ("{ a: 'one\\n' +\n    'two'... 3500 more characters, b: 1 }", {"a": "one\ntwo", "b": 1}),
        ("{ a: 'null: true, [Object]' }", {"a": "null: true, [Object]"}),
    ],
)  # fmt: skip
def test_literals_are_read_as_javascript_prints_them(printed: str, value: object) -> None:
    (found,) = printed_objects(printed.encode())
    assert json.loads(found.text) == value
    assert (found.byte_start, found.byte_end) == (0, len(printed.encode()))


@pytest.mark.parametrize(
    "text",
    [
        "{ a: b }",
        "{ a: () => 1 }",
        "{ a: `${b}` + c }",
        "{ a: 1 b: 2 }",
        "{ a: [ 1 }",
        "{ a: [" * 70,
        "{ a: `" * 60_000,
    ],
)
def test_what_is_no_print_of_javascript_is_no_object(text: str) -> None:
    assert list(printed_objects(text.encode())) == []
