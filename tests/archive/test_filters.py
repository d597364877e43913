from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inspector.archive.filters import Filters
from inspector.archive.intake import Arrival
from inspector.archive.models import Capture, Inspection, State, TagRow
from inspector.archive.queries import for_principal
from inspector.core.exchange import Exchange
from inspector.teams.keys import create_api_key
from inspector.teams.models import ApiKey
from tests.archive.samples import CUT, STREAM, WHOLE, accept, accept_arrival, inspect_all, inspected
from tests.people import Person

CUT_STREAM = STREAM.replace(b"data: [DONE]\n\n", b"")


def found(person: Person, **values: Any) -> list[UUID]:
    page = for_principal(person.principal).page(filters=Filters(**values))
    return [row.id for row in page.rows]


def tagged(person: Person, *tags: str) -> UUID:
    return accept_arrival(person, Arrival(Exchange.of_body(WHOLE), tags=tags)).id


@pytest.mark.parametrize(
    ("filters", "meant"),
    [
        ({"verdict": ("complete",)}, {"whole"}),
        ({"verdict": ("complete", "cut-off")}, {"whole", "cut"}),
        ({"state": ("received",)}, {"waiting"}),
        ({"state": ("inspected", "received")}, {"whole", "cut", "open", "waiting"}),
        ({"model": ("gpt-4o",)}, {"whole", "open"}),
        ({"model": ("gpt-4",)}, set()),
        ({"dialect": ("openai-chat",)}, {"whole", "cut", "open"}),
        ({"vendor": ("ollama",)}, set()),
        ({"finish_reason": ("stop",)}, {"whole", "open"}),
        ({"finish_reason": ("length",)}, set()),
        ({"finding": ("ending.missing-terminator",)}, {"open"}),
        ({"verdict": ("complete",), "model": ("gpt-4o",), "finish_reason": ("stop",)}, {"whole"}),
        ({"verdict": ("complete",), "state": ("received",)}, set()),
        ({"q": "GPT-4"}, {"whole", "open"}),
        ({"q": "chatcmpl-1"}, {"whole"}),
        ({"q": "%"}, set()),
        ({"q": "gpt_4o"}, set()),
    ],
)
def test_a_filter_finds_what_it_says_and_no_more(
    owner: Person, filters: dict[str, Any], meant: set[str]
) -> None:
    ids = {
        "whole": inspected(owner, WHOLE),
        "cut": inspected(owner, CUT),
        "open": inspected(owner, CUT_STREAM, "text/event-stream"),
        "waiting": accept(owner),
    }
    assert {name for name, id in ids.items() if id in found(owner, **filters)} == meant


def test_findings_are_found_by_severity_or_code_or_either(owner: Person) -> None:
    whole, cut = inspected(owner, WHOLE), inspected(owner, CUT)
    page = for_principal(owner.principal).capture_page(cut)
    assert page is not None and page.analysis is not None
    worst = page.analysis.findings[0]
    assert found(owner, finding=(worst.severity,)) == [cut]
    assert found(owner, finding=(worst.code,)) == [cut]
    assert found(owner, finding=("no.such-code",)) == []
    assert found(owner, finding=(worst.severity, "no.such-code")) == [cut]
    assert whole not in found(owner, finding=("error", "warning"))


def test_several_tags_are_all_wanted(owner: Person) -> None:
    both, one = tagged(owner, "nightly", "eu"), tagged(owner, "nightly")
    assert found(owner, tag=("nightly",)) == [one, both]
    assert found(owner, tag=("nightly", "eu")) == [both]
    assert found(owner, tag=("night",)) == []


def test_a_tag_given_twice_is_one_tag(owner: Person) -> None:
    id = tagged(owner, "a", "a", "\0", "\\u0000")
    assert Capture.objects.get(pk=id).tags == ["a", "\\u0000"]
    assert TagRow.objects.filter(capture=id).count() == 2


def test_keys_are_found_by_name_or_by_what_they_begin_with(owner: Person, teammate: Person) -> None:
    mine, theirs = accept(owner), accept(teammate)
    prefix = ApiKey.objects.get(pk=owner.service.key_id).prefix
    assert found(owner, key=("olga's service",)) == [mine]
    assert found(owner, key=(prefix,)) == [mine]
    assert found(owner, key=("theo's service", prefix)) == [theirs, mine]
    assert found(owner, key=("olga",)) == []


def test_a_key_of_another_team_is_as_unknown_as_any(owner: Person, stranger: Person) -> None:
    create_api_key(stranger.team, "shared name")
    create_api_key(owner.team, "shared name")
    accept(stranger)
    assert found(owner, key=("sven's service",)) == found(owner, key=("nobody's",)) == []


def test_times_are_from_the_first_moment_to_before_the_last(owner: Person) -> None:
    now = timezone.now()
    ids = [inspected(owner) for _ in range(3)]
    for hours, id in enumerate(ids):
        moment = now - timedelta(hours=hours)
        for model in (Capture.objects, Inspection.objects):
            model.filter(pk=id).update(received_at=moment)
    hour = timedelta(hours=1)
    for more in ({}, {"verdict": ("complete",)}):
        assert found(owner, since=now - hour, **more) == ids[:2]
        assert found(owner, until=now - hour, **more) == ids[2:]
        assert found(owner, since=now - hour, until=now, **more) == ids[1:2]


@pytest.mark.parametrize(
    "filters",
    [
        {"verdict": ("complete",)},
        {"model": ("gpt-4o",)},
        {"state": ("inspected",)},
        {"finish_reason": ("stop",)},
        {"finding": ("error", "warning", "info")},
        {"q": "gpt"},
        {"tag": ("t",)},
        {"key": ("olga's service",)},
        {"since": timezone.now() - timedelta(days=1)},
    ],
)
def test_a_stranger_adds_nothing_to_what_a_filter_finds(
    filters: dict[str, Any], owner: Person, teammate: Person, stranger: Person
) -> None:
    for person in (owner, stranger):
        for body in (WHOLE, CUT):
            accept_arrival(person, Arrival(Exchange.of_body(body), tags=("t",)))
    inspect_all()
    mine = set(Capture.objects.filter(team=owner.team).values_list("pk", flat=True))
    assert set(found(owner, **filters)) <= mine
    assert found(teammate, **filters) == found(owner, **filters)
    assert not set(found(stranger, **filters)) & mine


@pytest.mark.parametrize("filters", [Filters(), Filters(verdict=("complete",)), Filters(q="gpt")])
def test_pages_of_a_filtered_list_follow_each_other_while_others_arrive(
    owner: Person, filters: Filters
) -> None:
    captures = for_principal(owner.principal)
    ids = [inspected(owner) for _ in range(6)]
    same_moment = timezone.now()
    for model in (Capture.objects, Inspection.objects):
        model.filter(pk__in=ids[1:5]).update(received_at=same_moment)
    page = captures.page(limit=2, filters=filters)
    newest, seen = page.newest, [row.id for row in page.rows]
    while page.older:
        inspected(owner)
        page = captures.page(before=page.older, limit=2, filters=filters)
        seen += [row.id for row in page.rows]
    assert sorted(seen) == sorted(ids)
    later: list[UUID] = []
    while (page := captures.page(after=newest, limit=1, filters=filters)).rows:
        newest, later = page.newest, later + [row.id for row in page.rows]
    assert len(later) == Capture.objects.count() - len(ids)


@pytest.mark.parametrize(
    ("filters", "index"),
    [
        (Filters(), "capture_newest"),
        (Filters(state=("quarantined",)), "capture_by_state"),
        (Filters(key=("olga's service",)), "capture_by_key"),
        (Filters(verdict=("cut-off",)), "inspection_by_verdict"),
        (Filters(model=("gpt-4o",)), "inspection_by_model"),
        (Filters(dialect=("ollama",)), "inspection_by_dialect"),
        (Filters(vendor=("ollama",)), "inspection_by_vendor"),
        (Filters(tag=("nightly",)), "tag_by_name"),
        (Filters(finish_reason=("length",)), "choice_by_finish"),
        (Filters(finding=("ending.missing-terminator",)), "finding_by_code"),
    ],
)
@pytest.mark.embedded
def test_each_filter_reads_an_index_of_its_own(owner: Person, filters: Filters, index: str) -> None:
    captures = for_principal(owner.principal)
    with CaptureQueriesContext(connection) as queries:
        captures.page(limit=1, filters=filters)
    with connection.cursor() as asked:
        asked.execute(f"EXPLAIN QUERY PLAN {queries[-1]['sql']}")
        plan = " ".join(str(line) for line in asked.fetchall())
    assert index in plan


def test_what_is_deleted_is_no_state_to_ask_for(owner: Person) -> None:
    id = accept(owner)
    Capture.objects.filter(pk=id).update(state=State.GONE)
    assert found(owner, state=("gone",)) == []
