"""Times of sessions in words."""

import pytest

from inspector.dashboard.sessions.words import span


@pytest.mark.parametrize(
    ("us", "words"),
    [
        (25_000, "25 ms"),
        (1_800_000, "1.8 s"),
        (30_000_000, "30 s"),
        (60_000_000, "1 m"),
        (200_000_000, "3 m 20 s"),
        (7_200_000_000, "2 h"),
        (7_500_000_000, "2 h 5 m"),
    ],
)
def test_a_span_has_two_units_at_most_and_none_that_is_zero(us: int, words: str) -> None:
    assert span(us) == words
