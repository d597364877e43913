from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inspector.archive.intake.submission import Submission
from inspector.archive.listing.filters import Filters
from inspector.archive.models import Capture, Inspection, State, TagRow
from inspector.archive.queries import for_principal
from inspector.core.request.prompt_digest import digest_of, normalised_prompt
from inspector.core.wire.exchange import Exchange, Read, Request
from inspector.teams.keys import create_api_key
from inspector.teams.models import ApiKey
from inspector.usage.cost import team_prices
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.models import Price
from tests.archive.samples import (
    CUT,
    STREAM,
    WHOLE,
    accept,
    accept_arrival,
    inspect_all,
    inspected,
    tagged,
)
from tests.people import Person

pytestmark = pytest.mark.both_stacks

SEARCHING = WHOLE.replace(b'"usage":{', b'"usage":{"num_search_queries":3,')
FLEX = WHOLE.replace(b'"usage"', b'"service_tier":"flex","system_fingerprint":"fp_1","usage"')
USUAL = WHOLE.replace(b'"usage"', b'"service_tier":"default","system_fingerprint":"fp_2","usage"')
TWO_TIERS = WHOLE.replace(b'"usage":{', b'"service_tier":"flex","usage":{"service_tier":"default",')
BLANK = WHOLE.replace(b'"usage"', b'"service_tier":"","system_fingerprint":null,"usage"')
CUT_STREAM = STREAM.replace(b"data: [DONE]\n\n", b"")


def found(person: Person, **values: Any) -> list[UUID]:
    page = for_principal(person.principal).page(filters=Filters.of(**values))
    return [row.id for row in page.rows]


def test_a_filter_finds_what_it_says_and_no_more(owner: Person, subtests: pytest.Subtests) -> None:
    ids = {
        "whole": inspected(owner, WHOLE),
        "cut": inspected(owner, CUT),
        "open": inspected(owner, CUT_STREAM, "text/event-stream"),
        "waiting": accept(owner),
    }
    for filters, meant in [
        ({"verdict": ("complete",)}, {"whole"}),
        ({"verdict": ("complete", "cut-off")}, {"whole", "cut"}),
        ({"result": ("answered",)}, {"whole", "open"}),
        ({"result": ("truncated", "empty")}, {"cut"}),
        ({"verdict": ("complete",), "result": ("truncated",)}, set()),
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
        ({"missing": ("model",)}, {"cut"}),
        ({"missing": ("model", "vendor")}, {"whole", "cut", "open"}),
        ({"missing": ("key",)}, set()),
        ({"missing": ("dialect",)}, set()),
        ({"missing": ("request_model",), "verdict": ("complete",)}, {"whole"}),
        ({"missing": ("model",), "model": ("gpt-4o",)}, set()),
        ({"q": "GPT-4*"}, {"whole", "open"}),
        ({"q": "chatcmpl-1"}, {"whole"}),
        ({"q": "%"}, set()),
        ({"q": "gpt-4"}, set()),
    ]:
        with subtests.test(filters=filters, meant=meant):
            assert {
                name for name, capture_id in ids.items() if capture_id in found(owner, **filters)
            } == meant


def test_captures_are_found_by_prompt(owner: Person, teammate: Person, stranger: Person) -> None:
    one = Request(body=b'{"model":"gpt-4o","messages":[{"role":"user","content":"Where is it?"}]}')
    same = Request(body=b'{"model":"parcel-1","input":"Where is it?"}')
    other = Request(body=b'{"messages":[{"role":"user","content":"When?"}]}')
    bodies = (Read(None, WHOLE),)
    asked = [
        accept_arrival(owner, Submission(Exchange(reads=bodies, request=sent))).id
        for sent in (one, same, other, None)
    ]
    inspect_all()
    digest = digest_of(normalised_prompt(one))
    for person in (owner, teammate):
        assert found(person, prompt=(digest,)) == [asked[1], asked[0]]
        assert found(person, prompt=("0" * 64,)) == []
    assert found(stranger, prompt=(digest,)) == []


def test_findings_are_found_by_severity_or_code_or_either(owner: Person) -> None:
    whole, cut = inspected(owner, WHOLE), inspected(owner, CUT)
    page = for_principal(owner.principal).opened(cut)
    assert page is not None and page.analysis is not None
    worst = page.analysis.findings[0]
    assert found(owner, finding=(worst.severity,)) == [cut]
    assert found(owner, finding=(worst.code,)) == [cut]
    assert found(owner, finding=("no.such-code",)) == []
    assert found(owner, finding=(worst.severity, "no.such-code")) == [cut]
    assert whole not in found(owner, finding=("error", "warning"))


def test_costs_are_found_by_what_is_known_of_them(owner: Person, subtests: pytest.Subtests) -> None:
    rates = {TokenKind.PROMPT: Decimal(1), TokenKind.COMPLETION: Decimal(1)}
    team_prices.for_principal(owner.principal).add(Override("our-own", rates, date(2026, 11, 1)))
    ids = {
        "whole": inspected(owner, WHOLE),
        "unlisted": inspected(owner, WHOLE.replace(b"gpt-4o", b"parcel-1")),
        "silent": inspected(owner, STREAM, "text/event-stream"),
        "ours": inspected(owner, SEARCHING.replace(b"gpt-4o", b"our-own")),
        "waiting": accept(owner),
    }
    for filters, meant in [
        ({"cost": ("computed",)}, {"whole", "ours"}),
        ({"cost": ("lower_bound",)}, {"ours"}),
        ({"cost": ("lower_bound", "no_price")}, {"ours", "unlisted"}),
        ({"cost": ("unknown",)}, {"unlisted", "silent"}),
        ({"cost": ("no_usage",)}, {"silent"}),
        ({"cost": ("no_price",)}, {"unlisted"}),
        ({"cost": ("no_price", "no_usage")}, {"unlisted", "silent"}),
        ({"cost": ("computed", "no_usage")}, {"whole", "ours", "silent"}),
        ({"cost": ("no_model",)}, set()),
        ({"cost": ("unknown",), "verdict": ("complete",)}, {"unlisted", "silent"}),
        ({"cost": ("unknown",), "model": ("gpt-4o",)}, {"silent"}),
        ({"cost": ("unknown",), "finding": ("usage.missing",)}, {"silent"}),
        ({"cost": ("unknown",), "q": "parcel"}, {"unlisted"}),
        ({"cost": ("computed",), "state": ("received",)}, set()),
        ({"price_table": ("override of 2026-11-01 (our-own)",)}, {"ours"}),
        ({"price_table": ("genai-prices 0.2.3",)}, {"whole"}),
        ({"price_table": ("genai-prices",)}, set()),
        ({"price_table": ("genai-prices 0.2.3",), "cost": ("unknown",)}, set()),
    ]:
        with subtests.test(filters=filters, meant=meant):
            assert {
                name for name, capture_id in ids.items() if capture_id in found(owner, **filters)
            } == meant


def test_tiers_and_fingerprints_are_found_as_sent(owner: Person, subtests: pytest.Subtests) -> None:
    ids = {
        "flex": inspected(owner, FLEX),
        "usual": inspected(owner, USUAL),
        "both": inspected(
            owner, TWO_TIERS.replace(b'"usage"', b'"system_fingerprint":"fp_3","usage"', 1)
        ),
        "blank": inspected(owner, BLANK),
        "cut": inspected(owner, CUT),
        "waiting": accept(owner),
    }
    for filters, meant in [
        ({"service_tier": ("flex",)}, {"flex"}),
        ({"service_tier": ("flex", "default")}, {"flex", "usual"}),
        ({"service_tier": ("Flex",)}, set()),
        ({"ambiguous_tier": ("flex",)}, {"both"}),
        ({"ambiguous_tier": ("flex", "default")}, {"both"}),
        ({"ambiguous_tier": ("flex", "priority")}, set()),
        ({"ambiguous_tier": ("flex",), "service_tier": ("flex",)}, set()),
        ({"fingerprint": ("fp_2",)}, {"usual"}),
        ({"fingerprint": ("fp_",)}, set()),
        ({"fingerprint": ("fp_1",), "service_tier": ("default",)}, set()),
        ({"fingerprint": ("fp_1",), "service_tier": ("flex",)}, {"flex"}),
        ({"service_tier": ("flex", "default"), "cost": ("unknown",)}, {"flex"}),
        ({"service_tier": ("flex", "default"), "q": "gpt-4o"}, {"flex", "usual"}),
        ({"service_tier": ("flex",), "verdict": ("cut-off",)}, set()),
        ({"missing": ("service_tier",)}, {"blank", "cut"}),
        ({"missing": ("fingerprint",)}, {"blank", "cut"}),
        ({"missing": ("fingerprint",), "verdict": ("complete",)}, {"blank"}),
        ({"missing": ("fingerprint", "model")}, {"blank", "cut"}),
        ({"missing": ("service_tier", "vendor")}, {"flex", "usual", "both", "blank", "cut"}),
        ({"missing": ("service_tier",), "fingerprint": ("fp_1",)}, set()),
        ({"missing": ("service_tier",), "state": ("received",)}, set()),
    ]:
        with subtests.test(filters=filters, meant=meant):
            assert {
                name for name, capture_id in ids.items() if capture_id in found(owner, **filters)
            } == meant


def test_a_tier_that_no_program_looked_for_yet_is_not_taken_for_none(owner: Person) -> None:
    capture_id = inspected(owner, FLEX)
    Price.objects.update(service_tier=None, fingerprint=None)
    assert found(owner, missing=("service_tier", "fingerprint")) == []
    Capture.objects.update(state=State.RECEIVED, attempt=0, due_at=Now())
    inspect_all()
    assert (
        found(owner, service_tier=("flex",)) == found(owner, fingerprint=("fp_1",)) == [capture_id]
    )


def test_lists_by_cost_are_in_the_order_of_all_lists_and_are_counted(owner: Person) -> None:
    ids = [inspected(owner) for _ in range(3)]
    inspected(owner, CUT)
    assert found(owner, cost=("computed",)) == ids[::-1]
    filters = Filters.of(cost=("computed",))
    counts = for_principal(owner.principal).counts(filters, timezone.now())
    assert (counts.number, dict(counts.facets[0].values)) == (3, {"complete": 3})
    page = for_principal(owner.principal).opened(ids[1], filters)
    assert page is not None and (page.newer, page.older) == (ids[2], ids[0])


def test_several_tags_are_all_wanted(owner: Person) -> None:
    both, one = tagged(owner, "nightly", "eu"), tagged(owner, "nightly")
    assert found(owner, tag=("nightly",)) == [one, both]
    assert found(owner, tag=("nightly", "eu")) == [both]
    assert found(owner, tag=("night",)) == []


def test_a_tag_given_twice_is_one_tag(owner: Person) -> None:
    capture_id = tagged(owner, "a", "a", "\0", "\\u0000")
    assert Capture.objects.get(pk=capture_id).tags == ["a", "\\u0000"]
    assert TagRow.objects.filter(capture=capture_id).count() == 2


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
    for hours, capture_id in enumerate(ids):
        moment = now - timedelta(hours=hours)
        for model in (Capture.objects, Inspection.objects, Price.objects):
            model.filter(pk=capture_id).update(called_at=moment)
    hour = timedelta(hours=1)
    narrowings = (
        {"verdict": ("complete",)},
        {"cost": ("computed",)},
        {"missing": ("service_tier",)},
    )
    for more in ({}, *narrowings):
        assert found(owner, since=now - hour, **more) == ids[:2]
        assert found(owner, until=now - hour, **more) == ids[2:]
        assert found(owner, since=now - hour, until=now, **more) == ids[1:2]


@pytest.mark.parametrize(
    "filters",
    [
        Filters(),
        Filters.of(verdict=("complete",)),
        Filters.of(q="gpt"),
        Filters.of(cost=("computed",)),
    ],
)
def test_pages_follow_each_other_while_others_arrive(owner: Person, filters: Filters) -> None:
    captures = for_principal(owner.principal)
    ids = [inspected(owner) for _ in range(6)]
    same_moment = timezone.now()
    for model in (Capture.objects, Inspection.objects, Price.objects):
        model.filter(pk__in=ids[1:5]).update(called_at=same_moment)
    newest, page = captures.newest_arrival(), captures.page(limit=2, filters=filters)
    seen = [row.id for row in page.rows]
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
        (Filters.of(state=("quarantined",)), "capture_by_state"),
        (Filters.of(key=("olga's service",)), "capture_by_key"),
        (Filters.of(verdict=("cut-off",)), "inspection_by_verdict"),
        (Filters.of(result=("empty",)), "inspection_by_result"),
        (Filters.of(model=("gpt-4o",)), "inspection_by_model"),
        (Filters.of(dialect=("ollama",)), "inspection_by_dialect"),
        (Filters.of(vendor=("ollama",)), "inspection_by_vendor"),
        (Filters.of(missing=("model",)), "inspection_by_model"),
        (Filters.of(missing=("vendor",)), "inspection_by_vendor"),
        (Filters.of(tag=("nightly",)), "tag_by_name"),
        (Filters.of(request_id="req_1"), "request_id_by_value"),
        (Filters.of(finish_reason=("length",)), "choice_by_finish"),
        (Filters.of(finding=("ending.missing-terminator",)), "finding_by_code"),
        (Filters.of(cost=("no_usage",)), "price_unknown"),
        (Filters.of(cost=("lower_bound",)), "price_lower_bound"),
        (Filters.of(cost=("no_usage",), since=timezone.now()), "price_unknown"),
        (Filters.of(price_table=("override of 2026-11-01",)), "price_by_table"),
        (Filters.of(service_tier=("flex",)), "price_by_tier"),
        (Filters.of(service_tier=("flex",), since=timezone.now()), "price_by_tier"),
        (Filters.of(fingerprint=("fp_1",)), "price_by_fingerprint"),
        (Filters.of(ambiguous_tier=("flex",)), "price_ambiguous_tier"),
        (Filters.of(missing=("service_tier",)), "price_by_tier"),
        (Filters.of(missing=("fingerprint",)), "price_by_fingerprint"),
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


def test_what_came_without_a_key_lacks_one(owner: Person) -> None:
    capture_id = inspected(owner)
    assert found(owner, missing=("key",)) == []
    Capture.objects.filter(pk=capture_id).update(key=None)
    assert found(owner, missing=("key",)) == [capture_id]
    accept(owner)
    assert found(owner, missing=("key", "model")) == [capture_id]


def test_what_is_deleted_is_no_state_to_ask_for(owner: Person) -> None:
    capture_id = accept(owner)
    Capture.objects.filter(pk=capture_id).update(state=State.GONE)
    assert found(owner, state=("gone",)) == []
