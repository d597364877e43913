"""Tokens with their log probabilities, read from both shapes and placed on their text."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from inspector.core.completion import Choice
from inspector.core.fields.logprobs import (
    Logprobs,
    LogprobsPart,
    LogprobToken,
    read_logprobs,
    token_count,
)
from tests.core.bodies import TOP, analysis, choice, chunk, codes, completion, event
from tests.steps import steps


def chat(text: str | None, *entries: Any) -> Logprobs:
    return read_logprobs(Choice(index=0, content=text, logprobs={"content": list(entries)}))


def legacy(text: str, **arrays: Any) -> Logprobs:
    return read_logprobs(Choice(index=0, text=text, logprobs=arrays))


def entry(token: Any, bytes_: Any = None, logprob: Any = -0.5) -> dict[str, Any]:
    return {"token": token, "logprob": logprob, "bytes": bytes_, "top_logprobs": []}


def places(read: Logprobs) -> list[tuple[int | None, int | None]]:
    return [(token.start, token.end) for token in read.tokens]


def test_tokens_of_a_chat_stand_where_their_texts_join() -> None:
    read = chat("Hi, you", entry("Hi"), entry(","), entry(" you"))
    assert places(read) == [(0, 2), (2, 3), (3, 7)]
    assert read.aligned == {LogprobsPart.CONTENT: True}


def test_a_character_of_several_tokens_is_one_place_for_all_of_them() -> None:
    hand = list("👋".encode())
    read = chat(
        "a👋b",
        entry("a", [97]),
        entry("\\xf0", hand[:2]),
        entry("\\x91", hand[2:]),
        entry("b", [98]),
    )
    assert places(read) == [(0, 1), (1, 2), (1, 2), (2, 3)]
    assert read.aligned == {LogprobsPart.CONTENT: True}


def test_a_token_that_ends_inside_a_character_shares_its_place_with_the_next() -> None:
    euro = "€".encode()
    read = chat("a€", entry("a", [97, euro[0]]), entry("?", list(euro[1:])))
    assert places(read) == [(0, 2), (0, 2)]


@pytest.mark.parametrize("bytes_", [None, "Hi", [256], [-1], ["x"], [10**30], {}])
def test_bytes_that_are_none_leave_it_to_the_text(bytes_: Any) -> None:
    assert places(chat("Hi", entry("Hi", bytes_))) == [(0, 2)]


def test_a_token_that_is_not_in_the_text_has_no_place_and_the_rest_keep_theirs() -> None:
    read = chat("Hi!", entry("<s>"), entry("Hi"), entry("!"), entry("</s>"))
    assert places(read) == [(None, None), (0, 2), (2, 3), (None, None)]
    assert read.aligned == {LogprobsPart.CONTENT: False}


def test_a_text_that_goes_on_is_not_aligned() -> None:
    assert chat("Hi you", entry("Hi")).aligned == {LogprobsPart.CONTENT: False}


def test_content_and_refusal_are_placed_each_on_its_own_text() -> None:
    sent = {"content": [entry("Hi")], "refusal": [entry("No")]}
    read = read_logprobs(Choice(index=0, content="Hi", refusal="No", logprobs=sent))
    assert [(token.part, token.start) for token in read.tokens] == [("content", 0), ("refusal", 0)]
    assert read.aligned == {LogprobsPart.CONTENT: True, LogprobsPart.REFUSAL: True}


def test_absent_null_and_number_are_kept_apart() -> None:
    tokens = chat("abc", {"token": "a"}, entry("b", None, None), entry("c", None, 0)).tokens
    assert [token.logprob for token in tokens] == [UNSET, None, 0]


def test_the_sentinel_is_known_and_a_rounded_zero_is_not_positive() -> None:
    values = [-9999.0, -9999, 1e-9, 0.5, True, None]
    tokens = chat("a" * 6, *(entry("a", None, value) for value in values)).tokens
    assert [token.is_sentinel for token in tokens] == [True, True, False, False, False, False]
    assert [token.is_positive for token in tokens] == [False, False, False, True, False, False]
    assert [token.is_malformed for token in tokens] == [False] * 4 + [True, False]


def test_alternatives_are_read_from_both_shapes() -> None:
    top = [{"token": "a", "logprob": -1}, {"token": "b", "logprob": None}, "odd"]
    (token,) = chat("a", entry("a") | {"top_logprobs": top}).tokens
    assert [(each.token, each.logprob) for each in token.alternatives] == [("a", -1), ("b", None)]
    (token,) = legacy("a", tokens=["a"], top_logprobs=[{"a": -1, "b": -2}]).tokens
    assert [(each.token, each.logprob) for each in token.alternatives] == [("a", -1), ("b", -2)]


ABC = {"tokens": ["a", "b", "c"], "token_logprobs": [None, -1, -2]}


@pytest.mark.parametrize(
    "offsets",
    [[0, 1, 2], [17, 18, 19], [0, 0, 0], [9, 9, 9], [0, 1, 0], [4, 5, 4]],
    ids=[
        "from 0",
        "from the prompt",
        "0 in each chunk",
        "9 in each chunk",
        "again",
        "again from 4",
    ],
)
def test_offsets_may_count_from_the_prompt_from_0_or_anew_in_each_chunk(offsets: list[int]) -> None:
    read = legacy("abc", **ABC, text_offset=offsets)
    assert places(read) == [(0, 1), (1, 2), (2, 3)]
    assert (read.aligned, read.offsets_fit) == ({LogprobsPart.TEXT: True}, True)


@pytest.mark.parametrize("offsets", [[0, 2, 4], [0, 1, 7], [3, 2, 1]])
def test_offsets_that_count_something_else_do_not_fit(offsets: list[int]) -> None:
    read = legacy("abc", **ABC, text_offset=offsets)
    assert (read.aligned, read.offsets_fit) == ({LogprobsPart.TEXT: True}, False)


@pytest.mark.parametrize("offsets", [None, [], ["x", None, {}], [-1, -1, -1], [True, 1.5, "0"], 7])
def test_offsets_that_are_no_counts_are_not_looked_at(offsets: Any) -> None:
    read = legacy("abc", **ABC, text_offset=offsets)
    assert (read.aligned, read.offsets_fit) == ({LogprobsPart.TEXT: True}, True)


def test_half_characters_that_are_spelt_in_bytes_are_joined() -> None:
    read = legacy("a👋", tokens=["a", "bytes:\\xf0\\x9f", "bytes:\\x91\\x8b"])
    assert places(read) == [(0, 1), (1, 2), (1, 2)]
    assert places(legacy("bytes:", tokens=["bytes:"])) == [(0, 6)]


def test_without_tokens_the_offsets_alone_tell_the_places() -> None:
    read = legacy("abcd", token_logprobs=[-1, -2], text_offset=[7, 9])
    assert places(read) == [(0, 2), (2, 4)]
    assert read.aligned == {LogprobsPart.TEXT: True}
    assert places(legacy("abcd", token_logprobs=[-1, -2])) == [(None, None), (None, None)]
    assert places(legacy("ab", token_logprobs=[-1, -2], text_offset=[0, 9])) == [(None, None)] * 2


def test_arrays_of_different_lengths_are_read_as_far_as_the_longest_goes() -> None:
    read = legacy("ab", tokens=["a", "b"], token_logprobs=[-1], top_logprobs=None)
    assert [token.logprob for token in read.tokens] == [-1, UNSET]
    assert read.lengths == {"tokens": 2, "token_logprobs": 1} and read.lengths_differ


def test_streamed_legacy_logprobs_are_joined_over_their_chunks() -> None:
    pieces = [("Ship", 5), (" it", 9)]
    body = b"".join(
        event(
            b'{"id":"cmpl-1","object":"text_completion","created":1,"model":"m","choices":[%s]}'
            % json.dumps(
                {
                    "index": 0,
                    "text": text,
                    "logprobs": {"tokens": [text], "token_logprobs": [-1], "top_logprobs": None, "text_offset": [offset]},
                    "finish_reason": None,
                }
            ).encode()
        )
        for text, offset in pieces
    )  # fmt: skip
    (one,) = analysis(body).choices
    read = read_logprobs(one)
    assert places(read) == [(0, 4), (4, 7)]
    assert (read.aligned, read.offsets_fit) == ({LogprobsPart.TEXT: True}, True)


def test_streamed_chat_logprobs_are_joined_over_their_chunks() -> None:
    one = '{"index":0,"delta":{"content":"%s"},"logprobs":{"content":[{"token":"%s","logprob":-1,"bytes":null,"top_logprobs":[]}],"refusal":null},"finish_reason":null}'
    body = b"".join(chunk((one % (text, text)).encode()) for text in ("Hi", " you"))
    read = read_logprobs(analysis(body).choices[0])
    assert places(read) == [(0, 2), (2, 6)]
    assert TOP in body


def found(logprobs: Any, text: str = "Hi") -> set[str]:
    more = b'"logprobs":%s,"finish_reason":"stop"' % json.dumps(logprobs).encode()
    message = b'"role":"assistant","content":%s' % json.dumps(text).encode()
    return {
        code for code in codes(analysis(completion(choice(message, more)))) if "logprobs" in code
    }


def test_logprobs_as_they_should_be_have_no_finding() -> None:
    assert found({"content": [entry("Hi", [72, 105])], "refusal": None}) == set()
    assert found(None) == set()
    assert found({}) == set()


def test_the_first_logprob_of_a_legacy_completion_may_be_null_and_no_other() -> None:
    others: dict[str, Any] = {"tokens": ["a", "b"], "top_logprobs": None, "text_offset": [0, 1]}
    usual = {**others, "token_logprobs": [None, -1]}
    odd = {**others, "token_logprobs": [-1, None]}
    for logprobs, expected in ((usual, set()), (odd, {"logprobs.null"})):
        more = {"index": 0, "text": "ab", "logprobs": logprobs, "finish_reason": "stop"}
        body = {
            "id": "c",
            "object": "text_completion",
            "created": 1795183339,
            "model": "m",
            "choices": [more],
        }
        found = codes(analysis(json.dumps(body).encode()))
        assert {code for code in found if "logprobs" in code} == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
NAMES = ["content", "refusal", "tokens", "token_logprobs", "top_logprobs", "text_offset"]
ENTRIES = st.dictionaries(st.sampled_from(["token", "logprob", "bytes", "top_logprobs"]), JSON)


@given(
    logprobs=JSON | st.dictionaries(st.sampled_from(NAMES), JSON | st.lists(JSON | ENTRIES)),
    text=st.none() | st.just(UNSET) | st.text(),
)
def test_nothing_sent_raises_and_no_place_is_outside_the_text(logprobs: Any, text: Any) -> None:
    read = read_logprobs(Choice(index=0, content=text, text=text, refusal=text, logprobs=logprobs))
    length = len(text) if isinstance(text, str) else 0
    for token in read.tokens:
        assert isinstance(token, LogprobToken)
        assert token.start is None or 0 <= token.start <= (token.end or 0) <= length


@given(text=st.text(min_size=1), data=st.data())
def test_any_cutting_of_the_bytes_into_tokens_is_placed_on_whole_characters(
    text: str, data: st.DataObject
) -> None:
    sent = text.encode()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(sent)))) | {0, len(sent)})
    tokens = [entry("?", list(sent[a:b])) for a, b in zip(cuts, cuts[1:], strict=False)]
    read = chat(text, *tokens)
    assert read.aligned == {LogprobsPart.CONTENT: True}
    covered = {n for start, end in places(read) for n in range(start or 0, end or 0)}
    assert covered == set(range(len(text)))


@pytest.mark.parametrize("text, token", [("a", entry("a", [97])), ("aa", entry("b" * 50, None))])
def test_four_times_as_many_tokens_take_four_times_as_many_steps(text: str, token: Any) -> None:
    def taken(number: int) -> int:
        return steps(lambda: chat(text * number, *[token] * number))

    assert taken(2_000) < 5 * taken(500)


@pytest.mark.parametrize(
    "sent",
    [
        None, 7, {}, {"content": []}, {"content": None, "refusal": [entry("No")]},
        {"content": [entry("a"), "odd", entry("b")], "refusal": [entry("c")]},
        {"tokens": ["a", "b"], "token_logprobs": [-1], "top_logprobs": 7},
        {"text_offset": [0, 1, 2], "content": [entry("a")]}, {"tokens": []},
    ],
)  # fmt: skip
def test_tokens_are_counted_as_they_are_read(sent: Any) -> None:
    said = Choice(index=0, content="abc", logprobs=sent)
    assert token_count(said) == len(read_logprobs(said).tokens)
