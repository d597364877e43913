"""An export is carried out step by step, and whatever cuts a step off, the file is the same."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import OperationalError
from django.db.models import Q
from django.utils import timezone

from inspector.archive import deletion
from inspector.archive.listing.filter_params import FilterParams
from inspector.archive.models import Capture
from inspector.archive.storage import disk_space
from inspector.transfer.exports import exports, pieces, steps, walk
from inspector.transfer.exports.exports import ExportStatus, TooManyExports
from inspector.transfer.exports.forms import FORMS
from inspector.transfer.models import ExportedCapture, ExportPiece
from inspector.work import leases
from inspector.work.models import Work, WorkState
from inspector.work.run import run_one
from tests.archive.calls import begun, call
from tests.archive.samples import CUT, STREAM, accept, inspect_all
from tests.people import Person
from tests.transfer.exports.carried import carry_out, everything, exported, file_of, made, requested

UNKNOWN_QUERY = {"query": "verdict=later", "received_before": "2100-01-01T00:00:00Z"}


def one(person: Person, number: int) -> ExportStatus:
    found = exports.for_principal(person.principal).one(number)
    assert found is not None
    return found


@pytest.mark.both_stacks
@pytest.mark.parametrize("form", FORMS)
def test_the_file_in_the_database_is_the_one_that_the_host_writes(
    owner: Person, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything(owner)
    monkeypatch.setattr(walk, "GROUP_CAPTURES", 2)
    monkeypatch.setattr(pieces, "PIECE_BYTES", 100)
    with time_machine.travel(timezone.now(), tick=False):
        found, file = made(owner, form)
        assert file == exported(owner.team, form)
    assert (found.state, found.total, found.done, found.captures) == ("finished", 6, 6, 6)
    assert (found.skipped, found.byte_length) == (0, len(file))
    assert found.finished_at is not None
    assert found.expires_at == found.finished_at + timedelta(days=7)


def test_only_what_matches_and_was_there_is_in_it(owner: Person) -> None:
    accept(owner)
    cut = accept(owner, CUT)
    inspect_all()
    number = requested(owner, query="verdict=cut-off").id
    accept(owner, CUT)
    inspect_all()
    carry_out()
    assert list(ExportedCapture.objects.values_list("capture", flat=True)) == [cut]
    assert (one(owner, number).total, one(owner, number).done) == (1, 1)


def test_what_is_still_recorded_is_left_out_and_counted(owner: Person) -> None:
    accept(owner)
    begun(call(owner))
    found, file = made(owner)
    assert (found.done, found.captures, found.skipped) == (2, 1, 1)
    assert file.count(b"\n") == 1


def test_what_a_later_release_stored_is_left_out_and_counted(owner: Person) -> None:
    later = accept(owner)
    accept(owner)
    Capture.objects.filter(pk=later).update(evidence_form=99)
    found, file = made(owner)
    assert (found.captures, found.skipped, file.count(b"\n")) == (1, 1, 1)


def test_an_export_of_nothing_is_an_empty_file(owner: Person) -> None:
    found, file = made(owner)
    assert (found.state, found.total, file) == ("finished", 0, b"")


def test_a_step_that_is_cut_off_is_repeated_and_nothing_is_there_twice(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything(owner)
    monkeypatch.setattr(walk, "GROUP_CAPTURES", 2)
    number = requested(owner).id
    store, calls = steps.store_pieces, []

    def cut_off(*args: Any) -> None:
        store(*args)
        calls.append(1)
        # Once before its transaction ends, once by a lease that goes to another process.
        if len(calls) == 2:
            raise ValueError("cut off")

    monkeypatch.setattr(steps, "store_pieces", cut_off)
    for _ in range(4):
        Work.objects.update(due_at=timezone.now() - timedelta(seconds=1))
        carry_out()
    assert one(owner, number).state == "finished"
    assert file_of(owner, number) == exported(owner.team)


def test_whose_lease_is_gone_stores_nothing(owner: Person) -> None:
    accept(owner)
    requested(owner)
    mine = leases.claim(Q(kind="export"))
    assert mine is not None
    Work.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    theirs = leases.claim(Q(kind="export"))
    assert theirs is not None
    assert not steps.step(mine)
    assert not ExportPiece.objects.exists()
    while steps.step(theirs):
        theirs = leases.again(theirs) or theirs
    assert Work.objects.get().state == WorkState.FINISHED


def test_three_failed_steps_end_it(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    accept(owner)
    number = requested(owner).id

    def broken(*args: Any) -> Any:
        raise ValueError("with words of a payload")

    monkeypatch.setattr(walk, "next_group", broken)
    for failures in (1, 2, 3):
        Work.objects.update(due_at=timezone.now() - timedelta(seconds=1))
        carry_out()
        assert one(owner, number).is_open == (failures < 3)
    assert (one(owner, number).state, one(owner, number).error) == ("failed", "ValueError")


def test_steps_that_end_their_process_are_counted_too(owner: Person) -> None:
    number = requested(owner).id
    Work.objects.update(attempt=3)
    carry_out()
    assert one(owner, number).state == "failed"


def test_a_full_disk_is_waited_for(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    accept(owner)
    number = requested(owner).id
    for _ in range(5):
        Work.objects.update(due_at=timezone.now() - timedelta(seconds=1))
        with monkeypatch.context() as full:
            full.setattr(disk_space, "has_space", lambda: False)
            carry_out()
    assert one(owner, number).is_open
    Work.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    carry_out()
    assert one(owner, number).state == "finished"


def test_a_database_that_is_gone_is_no_fault_of_the_export(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested(owner)

    def gone(*args: Any) -> Any:
        raise OperationalError("gone")

    monkeypatch.setattr(walk, "next_group", gone)
    for _ in range(5):
        Work.objects.update(due_at=timezone.now() - timedelta(seconds=1))
        assert run_one(steps.KIND)
    assert Work.objects.get().state == WorkState.OPEN


@pytest.mark.parametrize(
    ("column", "value", "error"),
    [
        ("request", UNKNOWN_QUERY, "query_not_understood"),
        ("subject", "parquet", "format_not_known"),
    ],
)
def test_what_this_release_does_not_know_ends_it(
    owner: Person, column: str, value: object, error: str
) -> None:
    number = requested(owner).id
    Work.objects.update(**{column: value})
    carry_out()
    assert (one(owner, number).state, one(owner, number).error) == ("failed", error)


def test_a_stop_is_heeded_between_groups(owner: Person) -> None:
    accept(owner)
    requested(owner)
    assert not run_one(steps.KIND, lambda: True)
    asked: list[bool] = []

    def stop() -> bool:
        asked.append(True)
        return len(asked) > 1

    assert run_one(steps.KIND, stop)
    export = Work.objects.get()
    assert (export.state, export.lease_token, export.done) == (WorkState.OPEN, None, 0)


@pytest.mark.both_stacks
def test_a_capture_that_is_deleted_while_it_is_written_is_not_in_the_file(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes, stays = accept(owner, STREAM), accept(owner)
    number = requested(owner).id
    next_group = walk.next_group

    def deleted_after_reading(*args: Any) -> Any:
        group = next_group(*args)
        deletion.delete(owner.principal, goes)
        return group

    monkeypatch.setattr(walk, "next_group", deleted_after_reading)
    carry_out()
    assert list(ExportedCapture.objects.values_list("capture", flat=True)) == [stays]
    assert str(goes).encode() not in file_of(owner, number)


def test_ten_of_a_team_may_be_open(owner: Person, stranger: Person) -> None:
    for _ in range(10):
        requested(owner)
    door = exports.for_principal(owner.principal)
    assert door.request("csv", FilterParams()) == TooManyExports(10)
    assert requested(stranger)
