"""Whatever happens to captures, the sums are those of the captures that are there."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import msgspec
import pytest
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from inspector.archive.deletion import delete
from inspector.archive.inspection import tasks
from inspector.archive.inspection.projection import project
from inspector.archive.inspection.tasks import inspect_due
from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture, FindingRow, Inspection, State
from inspector.archive.readers.extract import extract
from inspector.archive.storage import evidence
from inspector.core.wire.exchange import Exchange, MeasuredBy, Read, Request, TransportOutcome
from inspector.transfer.samples import recording, sample
from inspector.usage import repricing
from inspector.usage.cost import pricing, team_prices
from inspector.usage.cost.money import TICKS
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.measures import MeasureKey
from inspector.usage.models import (
    BUCKETS,
    DAY_SECONDS,
    HOUR_SECONDS,
    Octave,
    Price,
    StoredContribution,
    UsageSeries,
    UsageSum,
)
from inspector.usage.rollup import rollups
from inspector.usage.rollup.contribution import contribution_of
from inspector.usage.rollup.dimensions import ALL, DIMENSIONS, EXACT, columns_of, series_keys
from inspector.usage.rollup.rollups import hour_of, is_counted, span_start
from inspector.usage.rollup.series import FORGOTTEN
from inspector.work.models import Work
from inspector.work.run import run_one
from tests.archive.samples import (
    CUT,
    JSON,
    SSE,
    STREAM,
    WHOLE,
    accept,
    accept_arrival,
    inspect_all,
    inspected,
)
from tests.people import Person
from tests.tiers import mostly_thorough

pytestmark = pytest.mark.both_stacks


def sums(span_seconds: int = DAY_SECONDS) -> dict[MeasureKey, tuple[int, int]]:
    """Return the sums of all slots together: one may end in the midst of a test."""
    found: dict[MeasureKey, tuple[int, int]] = {}
    for each in UsageSum.objects.filter(span_seconds=span_seconds, by=ALL):
        key = each.measure, each.value
        captures, total = found.get(key, (0, 0))
        found[key] = (captures + each.captures, total + each.total)
    return found


def inspect_again(capture_id: UUID) -> None:
    due = Now() - timedelta(seconds=1)
    Capture.objects.filter(pk=capture_id).update(state=State.RECEIVED, attempt=0, due_at=due)
    assert inspect_due() == 1


def with_usage(usage: str) -> bytes:
    return WHOLE[: WHOLE.index(b'"usage":')] + b'"usage":' + usage.encode() + b"}"


def test_a_capture_counts_in_the_hour_and_the_day_of_its_arrival(owner: Person) -> None:
    capture_id = inspected(owner)
    received_at = Capture.objects.get(pk=capture_id).received_at
    hour = received_at.replace(minute=0, second=0, microsecond=0)
    starts = {(each.span_seconds, each.start) for each in UsageSum.objects.all()}
    assert starts == {(HOUR_SECONDS, hour), (DAY_SECONDS, hour.replace(hour=0))}
    assert sums(HOUR_SECONDS) == sums(DAY_SECONDS)
    found = sums()
    assert found["captures", ""] == (1, 0)
    assert (
        found["verdict", "complete"]
        == found["finish_reason", "stop"]
        == found["usage_reported", ""]
        == (1, 0)
    )
    assert found["tokens", "prompt_tokens"] == (1, 3)
    assert found["tokens", "completion_tokens"] == (1, 2)
    assert found["tokens", "cached_tokens"] == (1, 1)
    assert ("tokens", "reasoning_tokens") not in found and "streamed" not in found


def test_what_was_not_sent_what_is_null_and_what_is_zero_differ(owner: Person) -> None:
    for usage in ("{}", '{"prompt_tokens":null}', '{"prompt_tokens":0}', "null"):
        inspected(owner, with_usage(usage))
    assert sums()["captures", ""] == (4, 0)
    assert sums()["usage_reported", ""] == (3, 0)
    assert sums()["tokens", "prompt_tokens"] == (1, 0)
    assert sums()["no_usage", "complete"] == (1, 0)


def test_a_call_that_asked_for_no_completion_is_in_no_sum(owner: Person) -> None:
    models = Request(method="GET", url="https://api.example/v1/models")
    exchange = msgspec.structs.replace(
        Exchange.of_reads([Read(1_000, WHOLE[:-1])], JSON),
        request=models,
        measured_by=MeasuredBy.PROXY,
        outcome=TransportOutcome.ENDED,
    )
    unread = msgspec.structs.replace(exchange, reads=(Read(1_000, b'{"data":[]}'),))
    accept_arrival(owner, Submission(unread))
    inspect_all()
    assert Inspection.objects.get().verdict == "other"
    assert sums() == {}
    accept_arrival(owner, Submission(exchange))
    inspect_all()
    assert sums()["captures", ""] == (1, 0), "a completion is one, wherever it comes from"


@pytest.mark.parametrize("count", ["-3", "true", "1.5", '"7"', "1e3", "[1]"])
def test_what_is_no_count_is_never_added(owner: Person, count: str) -> None:
    inspected(owner, with_usage(f'{{"prompt_tokens":{count},"completion_tokens":2}}'))
    assert ("tokens", "prompt_tokens") not in sums()
    assert sums()["tokens", "completion_tokens"] == (1, 2)


def test_a_count_that_no_model_reaches_is_told_and_not_added(owner: Person) -> None:
    inspected(owner, with_usage('{"prompt_tokens":9000000000000000000}'))
    inspected(owner, with_usage('{"prompt_tokens":1000000000,"completion_tokens":2}'))
    inspected(owner, with_usage('{"prompt_tokens":999999999}'))
    assert sums()["too_large", "prompt_tokens"] == (2, 0)
    assert sums()["tokens", "prompt_tokens"] == (1, 10**9 - 1)
    found = FindingRow.objects.filter(code="usage.count-too-large")
    assert found.values("capture").distinct().count() == 2


def test_a_part_larger_than_the_whole_it_stands_in_is_told_and_not_added(owner: Person) -> None:
    inside = (
        '{"prompt_tokens":20,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":20}}'
    )
    inspected(owner, with_usage(inside))
    inspected(owner, with_usage(inside.replace(":20}", ":5000}")))
    found = sums()
    assert found["contradicting", "cached_tokens"] == (1, 0)
    assert found["tokens", "cached_tokens"] == (1, 20)
    assert found["tokens", "prompt_tokens"] == (2, 40)
    assert [value for measure, value in found if measure == "contradicting"] == ["cached_tokens"]


def test_a_part_beside_its_whole_may_be_larger(owner: Person) -> None:
    beside = (
        '{"prompt_tokens":3,"completion_tokens":2,"total_tokens":12,'
        '"completion_tokens_details":{"reasoning_tokens":7}}'
    )
    inspected(owner, with_usage(beside).replace(b"gpt-4o", b"parcel-1"))
    found = sums()
    assert (
        found["tokens", "reasoning_tokens"]
        == found["counted_outside", "reasoning_tokens"]
        == (1, 7)
    )
    assert not any(measure == "contradicting" for measure, _ in found)


def test_long_names_that_begin_alike_are_counted_apart(owner: Person) -> None:
    for end in (b"a", b"b", b"b"):
        inspected(owner, WHOLE.replace(b"gpt-4o", b"m" * 600 + end))
    named = UsageSeries.objects.filter(by="model").values_list("named_model", flat=True)
    assert len(set(named)) == 2 and {len(name or "") for name in named} == {500}


def test_stated_costs_add_up_exactly(owner: Person) -> None:
    for cost in ("0.1", "0.2", "0.0000000001", "-1", "null", "1001", "1e400"):
        inspected(owner, stating(cost))
    assert sums()["cost_stated", ""] == (3, 3_000_000_001)


def stating(cost: str) -> bytes:
    """An answer of WorkflowAI's, whose messages have annotations."""
    body = WHOLE.replace(b'"role":"assistant"', b'"role":"assistant","annotations":[]')
    return body.replace(b'"index":0', b'"index":0,"cost_usd":' + cost.encode())


def searching(searches: int) -> bytes:
    """Something that is billed and has no line on the receipt."""
    return WHOLE.replace(b'"usage":{', b'"usage":{"num_search_queries":%d,' % searches)


def test_a_computed_cost_is_summed_up_with_its_table(owner: Person) -> None:
    inspected(owner)
    inspected(owner)
    found = sums()
    # 2 × 2.5 + 1 × 1.25 + 2 × 10 millionths of a dollar, twice
    assert found["cost_computed", ""] == (2, 2 * 262_500)
    assert found["cost_table", "genai-prices 0.2.3"] == (2, 0)
    others = {"cost_unknown", "cost_stated", "cost_both_stated", "cost_both_computed"}
    assert others.isdisjoint(measure for measure, _ in found)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (with_usage("null"), "no_usage"),
        (with_usage('{"prompt_tokens":3}'), "no_count"),
        (with_usage('{"prompt_tokens":-3,"completion_tokens":2}'), "odd_count"),
        (with_usage('{"prompt_tokens":9000000000,"completion_tokens":2}'), "too_large"),
        (WHOLE.replace(b'"cached_tokens":1', b'"cached_tokens":4'), "contradiction"),
        (WHOLE.replace(b'"gpt-4o"', b'"parcel-1"'), "no_price"),
        (WHOLE.replace(b'"gpt-4o"', b"null"), "no_model"),
        (WHOLE.replace(b'"created"', b'"service_tier":"scale","created"'), "no_tier_price"),
    ],
)  # fmt: skip
def test_a_cost_not_known_is_counted_by_its_reason(owner: Person, body: bytes, reason: str) -> None:
    inspected(owner, body)
    found = sums()
    assert found["cost_unknown", reason] == (1, 0)
    assert ("cost_computed", "") not in found
    assert not any(measure == "cost_table" for measure, _ in found)


def test_what_is_not_in_a_computed_cost_is_counted(owner: Person) -> None:
    inspected(owner)
    inspected(owner, searching(3))
    both = searching(2).replace(b'"usage":{', b'"usage":{"citation_tokens":7,')
    inspected(owner, both)
    inspected(owner, both.replace(b"gpt-4o", b"parcel-1"))
    found = sums()
    assert found["cost_computed", ""] == (3, 3 * 262_500)
    assert found["cost_lower_bound", ""] == (2, 2 * 262_500)
    assert found["unpriced", "searches"] == (2, 0)
    assert found["unpriced", "citations"] == (1, 0)
    searches = {"count": 3, "kind": "searches", "field": "num_search_queries"}
    assert Price.objects.filter(unpriced_items=[searches]).count() == 1
    assert dict(stored()) == recounted()


def test_stated_and_computed_are_compared_over_the_same_captures(owner: Person) -> None:
    inspected(owner)
    inspected(owner, stating("0.00002625"))
    inspected(owner, stating("0.5"))
    inspected(owner, stating("0.25").replace(b"gpt-4o", b"parcel-1"))
    found = sums()
    assert found["cost_computed", ""] == (3, 3 * 262_500)
    assert found["cost_stated", ""] == (3, 262_500 + 75 * 10**8)
    assert found["cost_both_stated", ""] == (2, 262_500 + 5 * 10**9)
    assert found["cost_both_computed", ""] == (2, 2 * 262_500)
    assert found["cost_contradicts_stated", ""] == (1, 0)
    assert ("cost_both_lower_bound", "") not in found


def test_of_those_compared_the_computed_that_are_the_least_are_told(owner: Person) -> None:
    searched = b'"usage":{"num_search_queries":3,'
    inspected(owner, searching(3))
    inspected(owner, stating("0.00002625"))
    inspected(owner, stating("0.5").replace(b'"usage":{', searched))
    found = sums()
    assert found["cost_lower_bound", ""] == (2, 2 * 262_500)
    assert found["cost_both_computed", ""] == (2, 2 * 262_500)
    assert found["cost_both_lower_bound", ""] == (1, 262_500)
    assert ("cost_contradicts_stated", "") not in found
    assert dict(stored()) == recounted()


@pytest.mark.parametrize("amount", ["-1", "1e12", "1e999", '"0.0075"', "true"])
def test_a_stated_cost_beyond_all_responses_is_nothing(owner: Person, amount: str) -> None:
    inspected(owner, stating("0.5"))
    inspected(owner, stating(amount))
    found = sums()
    assert found["cost_computed", ""] == (2, 2 * 262_500)
    assert found["cost_stated", ""] == found["cost_both_stated", ""] == (1, 5 * 10**9)
    assert found["cost_contradicts_stated", ""] == (1, 0)
    assert found["cost_stated_odd", ""] == (1, 0)
    assert dict(stored()) == recounted()
    assert_findings_follow()


def test_a_cost_that_some_choices_state_is_no_cost_of_the_answer(owner: Person) -> None:
    two = stating("0.1").replace(
        b'"choices":[',
        b'"choices":[{"index":1,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"},',
    )
    inspected(owner, two)
    assert sums()["cost_stated_partly", ""] == (1, 0)
    assert ("cost_stated", "") not in sums()


def test_the_tier_inside_usage_is_the_tier_that_is_grouped_by(owner: Person) -> None:
    inspected(owner, with_usage('{"prompt_tokens":3,"completion_tokens":2,"service_tier":"flex"}'))
    assert UsageSeries.objects.get(by=EXACT).service_tier == "flex"
    assert sums()["cost_unknown", "no_tier_price"] == (1, 0)


def test_ten_thousand_answers_of_the_largest_cost_fit_into_a_day(owner: Person) -> None:
    inspected(owner, stating("999"))
    UsageSum.objects.filter(measure="cost_stated").update(total=10_000 * 999 * TICKS)
    inspected(owner, stating("999"))
    assert sums()["cost_stated", ""] == (2, 10_001 * 999 * TICKS)


def test_reading_again_counts_once(owner: Person) -> None:
    capture_id = inspected(owner)
    before = sums()
    for _ in range(3):
        inspect_again(capture_id)
    assert sums() == before
    assert StoredContribution.objects.count() == 1


def test_what_is_no_completion_has_no_cost(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    capture_id = inspected(owner, stating("0.5"))
    assert FindingRow.objects.filter(capture=capture_id, source="cost").exists()
    monkeypatch.setattr(rollups, "_is_usage", lambda _: False)
    inspect_again(capture_id)
    assert sums() == {}
    assert not Price.objects.filter(pk=capture_id).exists()
    assert not FindingRow.objects.filter(capture=capture_id, source="cost").exists()
    assert_findings_follow()


def test_a_deleted_capture_is_taken_back_with_every_name_that_it_alone_had(owner: Person) -> None:
    capture_id = inspected(owner, WHOLE.replace(b'"stop"', b'"secret"'))
    inspected(owner)
    assert sums()["finish_reason", "secret"] == (1, 0)
    delete(owner.principal, capture_id)
    assert sums()["captures", ""] == (1, 0)
    assert ("finish_reason", "secret") not in sums()
    assert not StoredContribution.objects.filter(pk=capture_id).exists()


def test_names_of_any_kind_are_one_series_each(owner: Person) -> None:
    names = ['"' + "m" * 5_000 + '"', '"a\\u0000b\\u202e"', '"模型"', '"\\ud800"', "null", "7"]
    for name in names * 2:
        inspected(owner, WHOLE.replace(b'"gpt-4o"', name.encode()))
    # Neither null nor a number is a name.
    assert captures_by("model") == [2, 2, 2, 2, 4]
    assert UsageSeries.objects.filter(by="model").count() == 5


def test_teams_share_nothing(owner: Person, stranger: Person) -> None:
    inspected(owner)
    inspected(stranger)
    assert UsageSeries.objects.filter(by=EXACT).count() == 2
    assert set(UsageSum.objects.values_list("team", "series__team")) == {
        (owner.team.pk, owner.team.pk),
        (stranger.team.pk, stranger.team.pk),
    }


def test_a_clock_from_elsewhere_lands_in_no_other_hour(owner: Person) -> None:
    inspected(owner, WHOLE.replace(b"1700000000", b"99999999999"))
    received_at = Capture.objects.get().received_at
    assert {each.start.year for each in UsageSum.objects.all()} == {received_at.year}


def test_many_are_counted_by_as_few_statements_as_few(
    owner: Person, django_assert_max_num_queries: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A slow machine would store them in several parts.
    monkeypatch.setattr(tasks, "BATCH_SECONDS", 600)
    monkeypatch.setattr(tasks, "BATCH_ROWS", 60)
    monkeypatch.setattr(tasks, "FAIRNESS_SECONDS", 600)
    for body in [WHOLE, STREAM, CUT] * 20:
        accept(owner, body)
    with django_assert_max_num_queries(42):  # type: ignore[operator]
        inspect_due()
    assert captures_by(ALL) == [60]


def captures_by(by: str) -> list[int]:
    """Return the captures of each series of a kind, the fewest first; of all days together."""
    found: Counter[int] = Counter()
    for each in UsageSum.objects.filter(measure="captures", span_seconds=DAY_SECONDS, by=by):
        found[each.series_id] += each.captures
    return sorted(found.values())


def test_a_fingerprint_of_its_own_in_every_answer_is_no_row_of_its_model(owner: Person) -> None:
    for number in range(8):
        own = b'"system_fingerprint":"fp_%d","model"' % number
        inspected(owner, WHOLE.replace(b'"model"', own))
    assert captures_by("model") == [8]
    assert captures_by("fingerprint") == [1] * 8


def test_a_histogram_holds_a_doubling_in_a_row(owner: Person) -> None:
    for length in (1_024, 1_100, 1_200, 2_047, 2_048):
        inspected(owner, WHOLE + b" " * (length - len(WHOLE)))
    found = Octave.objects.filter(measure="bytes", span_seconds=DAY_SECONDS, by=ALL)
    rows: dict[int, list[int]] = defaultdict(lambda: [0] * len(BUCKETS))
    # Of two days where one ends in the midst of the test.
    for each in found:
        for at, name in enumerate(BUCKETS):
            rows[each.octave][at] += getattr(each, name)
    assert rows == {8: [2, 1, 0, 0, 0, 0, 0, 1], 9: [1, 0, 0, 0, 0, 0, 0, 0]}


BODIES = (
    (WHOLE, JSON),
    (STREAM, SSE),
    (CUT, JSON),
    (b"nothing", JSON),
    (with_usage('{"prompt_tokens":11,"completion_tokens":0,"total_tokens":11}'), JSON),
    (WHOLE.replace(b"gpt-4o", b"gpt-5"), JSON),
    (stating("0.5"), JSON),
    (WHOLE.replace(b"gpt-4o", b"our-own"), JSON),
)


def set_price(person: Person, chance: random.Random) -> None:
    rates = {TokenKind.PROMPT: Decimal(chance.randrange(9)), TokenKind.COMPLETION: Decimal("0.25")}
    model = chance.choice(["gpt-4o", "gpt-5", "our-own"])
    starts = datetime.now(UTC).date() - timedelta(days=chance.randrange(3))
    is_prefix = chance.random() < 0.5
    team_prices.for_principal(person.principal).add(
        Override(model, rates, starts, is_prefix=is_prefix)
    )


def end_price(person: Person, chance: random.Random) -> None:
    door = team_prices.for_principal(person.principal)
    if door.all():
        price = chance.choice(door.all())
        door.end(price.id, price.override.starts + timedelta(days=chance.randrange(3)))


def make_due() -> None:
    """Whatever a clock says that was set back meanwhile."""
    Work.objects.update(due_at=Now() - timedelta(seconds=1))


def price_again(person: Person, days: int) -> None:
    now = timezone.now()
    tomorrow = now + timedelta(days=1)
    assert repricing.for_principal(person.principal).request(now - timedelta(days=days), tomorrow)
    make_due()
    while run_one(repricing.KIND):
        pass


@pytest.mark.parametrize("seed", mostly_thorough([(0,), (1,), (2,), (3,)]))
def test_after_any_history_the_sums_are_those_of_a_recount(owner: Person, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(40):
        there = list(Inspection.objects.values_list("pk", flat=True))
        acts = ["new", "new", "older", "again", "delete", "price", "end", "price again"]
        match chance.choice(acts):
            case "price":
                set_price(owner, chance)
            case "end":
                end_price(owner, chance)
            case "price again":
                price_again(owner, chance.randrange(1, 4))
            case "again" if there:
                inspect_again(chance.choice(there))
            case "delete" if there:
                delete(owner.principal, chance.choice(there))
            case "older":
                capture_id = accept(owner, *chance.choice(BODIES))
                wait = timedelta(hours=chance.randrange(60))
                Capture.objects.filter(pk=capture_id).update(called_at=F("called_at") - wait)
                inspect_all()
            case _:
                inspected(owner, *chance.choice(BODIES))
    # What is stored keeps its price; only after this the whole is priced by what holds now.
    price_again(owner, 9)
    assert dict(stored()) == recounted()
    assert_findings_follow()
    assert_series_follow()


def assert_series_follow() -> None:
    """Those with names are those with captures."""
    nameless = UsageSeries.objects.filter(digest__startswith=FORGOTTEN)
    names = dict.fromkeys(column for by in DIMENSIONS for column in columns_of(by))
    assert not nameless.exclude(**names).exists()
    kept = UsageSeries.objects.exclude(digest__startswith=FORGOTTEN).exclude(by=ALL)
    used = UsageSum.objects.exclude(by=ALL).values_list("series", flat=True)
    assert set(kept.values_list("pk", flat=True)) == set(used)


def assert_findings_follow() -> None:
    differing = set(Price.objects.filter(contradicts_stated=True).values_list("pk", flat=True))
    rows = FindingRow.objects.filter(source="cost", code="cost.stated-differs", severity="info")
    assert sorted(rows.values_list("capture", flat=True)) == sorted(differing)
    for found in Inspection.objects.all():
        said = FindingRow.objects.filter(capture=found.pk, severity="info").count()
        assert found.info_count == said, found.pk


CellKey = tuple[str, int, datetime, MeasureKey]


def stored() -> Iterator[tuple[CellKey, tuple[int, int]]]:
    for each in UsageSum.objects.select_related("series"):
        yield cell_key(each, (each.measure, each.value)), (each.captures, each.total)
    for each in Octave.objects.select_related("series"):
        for bucket, name in enumerate(BUCKETS, each.octave * 8):
            if captures := getattr(each, name):
                yield cell_key(each, (each.measure, str(bucket))), (captures, 0)


def cell_key(each: UsageSum | Octave, key: MeasureKey) -> CellKey:
    assert (each.by, each.team_id) == (each.series.by, each.series.team_id)
    return each.series.digest, each.span_seconds, each.start, key


def recounted() -> dict[CellKey, tuple[int, int]]:
    """From the evidence of every capture, as if nothing had ever been counted."""
    found: dict[CellKey, tuple[int, int]] = {}
    for capture in Capture.objects.filter(state=State.INSPECTED).select_related("evidence"):
        exchange = evidence.unpack(capture, capture.evidence)
        (priced,) = pricing.price_captures([project(capture, extract(exchange))])
        one = contribution_of(priced.rows, priced.billable, priced.receipt)
        for span in (HOUR_SECONDS, DAY_SECONDS):
            start = span_start(hour_of(capture.called_at), span)
            for series in series_keys(one.series_key, span):
                for key, number in one.measures.items():
                    if not is_counted(key[0], series):
                        continue
                    at = (series.digest, span, start, key)
                    captures, total = found.get(at, (0, 0))
                    found[at] = (captures + 1, total + (number or 0))
    return found


def test_a_share_says_what_a_capture_gave(owner: Person) -> None:
    inspected(owner)
    measures = msgspec.json.decode(bytes(StoredContribution.objects.get().measures))
    assert ["captures", "", None] in measures
    assert ["tokens", "prompt_tokens", 3] in measures


def test_a_sample_has_a_cost_and_is_in_no_sum(owner: Person) -> None:
    reasoning = recording("reasoning")
    accept_arrival(owner, sample("reasoning", reasoning))
    inspect_all()
    assert Price.objects.get().computed_usd
    assert not UsageSum.objects.exists() and not StoredContribution.objects.exists()
    accept_arrival(owner, Submission(exchange=reasoning))
    inspect_all()
    assert StoredContribution.objects.count() == 1
