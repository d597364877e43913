from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from inspector.archive import account
from inspector.archive.account import account_of, uninspected
from inspector.archive.models import Capture, State
from inspector.archive.values import Uninspected
from tests.archive.samples import accept, inspected
from tests.people import Person

pytestmark = pytest.mark.both_stacks


@pytest.fixture(autouse=True)
def nothing_is_remembered() -> Iterator[None]:
    account._settled.clear()
    yield
    account._settled.clear()


def old(owner: Person) -> Any:
    id = inspected(owner)
    Capture.objects.filter(pk=id).update(received_at=timezone.now() - timedelta(hours=2))
    return id


def test_old_and_new_are_added_up(owner: Person) -> None:
    old(owner)
    inspected(owner)
    accept(owner)
    found = account_of((owner.team.pk,))
    assert (found.accepted, found.inspected, found.received) == (3, 2, 1)


def test_few_are_counted_anew_at_every_look(owner: Person) -> None:
    id = old(owner)
    account_of((owner.team.pk,))
    Capture.objects.filter(pk=id).update(state=State.GONE)
    assert account_of((owner.team.pk,)).deleted == 1


def test_of_many_what_is_old_is_remembered_and_what_is_new_is_not(
    owner: Person, stranger: Person, monkeypatch: Any
) -> None:
    monkeypatch.setattr(account, "MANY", 0)
    old(owner)
    assert account_of((owner.team.pk,)).accepted == 1
    old(owner)
    accept(owner)
    assert account_of((owner.team.pk,)).accepted == 2
    assert account_of((stranger.team.pk,)).accepted == 0
    monkeypatch.setattr(account, "REMEMBERED_SECONDS", 0.0)
    account._settled.clear()
    account_of((owner.team.pk,))
    old(owner)
    assert account_of((owner.team.pk,)).accepted == 4


def test_what_is_not_inspected_is_counted_within_its_time_up_to_a_number(
    owner: Person, stranger: Person, monkeypatch: Any
) -> None:
    now = timezone.now()
    inspected(owner)
    for state in (State.RECORDING, State.PROCESSING, State.QUARANTINED, State.GONE):
        Capture.objects.filter(pk=accept(owner)).update(state=state)
    accept(stranger)
    team, hour = (owner.team.pk,), timedelta(hours=1)
    assert uninspected(team, now - hour, now + hour) == Uninspected(3, 1, True)
    assert uninspected(team, now - 2 * hour, now - hour) == Uninspected(0, 0, True)
    monkeypatch.setattr(account, "MOST_UNINSPECTED", 2)
    found = uninspected(team, now - hour, now + hour)
    assert (found.captures, found.is_all) == (2, False)
