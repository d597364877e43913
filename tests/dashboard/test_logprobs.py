from typing import Any

import pytest

from inspector.archive.document import Cut
from inspector.core.completion import Choice
from inspector.dashboard.panels.logprobs import MOST_ROWS, Token, draw
from tests.dashboard.captured import analysis, view

CHAT = {
    "content": [
        {"token": " yes", "logprob": -0.5, "bytes": None,
         "top_logprobs": [{"token": " yes", "logprob": -0.5}, {"token": " no", "logprob": -1.5}]},
        {"token": "!", "logprob": -9999.0, "top_logprobs": []},
    ],
    "refusal": [{"token": "No", "logprob": "odd"}],
}  # fmt: skip
LEGACY = {
    "tokens": ["a", " b"],
    "token_logprobs": [None, -1],
    "top_logprobs": [None, {" b": -1, " c": -2.5}],
    "text_offset": [0, 1],
}


def tokens(logprobs: Any) -> tuple[Token, ...]:
    (choice,) = draw(view(analysis(Choice(index=0, logprobs=logprobs)))).content
    return choice.tokens


def said(token: Token) -> tuple[str, str, str]:
    return "".join(s.text for s in token.token), token.logprob, token.probability


def test_tokens_of_a_chat_have_logprob_probability_and_others() -> None:
    yes, _, refusal = tokens(CHAT)
    assert said(yes) == ('" yes"', "−0.5000", "60.65 %")
    assert [other.logprob for other in yes.others] == ["−1.5000"]
    assert (refusal.part, refusal.logprob) == ("refusal", '"odd"')


def test_the_sentinel_is_named_and_not_computed_with() -> None:
    assert said(tokens(CHAT)[1]) == ('"!"', "−9999, a sentinel", "–")


def test_the_four_parallel_arrays_of_legacy_completions_are_read() -> None:
    first, second = tokens(LEGACY)
    assert said(first) == ('"a"', "null", "–")
    assert said(second) == ('" b"', "−1.0000", "36.79 %")
    assert len(second.others) == 1


def test_arrays_of_different_lengths_and_shapes_are_shown_as_far_as_they_go() -> None:
    assert len(tokens({"tokens": ["a", "b"], "token_logprobs": [-1], "top_logprobs": 7})) == 2
    assert len(tokens({"content": ["odd", {"token": 5, "logprob": True}]})) == 1


@pytest.mark.parametrize("value", [10**400, -(10**400), 1e308, -1e308, True, "x", [], 0])
def test_a_logprob_of_any_kind_and_size_is_drawn(value: Any) -> None:
    (token,) = tokens({"content": [{"token": "a", "logprob": value}]})
    assert token.logprob and token.probability


def test_an_absent_logprob_is_told_from_a_null() -> None:
    absent, null = tokens({"content": [{"token": "a"}, {"token": "b", "logprob": None}]})
    assert (absent.logprob, null.logprob) == ("not sent", "null")


def test_tokens_that_do_not_join_to_the_text_are_marked() -> None:
    sent = {"content": [{"token": "Hi", "logprob": -1}, {"token": "<eot>", "logprob": -1}]}
    (choice,) = draw(view(analysis(Choice(index=0, content="Hi", logprobs=sent)))).content
    assert choice.misaligned == ("content",)
    assert [token.is_placed for token in choice.tokens] == [True, False]


def test_logprobs_that_the_stored_reading_lacks_are_not_called_absent() -> None:
    cuts = (Cut("/choices/0/logprobs", 1_200), Cut("/choices/1/logprobs", 34))
    said = draw(view(analysis(Choice(index=0)), cuts=cuts)).why_empty
    assert said.startswith("The logprobs of 1,234 tokens are not kept in the stored reading")


def test_many_tokens_are_cut_and_counted() -> None:
    many = {"tokens": ["x"] * (MOST_ROWS + 7)}
    (choice,) = draw(view(analysis(Choice(index=0, logprobs=many)))).content
    assert (len(choice.tokens), choice.left_out) == (MOST_ROWS, 7)


def test_absent_null_and_empty_logprobs_are_told_apart() -> None:
    def why(*choices: Choice) -> str:
        return draw(view(analysis(*choices))).why_empty

    assert why(Choice(index=0)) == "No choice carries logprobs."
    assert "as null" in why(Choice(index=0, logprobs=None))
    assert "hold no token" in why(Choice(index=0, logprobs={"content": []}))
