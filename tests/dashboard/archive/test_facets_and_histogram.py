import re
from datetime import UTC, datetime, timedelta

import pytest
from django.http import QueryDict
from django.utils import timezone

from inspector.archive.inspection.projection import MODEL_CHARACTERS
from inspector.archive.listing.facet_counts import Ending, Facet, FacetCounts, HistogramBar
from inspector.archive.models import Capture, Inspection
from inspector.dashboard.archive.facets import coverage_words, facet_of, facets_of
from inspector.dashboard.archive.filter_bar import build_filter_bar
from inspector.dashboard.archive.histogram import (
    HEIGHT,
    MIN_HEIGHT,
    CaptureHistogram,
    build_histogram,
    duration_words,
)
from tests.archive.samples import CUT, accept, inspected
from tests.markup import evened
from tests.people import Person

COUNTS = "/t/default/captures/counts/"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def narrowed(query: str = ""):  # type: ignore[no-untyped-def]
    return build_filter_bar(QueryDict(query))


def test_a_value_that_holds_is_taken_away_and_another_is_added() -> None:
    facet = Facet("verdict", (("complete", 5), ("cut-off", 2)))
    shown = facet_of(facet, narrowed("verdict=cut-off&tag=eu"))
    assert [(each.text, each.is_active, each.query) for each in shown.first] == [
        ("cut-off", True, "q=tag:eu"),
        ("complete", False, "q=verdict:cut-off,complete+tag:eu"),
    ]


def test_a_value_that_holds_and_was_not_counted_can_be_taken_away() -> None:
    shown = facet_of(Facet("model", ()), narrowed("model=gone"))
    assert [(each.text, each.number, each.query) for each in shown.first] == [("gone", 0, "")]


def test_what_no_condition_can_say_is_no_link() -> None:
    long = "m" * MODEL_CHARACTERS
    facet = Facet("model", ((None, 3), (long, 2), ("", 1)))
    assert [each.query for each in facet_of(facet, narrowed()).first] == [
        None,
        f"q=model:{long}",
        None,
    ]


def test_severities_keep_their_order_and_their_zeros() -> None:
    shown = facet_of(Facet("finding", (("info", 9), ("error", 1))), narrowed("finding=info"))
    assert [(each.text, each.number) for each in shown.first] == [
        ("error", 1), ("warning", 0), ("info", 9)
    ]  # fmt: skip


def test_a_prompt_is_shown_by_its_words_or_by_the_beginning_of_its_digest() -> None:
    digest, other = "3f2a9c01" + "0" * 56, "77aa00bb" + "1" * 56
    facet = Facet("prompt", ((digest, 3), (other, 2)), {digest: "Where is my parcel?"})
    shown = facet_of(facet, narrowed(f"q=prompt:{digest}"))
    assert [(each.text, each.query) for each in shown.first] == [
        ("Where is my parcel?", ""),
        ("77aa00bb…", f"q=prompt:{digest},{other}"),
    ]


def test_many_values_are_folded_and_one_that_holds_is_not() -> None:
    facet = Facet("tag", tuple((f"t{number}", 100 - number) for number in range(60)))
    shown = facet_of(facet, narrowed("tag=t40"))
    assert [each.text for each in shown.first] == ["t40", "t0", "t1", "t2", "t3"]
    assert (len(shown.more), shown.rest) == (45, 10)
    assert shown.more_number == sum(each.number for each in shown.more)
    six = Facet("tag", tuple((f"t{number}", 1) for number in range(6)))
    assert len(facet_of(six, narrowed()).first) == 6, "one more is not folded alone"


def test_five_facets_are_open_and_one_that_is_filtered_by() -> None:
    names = ("verdict", "result", "finding", "rule", "model", "vendor", "tag", "key")
    facets = tuple(Facet(name, (("error", 1),)) for name in names)
    counts = FacetCounts(1, True, facets, (), timedelta())
    shown = facets_of(counts, narrowed("vendor=error"))
    assert [each.name for each in shown if each.is_open] == [
        "result", "finding", "model", "vendor", "tag", "key",
    ]  # fmt: skip


GOOD: Ending = ("complete", "answered")
CUT_OFF: Ending = ("cut-off", "truncated")


def strip(*endings: dict[Ending, int], step: timedelta = timedelta(hours=1)) -> CaptureHistogram:
    bars = tuple(
        HistogramBar(NOON + at * step, NOON + (at + 1) * step, each)
        for at, each in enumerate(endings)
    )
    found = build_histogram(FacetCounts(1, True, (), bars, step), narrowed("tag=eu&since=7d"))
    assert found is not None
    return found


def test_bars_are_as_high_as_they_are_many_and_none_is_lost() -> None:
    first, second, third = strip({GOOD: 1000}, {}, {CUT_OFF: 1, (None, None): 1}).bars
    assert (first.height, second.height, third.height) == (HEIGHT, 0, MIN_HEIGHT)
    assert (first.broken, third.broken, third.broken_height) == (0, 1, MIN_HEIGHT)
    assert third.words == "Fri 20 Nov, 14:00 to 15:00: 2 captures, 1 broken"


def test_a_partial_or_cancelled_answer_is_not_broken() -> None:
    (bar,) = strip(
        {
            ("missing-finish", "answered"): 1,
            ("client-cancelled", "truncated"): 1,
            GOOD: 1,
            ("complete", "empty"): 1,
        }
    ).bars
    assert bar.broken == 0


def test_a_complete_answer_with_an_unusable_call_is_broken() -> None:
    (bar,) = strip({("complete", "unusable-call"): 2, GOOD: 1}).bars
    assert bar.broken == 2


def test_a_course_is_seen_in_five_bars() -> None:
    assert not strip(*[{GOOD: 1}] * 4, {}, {}).says_something
    assert strip(*[{GOOD: 1}] * 4, {}, {GOOD: 1}).says_something


def test_a_bar_narrows_the_list_to_its_time() -> None:
    (bar,) = strip({GOOD: 1}).bars
    assert bar.query == "q=tag:eu&since=2026-11-20T12%3A00%3A00Z&until=2026-11-20T13%3A00%3A00Z"


def test_days_are_named_where_they_begin() -> None:
    hours = strip(*({GOOD: 1} for _ in range(30)))
    assert [tick.text for tick in hours.ticks] == [
        "12:00", "18:00", "Sat 21 Nov", "06:00", "12:00"
    ]  # fmt: skip
    days = strip(*({} for _ in range(14)), step=timedelta(days=1))
    assert [tick.text for tick in days.ticks][:2] == ["Sat 21 Nov", "Mon 23 Nov"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "second"), (30, "30 seconds"), (3600, "hour"), (7200, "2 hours"), (604_800, "7 days")],
)
def test_a_stretch_is_named_by_its_largest_unit(seconds: int, words: str) -> None:
    assert duration_words(seconds) == words


def test_what_was_left_out_of_the_count_is_said() -> None:
    assert coverage_words(FacetCounts(75, True, (), (), timedelta())) == ""
    some = FacetCounts(10_000, False, (), (), timedelta())
    assert coverage_words(some) == "of the newest 10,000 that match"


def counted(person: Person, query: str = "", *, fragment: bool = True) -> str:
    headers = {"HX-Request": "true"} if fragment else {}
    return person.page(f"{COUNTS}?{query}", headers=headers)


def test_counts_come_beside_and_above_the_rows(owner: Person, teammate: Person) -> None:
    ids = [inspected(owner), inspected(owner, CUT)]
    html = counted(owner)
    assert html == counted(teammate)
    assert '<div hx-swap-oob="innerHTML:#strip">' in html
    assert "2 captures" in evened(html)
    assert 'href="/t/default/captures/?q=verdict:cut-off"' in html
    assert 'class="bars"' not in html, "two bars say nothing"
    for hours, each in enumerate((*ids, *(inspected(owner) for _ in range(3)))):
        at = timezone.now() - timedelta(hours=hours)
        Capture.objects.filter(id=each).update(received_at=at, called_at=at)
        Inspection.objects.filter(pk=each).update(called_at=at)
    assert re.search(r'<rect class="broken" x="[\d.]+%"', counted(owner))


def test_without_scripts_counts_are_a_page_of_their_own(owner: Person) -> None:
    inspected(owner)
    html = counted(owner, "verdict=complete", fragment=False)
    assert "<title>Counts" in html and "hx-swap-oob" not in html
    assert 'href="/t/default/captures/?q=verdict:complete">Show these captures' in html


def test_counting_that_takes_too_long_is_stopped_and_said(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.dashboard.archive.test_filter_bar import stopped

    inspected(owner)
    monkeypatch.setattr("inspector.archive.queries.Captures.counts", stopped)
    assert "Counting was stopped after two seconds." in counted(owner)


def test_where_nothing_matches_the_list_alone_says_so(owner: Person) -> None:
    accept(owner)
    assert "<p" not in counted(owner, "until=2020-01-01")
