"""The rows of arrivals: whole, in the team's order, and on the disk before anybody is told."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now

from inspector.archive.intake import capture_insert
from inspector.archive.models import Capture, Evidence, State, TagRow
from tests.archive.samples import accept
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def filled(person: Person) -> Capture:
    """A value in every column that is not the database's to fill."""
    return Capture(
        team=person.team,
        state=State.PROCESSING,
        started_at=datetime(2026, 3, 1, 12, 30, 15, 250_001, tzinfo=UTC),
        attempt=1,
        evidence_form=2,
        lease_token=uuid4(),
        quarantine_reason="a reason",
        byte_length=5_000_000_000,
        sha256="0f" * 32,
        content_type='text/"plain"; ü',
        status_code=200,
        outcome="ended",
        dialect_hint="openai-chat",
        request_method="POST",
        request_url="https://host/v1?a=%s",
        upstream="ollama",
        request_sha256="ab" * 32,
        retry_of=uuid4(),
        key_id=person.service.key_id,
        note="%s\nnote",
        tags=["b", "a"],
        metadata={"k": [1, None, "\\"], "big": 2**70},
        idempotency_key="k",
        posted_sha256="f0" * 32,
        body_deleted_at=datetime(2026, 3, 2, tzinfo=UTC),
        body_deleted_by="retention rule 1",
        redactions=3,
        rewritings=2,
    )


def evidence_of(capture: Capture) -> Evidence:
    return Evidence(capture=capture, body=b"\0body", reads=b"\xff", surroundings=b"")


def insert(person: Person, *captures: Capture, due_in_seconds: int = 0) -> None:
    rows = [(capture, evidence_of(capture)) for capture in captures]
    capture_insert.insert_captures(person.team.pk, rows, due_in_seconds)


def values(row: Any) -> dict[str, Any]:
    return {
        field.attname: getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if field.attname not in capture_insert.BY_DATABASE
    }


def test_every_column_comes_back_as_it_was_given(owner: Person) -> None:
    capture = filled(owner)
    given = values(capture)
    defaults = values(Capture(id=capture.id))
    alike = [name for name, value in given.items() if value == defaults[name]]
    assert alike == ["id"], "a column without a value of its own proves nothing"
    insert(owner, capture)
    assert values(Capture.objects.get()) == given
    stored = Evidence.objects.get()
    assert (stored.capture_id, bytes(stored.body)) == (capture.id, b"\0body")
    assert (bytes(stored.reads), bytes(stored.surroundings)) == (b"\xff", b"")
    assert {*TagRow.objects.values_list("capture", "tag")} == {(capture.id, t) for t in "ab"}


def test_what_is_left_out_is_null_and_not_empty(owner: Person) -> None:
    capture = Capture(team=owner.team, byte_length=0, sha256="0f" * 32, outcome="ended")
    given = values(capture)
    insert(owner, capture)
    assert values(Capture.objects.get()) == given
    assert given["content_type"] is given["started_at"] is given["idempotency_key"] is None


def test_together_they_arrive_at_one_time_and_are_due_at_once(owner: Person) -> None:
    first, second = (
        Capture(team=owner.team, byte_length=1, sha256="0f" * 32, outcome="ended") for _ in "12"
    )
    insert(owner, first, second)
    assert Capture.objects.filter(due_at__lte=Now()).count() == 2
    assert len({*Capture.objects.values_list("received_at")}) == 1


@pytest.mark.parametrize(
    ("told", "counts"),
    [
        (datetime(2015, 1, 1, tzinfo=UTC), True),
        (datetime(2026, 3, 1, 12, 0, 0, 123_456, tzinfo=UTC), True),
        (None, False),
        (datetime(1970, 1, 1, tzinfo=UTC), False),
        (datetime(2014, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), False),
        (datetime(9999, 1, 1, tzinfo=UTC), False),
    ],
)
def test_a_call_is_where_it_was_told_to_start_or_where_that_cannot_be_where_it_came(
    owner: Person, told: datetime | None, counts: bool
) -> None:
    capture = filled(owner)
    capture.started_at = capture.called_at = told
    insert(owner, capture)
    stored = Capture.objects.get()
    assert stored.called_at == (told if counts else stored.received_at)
    assert stored.started_at == told


def test_under_a_lease_they_are_due_when_it_ends(owner: Person) -> None:
    insert(owner, filled(owner), due_in_seconds=60)
    capture = Capture.objects.get()
    assert abs(capture.due_at - capture.received_at - timedelta(seconds=60)) < timedelta(seconds=1)


def test_a_value_that_no_column_takes_is_a_fault_and_not_a_text(owner: Person) -> None:
    capture = filled(owner)
    capture.note = Now()
    with pytest.raises(Exception, match="type|Now"), transaction.atomic():
        insert(owner, capture)
    assert not Evidence.objects.exists()


@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_they_are_on_disk_when_it_returns(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    flush, seen = capture_insert.flush_wal, []

    def watched() -> None:
        assert Capture.objects.count() == 1, "others see it already"
        written = of_log("pg_current_wal_insert_lsn()")
        flush()
        seen.append(of_log(f"pg_current_wal_flush_lsn() >= '{written}'"))

    monkeypatch.setattr(capture_insert, "flush_wal", watched)
    accept(owner)
    assert seen == [True]


@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_every_other_commit_of_the_connection_waits_for_the_disk(owner: Person) -> None:
    accept(owner)
    assert of_log("current_setting('synchronous_commit')") == "on"


@pytest.mark.production
def test_inside_a_transaction_it_is_that_one_that_waits_for_the_disk(owner: Person) -> None:
    with transaction.atomic():
        accept(owner)
        assert of_log("current_setting('synchronous_commit')") == "on"


def of_log(what: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {what}")
        (found,) = cursor.fetchone()
    return found
