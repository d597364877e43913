"""Deletions after a backup are repeated after its restore, by a ledger kept elsewhere."""

from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from inspector.archive.deletion import delete, delete_again
from inspector.archive.intake.recording import finish
from inspector.archive.models import Capture, State, Tombstone
from inspector.operations.backup import deletions
from inspector.operations.backup.create import create_backup
from inspector.operations.backup.progress import unwatched
from tests.archive.calls import begun, call
from tests.archive.samples import accept, inspected
from tests.operations.backup import places
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


def told(*command: object) -> str:
    out = StringIO()
    call_command(*map(str, command), stdout=out)
    return out.getvalue()


@pytest.mark.thorough
@pytest.mark.both_stacks
def test_a_restore_says_what_it_brought_back_and_deletes_it_again(
    owner: Person, tmp_path: Path
) -> None:
    stays, goes, waits = inspected(owner), inspected(owner), accept(owner, b"x")
    create_backup(tmp_path / "backup.tar", unwatched)
    receipts = [delete(owner.service, capture_id) for capture_id in (goes, waits)]
    ledger = tmp_path / "later.deletions"
    assert told("deletions", ledger) == f"{ledger}: 2 deletions\n"
    assert ledger.stat().st_mode & 0o777 == 0o600

    fresh = places.sqlite(tmp_path / "data")
    file = str(tmp_path / "backup.tar")
    said = fresh.done("restore", file, "--apply-deletions", str(ledger))
    assert ": 2 captures\n" in said
    for receipt in receipts:
        assert receipt is not None
        assert f"{receipt.id}, deleted {receipt.deleted_at:%Y-%m-%d %H:%M:%S} UTC by key" in said

    fresh.done("backup", str(tmp_path / "again.tar"), "--verify")
    rows = places.rows_of(tmp_path / "again.tar")
    assert {row["id"]: row["state"] for row in rows["archive_capture"]} == {
        str(stays): "inspected",
        str(goes): "gone",
        str(waits): "gone",
    }
    assert [row["capture_id"] for row in rows["archive_evidence"]] == [str(stays)]
    assert {row["deleted_by"] for row in rows["archive_tombstone"]} == {
        receipt.deleted_by for receipt in receipts if receipt
    }


def test_what_was_recorded_at_the_backup_and_deleted_after_its_end_is_deleted_again(
    owner: Person,
) -> None:
    one = call(owner)
    begun(one)
    backed_up = Capture.objects.values().get()
    finish([one])
    receipt = delete(owner.service, one.id)
    assert receipt is not None and len(receipt.sha256) == 64
    Tombstone.objects.all().delete()
    Capture.objects.update(**backed_up)
    assert delete_again(one.id, receipt.sha256, receipt.deleted_at, receipt.deleted_by)
    assert Capture.objects.get().state == State.GONE


@pytest.mark.thorough
def test_a_restore_without_a_ledger_says_how_to_apply_one(owner: Person, tmp_path: Path) -> None:
    inspected(owner)
    create_backup(tmp_path / "backup.tar", unwatched)
    said = places.sqlite(tmp_path / "data").done("restore", str(tmp_path / "backup.tar"))
    assert "What was deleted after the backup is back." in said and "--apply" in said


def test_every_backup_has_a_ledger_beside_it(owner: Person, tmp_path: Path) -> None:
    assert delete(owner.service, inspected(owner))
    create_backup(tmp_path / "backup.tar", unwatched)
    ledger = deletions.read_ledger(tmp_path / "backup.tar.deletions")
    assert [each.capture for each in ledger.deletions] == [Capture.objects.get().pk]


def test_what_is_gone_or_other_bytes_is_left_alone(owner: Person, tmp_path: Path) -> None:
    assert delete(owner.service, inspected(owner))
    other = inspected(owner)
    gone = deletions.deletions_in_archive()
    (one,) = gone.deletions
    moved = deletions.Deletion(other, "0" * 64, one.deleted_at - timedelta(days=1), "x")
    assert deletions.apply_deletions(deletions.DeletionLedger(gone.head, (one, moved))) == []
    assert Capture.objects.get(pk=other).state == State.INSPECTED
    assert Tombstone.objects.get().deleted_by == one.deleted_by


@pytest.mark.parametrize(
    ("text", "says", "code"),
    [
        ("", "is no ledger of deletions", 1),
        ("{}", "is no ledger of deletions", 1),
        ("x" * 10_001, "a line has more than 10,000 bytes", 1),
        ('{"written_at":"2026-11-22T00:00:00Z","deletions":2}', "0 deletions where 2", 1),
        (
            '{"written_at":"2026-11-22T00:00:00Z","deletions":0,"format":"x","format_version":9}',
            "that this program knows",
            2,
        ),
        (None, "No such file", 2),
    ],
)
def test_what_is_no_ledger_changes_nothing(
    owner: Person, tmp_path: Path, text: str | None, says: str, code: int
) -> None:
    if text is not None:
        (tmp_path / "ledger").write_text(text)
    with pytest.raises(CommandError) as trouble:
        call_command("deletions", tmp_path / "ledger", "--apply")
    assert says in str(trouble.value) and trouble.value.returncode == code
