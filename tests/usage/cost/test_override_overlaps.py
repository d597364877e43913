"""Two overrides that could both hold: which one does, on which days, and why."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.usage.cost.override_overlaps import Overlap, OverlapReason, overlaps_of
from inspector.usage.cost.overrides import Override, override_for
from inspector.usage.cost.token_kinds import TokenKind

RATES = {TokenKind.PROMPT: Decimal("1")}
FIRST = date(2026, 11, 1)


def override(model: str = "gpt-4o", **fields: Any) -> Override:
    return Override(**{"model": model, "rates": RATES, "starts": FIRST, **fields})


def day(number: int) -> date:
    return FIRST + timedelta(days=number)


def overlap(older: Override, newer: Override) -> Overlap | None:
    return next(overlaps_of(older, (newer,)), None)


def test_of_two_for_the_same_answers_the_later_holds_from_its_day_on() -> None:
    early, late = override(), override(starts=day(9))
    for older, newer in ((early, late), (late, early)):
        found = overlap(older, newer)
        assert found == Overlap(late, early, day(9), None, OverlapReason.LATER)


def test_of_two_that_begin_on_one_day_the_one_made_later_holds() -> None:
    older, newer = override(), override(rates={TokenKind.PROMPT: Decimal(2)})
    found = overlap(older, newer)
    assert found is not None and found.because is OverlapReason.NEWER
    assert found.holds is newer and found.yields is older


def test_an_overlap_ends_when_the_first_of_the_two_does() -> None:
    found = overlap(override(ends=day(20)), override(starts=day(9), ends=day(15)))
    assert found is not None and (found.starts, found.ends) == (day(9), day(15))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (override(ends=day(9)), override(starts=day(9))),
        (override(), override(starts=day(9), ends=day(9))),
        (override(), override("gpt-4o-mini")),
        (override("gpt-4o-mini", is_prefix=True), override()),
        (override("gpt", is_prefix=True), override("claude", is_prefix=True)),
        (override(vendor="openai"), override(vendor="azure")),
        (override(tier="flex"), override()),
        (override(tier="flex"), override(tier="priority")),
    ],
)
def test_what_no_answer_is_meant_by_twice_is_no_overlap(one: Override, other: Override) -> None:
    assert overlap(one, other) is overlap(other, one) is None


@pytest.mark.parametrize(
    ("nearer", "wider"),
    [
        (override("gpt-4o-mini"), override("gpt-4o", is_prefix=True)),
        (override("gpt-4o", is_prefix=True), override("gpt", is_prefix=True)),
        (override(vendor="azure"), override()),
        (override(tier="flex"), override(tier=None)),
        (override(), override(tier=None)),
        (override(vendor="azure", tier=None), override(tier="flex")),
    ],
)
def test_the_nearer_holds_however_late_the_other_begins(nearer: Override, wider: Override) -> None:
    later = Override(
        **{name: getattr(wider, name) for name in wider.__slots__} | {"starts": day(5)}
    )
    for older, newer in ((nearer, later), (later, nearer)):
        found = overlap(older, newer)
        assert found == Overlap(nearer, later, day(5), None, OverlapReason.NEARER)


def test_several_come_in_the_order_of_their_days() -> None:
    first, second, third = (override(starts=day(number)) for number in (0, 5, 9))
    found = list(overlaps_of(second, (third,), (first,)))
    assert [(each.starts, each.holds, each.yields) for each in found] == [
        (day(5), second, first),
        (day(9), third, second),
    ]


OVERRIDES = st.builds(
    Override,
    model=st.sampled_from(["a", "ab", "abc"]),
    rates=st.just(RATES),
    starts=st.sampled_from([day(0), day(2), day(4)]),
    ends=st.sampled_from([None, day(2), day(3), day(6)]),
    is_prefix=st.booleans(),
    vendor=st.sampled_from([None, "azure"]),
    tier=st.sampled_from([None, "standard", "flex"]),
)


@given(OVERRIDES, OVERRIDES)
def test_what_is_told_is_what_holds(newer: Override, older: Override) -> None:
    """Check every answer that both mean, on every day."""
    found = overlap(older, newer)
    both = [
        (override_for((newer, older), vendor, model, at, tier), at.date())
        for number in range(8)
        for at in [datetime.combine(day(number), datetime.min.time(), UTC)]
        for vendor in (None, "azure")
        for model in ("a", "ab", "abc", "abcd")
        for tier in ("", "default", "flex", None)
        if newer.holds(vendor, model, at, tier) and older.holds(vendor, model, at, tier)
    ]
    if found is None:
        assert both == []
        return
    assert all(held is found.holds for held, _ in both)
    days = {on for _, on in both}
    within = {day(n) for n in range(8) if found.starts <= day(n)}
    assert days == {on for on in within if found.ends is None or on < found.ends}
