from typing import Any

import pytest

from inspector.archive.readouts import TruncatedValue
from inspector.core.completion import Choice
from inspector.core.fields.logprobs import LogprobToken
from inspector.dashboard.capture.logprobs.panel import (
    MANY_TOKENS,
    MAX_TEXTS,
    WINDOW,
    LogprobsDisplay,
    TokenTextDisplay,
    draw,
)
from inspector.dashboard.capture.logprobs.token_display import (
    TokenDisplay,
    entropy_words,
    percent,
    step_of,
    token_entropy,
)
from tests.dashboard.capture.samples import DONE, analysis, chunk, delta, streamed, text_of, view

CHAT = {
    "content": [
        {"token": " yes", "logprob": -0.5, "bytes": [32, 121, 101, 115],
         "top_logprobs": [{"token": " yes", "logprob": -0.5}, {"token": " no", "logprob": -1.5}]},
        {"token": "!", "logprob": -9999.0, "bytes": None, "top_logprobs": []},
    ],
    "refusal": [{"token": "No", "logprob": "odd"}],
}  # fmt: skip
LEGACY = {
    "tokens": ["a", " b"],
    "token_logprobs": [None, -1],
    "top_logprobs": [None, {" b": -1, " c": -2.5}],
    "text_offset": [0, 1],
}


def drawn(*choices: Choice, **asked: str) -> LogprobsDisplay:
    content = draw(view(analysis(*choices), query_params=asked, looked_at="logprobs")).content
    assert isinstance(content, LogprobsDisplay)
    return content


def texts(logprobs: Any, **sent: Any) -> tuple[TokenTextDisplay, ...]:
    return drawn(Choice(index=0, logprobs=logprobs, **sent)).texts


def tokens(logprobs: Any, **sent: Any) -> list[TokenDisplay]:
    return [token for text in texts(logprobs, **sent) for token in text.tokens]


def values(token: TokenDisplay) -> tuple[str, str, str]:
    return text_of(token.token), token.logprob, token.probability


def many(number: int, **entry: Any) -> dict[str, Any]:
    return {"content": [{"token": "x", "logprob": -1, **entry}] * number}


def test_tokens_of_a_chat_have_logprob_probability_bytes_and_alternatives() -> None:
    yes, _, refusal = tokens(CHAT, content=" yes!", refusal="No")
    assert values(yes) == ('" yes"', "−0.5000", "60.65 %")
    assert yes.bytes == "20 79 65 73"
    assert [(text_of(o.token), o.logprob, o.width, o.is_chosen) for o in yes.alternatives] == [
        ('" yes"', "−0.5000", 61, True),
        ('" no"', "−1.5000", 22, False),
    ]
    assert refusal.logprob == '"odd"'


def test_an_answer_and_a_refusal_are_two_texts() -> None:
    assert [(text.key, text.total) for text in texts(CHAT)] == [("0-content", 2), ("0-refusal", 1)]


def test_the_sentinel_is_named_and_not_computed_with() -> None:
    token = tokens(CHAT)[1]
    assert values(token) == ('"!"', "−9999: a sentinel, too unlikely to say", "–")
    assert token.step == "unknown"
    (content, _) = texts(CHAT)
    assert content.summed is not None and content.summed.left_out == 1


def test_the_four_parallel_arrays_of_legacy_completions_are_read() -> None:
    first, second = tokens(LEGACY, text="a b")
    assert values(first) == ('"a"', "null", "–")
    assert values(second) == ('" b"', "−1.0000", "36.79 %")
    assert [text_of(other.token) for other in second.alternatives] == ['" b"', '" c"']
    assert second.bytes == "20 62 (derived)"


def test_arrays_of_different_lengths_and_shapes_are_shown_as_far_as_they_go() -> None:
    assert len(tokens({"tokens": ["a", "b"], "token_logprobs": [-1], "top_logprobs": 7})) == 2
    assert len(tokens({"content": ["odd", {"token": 5, "logprob": True}]})) == 1


@pytest.mark.parametrize("value", [10**400, -(10**400), 1e308, -1e308, True, "x", [], 0])
def test_a_logprob_of_any_kind_and_size_is_drawn(value: Any) -> None:
    top = [{"token": "a", "logprob": value}, {"token": None}]
    (token,) = tokens({"content": [{"token": "a", "logprob": value, "top_logprobs": top}]})
    assert token.logprob and token.probability and token.entropy


@pytest.mark.parametrize("value", [None, "x", [256], [-1], ["x"], [True], {}, []])
def test_bytes_of_any_kind_are_drawn(value: Any) -> None:
    (token,) = tokens({"content": [{"token": "a", "logprob": -1, "bytes": value}]})
    assert token.bytes


def test_an_absent_logprob_is_told_from_a_null() -> None:
    absent, null = tokens({"content": [{"token": "a"}, {"token": "b", "logprob": None}]})
    assert (absent.logprob, null.logprob) == ("not sent", "null")


def test_each_token_is_shaded_by_its_probability() -> None:
    sent = [0, -0.06, -0.5, -1, -2, -4, None]
    assert [step_of(value) for value in sent] == ["p0", "p1", "p2", "p3", "p4", "p5", "unknown"]


def test_a_probability_is_never_rounded_to_a_certainty_or_to_nothing() -> None:
    assert [percent(share) for share in (1, 0.999999, 0.9999, 0.0001, 0.00000123, 0)] == [
        "100 %", "> 99.99 %", "99.99 %", "0.01 %", "1.2e-04 %", "0 %",
    ]  # fmt: skip


def test_a_character_of_several_tokens_stands_in_the_first_of_them() -> None:
    hand = list("👋".encode())
    sent = [
        {"token": "\\xf0\\x9f", "logprob": -1, "bytes": hand[:2]},
        {"token": "\\x91\\x8b", "logprob": -2, "bytes": hand[2:]},
        {"token": "!", "logprob": -3, "bytes": [33]},
    ]
    first, second, last = tokens({"content": sent}, content="👋!")
    assert [text_of(token.text) for token in (first, second, last)] == ["👋", "[+91 8b]", "!"]
    assert first.shared == second.shared == 'part of "👋", which tokens 0 to 1 make together'
    assert last.shared == ""


def test_a_line_end_is_kept_and_named() -> None:
    (token,) = tokens({"content": [{"token": "a\n", "logprob": -1}]}, content="a\n")
    assert text_of(token.text) == "a[LF]\n"


def test_tokens_that_do_not_join_to_the_text_are_marked() -> None:
    sent = {"content": [{"token": "Hi", "logprob": -1}, {"token": "<eot>", "logprob": -1}]}
    (text,) = texts(sent, content="Hi")
    assert text.is_misaligned
    assert [token.is_placed for token in text.tokens] == [True, False]
    assert text_of(text.tokens[1].text) == "<eot>"


def test_the_entropy_is_that_of_what_was_sent_and_says_so() -> None:
    def entropy(*alternatives: tuple[str, float], token: str = "a", logprob: float = -0.7) -> str:
        sent = {"token": token, "logprob": logprob, "top_logprobs": [
            {"token": name, "logprob": value} for name, value in alternatives]}  # fmt: skip
        return tokens({"content": [sent]})[0].entropy

    assert entropy() == "unknown: no alternatives were sent"
    half = -0.6931471805599453
    assert entropy(("a", half), ("b", half), logprob=half).startswith("1.00 bits over the 2 tokens")
    some = entropy(("a", -1.0), ("b", -2.0), logprob=-1.0)
    assert some.startswith("at least 0.92 bits over the 2 tokens whose probability was sent; ")
    assert some.endswith("they cover 50.32 %, the rest is unknown")
    (token,) = tokens(many(1, top_logprobs=[{"token": "y", "logprob": -2.0}]))
    assert (token.bits, token.mass) == ("≥ 0.92", "50.32 %")
    assert "the 3 tokens" in entropy(("a", -1.0), ("b", -2.0), token="c")


def test_a_token_without_any_probability_has_no_spread() -> None:
    (token,) = [LogprobToken(part="content", position=0)]  # type: ignore[arg-type]
    assert token_entropy(token) is None and entropy_words(None).startswith("unknown")


def test_the_sum_tells_perplexity_and_the_least_probable() -> None:
    sent = [{"token": name, "logprob": -n} for n, name in enumerate("abcdefg")]
    (text,) = texts({"content": sent})
    assert text.summed is not None
    assert (text.summed.mean_logprob, text.summed.perplexity) == ("−3.0000", "20.09")
    assert text.summed.mean_probability == "4.98 %"
    assert [text_of(each.token) for each in text.unlikely] == ['"g"', '"f"', '"e"', '"d"', '"c"']


def test_a_window_of_many_tokens_is_shown_with_its_neighbours() -> None:
    window = WINDOW["heat"]
    choice = Choice(index=0, logprobs=many(2 * window + 7))
    (text,) = drawn(choice).texts
    assert (text.start, text.end, text.before, text.after) == (0, window, "", f"0-content-{window}")
    (text,) = drawn(choice, tokens=f"0-content-{2 * window + 1}").texts
    assert (len(text.tokens), text.before, text.after) == (7, f"0-content-{window}", "")
    assert text.requested == 2 * window + 1
    (text,) = drawn(choice, logprobs="table").texts
    assert len(text.tokens) == WINDOW["table"]


@pytest.mark.parametrize("asked", ["", "0", "1-content-5", "0-content-99999", "0-content--5", "x"])
def test_an_address_that_names_no_token_shows_the_first_window(asked: str) -> None:
    (text,) = drawn(Choice(index=0, logprobs=many(3)), tokens=asked).texts
    assert (text.start, text.requested) == (0, None)


def test_the_tokens_of_many_choices_share_what_a_page_holds() -> None:
    content = drawn(*(Choice(index=n, logprobs=many(500)) for n in range(MAX_TEXTS + 3)))
    assert (len(content.texts), content.texts_left_out) == (MAX_TEXTS, 3)
    assert {len(text.tokens) for text in content.texts} == {100}


def test_many_tokens_wait_until_the_panel_is_looked_at() -> None:
    large = analysis(Choice(index=0, logprobs=many(MANY_TOKENS + 1)))
    waiting = draw(view(large))
    assert waiting.content is None and "201 tokens" in waiting.later and waiting.count == "201"
    assert draw(view(large, query_params={"logprobs": "table"})).content is not None
    assert draw(view(analysis(Choice(index=0, logprobs=many(MANY_TOKENS))))).content is not None


def test_each_token_of_a_stream_names_the_event_that_brought_it() -> None:
    def sent(text: str) -> dict[str, Any]:
        return {**delta(content=text), "logprobs": many(1, token=text)}

    shown = draw(streamed((1, chunk(sent("Hé"))), (2, ": hi\n\n" + chunk(sent("👋 you")) + DONE)))
    (text,) = shown.content.texts
    assert [token.event for token in text.tokens] == [0, 2]


def test_logprobs_that_the_stored_reading_lacks_are_not_called_absent() -> None:
    cuts = (TruncatedValue("/choices/0/logprobs", 1_200), TruncatedValue("/choices/1/logprobs", 34))
    told = draw(view(analysis(Choice(index=0)), cuts=cuts)).why_empty
    assert told.startswith("Over our limit: the logprobs of 1,234 tokens are not kept")


def test_absent_null_and_empty_logprobs_are_told_apart() -> None:
    def why(*choices: Choice) -> str:
        return draw(view(analysis(*choices))).why_empty

    assert why(Choice(index=0)).startswith("No choice has logprobs;")
    assert "as null" in why(Choice(index=0, logprobs=None))
    assert "without tokens" in why(Choice(index=0, logprobs={"content": []}))
