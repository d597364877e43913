"""Shares: made by whoever may export, opened by whoever has the link, ended in four ways."""

from datetime import timedelta

import pytest
from django.utils import timezone

from inspector.archive import deletion, queries
from inspector.archive.listing.filter_params import FilterParams
from inspector.sharing import erasure, shares
from inspector.sharing.models import Share
from inspector.sharing.share_status import ShareState
from inspector.sharing.shares import MAX_LIVE_SHARES, NewShare, NoShare, ShareTerms
from inspector.teams.keys import revoke as revoke_key
from inspector.teams.models import ApiKey, AuditEntry, Membership, Role
from tests.archive.samples import CUT, JSON, accept
from tests.people import Person, make_person
from tests.sharing.shared import captured, listed, made, opened, text_of, token_of


def test_a_link_opens_its_capture_and_only_its_hash_is_stored(owner: Person) -> None:
    share = made(owner, captured(owner))
    assert "ANSWER-CANARY" in text_of(share)
    row = Share.objects.get()
    assert len(token_of(share)) == 43
    assert token_of(share) not in str(vars(row)) and row.sha256 not in share.path


def test_an_expired_link_opens_nothing(owner: Person) -> None:
    share = made(owner, captured(owner))
    Share.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert opened(share) is None
    status = shares.for_principal(owner.principal).one(share.status.id)
    assert status is not None and status.state == ShareState.EXPIRED


def test_a_revoked_link_opens_nothing_and_is_revoked_once(owner: Person) -> None:
    share = made(owner, captured(owner))
    revoked = shares.for_principal(owner.principal).revoke(share.status.id)
    assert revoked is not None and revoked.state == ShareState.REVOKED
    assert opened(share) is None
    again = shares.for_principal(owner.principal).revoke(share.status.id)
    assert again is not None and again.revoked_at == revoked.revoked_at


@pytest.mark.both_stacks
def test_the_links_of_a_deleted_capture_are_deleted_and_counted(owner: Person) -> None:
    capture_id = captured(owner)
    share, _ = made(owner, capture_id), made(owner, capture_id)
    kept, of_all = made(owner, captured(owner)), listed(owner)
    receipt = deletion.delete(owner.principal, capture_id)
    assert receipt is not None and receipt.shares == 2
    assert opened(share) is None and opened(kept) and opened(of_all)
    assert str(capture_id) not in text_of(of_all)


@pytest.mark.both_stacks
def test_links_that_a_backup_brought_back_go_with_the_ledger_of_deletions(owner: Person) -> None:
    capture_id = captured(owner)
    share = made(owner, capture_id)
    (row,) = queries.for_principal(owner.principal).stored([capture_id]).values()
    again = deletion.delete_again(capture_id, row.sha256, timezone.now(), "user olga")
    assert again is not None and again.shares == 1
    assert opened(share) is None


@pytest.mark.both_stacks
def test_a_link_ends_with_its_makers_rights(owner: Person, teammate: Person) -> None:
    share = made(teammate, captured(owner))
    member = Membership.objects.get(user=teammate.user)
    assert opened(share)
    member.role = Role.VIEWER
    member.save()
    assert opened(share) is None
    status = shares.for_principal(owner.principal).one(share.status.id)
    assert status is not None and status.state == ShareState.MAKER_GONE
    member.role = Role.MEMBER
    member.save()
    assert opened(share)
    member.delete()
    assert opened(share) is None


def test_a_link_of_somebody_who_left_can_be_revoked(owner: Person, teammate: Person) -> None:
    share = made(teammate, captured(owner))
    member = Membership.objects.get(user=teammate.user)
    member.delete()
    status = shares.for_principal(owner.principal).one(share.status.id)
    assert status is not None and status.is_revocable
    assert shares.for_principal(owner.principal).revoke(share.status.id)
    Membership.objects.create(user=teammate.user, team=owner.team, role=Role.MEMBER)
    assert opened(share) is None


def test_a_link_goes_with_its_maker(owner: Person, teammate: Person) -> None:
    share = made(teammate, captured(owner))
    teammate.user.delete()
    assert not Share.objects.exists()
    assert opened(share) is None


def test_a_link_that_a_key_made_ends_with_the_key(owner: Person) -> None:
    found = shares.for_principal(owner.service).share_capture(captured(owner), ShareTerms())
    assert isinstance(found, NewShare)
    assert opened(found)
    revoke_key(ApiKey.objects.get(team=owner.team, name=f"{owner.user.username}'s service"))
    assert opened(found) is None


def test_who_may_not_export_has_no_links(owner: Person, teammate: Person, stranger: Person) -> None:
    viewer = make_person("vera", "default", Role.VIEWER)
    capture_id = captured(owner)
    share = made(teammate, capture_id)
    assert shares.for_principal(owner.principal).one(share.status.id) == share.status
    for person in (viewer, stranger):
        door = shares.for_principal(person.principal)
        assert door.share_capture(capture_id, ShareTerms()) is NoShare.MISSING
        assert door.one(share.status.id) is None
        assert door.of_capture(capture_id) is None
        assert door.recent() == ()
        assert door.revoke(share.status.id) is None
    assert shares.for_principal(viewer.principal).share_list(FilterParams(), ShareTerms()) is (
        NoShare.MISSING
    )
    assert opened(share)


def test_what_is_not_inspected_is_shared_as_it_is(owner: Person) -> None:
    share = made(owner, accept(owner, CUT, JSON), without_prompt=False)
    assert "Not analysed yet" in text_of(share)


def test_a_capture_has_so_many_open_links_and_no_more(owner: Person) -> None:
    capture_id = captured(owner)
    first = made(owner, capture_id)
    row = Share.objects.get()
    for number in range(MAX_LIVE_SHARES - 1):
        row.pk, row.sha256 = None, f"{number:064}"
        row.save(force_insert=True)
    door = shares.for_principal(owner.principal)
    assert door.share_capture(capture_id, ShareTerms()) == NoShare.TOO_MANY
    assert door.revoke(first.status.id)
    assert isinstance(door.share_capture(capture_id, ShareTerms()), NewShare)


def test_making_and_revoking_stand_in_the_audit_log_without_the_token(owner: Person) -> None:
    capture_id = captured(owner)
    share = made(owner, capture_id)
    shares.for_principal(owner.principal).revoke(share.status.id)
    of_all = listed(owner, "model:gpt-4o")
    entries = list(AuditEntry.objects.order_by("id").values_list("act", "on"))[-3:]
    on = f"link {share.status.id} to capture {capture_id}"
    of_list = ("share_made", f"link {of_all.status.id} to a list")
    assert entries == [("share_made", on), ("share_revoked", on), of_list]


@pytest.mark.both_stacks
def test_a_link_is_listed_for_ninety_days_after_its_last_day(owner: Person) -> None:
    capture_id = captured(owner)
    live, expired = made(owner, capture_id), made(owner, capture_id)
    past = timezone.now() - timedelta(seconds=1)
    Share.objects.filter(pk=expired.status.id).update(expires_at=past)
    assert not erasure.erase_step() and Share.objects.count() == 2
    old = past - erasure.ROW_KEPT
    Share.objects.filter(pk=expired.status.id).update(expires_at=old)
    assert erasure.erase_step() and not erasure.erase_step()
    assert Share.objects.get().pk == live.status.id
