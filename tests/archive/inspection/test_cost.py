"""Cost of claiming and of storing captures, counted in statements and transactions."""

from typing import Any

import pytest
from django.conf import LazySettings

from inspector.archive.inspection import claims, tasks
from inspector.archive.inspection.doorbell import doorbell
from inspector.archive.models import Capture, State
from inspector.database.fixed_query import FixedQuery, FixedSearch, FixedUpdate, Given
from tests.archive.samples import accept
from tests.people import Person
from tests.statements import counted

pytestmark = pytest.mark.both_stacks

OF_A_CLAIM = 5
FROM_CLAIM_TO_SUMS = 28


@pytest.mark.django_db(transaction=True)
def test_one_capture_takes_two_transactions_and_a_hundred_one_more_for_each_batch(
    owner: Person, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    # A busy machine may need longer for a batch, and stores what it has.
    monkeypatch.setattr(tasks, "BATCH_SECONDS", 600)
    settings.CLAIM_SECONDS = 600
    accept(owner)
    with counted() as of_one:
        tasks.inspect_due()
    assert of_one.transactions == 2, "the claim, and what was read"
    for _ in range(100):
        accept(owner)
    with counted() as of_hundred:
        tasks.inspect_due()
    assert not Capture.objects.exclude(state=State.INSPECTED).exists()
    assert of_hundred.transactions == 1 + 100 // tasks.BATCH_ROWS


@pytest.mark.django_db(transaction=True)
def test_a_claim_of_many_costs_as_one(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    accept(owner)
    with counted() as of_one:
        assert len(claims.claim()) == 1
    for _ in range(100):
        accept(owner)
    with counted() as of_hundred:
        assert len(claims.claim()) == 100
    assert of_hundred == of_one
    assert of_one.statements <= OF_A_CLAIM


@pytest.mark.django_db(transaction=True)
def test_what_is_stored_together_takes_as_many_statements_as_one(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    monkeypatch.setattr(tasks, "BATCH_SECONDS", 600)
    monkeypatch.setattr(tasks, "FAIRNESS_SECONDS", 600)
    accept(owner)
    # Its sums are new; those of the next ones are there.
    tasks.inspect_due()
    accept(owner)
    with counted() as of_one:
        tasks.inspect_due()
    for _ in range(tasks.BATCH_ROWS):
        accept(owner)
    with counted() as of_batch:
        tasks.inspect_due()
    assert of_batch.statements <= of_one.statements <= FROM_CLAIM_TO_SUMS


def test_a_statement_is_the_same_for_as_many_values_as_are_given(owner: Person) -> None:
    ids = [accept(owner) for _ in range(3)]
    query = FixedQuery(
        lambda: Capture.objects.filter(pk__among=Given("ids")).order_by("pk").values_list("pk")
    )
    assert query.column(ids=ids[:1]) == ids[:1]
    assert query.column(ids=ids) == sorted(ids)
    assert query.column(ids=ids, at_most=2) == sorted(ids)[:2]
    assert query.column(ids=[]) == []


def test_an_update_takes_what_is_given_when_it_is_sent(owner: Person) -> None:
    one, other = accept(owner), accept(owner)
    update = FixedUpdate(lambda: Capture.objects.filter(pk=Given("id")), note=Given("note"))
    assert update.send(id=one, note="of one") == 1
    assert update.send(id=other, note="of the other") == 1
    notes = FixedQuery(lambda: Capture.objects.filter(note__among=Given("notes")))
    assert [each.note for each in notes.instances(notes=["of one"])] == ["of one"]


def test_one_query_of_several_that_finds_a_row_is_enough(owner: Person) -> None:
    search = FixedSearch(
        lambda state: (Capture.objects.none(), Capture.objects.filter(state=state))
    )
    assert not search.finds(State.RECEIVED)
    accept(owner)
    assert search.finds(State.RECEIVED)
    assert search.each(State.RECEIVED) == [False, True]


def test_a_query_is_written_once_for_each_of_its_values(db: None) -> None:
    built: list[str] = []

    def of_state(state: str) -> Any:
        built.append(state)
        return Capture.objects.filter(state=state).values("pk")

    query = FixedQuery(of_state)
    assert not query.finds("received")
    assert query.rows("received") == []
    assert not query.finds("inspected")
    assert built == ["received", "inspected"]


def test_what_it_finds_is_of_now(owner: Person) -> None:
    query = FixedQuery(lambda: Capture.objects.values("attempt"))
    assert not query.finds()
    accept(owner)
    assert query.finds()
    assert query.rows() == [(0,)]
