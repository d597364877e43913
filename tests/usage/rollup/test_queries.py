from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture
from inspector.core.wire.exchange import Exchange
from inspector.usage.measures import Measure
from inspector.usage.rollup.dimensions import DIMENSIONS
from inspector.usage.rollup.periods import BadPeriod, Period, latest, period_between
from inspector.usage.rollup.queries import (
    ComputedCost,
    MeasureSum,
    UsageGroups,
    for_principal,
    merge_sums,
)
from tests.archive.samples import (
    CUT,
    SSE,
    STREAM,
    WHOLE,
    accept,
    accept_arrival,
    inspect_all,
    inspected,
)
from tests.people import Person

pytestmark = pytest.mark.both_stacks

MOST = 50
NOW = datetime(2026, 3, 14, 15, 9, 26, tzinfo=UTC)


def test_a_day_is_told_by_the_hour_and_a_month_by_the_day() -> None:
    day, month = latest("24h", NOW), latest("30d", NOW)
    assert (day.slots[0], day.slots[-1]) == (
        datetime(2026, 3, 13, 16, tzinfo=UTC),
        datetime(2026, 3, 14, 15, tzinfo=UTC),
    )
    assert (len(day.slots), len(month.slots)) == (24, 30)
    assert month.slots[-1] == datetime(2026, 3, 14, tzinfo=UTC)
    assert month.before.end == month.start
    assert len(month.before.slots) == 30


def test_a_period_of_ones_own_holds_what_was_asked_for() -> None:
    period = period_between("2026-03-01T05:30:00Z", "2026-03-09T00:00:00Z", NOW)
    assert (period.start, period.end) == (
        datetime(2026, 3, 1, tzinfo=UTC),
        datetime(2026, 3, 9, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("since", "until", "word"),
    [
        ("soon", "", "is not a time of"),
        ("7d", "never", "is not a time of"),
        ("1d", "2d", "where it begins, or before"),
        ("401d", "", "at most 400 days"),
        ("9999-12-31T10:00:00Z", "9999-12-31T23:30:00Z", "Nothing was received"),
        ("0001-01-01T00:00:00Z", "0001-01-01T12:00:00Z", "Nothing was received"),
    ],
)
def test_what_is_no_period_is_refused_with_a_reason(since: str, until: str, word: str) -> None:
    with pytest.raises(BadPeriod, match=word):
        period_between(since, until, NOW)


def now() -> Period:
    return latest("24h", timezone.now())


def test_groups_add_up_to_all_that_was_received(owner: Person) -> None:
    for body in (WHOLE, WHOLE.replace(b"gpt-4o", b"gpt-5"), b"nothing"):
        inspected(owner, body)
    inspected(owner, STREAM, SSE)
    sums = for_principal(owner.principal)
    for by in DIMENSIONS:
        everything = merge_sums(group.sums for group in sums.groups(now(), by, MOST).listed)
        assert everything[Measure.CAPTURES].captures == 4, by
        assert everything == sums.every(now()), by
        assert everything[Measure.TOKENS, "prompt_tokens"] == MeasureSum(2, 6), by
    by_model = {group.value: group.sums for group in sums.groups(now(), "model", MOST).listed}
    assert by_model.keys() == {"gpt-4o", "gpt-5", None}
    assert by_model["gpt-4o"].by_value(Measure.VERDICT) == {"complete": 2}
    assert by_model["gpt-5"].total((Measure.TOKENS, "prompt_tokens")) == 3
    assert by_model["gpt-5"].total((Measure.TOKENS, "reasoning_tokens")) is None


def test_a_slot_holds_what_came_in_it(owner: Person) -> None:
    began = Capture.objects.get(pk=inspected(owner)).called_at - timedelta(hours=3)
    accept_arrival(owner, Submission(Exchange.of_body(CUT), started_at=began))
    inspect_all()
    slots = for_principal(owner.principal).slots(now())
    assert [sums[Measure.CAPTURES].captures for sums in slots.values()] == [1, 1]
    early, late = slots
    assert late - early == timedelta(hours=3)
    assert slots[early].by_value(Measure.VERDICT) == {"cut-off": 1}
    assert slots[early].total((Measure.TOKENS, "prompt_tokens")) is None


def test_outside_of_the_period_nothing_is_counted(owner: Person) -> None:
    inspected(owner)
    assert for_principal(owner.principal).groups(now().before, "model", MOST) == UsageGroups()


def test_everybody_sees_their_teams_sums(owner: Person, teammate: Person, stranger: Person) -> None:
    inspected(owner)
    for person, expected in ((owner, 1), (teammate, 1), (stranger, 0)):
        groups = for_principal(person.principal).groups(now(), "model", MOST)
        assert (
            merge_sums(group.sums for group in groups.listed)[Measure.CAPTURES].captures == expected
        )


def test_costs_are_told_to_their_teams(owner: Person, teammate: Person, stranger: Person) -> None:
    priced, priceless = inspected(owner, WHOLE), inspected(owner, CUT)
    told = {
        priced: ComputedCost("0.00002625", None, "genai-prices 0.2.3", listed_ticks=262_500),
        priceless: ComputedCost(None, "no_usage", "genai-prices 0.2.3"),
    }
    asked = [priced, priceless, accept(owner)]
    for person, expected in ((owner, told), (teammate, told), (stranger, {})):
        assert for_principal(person.principal).costs(asked) == expected


def test_costs_are_one_question_and_of_no_captures_none(
    owner: Person, django_assert_num_queries: Any
) -> None:
    ids = [inspected(owner, WHOLE) for _ in range(3)]
    sums = for_principal(owner.principal)
    with django_assert_num_queries(1):
        assert sums.costs(ids).keys() == set(ids)
    with django_assert_num_queries(0):
        assert sums.costs([]) == {}


def test_a_percentile_is_read_from_what_was_observed(owner: Person) -> None:
    inspected(owner, WHOLE)
    (group,) = for_principal(owner.principal).groups(now(), "model", MOST).listed
    size = group.sums.percentile("bytes", 0.5)
    assert size is not None and abs(size - len(WHOLE)) <= len(WHOLE) // 8
    assert group.sums.percentile("first_token_us", 0.5) is None
