"""Tokens in parts: what is left of a whole is told where it is known, and never invented."""

import re
from datetime import timedelta

import pytest
from django.db.models import F

from inspector.dashboard.usage.chart_parts import token_headings
from inspector.dashboard.usage.token_table import TokenCountRow, remainder_of, token_count_rows
from inspector.usage.measures import Measure
from inspector.usage.models import UsageSum
from inspector.usage.rollup.queries import MeasureSum, MeasureSums
from tests.archive.samples import WHOLE, inspected
from tests.dashboard.usage.test_usage_page import page, words
from tests.markup import evened
from tests.people import Person

NOTHING = MeasureSums()


def sums(**amounts: tuple[int, int]) -> MeasureSums:
    """``name=(captures, tokens)``."""
    return MeasureSums(
        {(Measure.TOKENS, name): MeasureSum(*amount) for name, amount in amounts.items()}
    )


def also(every: MeasureSums, measure: Measure, value: str, amount: MeasureSum) -> MeasureSums:
    return MeasureSums({**every.amounts, (measure, value): amount})


def rows(every: MeasureSums, before: MeasureSums = NOTHING) -> dict[str, TokenCountRow]:
    return {row.name: row for row in token_count_rows(every, before)}


def test_what_is_not_cached_is_the_prompt_without_what_is() -> None:
    every = sums(prompt_tokens=(4, 1_000), cached_tokens=(4, 300))
    before = sums(prompt_tokens=(2, 1_000), cached_tokens=(2, 650))
    row = rows(every, before)["not cached"]
    assert (row.amount, row.captures, row.change, row.tone) == ("700", None, "+100 %", "prompt")


def test_a_zero_that_was_sent_leaves_all_of_its_whole() -> None:
    every = sums(completion_tokens=(4, 1_000), reasoning_tokens=(4, 0))
    found = rows(every)
    assert (found["reasoning"].amount, found["other"].amount) == ("0", "1,000")


@pytest.mark.parametrize(
    "every",
    [
        sums(prompt_tokens=(4, 1_000)),
        sums(prompt_tokens=(4, 1_000), cached_tokens=(5, 300)),
        sums(prompt_tokens=(4, 1_000), cached_tokens=(4, 1_001)),
        sums(cached_tokens=(1, 3)),
        also(
            sums(prompt_tokens=(4, 1_000), cached_tokens=(4, 300)),
            Measure.TOO_LARGE,
            "prompt_tokens",
            MeasureSum(1, 0),
        ),
    ],
    ids=["never told", "of more captures", "larger", "without a whole", "too large a whole"],
)
def test_nothing_is_left_where_part_and_whole_are_not_of_same_captures(every: MeasureSums) -> None:
    assert remainder_of("cached_tokens", every) is None
    assert not any("not cached" in name for name in rows(every))


def test_what_some_captures_did_not_tell_is_called_so() -> None:
    every = sums(prompt_tokens=(4, 1_000), cached_tokens=(3, 300))
    known = sums(prompt_tokens=(4, 1_000), cached_tokens=(4, 300))
    assert rows(every)["not cached or not reported"].amount == "700"
    assert token_headings(every)["prompt"] == "prompt, not cached or not reported"
    assert token_headings(known)["prompt"] == "prompt, not cached"
    # Unlike is not compared with unlike.
    assert rows(every, known)["not cached or not reported"].change == ""


def test_what_is_counted_beside_a_whole_is_in_it() -> None:
    within = sums(completion_tokens=(2, 100), reasoning_tokens=(2, 50))
    every = also(within, Measure.COUNTED_OUTSIDE, "reasoning_tokens", MeasureSum(2, 50))
    found = rows(every)
    assert found["completion (reasoning counted separately)"].amount == "150"
    assert found["other"].amount == "100"
    assert "completion" not in found and "completion" in rows(
        sums(completion_tokens=(2, 100), reasoning_tokens=(2, 50))
    )


def test_never_sent_is_no_change_to_zero() -> None:
    before = sums(prompt_tokens=(2, 90), cached_tokens=(2, 9), cache_write_tokens=(1, 5))
    found = rows(sums(prompt_tokens=(2, 100)), before)
    assert (found["cached"].amount, found["cached"].change) == ("never sent", "")
    assert (found["prompt"].amount, found["prompt"].change) == ("100", "+11 %")
    # What no vendor documents has a row only where it was sent.
    assert "cache write" not in found


def test_the_page_keys_its_rows_to_the_fills_of_the_drawing(owner: Person) -> None:
    inspected(owner, WHOLE)
    html = evened(page(owner, "?range=30d"))
    keys = re.findall(r'<rect class="(\w+)" width="9" height="9"/></svg>([^<]+)</th>', html)
    assert keys == [("cached", "cached"), ("prompt", "not cached"), ("reasoning", "reasoning")]
    assert "not cached 2 " in words(html) and "Tokens by kind, 30 days" in words(html)
    assert "Tokens by kind, 24 hours" in words(page(owner, "?range=24h"))


def test_sums_are_compared_where_the_period_before_has_captures(owner: Person) -> None:
    inspected(owner, WHOLE)
    first = page(owner, "?range=30d")
    assert "Compared with the" not in words(first) and ">change</th>" not in first
    UsageSum.objects.filter(team=owner.team).update(start=F("start") - timedelta(days=30))
    inspected(owner, WHOLE)
    both = page(owner, "?range=30d")
    assert "Compared with the 30 days before." in words(both) and both.count(">change</th>") == 2
    assert "Compared with the" not in words(page(owner, "?range=30d&comparison=none"))
