"""Ollama's own answers: what each of their shapes becomes."""

from datetime import UTC, datetime

import pytest

from inspector.core.analysis import Verdict
from inspector.core.completion import BlockKind, Result
from inspector.core.fields.identity import created_at
from tests.core.bodies import analysis, codes
from tests.core.formats.recordings import only_choice

TOP = b'"model":"l","created_at":"2026-11-20T09:22:19.123456789Z"'
COUNTS = (
    b'"total_duration":1840000001,"load_duration":5,"prompt_eval_count":7,"prompt_eval_duration":9,'
    b'"eval_count":3,"eval_duration":11'
)
STOP = b'"done":true,"done_reason":"stop",' + COUNTS


def chat(message: bytes, more: bytes = b'"done":false') -> bytes:
    return b'{%s,"message":{"role":"assistant",%s},%s}' % (TOP, message, more)


def generated(response: bytes, more: bytes = b'"done":false') -> bytes:
    return b'{%s,"response":"%s",%s}' % (TOP, response, more)


def lines(*objects: bytes) -> bytes:
    return b"".join(one + b"\n" for one in objects)


CHAT = lines(
    chat(b'"content":"","thinking":"Hm"'),
    chat(b'"content":"","thinking":"."'),
    chat(b'"content":"B\\u00e2"'),
    chat(b'"content":"le"'),
    chat(b'"content":""', STOP),
)
GENERATED = lines(generated(b"Ba"), generated(b"sel"), generated(b"", STOP + b',"context":[1,2]'))
CALL = b'{"function":{"index":%d,"name":"%s","arguments":%s}}'
CALLS = lines(
    chat(b'"content":"Let me see.","tool_calls":[%s]' % (CALL % (0, b"find", b'{"a":[1]}'))),
    chat(b'"content":"","tool_calls":[%s,%s]' % (CALL % (1, b"find", b'{"a":[2]}'), CALL % (2, b"ask", b"{}"))),
    chat(b'"content":""', STOP),
)  # fmt: skip


def test_a_chat_streams_its_thinking_and_its_text() -> None:
    found = analysis(CHAT)
    assert (only_choice(found).reasoning, only_choice(found).content) == ("Hm.", "Bâle")
    assert (found.verdict, found.result, codes(found)) == (Verdict.COMPLETE, Result.ANSWERED, set())
    assert found.completion == {
        "model": "l",
        "created_at": "2026-11-20T09:22:19.123456789Z",
        "message": {"role": "assistant", "content": "Bâle", "thinking": "Hm."},
        "done": True,
        "done_reason": "stop",
        "total_duration": 1840000001,
        "load_duration": 5,
        "prompt_eval_count": 7,
        "prompt_eval_duration": 9,
        "eval_count": 3,
        "eval_duration": 11,
    }


def test_what_is_generated_streams_too() -> None:
    found = analysis(GENERATED)
    assert (only_choice(found).content, found.result, codes(found)) == (
        "Basel",
        Result.ANSWERED,
        set(),
    )
    assert isinstance(found.completion, dict)
    assert (found.completion["response"], found.completion["context"]) == ("Basel", [1, 2])
    assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (7, 3)


def test_calls_of_several_lines_are_calls_of_their_own_and_need_no_id() -> None:
    found = analysis(CALLS)
    calls = [(call.name, call.arguments_text) for call in only_choice(found).tool_calls]
    assert calls == [("find", '{"a":[1]}'), ("find", '{"a":[2]}'), ("ask", "{}")]
    assert (found.result, codes(found)) == (Result.CALLED, set())
    assert isinstance(found.completion, dict)
    kept = found.completion["message"]["tool_calls"]
    assert [call["function"]["index"] for call in kept] == [0, 1, 2]


@pytest.mark.parametrize("body", [chat(b'"content":"Hi"', STOP), generated(b"Hi", STOP)])
def test_an_answer_that_is_not_streamed_is_read_the_same(body: bytes) -> None:
    found = analysis(body)
    assert (only_choice(found).content, found.streamed, found.result) == (
        "Hi",
        False,
        Result.ANSWERED,
    )


@pytest.mark.parametrize(
    "body",
    [
        generated(b"Hi", b'"done":true'),
        lines(generated(b"Hi"), generated(b"", b'"done":true')),
        lines(chat(b'"content":"Hi"'), b'{%s,"done":true,%s}' % (TOP, COUNTS)),
    ],
    ids=["whole", "lines", "a last line without message"],
)
def test_older_versions_say_that_they_are_done_and_not_why(body: bytes) -> None:
    found = analysis(body)
    assert (found.verdict, found.result) == (Verdict.COMPLETE, Result.ANSWERED)
    assert found.verdict_reason == "The answer says that it is done, without a finish reason."
    assert codes(found) == set()


def test_an_answer_that_says_it_is_not_done_has_no_end() -> None:
    assert (
        analysis(lines(chat(b'"content":"Hi"'), chat(b'"content":"."'))).verdict is Verdict.CUT_OFF
    )


@pytest.mark.parametrize(
    ("reason", "result"), [(b"stop", Result.ANSWERED), (b"length", Result.TRUNCATED)]
)
def test_a_reason_decides_the_result(reason: bytes, result: Result) -> None:
    more = b'"done":true,"done_reason":"%s"' % reason
    assert analysis(chat(b'"content":"Hi"', more)).result is result


def test_an_error_line_ends_a_stream() -> None:
    found = analysis(lines(chat(b'"content":"Hi"'), b'{"error":"model runner has stopped"}'))
    assert (found.verdict, found.result) == (Verdict.PROVIDER_ERROR, Result.ERROR)
    assert "model runner has stopped" in found.verdict_reason
    assert only_choice(found).content == "Hi"


def test_log_probabilities_are_those_of_the_text() -> None:
    token = (
        b'"logprobs":[{"token":"%s","logprob":-0.5,"bytes":[72],"top_logprobs":[]}],"done":false'
    )
    found = analysis(
        lines(chat(b'"content":"H"', token % b"H"), chat(b'"content":"i"', token % b"i"))
    )
    read = only_choice(found).logprobs
    assert isinstance(read, dict)
    assert [one["token"] for one in read["content"]] == ["H", "i"]
    assert isinstance(found.completion, dict)
    assert [one["token"] for one in found.completion["logprobs"]] == ["H", "i"]


def test_images_are_blocks_and_no_extras() -> None:
    found = analysis(
        lines(
            chat(b'"content":"","images":["iVBO"]'), chat(b'"content":"","images":["Rw0K"]', STOP)
        )
    )
    blocks = [(block.kind, block.type, block.value) for block in only_choice(found).blocks]
    assert blocks == [(BlockKind.IMAGE, "images", "iVBO"), (BlockKind.IMAGE, "images", "Rw0K")]
    assert (found.result, found.extras, only_choice(found).extras) == (Result.ANSWERED, {}, {})
    assert isinstance(found.completion, dict)
    assert found.completion["message"]["images"] == ["iVBO", "Rw0K"]


def test_durations_are_exact_beyond_what_a_float_holds() -> None:
    more = b'"done":true,"done_reason":"stop","total_duration":9007199254740993,"eval_duration":86399000000001'
    clocks = analysis(generated(b"Hi", more)).timeline.provider_clocks
    found = {clock.name: (clock.value, clock.seconds, clock.fault) for clock in clocks}
    assert found == {
        "total_duration": ("9007199254740993", None, "longer than a day"),
        "eval_duration": ("86399000000001", "86399.000000001", None),
    }


def test_an_answer_names_its_moment_as_a_text() -> None:
    found = analysis(CHAT).identity.created
    assert found == "2026-11-20T09:22:19.123456789Z"
    assert created_at(found) == datetime(2026, 11, 20, 9, 22, 19, 123456, tzinfo=UTC)


def test_a_last_line_that_says_everything_again_adds_nothing() -> None:
    found = analysis(
        lines(
            chat(b'"content":"","thinking":"Hm so"'),
            chat(b'"content":"","thinking":" it is"'),
            chat(b'"content":"Ebb"'),
            chat(b'"content":" and flow"'),
            chat(b'"thinking":"Hm so it is","content":"Ebb and flow"', STOP),
        )
    )
    assert (only_choice(found).reasoning, only_choice(found).content) == (
        "Hm so it is",
        "Ebb and flow",
    )
    assert len(only_choice(found).blocks) == 2
    assert "message.said-again" in codes(found)
