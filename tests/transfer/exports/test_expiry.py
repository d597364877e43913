"""Exports leave the database bit by bit once over, and with a capture of theirs that is deleted."""

from datetime import timedelta

import pytest
from django.utils import timezone

from inspector.archive import deletion
from inspector.transfer.exports import expiry, exports, pieces, steps
from inspector.transfer.exports.expiry import erase_step
from inspector.transfer.exports.pieces import LostPiece, read_pieces
from inspector.transfer.models import ExportedCapture, ExportPiece
from inspector.work.models import Work, WorkState
from inspector.work.run import forget_old
from tests.archive.samples import accept
from tests.people import Person
from tests.stored import everything as stored_bytes
from tests.transfer.exports.carried import carry_out, made, requested

SECRET = b'{"words":"BETWEENUSALONE"}'


def ago(**columns: float) -> dict[str, object]:
    return {name: timezone.now() - timedelta(days=days) for name, days in columns.items()}


def test_a_file_expires_and_goes_in_bounded_steps(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept(owner)
    monkeypatch.setattr(pieces, "PIECE_BYTES", 100)
    monkeypatch.setattr(expiry, "PIECES_AT_ONCE", 3)
    found, _ = made(owner)
    assert not erase_step()
    Work.objects.update(**ago(finished_at=7.001))
    before = ExportPiece.objects.count()
    assert before > 6 and erase_step()
    assert ExportPiece.objects.count() == before - 3
    door = exports.for_principal(owner.principal)
    assert door.file(found.id) is None
    while erase_step():
        pass
    assert not ExportPiece.objects.exists() and not ExportedCapture.objects.exists()
    status = door.one(found.id)
    assert status is not None and status.state == "expired"


def test_its_row_goes_a_month_after(owner: Person) -> None:
    found, _ = made(owner)
    Work.objects.update(**ago(finished_at=29))
    while erase_step():
        pass
    assert Work.objects.count() == 1
    Work.objects.update(**ago(finished_at=31))
    forget_old([steps.KIND])
    assert not Work.objects.exists()
    assert exports.for_principal(owner.principal).one(found.id) is None


def test_nothing_is_taken_while_a_stop_is_asked_for(owner: Person) -> None:
    made(owner)
    Work.objects.update(**ago(finished_at=8))
    assert not erase_step(lambda: True)
    assert Work.objects.get().state == WorkState.FINISHED


@pytest.mark.both_stacks
def test_a_deletion_withdraws_the_exports_that_hold_the_capture(owner: Person) -> None:
    first, second = accept(owner, SECRET), accept(owner)
    both, _ = made(owner)
    still_open = requested(owner)
    ours = exports.for_principal(owner.principal)
    only, _ = made(owner, query=f"q=id:{second}")
    assert only.captures == 1
    receipt = deletion.delete(owner.principal, first)
    # The one that was open was finished by the steps of the third.
    assert receipt is not None and receipt.exports == 2
    for number in (both.id, still_open.id):
        found = ours.one(number)
        assert found is not None and (found.state, found.error) == ("withdrawn", "capture_deleted")
        assert ours.file(number) is None
    assert ours.file(only.id) is not None
    while erase_step():
        pass
    assert b"BETWEENUSALONE" not in stored_bytes()


def test_a_deletion_ends_an_export_that_is_half_written(owner: Person) -> None:
    first = accept(owner, SECRET)
    number = requested(owner).id
    Work.objects.update(state=WorkState.OPEN)
    carry_out()
    Work.objects.update(state=WorkState.OPEN, due_at=timezone.now())
    assert deletion.delete(owner.principal, first)
    carry_out()
    found = exports.for_principal(owner.principal).one(number)
    assert found is not None and found.state == "withdrawn"


def test_a_capture_that_was_never_inspected_withdraws_too(owner: Person) -> None:
    capture_id = accept(owner)
    made(owner)
    receipt = deletion.delete(owner.principal, capture_id)
    assert receipt is not None and receipt.exports == 1


def test_a_download_of_what_was_withdrawn_breaks_off(owner: Person) -> None:
    accept(owner)
    found, file = made(owner)
    sending = read_pieces(found.id, (len(file),), 0, len(file))
    assert exports.for_principal(owner.principal).delete(found.id)
    while erase_step():
        pass
    with pytest.raises(LostPiece):
        next(sending)
