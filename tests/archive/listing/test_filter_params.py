from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlencode

import pytest

from inspector.archive.listing.filter_params import (
    FILTER_NAMES,
    FilterMistake,
    FilterParams,
    FilterTerm,
    allowed_values,
    parse_filter_params,
    query_string,
)
from inspector.archive.listing.filters import Filters
from inspector.archive.listing.time_input import TIME_FORMATS
from inspector.usage.cost.unknown import CostUnknownReason

NOW = datetime(2026, 11, 20, 14, 0, tzinfo=UTC)


def asked(query: str) -> FilterParams:
    return parse_filter_params(parse_qs(query, keep_blank_values=True), NOW)


def test_a_query_string_becomes_filters() -> None:
    found = asked("verdict=complete&verdict=cut-off&since=7d&q=gpt&tag=eu+west")
    assert found.filters == Filters(
        verdict=("complete", "cut-off"), since=NOW - timedelta(days=7), q="gpt", tag=("eu west",)
    )
    assert found.mistakes == ()


def test_conditions_are_written_as_they_were_asked() -> None:
    query = "tag=eu+west&verdict=complete&since=7d"
    assert str(asked(query)) == query
    assert str(asked("")) == ""


def test_a_value_given_twice_is_one_condition() -> None:
    assert asked("model=a&model=a").all == (FilterTerm("model", "a"),)


def test_one_condition_can_be_taken_out() -> None:
    found = asked("verdict=complete&model=a&model=b")
    assert query_string(found.without(FilterTerm("model", "a"))) == "verdict=complete&model=b"


@pytest.mark.parametrize(
    ("query", "mistake"),
    [
        ("colour=red", FilterMistake("colour", "is no filter")),
        ("model__startswith=g", FilterMistake("model__startswith", "is no filter")),
        ("q=a&q=b", FilterMistake("q", "stands more than once")),
        ("tag=", FilterMistake("tag", "has 1 to 500 characters")),
        ("tag=a%00b", FilterMistake("tag", "holds a NUL, which no text here does")),
        ("dialect=x", FilterMistake("dialect", "has no value 'x'; there are " + ", ".join(allowed_values("dialect") or ()))),
        ("cost=dear", FilterMistake("cost", "has no value 'dear'; there are " + ", ".join(allowed_values("cost") or ()))),
        ("since=yesterday", FilterMistake("since", f"is not {TIME_FORMATS}")),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_and_left_out_of_the_filters(
    query: str, mistake: FilterMistake
) -> None:
    found = asked(f"{query}&verdict=complete")
    assert found.mistakes == (mistake,)
    assert found.filters == Filters(verdict=("complete",))
    assert found.all == (FilterTerm("verdict", "complete"),)


def test_every_reason_why_a_cost_is_unknown_can_be_asked_for() -> None:
    for reason in CostUnknownReason:
        assert asked(urlencode({"cost": reason})).filters == Filters(cost=(reason,))


def test_every_filter_has_a_name_in_the_query() -> None:
    assert {*FILTER_NAMES, "ids"} == set(Filters.__slots__)
