"""Charts of the page of usage: by name, as a table, and leading to what is drawn."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange, Read
from inspector.dashboard.charts.axis import drawn_period, time_axis
from inspector.dashboard.charts.chart import ColumnPart, ColumnStack, columns_chart, curves_chart
from inspector.dashboard.usage.chart_parts import (
    LINKS_TO_ALL,
    MAX_LINKED_FINISHES,
    finish_parts,
    token_headings,
    token_parts,
)
from inspector.usage.measures import Measure
from inspector.usage.models import DAY_SECONDS
from inspector.usage.rollup.periods import Period
from inspector.usage.rollup.queries import MeasureSum, MeasureSums, merge_sums
from tests.archive.samples import CUT, SSE, STREAM, WHOLE, accept_arrival, inspect_all, inspected
from tests.dashboard.usage.test_usage_page import page, words
from tests.people import Person

REASONS = tuple(reason for reason in ("done", "halt", "eos", "fin", "over") for _ in range(2))
"""That are each drawn apart."""


def test_a_part_of_a_bar_leads_to_its_own_captures(owner: Person) -> None:
    inspected(owner)
    inspected(owner, WHOLE.replace(b'"stop"', b'"length"'))
    inspected(owner, CUT)
    html = page(owner)
    for condition, captures in (
        ("verdict=complete", 2),
        ("verdict=cut-off", 1),
        ("finish_reason=length", 1),
        ("finish_reason=stop", 1),
    ):
        links = re.findall(rf'href="([^"]*[?]{condition}&amp;since[^"]*)" tabindex', html)
        assert len(links) == 1, condition
        found = owner.browser().get(links[0].replace("&amp;", "&")).content.decode()
        assert len(set(re.findall(r'class="row-link[^>]*', found))) == captures, condition


def test_an_axis_begins_where_the_captures_do_that_fill_less_than_a_third_of_it() -> None:
    whole = Period(
        datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC), DAY_SECONDS
    )
    for first, drawn in ((30, 6), (24, 7), (22, 9), (21, 30), (1, 30)):
        found = [datetime(2026, 11, first, tzinfo=UTC), datetime(2026, 11, 30, tzinfo=UTC)]
        assert len(drawn_period(whole, found).slots) == drawn, first
        assert drawn_period(whole, found).end == whole.end
    assert drawn_period(whole, []) == whole
    week = Period(datetime(2026, 11, 24, tzinfo=UTC), whole.end, DAY_SECONDS)
    assert len(drawn_period(week, [datetime(2026, 11, 30, tzinfo=UTC)]).slots) == 6


def test_the_charts_of_the_first_day_say_that_nothing_came_before(owner: Person) -> None:
    inspected(owner)
    html = page(owner, "?range=24h")
    assert re.search(r"Cost per hour nothing before \d\d:00 ", words(html))
    (ticks,) = set(re.findall(r'class="ticks".*?</svg>', html, re.DOTALL))
    assert ticks.count("<text") == 6


def test_finish_reasons_over_time_are_told_by_meaning_or_name_and_rare_ones_together(
    owner: Person,
) -> None:
    known = ("stop", "stop", "STOP", "end_turn", "length", "tool_calls", "content_filter")
    for reason in (*known, *REASONS, "rare"):
        inspected(owner, WHOLE.replace(b'"stop"', f'"{reason}"'.encode()))
    html = page(owner)
    told = words(html)
    named = "ended normally called a tool cut short withheld done eos fin halt over others"
    assert f"received, UTC {named} finish reasons " in told
    assert re.search(r" 4 1 1 1 2 2 2 2 2 1 18 ", told)
    legend = re.findall(r'<li class="([^"]+)">([^<]+)</li>', html[html.index("endings-title") :])
    assert legend[:5] == [
        ("good", "ended normally"),
        ("tool", "called a tool"),
        ("part", "cut short"),
        ("bad", "withheld"),
        ("other-1", "done"),
    ]


@pytest.mark.thorough
def test_reasons_that_share_a_part_lead_to_their_captures_where_they_are_few(owner: Person) -> None:
    for reason in (*REASONS, "rare", "rarer"):
        inspected(owner, WHOLE.replace(b'"stop"', f'"{reason}"'.encode()))
    html = page(owner)
    links = re.findall(r'href="([^"]*[?]finish_reason=rarer?&amp;[^"]*)" tabindex', html)
    found = [owner.browser().get(unescape(link)).content.decode() for link in links]
    assert sum(len(re.findall(r'<tr id="row-', each)) for each in found) == 2
    assert "links to all captures" not in html


def test_where_they_are_many_it_is_said_that_they_lead_to_all_captures() -> None:
    reasons = [
        MeasureSums({(Measure.FINISH_REASON, f"end-{number}"): MeasureSum(1)})
        for number in range(MAX_LINKED_FINISHES + 1)
    ]
    start = datetime(2026, 11, 2, tzinfo=UTC)
    day = Period(start, start + timedelta(days=1), DAY_SECONDS)
    axis = time_axis(day, lambda since, until: "since=now")
    stack = ColumnStack(lambda sums: finish_parts(sums, {}), str)
    for every, told in ((merge_sums(reasons[1:]), ""), (merge_sums(reasons), LINKS_TO_ALL)):
        drawn = columns_chart(axis, {start: every}, {}, stack)
        ((block,),) = (column.blocks for column in drawn.columns)
        assert block.words.endswith(f": others {len(every.by_value(Measure.FINISH_REASON))}{told}")
        assert block.query.count("finish_reason=") == (0 if told else MAX_LINKED_FINISHES)
        assert block.query.endswith("since=now")


def test_reasons_that_are_not_told_apart_lead_to_all_captures() -> None:
    few = MeasureSums({(Measure.FINISH_REASON, "rare"): MeasureSum(2)})
    further = MeasureSums(
        {
            (Measure.FINISH_REASON, "rare"): MeasureSum(2),
            (Measure.FURTHER_FINISH_REASONS, ""): MeasureSum(1),
        }
    )
    assert finish_parts(few, {})[-1].conditions == (("finish_reason", "rare"),)
    assert finish_parts(further, {})[-1] == ColumnPart("rest", 3, "others", (), LINKS_TO_ALL)
    assert finish_parts(few, {"rare": "bad"})[-1].aside == ""


def test_cache_hits_are_drawn_as_cached_under_any_of_their_names_and_once(owner: Person) -> None:
    hits = b'"prompt_cache_hit_tokens":2,"prompt_cache_miss_tokens":1'
    cached = b'"prompt_tokens_details":{"cached_tokens":1}'
    assert cached in WHOLE
    inspected(owner, WHOLE.replace(cached, hits))
    html = page(owner)
    told = words(html)
    assert "cached, under either name 2 1 not cached 1 cache hit 2 1 cache miss 1 1" in told
    assert '<li class="tone-prompt" title="prompt, not cached">prompt</li>' in html
    assert "cached prompt reasoning rest" in told
    # Of an answer that tells both, and of one that tells the usual name alone.
    both = b'"prompt_cache_hit_tokens":1,"prompt_tokens_details":{"cached_tokens":1}'
    inspected(owner, WHOLE.replace(cached, both))
    inspected(owner, WHOLE)
    told = words(page(owner))
    assert "cached, under either name 4 3 not cached 5 cache hit 3 2" in told


def test_reason_that_is_called_as_a_column_of_table_is_a_column_of_its_own(owner: Person) -> None:
    for reason in ("total", "finish reasons", "before", "others", "stop", "stop"):
        inspected(owner, WHOLE.replace(b'"stop"', f'"{reason}"'.encode()))
    told = words(page(owner))
    assert "received, UTC ended normally before finish reasons others total finish reasons " in told
    assert re.search(r" 2 1 1 1 1 6 ", told)


def test_a_capture_with_two_reasons_is_no_two_captures(owner: Person) -> None:
    two = b'"finish_reason":"stop"},{"index":1,"message":{"content":""},"finish_reason":"length"}'
    inspected(owner, WHOLE.replace(b'"finish_reason":"stop"}', two))
    html = page(owner)
    assert "2 finish reasons (ended normally 1, cut short 1)" in html


def test_how_long_whole_responses_took_is_told_of_those_with_a_clock(owner: Person) -> None:
    inspected(owner)
    told = words(page(owner))
    assert "Captures with recorded times: 0 of 1. No data" in told
    reads = (Read(500_000, STREAM[:40]), Read(2_000_000, STREAM[40:]))
    accept_arrival(owner, Submission(Exchange(reads=reads, content_type=SSE)))
    inspect_all()
    told = words(page(owner))
    assert re.search(r"recorded times: 1 of 2\. .*? p99 (\S+) s p95 \1 s p50 \1 s", told)


def test_every_pattern_that_a_drawing_is_filled_with_is_on_the_page(owner: Person) -> None:
    inspected(owner)
    styles = Path(finders.find("dashboard/styles") or "").glob("*.css")
    filled = {name for file in styles for name in re.findall(r"url\(#([^)]+)\)", file.read_text())}
    assert {"fill-cached", "fill-reasoning", "fill-broken"} <= filled
    assert filled == set(re.findall(r'<pattern id="([^"]+)"', page(owner)))


def test_a_drawing_is_a_table_of_exact_numbers_too(owner: Person) -> None:
    inspected(owner, WHOLE.replace(b'"prompt_tokens":3', b'"prompt_tokens":1234567'))
    inspected(owner, CUT)
    told = words(page(owner, "?range=30d"))
    heads = "prompt, cached prompt, not cached completion, other or not reported total"
    assert f"received, UTC {heads} " in told
    assert re.search(r" 1 1,234,566 2 1,234,569 ", told)
    assert re.search(r"received, UTC complete broken total [^,]* 1 1 2 ", told)


def test_tokens_that_a_day_did_not_tell_are_no_zero_in_the_table() -> None:
    told = {
        (Measure.TOKENS, "prompt_tokens"): MeasureSum(1, 9),
        (Measure.TOKENS, "completion_tokens"): MeasureSum(1, 4),
    }
    first = MeasureSums({**told, (Measure.TOKENS, "reasoning_tokens"): MeasureSum(1, 0)})
    second, third = MeasureSums(told), MeasureSums({(Measure.CAPTURES, ""): MeasureSum(1, 0)})
    start, day = datetime(2026, 11, 2, tzinfo=UTC), timedelta(days=1)
    axis = time_axis(Period(start, start + 3 * day, DAY_SECONDS), lambda since, until: "")
    slots = {start: third, start + day: first, start + 2 * day: second}
    stack = ColumnStack(
        token_parts, str, heads=token_headings(merge_sums(slots.values())), without=None
    )
    chart = columns_chart(axis, slots, {}, stack)
    assert chart.heads == (
        "prompt, not cached or not reported",
        "completion, reasoning",
        "completion, other or not reported",
        "total",
    )
    assert [column.cells for column in chart.columns] == [
        ("", "", "", ""),
        ("9", "0", "4", "13"),
        ("9", "", "4", "13"),
    ]


@pytest.mark.parametrize(
    ("captures", "levels"),
    [(1, ["0", "1"]), (2, ["0", "1", "2"]), (3, ["0", "1", "2", "3", "4"]), (5, [*"012345"])],
)
def test_what_stands_at_a_line_is_its_height(
    owner: Person, captures: int, levels: list[str]
) -> None:
    for _ in range(captures):
        inspected(owner)
    html = page(owner)
    drawn = html[html.index('id="verdicts-title"') :]
    lines = re.findall(r'<text x="100%" y="[^"]+">([^<]+)</text>', drawn[: drawn.index("drawing")])
    assert lines == levels


def test_the_last_column_stands_in_the_margin_with_its_day() -> None:
    start, day = datetime(2026, 11, 2, tzinfo=UTC), timedelta(days=1)
    period = Period(start, start + 2 * day, DAY_SECONDS)
    told = MeasureSums({(Measure.TOKENS, "prompt_tokens"): MeasureSum(1, 9)})
    ends = {}
    for name, at, now in (
        ("now", 1, start + 1.5 * day),
        ("done", 1, start + 9 * day),
        ("earlier", 0, start + 1.5 * day),
    ):
        axis = time_axis(period, lambda since, until: "", now)
        chart = columns_chart(axis, {start + at * day: told}, {}, ColumnStack(token_parts, str))
        ends[name] = [end.text for end in chart.ends]
    assert ends == {"now": ["9", "today so far"], "done": ["9", "3 Nov"], "earlier": ["9", "2 Nov"]}


def test_the_last_times_stand_at_their_heights_in_the_margin() -> None:
    start, day = datetime(2026, 11, 2, tzinfo=UTC), timedelta(days=1)
    axis = time_axis(Period(start, start + 2 * day, DAY_SECONDS), lambda since, until: "")
    values = {
        "p95": lambda sums: sums[Measure.BYTES].total,
        "p50": lambda sums: sums[Measure.GAP_US].total,
    }
    told = MeasureSums(
        {(Measure.BYTES, ""): MeasureSum(1, 100), (Measure.GAP_US, ""): MeasureSum(1, 50)}
    )
    chart = curves_chart(axis, {start + day: told}, values, str)
    assert [(end.text, end.y) for end in chart.ends] == [("p95 100", 4), ("p50 50", 48.0)]
    chart = curves_chart(axis, {start: told}, values, str)
    assert [end.text for end in chart.ends] == ["p95 100", "p50 50", "2 Nov"]


def test_the_day_and_the_hour_that_have_not_ended_say_so(owner: Person) -> None:
    inspected(owner)
    html = page(owner, "?range=30d")
    assert html.count(">today so far</text>") == 3
    assert "so far" not in page(owner, "?since=2026-10-01&until=2026-10-04")
    assert re.search(r">\d\d:00 so far</text>", page(owner, "?range=24h"))
