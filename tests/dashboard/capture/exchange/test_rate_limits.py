"""Rate limits of several providers: what is left and when it is reset, never guessed."""

import pytest

from inspector.dashboard.capture.exchange.rate_limits import MAX_LIMITS, rate_limits_of


def sentences(*headers: tuple[str, str]) -> list[tuple[str, str]]:
    return [(each.subject, each.sentence) for each in rate_limits_of(headers)]


def test_limits_are_put_together_by_what_they_limit() -> None:
    assert sentences(
        ("x-ratelimit-limit-requests", "5000"),
        ("x-ratelimit-limit-tokens", "800000"),
        ("x-ratelimit-remaining-requests", "4999"),
        ("x-ratelimit-reset-requests", "12ms"),
        ("x-ratelimit-reset-tokens", "6m0s"),
    ) == [
        ("requests", "4,999 left of 5,000, reset in 12ms"),
        ("tokens", "at most 800,000, reset in 6m0s"),
    ]


def test_anthropic_puts_the_subject_before_the_part_and_a_moment_at_the_reset() -> None:
    assert sentences(
        ("anthropic-ratelimit-input-tokens-remaining", "0"),
        ("anthropic-ratelimit-input-tokens-reset", "2026-11-20T14:02:19Z"),
    ) == [("input tokens", "0 left, reset at 20 Nov 2026, 14:02:19 UTC")]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("ratelimit-reset", "30", "reset in 30 s"),
        ("x-ratelimit-reset", "30", "reset 30, unit not stated"),
        ("x-ratelimit-reset", "1795183339", "reset at 20 Nov 2026, 14:02:19 UTC"),
        ("x-ratelimit-reset", "1795183339000", "reset at 20 Nov 2026, 14:02:19 UTC"),
        ("x-ratelimit-reset", "9" * 16, "reset as sent: 9999999999999999"),
        ("x-ratelimit-reset", "soon", "reset as sent: soon"),
        ("x-ratelimit-reset", "2026-11-20T14:02:19", "reset as sent: 2026-11-20T14:02:19"),
    ],
)
def test_a_reset_is_told_as_far_as_its_form_says(name: str, value: str, words: str) -> None:
    assert sentences((name, value)) == [("calls", words)]


def test_what_is_no_count_stays_as_it_was_sent() -> None:
    assert sentences(("x-ratelimit-remaining-requests", "-1")) == [("requests", "-1 left")]


def test_other_headers_and_empty_values_are_no_rate_limit() -> None:
    assert sentences(("x-request-id", "7"), ("x-ratelimit-limit-requests", " ")) == []


def test_only_some_limits_are_listed() -> None:
    many = [(f"x-ratelimit-limit-{'a' * (n + 1)}", "1") for n in range(39)]
    assert len(sentences(*many)) == MAX_LIMITS


def test_what_is_left_is_a_share_of_the_limit_where_both_are_numbers() -> None:
    def left(limit: str, remaining: str) -> float | None:
        (found,) = rate_limits_of(
            (("x-ratelimit-limit-a", limit), ("x-ratelimit-remaining-a", remaining))
        )
        return found.left_percent

    assert left("2000000", "1486000") == 74.3
    assert left("10", "0") == 0 and left("10", "99") == 100
    assert left("0", "0") is None and left("many", "5") is None and left("1.5", "1") is None
    assert rate_limits_of((("x-ratelimit-remaining-a", "5"),))[0].left_percent is None
