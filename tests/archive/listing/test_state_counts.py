from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from inspector.archive.listing import state_counts
from inspector.archive.listing.capture_values import UninspectedCount
from inspector.archive.listing.state_counts import count_states, count_uninspected
from inspector.archive.models import Capture, State
from tests.archive.samples import accept, inspected
from tests.people import Person

pytestmark = pytest.mark.both_stacks


@pytest.fixture(autouse=True)
def nothing_is_remembered() -> Iterator[None]:
    state_counts._settled.clear()
    yield
    state_counts._settled.clear()


def old(owner: Person) -> Any:
    capture_id = inspected(owner)
    Capture.objects.filter(pk=capture_id).update(called_at=timezone.now() - timedelta(hours=2))
    return capture_id


def test_old_and_new_are_added_up(owner: Person) -> None:
    old(owner)
    inspected(owner)
    accept(owner)
    found = count_states((owner.team.pk,))
    assert (found.accepted, found.inspected, found.received) == (3, 2, 1)


def test_few_are_counted_anew_at_every_look(owner: Person) -> None:
    capture_id = old(owner)
    count_states((owner.team.pk,))
    Capture.objects.filter(pk=capture_id).update(state=State.GONE)
    assert count_states((owner.team.pk,)).deleted == 1


def test_only_what_is_old_is_remembered(owner: Person, stranger: Person, monkeypatch: Any) -> None:
    monkeypatch.setattr(state_counts, "MANY", 0)
    old(owner)
    assert count_states((owner.team.pk,)).accepted == 1
    old(owner)
    accept(owner)
    assert count_states((owner.team.pk,)).accepted == 2
    assert count_states((stranger.team.pk,)).accepted == 0
    monkeypatch.setattr(state_counts, "REMEMBERED_SECONDS", 0.0)
    state_counts._settled.clear()
    count_states((owner.team.pk,))
    old(owner)
    assert count_states((owner.team.pk,)).accepted == 4


def test_counting_ends_at_a_number(owner: Person, stranger: Person, monkeypatch: Any) -> None:
    now = timezone.now()
    inspected(owner)
    for state in (State.RECORDING, State.PROCESSING, State.QUARANTINED, State.GONE):
        Capture.objects.filter(pk=accept(owner)).update(state=state)
    accept(stranger)
    team, hour = (owner.team.pk,), timedelta(hours=1)
    assert count_uninspected(team, now - hour, now + hour) == UninspectedCount(3, 1, True)
    assert count_uninspected(team, now - 2 * hour, now - hour) == UninspectedCount(0, 0, True)
    monkeypatch.setattr(state_counts, "MAX_UNINSPECTED", 2)
    found = count_uninspected(team, now - hour, now + hour)
    assert (found.captures, found.is_all) == (2, False)
