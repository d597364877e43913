"""Pricing anew: what is stored changes only then, all of it together, however often it is cut off."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from threading import Event
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings as project
from django.db import connection
from django.utils import timezone

from inspector.archive import deletion, queries
from inspector.archive.intake import submission
from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture, Inspection
from inspector.core.wire.exchange import Exchange
from inspector.usage import repricing
from inspector.usage.cost import team_prices
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.models import DAY_SECONDS, Price, StoredContribution, UsageSum
from inspector.usage.repricing import RepricingProgress
from inspector.usage.rollup import rollups
from inspector.usage.rollup.dimensions import ALL
from inspector.work import leases
from inspector.work.models import WorkState
from inspector.work.run import run_one, which
from tests.archive.samples import JSON, WHOLE, accept, accept_arrival, inspect_all, inspected
from tests.people import Person
from tests.usage.rollup.test_rollups import (
    assert_findings_follow,
    make_due,
    recounted,
    stating,
    stored,
)

pytestmark = pytest.mark.both_stacks

BY_TABLE, BY_OVERRIDE = 262_500, 90_000
"""Ticks of ``WHOLE``: 2 × 2.5 + 1 × 1.25 + 2 × 10 millionths, and 3 × 1 + 2 × 3."""
OURS = Override(
    "gpt-4o", {TokenKind.PROMPT: Decimal(1), TokenKind.COMPLETION: Decimal(3)}, date(2026, 1, 1)
)
PRICES_AGAIN = """
import os, sys
from django.conf import settings
import inspector.settings
inspector.settings.DATABASES["default"]["NAME"] = sys.argv[1]
import django
django.setup()
from inspector.core.wire.exchange import Exchange
from inspector.usage import repricing
from inspector.usage.rollup import rollups
from inspector.work.run import run_one
repricing.BATCH_CAPTURES = 2
replace, left = rollups.replace_contributions, [int(sys.argv[2])]
def ends(befores, afters):
    replace(befores, afters)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), 9)
rollups.replace_contributions = ends
while run_one(repricing.KIND):
    pass
"""


def set_price(person: Person, override: Override = OURS) -> None:
    assert team_prices.for_principal(person.principal).add(override) is None


def ask(person: Person, days: int = 1) -> bool:
    now = timezone.now()
    since, tomorrow = now - timedelta(days=days), now + timedelta(days=1)
    is_taken = repricing.for_principal(person.principal).request(since, tomorrow)
    make_due()
    return is_taken


def work() -> None:
    while run_one(repricing.KIND):
        pass


def price_again(person: Person) -> RepricingProgress:
    assert ask(person)
    work()
    return repricing.for_principal(person.principal).latest()[0]


def of_all(measure: str, value: str = "") -> tuple[int, int]:
    # Of two days where one ends in the midst of the test.
    of_days = UsageSum.objects.filter(span_seconds=DAY_SECONDS, by=ALL)
    days = list(of_days.filter(measure=measure, value=value))
    return sum(day.captures for day in days), sum(day.total for day in days)


def codes(person: Person, capture_id: UUID) -> list[str]:
    page = queries.for_principal(person.principal).opened(capture_id)
    assert page is not None and page.analysis is not None
    found = page.with_added(page.analysis).findings
    return [finding.code for finding in found if finding.code.startswith("cost.")]


def test_a_price_that_is_set_changes_nothing_stored_until_it_is_asked_for(owner: Person) -> None:
    inspected(owner)
    set_price(owner)
    assert of_all("cost_computed") == (1, BY_TABLE)
    inspected(owner)
    assert of_all("cost_computed") == (2, BY_TABLE + BY_OVERRIDE)
    found = price_again(owner)
    assert of_all("cost_computed") == (2, 2 * BY_OVERRIDE)
    assert of_all("cost_table", "override of 2026-01-01 (gpt-4o)") == (2, 0)
    assert of_all("cost_table", "genai-prices 0.2.3") == (0, 0)
    assert (found.state, found.total, found.done, found.changed, found.failed) == (
        WorkState.FINISHED, 2, 2, 1, 0,
    )  # fmt: skip
    assert (found.before_usd, found.before_captures) == (Decimal("0.00003525"), 2)
    assert (found.after_usd, found.after_captures) == (Decimal("0.000018"), 2)
    assert (found.before_lower_bounds, found.after_lower_bounds) == (0, 0)
    assert found.requested_by == "user olga"
    assert dict(stored()) == recounted()


def test_what_an_answer_states_stays_beside_its_new_price(owner: Person) -> None:
    stated = b'"service_tier":"default","system_fingerprint":"fp_1","usage"'
    capture_id = inspected(owner, WHOLE.replace(b'"usage"', stated))
    set_price(owner)
    assert price_again(owner).changed == 1
    price = Price.objects.get(pk=capture_id)
    assert (price.table, price.service_tier, price.fingerprint) == (
        "override of 2026-01-01 (gpt-4o)", "default", "fp_1",
    )  # fmt: skip


def test_sums_that_something_billed_is_not_in_are_counted(owner: Person) -> None:
    searched = WHOLE.replace(b'"usage":{', b'"usage":{"num_search_queries":3,')
    inspected(owner)
    inspected(owner, searched)
    inspected(owner, searched.replace(b"gpt-4o", b"our-own"))
    set_price(owner, Override("our-own", OURS.rates, OURS.starts))
    found = price_again(owner)
    assert (found.before_captures, found.before_lower_bounds) == (2, 1)
    assert (found.after_captures, found.after_lower_bounds) == (3, 2)


def test_what_becomes_known_and_what_becomes_unknown(owner: Person) -> None:
    inspected(owner, WHOLE.replace(b"gpt-4o", b"our-own"))
    inspected(owner)
    set_price(owner, Override("our-own", OURS.rates, OURS.starts))
    set_price(owner, Override("gpt-4o", {TokenKind.PROMPT: Decimal(1)}, OURS.starts))
    found = price_again(owner)
    assert (found.before_usd, found.before_captures) == (Decimal("0.00002625"), 1)
    assert (found.after_usd, found.after_captures) == (Decimal("0.000009"), 1)
    assert of_all("cost_unknown", "no_rate") == (1, 0)
    assert of_all("cost_unknown", "no_price") == (0, 0)
    assert dict(stored()) == recounted()


def test_findings_follow_the_price(owner: Person) -> None:
    differs, agrees = inspected(owner, stating("0.000009")), inspected(owner, stating("0.00002625"))
    silent = inspected(owner)
    assert [codes(owner, capture_id) for capture_id in (differs, agrees, silent)] == [
        ["cost.stated-differs"], [], [],
    ]  # fmt: skip
    counts = [Inspection.objects.get(pk=capture_id).info_count for capture_id in (differs, agrees)]
    assert counts == [1, 0]
    set_price(owner)
    price_again(owner)
    assert [codes(owner, capture_id) for capture_id in (differs, agrees, silent)] == [
        [], ["cost.stated-differs"], [],
    ]  # fmt: skip
    assert_findings_follow()
    assert of_all("cost_contradicts_stated") == (1, 0)


def test_only_what_arrived_in_that_time_is_priced_anew(owner: Person) -> None:
    first, second = inspected(owner), inspected(owner)
    long_ago = timezone.now() - timedelta(days=5)
    for rows, column in ((Capture, "pk"), (Price, "capture"), (Inspection, "capture")):
        rows.objects.filter(**{column: first}).update(called_at=long_ago)  # type: ignore[attr-defined]
    set_price(owner)
    assert price_again(owner).done == 1
    tables = dict(Price.objects.values_list("capture", "table"))
    assert tables == {first: "genai-prices 0.2.3", second: "override of 2026-01-01 (gpt-4o)"}


def test_a_clock_behind_that_of_the_archive_misses_nothing(owner: Person) -> None:
    capture_id, ahead = inspected(owner), timezone.now() + timedelta(seconds=30)
    for rows, column in ((Capture, "pk"), (Price, "capture"), (Inspection, "capture")):
        rows.objects.filter(**{column: capture_id}).update(called_at=ahead)  # type: ignore[attr-defined]
    set_price(owner)
    found = price_again(owner)
    assert (found.total, found.done, found.changed) == (1, 1, 1)
    assert found.until == ahead + timedelta(microseconds=1)


def test_what_arrives_later_is_not_gone_through(owner: Person) -> None:
    inspected(owner)
    assert ask(owner)
    inspected(owner)
    work()
    found = repricing.for_principal(owner.principal).latest()[0]
    assert (found.total, found.done) == (1, 1)


def test_a_price_that_ended_is_that_of_calls_of_its_days_whenever_they_come(owner: Person) -> None:
    today = datetime.now(UTC).date()
    set_price(owner, Override("gpt-4o", OURS.rates, today - timedelta(days=9), today))
    began = timezone.now() - timedelta(days=3)
    old = accept_arrival(owner, Submission(Exchange.of_body(WHOLE, JSON), started_at=began)).id
    young = inspected(owner)
    tables = dict(Price.objects.values_list("capture", "table"))
    assert tables[young] == "genai-prices 0.2.3"
    assert tables[old] == f"override of {today - timedelta(days=9)} (gpt-4o)"


def test_the_days_of_a_price_are_not_those_that_an_answer_tells(owner: Person) -> None:
    """Whatever an answer says of its own time."""
    today = datetime.now(UTC).date()
    capture_id = inspected(owner, WHOLE.replace(b"1700000000", b"1"))
    set_price(owner, Override("gpt-4o", OURS.rates, today - timedelta(days=9), today))
    set_price(owner, Override("gpt-4o", OURS.rates, today + timedelta(days=2)))
    price_again(owner)
    assert Price.objects.get(pk=capture_id).table == "genai-prices 0.2.3"


def test_every_teams_prices_are_its_own(owner: Person, teammate: Person, stranger: Person) -> None:
    ours, theirs = inspected(owner), inspected(stranger)
    set_price(owner)
    price_again(owner)
    assert Price.objects.get(pk=ours).table == "override of 2026-01-01 (gpt-4o)"
    assert Price.objects.get(pk=theirs).table == "genai-prices 0.2.3"
    assert len(repricing.for_principal(teammate.principal).latest()) == 1
    assert repricing.for_principal(stranger.principal).latest() == ()
    assert team_prices.for_principal(stranger.principal).all() == ()
    with pytest.raises(LookupError):
        price = team_prices.for_principal(owner.principal).all()[0]
        team_prices.for_principal(stranger.principal).end(price.id, date(2026, 12, 1))
    with pytest.raises(ValueError):
        ask(teammate)


def test_of_two_asked_for_at_once_the_second_waits(owner: Person, stranger: Person) -> None:
    inspected(owner)
    assert ask(owner)
    assert not ask(owner)
    assert ask(stranger)
    work()
    assert ask(owner)


def test_where_nothing_arrived_it_is_through_at_once(owner: Person) -> None:
    found = price_again(owner)
    assert (found.state, found.total, found.done) == (WorkState.FINISHED, 0, 0)
    assert found.since < found.until
    assert run_one(repricing.KIND) is False


def test_a_step_makes_room_for_a_newcomer(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        inspected(owner)
    monkeypatch.setattr(repricing, "BATCH_CAPTURES", 1)
    ask(owner)
    answers = iter([False, True])
    assert run_one(repricing.KIND, lambda: next(answers))
    assert repricing.for_principal(owner.principal).latest()[0].done == 1
    accept(owner)
    assert run_one(repricing.KIND) is False


@pytest.mark.parametrize("fails", [1, 2, 3])
def test_a_step_that_fails_in_the_middle_changes_nothing_and_is_repeated(
    owner: Person, monkeypatch: pytest.MonkeyPatch, fails: int
) -> None:
    for cost in ("0.000009", "0.00002625", "1", "2", "3"):
        inspected(owner, stating(cost))
    set_price(owner)
    monkeypatch.setattr(repricing, "BATCH_CAPTURES", 2)
    replace, left = rollups.replace_contributions, [fails]

    def breaks(befores: Any, afters: Any) -> None:
        replace(befores, afters)
        left[0] -= 1
        if not left[0]:
            raise RuntimeError("in the middle")

    monkeypatch.setattr(rollups, "replace_contributions", breaks)
    ask(owner)
    work()
    assert repricing.for_principal(owner.principal).latest()[0].done == 2 * (fails - 1)
    make_due()
    work()
    found = repricing.for_principal(owner.principal).latest()[0]
    assert (found.done, found.changed, found.failed) == (5, 5, 0)
    assert (found.after_usd, found.after_captures) == (Decimal("0.000045"), 5)
    assert dict(stored()) == recounted()
    assert_findings_follow()


def test_what_fails_thrice_keeps_its_price(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    inspected(owner)
    set_price(owner)

    def breaks(befores: Any, afters: Any) -> None:
        raise RuntimeError("always")

    monkeypatch.setattr(rollups, "replace_contributions", breaks)
    ask(owner)
    for _ in range(3):
        make_due()
        run_one(repricing.KIND)
    work()
    found = repricing.for_principal(owner.principal).latest()[0]
    assert (found.state, found.done, found.failed) == (WorkState.FINISHED, 1, 1)
    assert Price.objects.get().table == "genai-prices 0.2.3"
    assert of_all("cost_computed") == (1, BY_TABLE)


@pytest.mark.parametrize("billable", [b"{}", b"not json", b'{"vendor":1}', b"[]"])
def test_billable_facts_of_a_later_program_are_left_alone(owner: Person, billable: bytes) -> None:
    inspected(owner)
    Price.objects.update(billable=billable)
    inspected(owner)
    set_price(owner)
    found = price_again(owner)
    assert (found.done, found.changed, found.failed) == (2, 1, 1)
    assert bytes(Price.objects.get(table="genai-prices 0.2.3").billable) == billable


def test_what_is_deleted_then_stays_so(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    gone, stays = inspected(owner), inspected(owner)
    set_price(owner)
    ask(owner)
    hold = repricing.added_findings.lock_inspected

    def deletes(ids: Any) -> set[UUID]:
        deletion.delete(owner.principal, gone)
        return hold(ids)

    monkeypatch.setattr(repricing.added_findings, "lock_inspected", deletes)
    work()
    assert list(Price.objects.values_list("pk", flat=True)) == [stays]
    assert list(StoredContribution.objects.values_list("pk", flat=True)) == [stays]
    assert dict(stored()) == recounted()


def test_a_job_whose_lease_is_anothers_changes_nothing(owner: Person) -> None:
    inspected(owner)
    set_price(owner)
    ask(owner)
    job = leases.claim(which(repricing.KIND))
    assert job is not None
    assert run_one(repricing.KIND) is False
    make_due()
    work()
    assert repricing.step(job) is False
    assert of_all("cost_computed") == (1, BY_OVERRIDE)


@pytest.mark.thorough
@pytest.mark.embedded
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kill_at", [1, 2, 3])
def test_a_process_that_is_killed_in_the_middle_doubles_nothing(
    owner: Person, monkeypatch: pytest.MonkeyPatch, kill_at: int
) -> None:
    monkeypatch.setattr(submission.doorbell, "ring", lambda: None)
    for cost in ("0.000009", "0.00002625", "1", "2", "3"):
        inspected(owner, stating(cost))
    set_price(owner)
    ask(owner)
    connection.close()
    name = str(connection.settings_dict["NAME"])
    command = [sys.executable, "-c", PRICES_AGAIN, name, str(kill_at)]
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "inspector.settings"}
    killed = subprocess.run(command, env=env, cwd=project.BASE_DIR, check=False)
    assert killed.returncode == -signal.SIGKILL
    make_due()
    work()
    found = repricing.for_principal(owner.principal).latest()[0]
    assert (found.done, found.changed, found.failed) == (5, 5, 0)
    assert (found.before_captures, found.after_captures) == (5, 5)
    assert found.after_usd == Decimal("0.000045")
    assert dict(stored()) == recounted()
    assert_findings_follow()


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_captures_change_while_it_works(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sums are those of a recount, whoever comes first."""
    monkeypatch.setattr(submission.doorbell, "ring", lambda: None)
    ids = [inspected(owner, stating(str(number))) for number in range(12)]
    set_price(owner)
    monkeypatch.setattr(repricing, "BATCH_CAPTURES", 3)
    ask(owner)

    def deletes(capture_id: UUID) -> None:
        try:
            deletion.delete(owner.principal, capture_id)
        finally:
            connection.close()

    def prices(_: int) -> None:
        try:
            while repricing.for_principal(owner.principal).latest()[0].state == WorkState.OPEN:
                run_one(repricing.KIND)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        working = [pool.submit(prices, number) for number in range(2)]
        list(pool.map(deletes, ids[::3]))
        for each in working:
            each.result()
    assert Price.objects.count() == 8
    assert dict(stored()) == recounted()
    assert_findings_follow()


@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_what_is_stored_meanwhile_is_priced(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was priced before, and is committed after somebody set the price and asked."""
    monkeypatch.setattr(submission.doorbell, "ring", lambda: None)
    capture_id = accept(owner)
    replace, is_priced, goes_on = rollups.replace_contributions, Event(), Event()

    def waits_once(befores: Any, afters: Any) -> None:
        if not is_priced.is_set():
            is_priced.set()
            assert goes_on.wait(120)
        replace(befores, afters)

    monkeypatch.setattr(rollups, "replace_contributions", waits_once)

    def stores() -> None:
        try:
            inspect_all()
        finally:
            connection.close()

    def sets_and_asks() -> None:
        try:
            set_price(owner)
            price_again(owner)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        storing = pool.submit(stores)
        try:
            assert is_priced.wait(120)
            asking = pool.submit(sets_and_asks)
            while not asking.done() and not is_waited_for_a_lock():
                time.sleep(0.01)
        finally:
            goes_on.set()
        storing.result()
        asking.result()
    assert Price.objects.get(pk=capture_id).table == OURS.table
    assert dict(stored()) == recounted()


def is_waited_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS(SELECT 1 FROM pg_locks JOIN pg_database ON oid = database"
            " WHERE datname = current_database() AND NOT granted)"
        )
        (found,) = cursor.fetchone()
    return bool(found)
