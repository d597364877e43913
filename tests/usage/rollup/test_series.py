"""The names of captures go with the last capture that had them, and never from under another."""

from __future__ import annotations

import time
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event

import pytest
from django.db import connection
from django.utils import timezone

from inspector.archive.deletion import delete
from inspector.archive.intake import submission
from inspector.archive.models import Capture
from inspector.usage.models import UsageSeries
from inspector.usage.rollup import series
from inspector.usage.rollup.dimensions import ALL, EXACT, SeriesKey, columns_of
from inspector.usage.rollup.series import FORGOTTEN, SeriesIds
from tests.archive.samples import WHOLE, accept, inspect_all, inspected
from tests.people import Person
from tests.usage.past import arrived
from tests.usage.rollup.test_rollups import assert_series_follow, inspect_again, recounted, stored
from tests.usage.test_repricing import is_waited_for_a_lock

pytestmark = pytest.mark.both_stacks

SECRET = WHOLE.replace(b"gpt-4o", b"secret")


def test_a_deleted_captures_names_stay_only_with_others(owner: Person, stranger: Person) -> None:
    secret = SECRET.replace(
        b'"created"', b'"system_fingerprint":"fp_secret","service_tier":"flex","created"'
    )
    others = secret.replace(b"fp_secret", b"fp_2").replace(b"flex", b"priority")
    first, second, other = (inspected(owner, body) for body in (secret, secret, others))
    past = timezone.now() - timedelta(days=400)
    Capture.objects.filter(pk=accept(owner)).update(received_at=past, called_at=past)
    inspect_all()
    inspected(stranger, secret)
    seen = {"secret", "gpt-4o"}, {"fp_secret", "fp_2", None}, {"flex", "priority", None}
    assert names(owner) == seen
    delete(owner.principal, first)
    assert names(owner) == seen
    delete(owner.principal, second)
    assert names(owner) == ({"secret", "gpt-4o"}, {"fp_2", None}, {"priority", None})
    delete(owner.principal, other)
    assert names(owner) == ({"gpt-4o"}, {None}, {None})
    assert names(stranger) == ({"secret"}, {"fp_secret"}, {"flex"})
    assert_series_follow()
    # What comes back is counted as if it were new.
    inspected(owner, secret)
    assert names(owner) == ({"secret", "gpt-4o"}, {"fp_secret", None}, {"flex", None})
    assert_series_follow()


def names(person: Person) -> tuple[set[str | None], ...]:
    """Models, fingerprints and tiers that anything is still said of."""
    kept = UsageSeries.objects.filter(team=person.team).exclude(by=ALL)
    kept = kept.exclude(digest__startswith=FORGOTTEN)
    found = []
    for by in ("model", "fingerprint", "service_tier"):
        name = columns_of(by)[0]
        of_exact = set(kept.filter(by=EXACT).values_list(name, flat=True))
        assert set(kept.filter(by=by).values_list(name, flat=True)) == of_exact
        found.append(of_exact)
    return tuple(found)


def test_a_name_stays_while_a_capture_of_another_day_has_it(owner: Person) -> None:
    """Among many days, and where others of the same day differ in something else."""
    (old,) = arrived(owner, 1, 24 * 90, SECRET)
    (new,) = arrived(owner, 1, 1, SECRET)
    arrived(owner, 1, 24 * 30, WHOLE)
    arrived(owner, 1, 1, WHOLE)
    exact = UsageSeries.objects.get(by=EXACT, model="secret").pk
    delete(owner.principal, new)
    assert names(owner)[0] == {"secret", "gpt-4o"}
    assert UsageSeries.objects.get(by=EXACT, model="secret").pk == exact
    delete(owner.principal, old)
    assert names(owner)[0] == {"gpt-4o"}
    assert_series_follow()


def test_a_combination_is_forgotten_where_each_of_its_names_stays(owner: Person) -> None:
    tier = b'"service_tier":"flex","created"'
    both = inspected(owner, SECRET.replace(b'"created"', tier))
    inspected(owner, WHOLE.replace(b'"created"', tier))
    inspected(owner, SECRET)
    delete(owner.principal, both)
    assert not UsageSeries.objects.filter(by=EXACT, model="secret", service_tier="flex").exists()
    assert names(owner)[0] == {"secret", "gpt-4o"}
    assert_series_follow()


def test_what_is_read_again_alike_keeps_its_names(owner: Person) -> None:
    capture_id = inspected(owner, SECRET)
    before = list(UsageSeries.objects.order_by("pk").values())
    inspect_again(capture_id)
    assert list(UsageSeries.objects.order_by("pk").values()) == before


@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_a_name_in_use_is_not_forgotten(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its series was looked for, and its last capture is deleted before the next is stored."""
    monkeypatch.setattr(submission.doorbell, "ring", lambda: None)
    last = inspected(owner, SECRET)
    accept(owner, SECRET)
    numbers_of, is_found, goes_on = series.series_ids_of, Event(), Event()

    def waits_once(kinds: Collection[tuple[int, SeriesKey]]) -> SeriesIds:
        found = numbers_of(kinds)
        if not is_found.is_set():
            is_found.set()
            assert goes_on.wait(120)
        return found

    monkeypatch.setattr(series, "series_ids_of", waits_once)

    def stores() -> None:
        try:
            inspect_all()
        finally:
            connection.close()

    def deletes() -> None:
        try:
            delete(owner.principal, last)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        storing = pool.submit(stores)
        try:
            assert is_found.wait(120)
            deleting = pool.submit(deletes)
            while not deleting.done() and not is_waited_for_a_lock():
                time.sleep(0.01)
        finally:
            goes_on.set()
        storing.result()
        deleting.result()
    assert names(owner)[0] == {"secret"}
    assert dict(stored()) == recounted()
    assert_series_follow()
