from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlencode

import pytest

from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.archive.listing.filter_params import FilterParams, parse_filter_params
from inspector.archive.listing.filters import Filters
from inspector.query.language import FilterMistake
from inspector.query.parsed_query import FilterTerm
from inspector.query.time_input import TIME_FORMATS
from inspector.usage.cost.unknown import CostUnknownReason

NOW = datetime(2026, 11, 20, 14, 0, tzinfo=UTC)


def asked(query: str) -> FilterParams:
    return parse_filter_params(parse_qs(query, keep_blank_values=True), NOW)


def listed(name: str) -> str:
    return ", ".join(CAPTURE_FIELDS.allowed_values(name) or ())


def test_a_query_string_becomes_filters() -> None:
    found = asked("verdict=complete&verdict=cut-off&since=7d&tag=eu+west&q=gpt")
    assert found.filters == Filters.of(
        verdict=("complete", "cut-off"), since=NOW - timedelta(days=7), tag=("eu west",), q="gpt"
    )
    assert found.mistakes == ()


def test_parameters_and_the_language_mean_the_same() -> None:
    written = asked(urlencode({"q": 'verdict:complete,cut-off since:7d tag:"eu west" gpt'}))
    assert (
        written.filters
        == asked("verdict=complete&verdict=cut-off&since=7d&tag=eu+west&q=gpt").filters
    )


def test_a_query_string_is_written_in_the_language() -> None:
    found = asked("tag=eu+west&tag=b&model=a&model=b&since=7d&q=late")
    assert found.text == 'tag:"eu west" tag:b model:a,b since:7d late'
    assert asked(str(found)).filters == found.filters
    assert str(asked("")) == ""


def test_an_alternative_is_held_together_beside_parameters() -> None:
    assert asked("model=a&q=x+or+y").text == "model:a (x or y)"


def test_a_value_given_twice_is_one_condition() -> None:
    assert asked("model=a&model=a").all == (FilterTerm("model", "a"),)


def test_a_star_in_a_parameter_stands_for_itself() -> None:
    assert asked("model=gpt*").text == 'model:"gpt*"'


@pytest.mark.parametrize(
    ("query", "mistake"),
    [
        ("colour=red", FilterMistake("colour", "is no filter")),
        ("model__startswith=g", FilterMistake("model__startswith", "is no filter")),
        ("q=a&q=b", FilterMistake("q", "stands more than once")),
        ("tag=", FilterMistake("tag", "has 1 to 500 characters")),
        ("tag=a%00b", FilterMistake("tag", "holds a NUL, which no text here does")),
        ("dialect=x", FilterMistake("dialect", "has no value 'x'; there are " + listed("dialect"))),
        ("cost=dear", FilterMistake("cost", "has no value 'dear'; there are " + listed("cost"))),
        ("since=last+week", FilterMistake("since", f"is not {TIME_FORMATS}")),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_and_no_filter(query: str, mistake: FilterMistake) -> None:
    found = asked(f"{query}&verdict=complete")
    (told,) = found.mistakes
    assert (told.name, told.what) == (mistake.name, mistake.what)
    assert found.filters == Filters.of(verdict=("complete",))
    assert found.all == (FilterTerm("verdict", "complete"),)


def test_every_reason_why_a_cost_is_unknown_can_be_asked_for() -> None:
    for reason in CostUnknownReason:
        assert asked(urlencode({"cost": reason})).filters == Filters.of(cost=(reason,))


def test_a_field_is_understood_by_the_word_that_pages_have_for_it() -> None:
    params = parse_filter_params({"q": ["format:gemini -(format:ollama)"]}, NOW)
    assert params.mistakes == ()
    assert params.filters.values("dialect") == ("gemini",)
    assert params.query.toggled(FilterTerm("dialect", "gemini")) == "-(format:ollama)"
