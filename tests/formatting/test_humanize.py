from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from inspector.formatting import humanize

NOW = datetime(2026, 11, 20, 14, 2, 19, tzinfo=UTC)


def test_counts_have_thousands_apart() -> None:
    assert humanize.count(1846) == "1,846"
    assert humanize.count(0) == "0"


def test_seconds_have_three_decimals_and_their_unit() -> None:
    assert humanize.seconds(655_000) == "0.655 s"
    assert humanize.seconds(0) == "0.000 s"
    assert humanize.seconds(3_600_000_000) == "3,600.000 s"


def test_what_cannot_be_known_is_a_dash_and_never_zero() -> None:
    assert humanize.seconds(None) == humanize.short_seconds(None) == "–"


def test_gaps_are_milliseconds() -> None:
    assert humanize.milliseconds(39_400) == "39 ms"
    assert humanize.milliseconds(1_840_000) == "1,840 ms"
    assert humanize.milliseconds(8_400) == "8.4 ms"


@pytest.mark.parametrize(
    "us, text, in_column",
    [(30, "0.0 ms", "<0.001"), (1_200, "1.2 ms", "0.001"), (39_400, "39 ms", "0.039"), (99_400, "99 ms", "0.099"),
     (100_000, "0.10 s", "0.10"), (16_250_000, "16.25 s", "16.25"), (0, "0 s", "0.00")],
)  # fmt: skip
def test_a_time_under_a_tenth_of_a_second_is_no_zero(us: int, text: str, in_column: str) -> None:
    assert humanize.short_time(us) == text
    assert humanize.short_seconds(us) == in_column


@pytest.mark.parametrize(
    "length, text", [(0, "0 B"), (999, "999 B"), (38_052, "38.1 kB"), (2_400_000, "2.4 MB")]
)
def test_sizes_count_in_thousands(length: int, text: str) -> None:
    assert humanize.size(length) == text


@pytest.mark.parametrize(
    "past, text",
    [(0, "now"), (1, "now"), (2, "2 s"), (59, "59 s"), (60, "1 m"), (3599, "59 m"), (3600, "1 h"),
     (86_399, "23 h"), (86_400, "1 d"), (864_000, "10 d"), (-5, "now")],
)  # fmt: skip
def test_ages_have_one_unit(past: int, text: str) -> None:
    assert humanize.age(NOW - timedelta(seconds=past), NOW) == text


def test_moments_are_in_utc() -> None:
    there = timezone(timedelta(hours=2))
    assert humanize.moment(datetime(2026, 11, 2, 1, 5, 9, tzinfo=there)) == (
        "1 Nov 2026, 23:05:09 UTC"
    )


@pytest.mark.parametrize(
    "text, short",
    [("0.0129", "$0.0129"), ("0", "$0"), ("0.00", "$0"), ("0.00000312", "<$0.0001"), ("0.0001", "$0.0001"),
     ("12.5", "$12.5000"), ("1e400", "1e400"), ("NaN", "NaN"), ("abc", "abc")],
)  # fmt: skip
def test_short_money_never_rounds_to_nothing(text: str, short: str) -> None:
    assert humanize.short_usd(text) == short


@pytest.mark.parametrize(
    ("amount", "text"),
    [("0", "$0"), ("0.002060025", "$0.00206"), ("0.0001884", "$0.000188"), ("0.00040", "$0.0004"), ("0.1", "$0.1"), ("12.3456", "$12.35"),
     ("1e-9", "$0.000000001")],
)  # fmt: skip
def test_money_to_read_has_three_digits(amount: str, text: str) -> None:
    assert humanize.three_digits_usd(Decimal(amount)) == text


def test_a_lower_bound_keeps_a_digit_however_small_it_is() -> None:
    assert humanize.least_usd("0.00003125") == "$0.00003"
    assert humanize.least_usd("0.00128") == "$0.0013"
    assert humanize.least_usd("0") == "$0"


def test_exact_moments_keep_what_is_below_the_second() -> None:
    at = datetime(2026, 11, 20, 14, 2, 19, 500_000, tzinfo=UTC)
    assert humanize.exact_moment(at) == "20 Nov 2026, 14:02:19.5 UTC"
    assert humanize.exact_moment(at.replace(microsecond=0)) == "20 Nov 2026, 14:02:19 UTC"
    assert humanize.exact_moment(at.replace(second=30)) == "20 Nov 2026, 14:02:30.5 UTC"
