from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from inspector.archive.intake.submission import Submission
from inspector.archive.listing import facet_counts as counting
from inspector.archive.listing.facet_counts import (
    MAX_BARS,
    STEPS_SECONDS,
    FacetCounts,
    step_seconds,
)
from inspector.archive.listing.filters import Filters
from inspector.archive.models import Capture, FindingRow, Inspection
from inspector.archive.queries import for_principal
from inspector.core.wire.exchange import Exchange
from tests.archive.samples import CUT, STREAM, WHOLE, accept, accept_arrival, inspect_all, inspected
from tests.people import Person
from tests.search.asked import body_of, captured

pytestmark = pytest.mark.both_stacks

HOUR = timedelta(hours=1)
LENGTH = WHOLE.replace(b'"stop"', b'"length"')
BOTH = WHOLE.replace(
    b'"choices":[', b'"choices":[{"index":1,"message":{"content":""},"finish_reason":"length"},'
)


def counted(person: Person, **filters: Any) -> FacetCounts:
    return for_principal(person.principal).counts(Filters.of(**filters), timezone.now())


def facet(counts: FacetCounts, name: str) -> dict[str | None, int]:
    return next(dict(facet.values) for facet in counts.facets if facet.name == name)


def received(capture: Any, moment: datetime) -> None:
    for model in (Capture.objects, Inspection.objects):
        model.filter(pk=capture).update(called_at=moment)


def test_captures_are_counted_by_what_they_are(owner: Person) -> None:
    for body in (WHOLE, WHOLE, CUT):
        inspected(owner, body)
    accept(owner)
    found = counted(owner)
    assert (found.number, found.is_all) == (4, True)
    assert facet(found, "verdict") == {"complete": 2, "cut-off": 1, None: 1}
    assert facet(found, "result") == {"answered": 2, "truncated": 1, None: 1}
    assert facet(found, "finding")["error"] == 1
    assert facet(found, "model") == {"gpt-4o": 2, None: 2}
    assert facet(found, "dialect") == {"openai-chat": 3, None: 1}


def test_a_capture_of_several_choices_counts_once_for_each_reason(owner: Person) -> None:
    for body in (WHOLE, LENGTH, BOTH):
        inspected(owner, body)
    assert facet(counted(owner), "finish_reason") == {"length": 2, "stop": 2}


def test_an_empty_finish_reason_is_a_value_of_its_own(owner: Person) -> None:
    for body in (WHOLE, WHOLE.replace(b'"stop"', b'""'), WHOLE.replace(b'"stop"', b"null")):
        inspected(owner, body)
    assert facet(counted(owner), "finish_reason") == {"stop": 1, "empty": 1, "none": 1}
    assert counted(owner, finish_reason=("empty",)).number == 1
    assert counted(owner, finish_reason=("none",)).number == 1


def test_findings_by_severity_are_counted_within_a_filter_by_code(owner: Person) -> None:
    inspected(owner, CUT)
    inspected(owner, WHOLE)
    inspected(owner, STREAM.replace(b'"stop"', b'"length"'), "text/event-stream")
    found = counted(owner, finding=("choice.finish-length",))
    assert found.number == 1
    assert facet(found, "finding") == {"info": 1}
    assert facet(counted(owner, finding=("info",)), "finding")["error"] == 1


def test_a_capture_counts_for_each_of_its_tags(owner: Person) -> None:
    for tags in (("eu", "nightly"), ("eu",), ()):
        accept_arrival(owner, Submission(Exchange.of_body(WHOLE), tags=tags))
    assert facet(counted(owner), "tag") == {"eu": 2, "nightly": 1}
    assert facet(counted(owner, tag=("nightly",)), "tag") == {"eu": 1, "nightly": 1}


def test_each_rule_counts_once_for_a_capture_and_within_other_filters(owner: Person) -> None:
    inspected(owner, CUT)
    inspected(owner, LENGTH)
    both = inspected(owner, LENGTH)
    FindingRow.objects.create(
        capture_id=both, source="test", position=0, code="choice.finish-length", severity="info"
    )
    found = facet(counted(owner), "rule")
    assert found["choice.finish-length"] == 2
    assert all(number > 0 for number in found.values()) and len(found) > 1
    chosen = counted(owner, rule=("choice.finish-length",), verdict=("complete",))
    assert chosen.number == 2
    assert facet(chosen, "rule")["choice.finish-length"] == 2
    assert facet(chosen, "finding") == {"info": 2}


def test_the_keys_that_captures_came_with_are_counted(owner: Person) -> None:
    inspected(owner)
    keyless = inspected(owner)
    Capture.objects.filter(pk=keyless).update(key=None)
    [name] = [each for each in facet(counted(owner), "key") if each]
    assert facet(counted(owner), "key") == {name: 1, None: 1}
    assert facet(counted(owner, key=(name,)), "key") == {name: 1, None: 1}


def test_the_upstreams_that_the_proxy_called_are_counted(owner: Person) -> None:
    called, _ = inspected(owner), inspected(owner)
    Capture.objects.filter(pk=called).update(upstream="openai")
    assert facet(counted(owner), "upstream") == {"openai": 1, None: 1}
    assert counted(owner, upstream=("openai",)).number == 1
    assert counted(owner, missing=("upstream",)).number == 1


def test_prompts_sent_more_than_once_are_counted_by_their_last_line(owner: Person) -> None:
    for text in ("Where is my parcel?", "Where is my parcel?", "Hello"):
        asked = {"messages": [{"role": "user", "content": text}]}
        captured(owner, body_of("On its way."), asked=asked)
    inspected(owner)
    [found] = [each for each in counted(owner).facets if each.name == "prompt"]
    [(digest, number)] = found.values
    assert (number, found.words[str(digest)]) == (2, "Where is my parcel?")
    assert counted(owner, prompt=(digest,)).number == 2
    [once] = Inspection.objects.filter(prompt_line="Hello").values_list("prompt_sha256", flat=True)
    chosen = counted(owner, prompt=(once,))
    assert [each.values for each in chosen.facets if each.name == "prompt"] == [
        ((digest, 2), (once, 1))
    ]


def test_what_could_be_chosen_instead_is_counted_too(owner: Person) -> None:
    for body in (WHOLE, CUT, STREAM):
        inspected(owner, body)
    found = counted(owner, verdict=("cut-off",))
    assert found.number == 1
    assert facet(found, "verdict") == {"complete": 2, "cut-off": 1}
    assert facet(found, "dialect") == {"openai-chat": 1}
    found = counted(owner, result=("truncated",))
    assert found.number == 1
    assert facet(found, "result") == {"answered": 2, "truncated": 1}


def test_only_the_newest_are_counted_and_that_is_told(owner: Person, monkeypatch: Any) -> None:
    monkeypatch.setattr(counting, "COUNTED_ROWS", 2)
    for body in (CUT, WHOLE, WHOLE):
        inspected(owner, body)
    found = counted(owner, since=timezone.now() - 9 * HOUR)
    assert (found.number, found.is_all) == (2, False)
    assert facet(found, "verdict") == {"complete": 2}
    assert sum(sum(bar.endings.values()) for bar in found.bars) == 2
    assert found.bars[0].start > timezone.now() - HOUR, "what was not counted is not drawn as none"


def test_every_capture_is_in_the_bar_of_its_time(owner: Person) -> None:
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    for minutes, body in ((0, WHOLE), (59, CUT), (60, WHOLE), (60 * 40, WHOLE)):
        received(inspected(owner, body), noon + timedelta(minutes=minutes))
    found = counted(owner)
    by_hour: dict[datetime, int] = {}
    for bar in found.bars:
        hour = bar.start.replace(minute=0)
        by_hour[hour] = by_hour.get(hour, 0) + sum(bar.endings.values())
    assert {hour: n for hour, n in by_hour.items() if n} == {
        noon: 2, noon + HOUR: 1, noon + 40 * HOUR: 1
    }  # fmt: skip
    assert {bar.end - bar.start for bar in found.bars} == {found.step}
    gaps = [b.start - a.end for a, b in zip(found.bars, found.bars[1:], strict=False)]
    assert set(gaps) == {timedelta()}
    assert sum(bar.endings.get(("cut-off", "truncated"), 0) for bar in found.bars) == 1


def test_the_time_that_was_asked_for_is_drawn_where_nothing_came_too(owner: Person) -> None:
    now = timezone.now()
    received(inspected(owner), now - 3 * HOUR)
    found = counted(owner, since=now - 7 * 24 * HOUR)
    assert found.bars[0].start <= now - 7 * 24 * HOUR < found.bars[0].end
    assert found.bars[-1].end > now - HOUR
    assert found.step == HOUR


def test_a_few_of_one_moment_stand_at_the_end_of_an_empty_strip(owner: Person) -> None:
    inspected(owner)
    bars = counted(owner).bars
    assert len(bars) >= 40
    assert [sum(bar.endings.values()) for bar in bars if bar.endings] == [1]
    assert bars[-1].endings


@pytest.mark.parametrize("seconds", [0, 1, 169, 170, 3600, 86_400, 7 * 86_400, 10**8, 10**10])
def test_there_are_never_too_many_bars(seconds: int) -> None:
    step = step_seconds(seconds)
    assert seconds // step + 2 <= MAX_BARS + 1
    assert step in STEPS_SECONDS or step % STEPS_SECONDS[-1] == 0


def test_nothing_is_counted_where_nothing_matches(owner: Person) -> None:
    inspected(owner)
    found = counted(owner, model=("nobody's",))
    assert (found.number, found.is_all, found.bars) == (0, True, ())
    assert facet(found, "model") == {"gpt-4o": 1}
    assert counted(owner, key=("nobody's",)).number == 0


def test_a_stranger_counts_no_others(owner: Person, teammate: Person, stranger: Person) -> None:
    for body in (WHOLE, CUT):
        inspected(owner, body)
    assert counted(teammate).number == 2
    assert counted(stranger).number == 0
    assert all(facet.values == () for facet in counted(stranger).facets if facet.name != "finding")
    assert all(facet.values == () for facet in counted(stranger).facets)


def test_counting_asks_as_often_for_many(owner: Person, django_assert_max_num_queries: Any) -> None:
    for body in (WHOLE, CUT, STREAM):
        accept(owner, body)
    inspect_all()
    set_and_reset = 2 if connection.vendor == "postgresql" else 0
    with django_assert_max_num_queries(6 + set_and_reset):
        counted(owner)
