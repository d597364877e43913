"""Where every answer is a group of its own: what is fetched is bounded, and the rest is counted."""

import csv
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from inspector.database.portability import StatementTimeout
from inspector.usage.measures import Measure
from inspector.usage.models import UsageSum
from inspector.usage.rollup import queries
from inspector.usage.rollup.periods import latest
from inspector.usage.rollup.queries import MeasureSum, UsageGroups, for_principal
from tests.archive.samples import WHOLE, inspected
from tests.people import Person
from tests.usage.fingerprints import TOKENS_EACH, counted

pytestmark = pytest.mark.both_stacks

USAGE = "/api/v1/usage/"
PAGE = "/t/default/usage/"
MANY = queries.FEW_SUMS + 100
"""Too many to be added up at once, and more than the thousand that are ever listed."""
SENTENCE = "Adding up so many groups takes longer than two seconds and was stopped."


@pytest.fixture(params=["24h", pytest.param("30d", marks=pytest.mark.thorough)])
def many(owner: Person, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Fingerprints of one capture each but for the last three, that have more."""
    # A busy machine would be stopped at the limit.
    monkeypatch.setattr(queries, "LIMIT_MILLISECONDS", 600_000)
    counted(owner, latest(request.param, timezone.now()), [*[1] * (MANY - 3), 9, 7, 8])
    return str(request.param)


@pytest.mark.thorough
def test_those_with_most_captures_are_listed_and_the_others_counted(
    owner: Person, stranger: Person, many: str
) -> None:
    period = latest(many, timezone.now())
    found = for_principal(owner.principal).groups(period, "fingerprint", 5)
    assert [group.value for group in found.listed[:3]] == [
        f"fp_{MANY - behind}" for behind in (3, 1, 2)
    ]
    assert [group.sums[Measure.CAPTURES].captures for group in found.listed] == [9, 8, 7, 1, 1]
    assert found.others == MANY - 5
    first = found.listed[0].sums
    assert first[Measure.TOKENS, "prompt_tokens"] == MeasureSum(9, 9 * TOKENS_EACH)
    assert first.histograms == {"bytes": {64: 9}}
    assert for_principal(stranger.principal).groups(period, "fingerprint", 5).listed == ()


@pytest.mark.thorough
def test_nothing_is_fetched_of_those_that_are_not_listed(
    owner: Person, many: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[Any] = []

    def noting(fetch: Callable[..., Iterator[Any]], *asked: Any) -> Iterator[Any]:
        for each in fetch(*asked):
            taken.append(each)
            yield each

    for name in ("_amounts", "_buckets"):
        monkeypatch.setattr(queries, name, partial(noting, getattr(queries, name)))
    for_principal(owner.principal).groups(latest(many, timezone.now()), "fingerprint", 50)
    # Three measures and one octave of each.
    assert len(taken) == 50 * (3 + 1)
    assert len({value for value, *_ in taken}) == 50


@pytest.fixture(params=["added up at once", "told apart first"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "told apart first":
        monkeypatch.setattr(queries, "FEW_SUMS", 0)


@pytest.mark.usefixtures("way")
def test_few_groups_are_all_listed_and_no_others_are_told(owner: Person) -> None:
    for model in (b"gpt-4o", b"gpt-5"):
        inspected(owner, WHOLE.replace(b"gpt-4o", model))
    sums = for_principal(owner.principal)
    for name in ("24h", "30d"):
        found = sums.groups(latest(name, timezone.now()), "model", 2)
        assert [group.value for group in found.listed] == ["gpt-4o", "gpt-5"]
        assert found.others == 0
        one = sums.groups(latest(name, timezone.now()), "model", 1)
        assert (one.listed, one.others) == (found.listed[:1], 1)
        assert sums.groups(latest(name, timezone.now()).before, "model", 1) == UsageGroups()


@pytest.mark.usefixtures("way")
def test_a_group_without_a_value_is_one_of_those_that_are_cut(owner: Person) -> None:
    for _ in range(3):
        inspected(owner)
    own = WHOLE.replace(b'"model"', b'"system_fingerprint":"fp_1","model"')
    inspected(owner, own)
    sums = for_principal(owner.principal)
    for name in ("24h", "30d"):
        found = sums.groups(latest(name, timezone.now()), "fingerprint", 1)
        ((value, captures),) = [(g.value, g.sums[Measure.CAPTURES].captures) for g in found.listed]
        assert (value, captures, found.others) == (None, 3, 1)
        assert found.listed[0].sums.total((Measure.TOKENS, "prompt_tokens")) == 9


@pytest.mark.thorough
def test_the_api_lists_a_thousand_and_says_how_many_more(owner: Person, many: str) -> None:
    found = owner.get(f"{USAGE}?by=fingerprint&range={many}").json
    assert (len(found["groups"]), found["more_groups"]) == (1_000, MANY - 1_000)
    assert found["all"]["captures"] == MANY - 3 + 9 + 7 + 8
    assert found["groups"][0]["value"] == f"fp_{MANY - 3}"


def test_the_page_and_the_table_list_some_and_say_how_many_more(owner: Person, many: str) -> None:
    browser = owner.browser()
    html = browser.get(f"{PAGE}?by=fingerprint&range={many}").content.decode()
    assert ">990 more</a>" in html
    assert f"{MANY - 1000:,} smaller groups are not listed." in html
    assert html.count(">fp_") == 10
    table = browser.get(f"/t/default/usage.csv?by=fingerprint&range={many}").content.decode()
    rows = list(csv.reader(table.splitlines()))
    assert len(rows) == 1 + 1_000 + 1
    assert rows[-1][0] == f"{MANY - 1_000} more, not listed" and not any(rows[-1][1:])
    few = browser.get(f"/t/default/usage.csv?by=model&range={many}").content
    assert b"not listed" not in few


# -- where it takes too long ----------------------------------------------------------------------


@pytest.fixture
def stopped(owner: Person, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the database stop what asks for groups."""
    inspected(owner)

    def stop(*_: object) -> None:
        raise StatementTimeout

    with monkeypatch.context() as patched:
        patched.setattr(queries, "_are_few", stop)
        yield


def test_the_page_says_so_and_shows_all_the_rest(owner: Person, stopped: None) -> None:
    html = owner.browser().get(f"{PAGE}?by=fingerprint").content.decode()
    assert f"{SENTENCE} A shorter period helps, or another grouping." in html
    assert "$0.0000262 for 1 capture and 5 tokens." in html
    assert "$0 for no captures." not in html


@pytest.mark.parametrize("path", ["/t/default/usage.csv", "/t/default/usage.json"])
def test_an_impossible_table_is_refused_by_reason(owner: Person, stopped: None, path: str) -> None:
    response = owner.browser().get(f"{path}?by=fingerprint")
    assert (response.status_code, response["Content-Type"]) == (422, "text/plain; charset=utf-8")
    assert SENTENCE in response.content.decode()


def test_the_api_refuses_what_takes_too_long_with_help(owner: Person, stopped: None) -> None:
    refused = owner.get(f"{USAGE}?by=fingerprint")
    assert (refused.status, refused.code) == (422, "took_too_long")
    assert "shorter period helps" in refused.json["error"]["message"]


def test_an_empty_period_is_not_one_that_takes_too_long(owner: Person) -> None:
    html = owner.browser().get(f"{PAGE}?by=fingerprint").content.decode()
    assert "$0 for no captures." in html and SENTENCE not in html


@pytest.mark.parametrize("name", ["24h", pytest.param("30d", marks=pytest.mark.thorough)])
def test_the_database_is_stopped_at_the_limit(
    owner: Person, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    period = latest(name, timezone.now())
    counted(owner, period, [1] * 3_000)
    monkeypatch.setattr(queries, "LIMIT_MILLISECONDS", 1)
    with pytest.raises(StatementTimeout), transaction.atomic():
        for_principal(owner.principal).groups(period, "fingerprint", 50)
    # And nothing else is.
    assert UsageSum.objects.filter(measure="captures").count() == 3_000 + 1
