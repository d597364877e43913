"""Receipts that are kept of deleted captures, page by page."""

from uuid import UUID

import pytest
from django.db import transaction

from inspector.archive import receipts
from inspector.archive.deletion import delete_again, delete_all
from inspector.archive.listing.cursor import BadCursor
from inspector.archive.models import Capture, Tombstone
from inspector.archive.receipts import ReceiptFilters, ReceiptPage, parse_sha256
from inspector.teams.access import NOBODY
from tests.archive.samples import accept
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def deleted_together(person: Person, number: int) -> set[UUID]:
    ids = {accept(person) for _ in range(number)}
    with transaction.atomic():
        delete_all(person.team.pk, ids, "a job")
    return ids


def page(person: Person, before: str | None = None, after: str | None = None) -> ReceiptPage:
    return receipts.for_principal(person.principal).page(before, after, limit=2)


def ids(found: ReceiptPage) -> list[UUID]:
    return [each.id for each in found.receipts]


def test_captures_that_were_deleted_together_are_each_listed_once(owner: Person) -> None:
    gone = deleted_together(owner, 5)
    assert len(set(Tombstone.objects.values_list("deleted_at", flat=True))) == 1
    first = page(owner)
    second = page(owner, before=first.older)
    last = page(owner, before=second.older)
    listed = [*ids(first), *ids(second), *ids(last)]
    assert listed == sorted(gone, reverse=True)
    assert (first.newer, last.older) == (None, None)
    assert ids(page(owner, after=last.newer)) == ids(second)
    assert ids(page(owner, after=second.newer)) == ids(first)
    assert page(owner, after=second.newer).newer is None


def test_a_deletion_that_is_repeated_keeps_its_place(owner: Person) -> None:
    ((first, digest),) = Capture.objects.filter(pk=accept(owner)).values_list("pk", "sha256")
    deleted_together(owner, 1)
    at = Tombstone.objects.get().deleted_at.replace(year=2025)
    assert delete_again(first, digest, at, "user olga")
    found = page(owner)
    assert (found.receipts[-1].id, found.receipts[-1].deleted_at) == (first, at)
    assert found.receipts[-1].deleted_by == "user olga"


def test_a_receipt_of_another_team_is_missing(owner: Person, stranger: Person) -> None:
    (capture_id,) = deleted_together(owner, 1)
    sha256 = Capture.objects.get(pk=capture_id).sha256
    for door in (receipts.for_principal(stranger.principal), receipts.for_principal(NOBODY)):
        assert door.page() == ReceiptPage((), None, None)
        for filters in (ReceiptFilters(id=capture_id), ReceiptFilters(sha256=sha256)):
            assert door.page(filters=filters).receipts == ()
    theirs = receipts.for_principal(owner.principal)
    assert ids(theirs.page(filters=ReceiptFilters(sha256=sha256))) == [capture_id]


def test_what_is_no_cursor_is_refused(owner: Person) -> None:
    for text in ("", "x", "1-2"):
        with pytest.raises(BadCursor):
            page(owner, before=text)
        with pytest.raises(BadCursor):
            page(owner, after=text)


def test_a_hash_is_told_from_other_texts() -> None:
    assert parse_sha256("AB" * 32) == "ab" * 32
    for text in ("", "ab" * 31, "ab" * 33, "zz" * 32, "ab" * 32 + "\n", "\u0661" * 64):
        assert parse_sha256(text) is None
