"""Shares: made by whoever may export, opened by whoever has the link, ended in five ways."""

from __future__ import annotations

from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.db.models import F
from django.utils import timezone

from inspector.archive import deletion, queries
from inspector.sharing import erasure, new_shares, shares
from inspector.sharing.models import Share, ShareDocument, ShareView
from inspector.sharing.new_shares import MAX_LIVE_SHARES, NewShare, NoShare, share_capture
from inspector.sharing.share_status import ShareState
from inspector.sharing.terms import ShareTerms
from inspector.teams.keys import revoke as revoke_key
from inspector.teams.models import ApiKey, AuditEntry, Membership, Role
from tests.archive.samples import CUT, JSON, accept
from tests.people import Person, make_person
from tests.sharing.shared import captured, made, opened, text_of, token_of


def test_a_link_opens_its_document_and_only_its_hash_is_stored(owner: Person) -> None:
    share = made(owner, captured(owner))
    assert "ANSWER-CANARY" in text_of(share)
    row = Share.objects.get()
    assert len(token_of(share)) == 43
    assert token_of(share) not in str(vars(row)) and row.sha256 not in share.path


@pytest.mark.both_stacks
def test_each_opening_is_counted_and_logged_without_the_token(owner: Person) -> None:
    share = made(owner, captured(owner))
    for _ in range(3):
        assert opened(share)
    door = shares.for_principal(owner.principal)
    status = door.one(share.status.id)
    assert status is not None and status.views == 3 and status.last_viewed_at is not None
    assert [view.network for view in door.views(share.status.id)] == ["192.0.2.0"] * 3


def test_the_last_view_is_the_last(owner: Person) -> None:
    share = made(owner, captured(owner), max_views=2)
    assert [bool(opened(share)) for _ in range(4)] == [True, True, False, False]
    status = shares.for_principal(owner.principal).one(share.status.id)
    assert status is not None and (status.views, status.state) == (2, ShareState.USED_UP)
    assert ShareView.objects.count() == 2


@pytest.mark.both_stacks
@pytest.mark.django_db(transaction=True)
def test_of_many_who_take_the_last_view_together_one_gets_it(owner: Person) -> None:
    share, results, start = made(owner, captured(owner), max_views=1), list[bool](), Barrier(6)

    def take() -> None:
        start.wait()
        try:
            results.append(opened(share) is not None)
        finally:
            connection.close()

    threads = [Thread(target=take) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [False] * 5 + [True]
    assert Share.objects.get().views == ShareView.objects.count() == 1


def test_the_database_itself_refuses_a_view_too_many(owner: Person) -> None:
    made(owner, captured(owner), max_views=1)
    with pytest.raises(IntegrityError):
        Share.objects.update(views=F("views") + 2)


def test_an_expired_link_opens_nothing(owner: Person) -> None:
    share = made(owner, captured(owner))
    Share.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert opened(share) is None
    status = shares.for_principal(owner.principal).one(share.status.id)
    assert status is not None and status.state == ShareState.EXPIRED


def test_a_revoked_link_opens_nothing_and_its_document_is_gone_at_once(owner: Person) -> None:
    share = made(owner, captured(owner))
    revoked = shares.for_principal(owner.principal).revoke(share.status.id)
    assert revoked is not None and revoked.state == ShareState.REVOKED
    assert opened(share) is None
    assert not ShareDocument.objects.exists()
    again = shares.for_principal(owner.principal).revoke(share.status.id)
    assert again is not None and again.revoked_at == revoked.revoked_at


@pytest.mark.both_stacks
def test_the_links_of_a_deleted_capture_are_deleted_and_counted_on_the_receipt(
    owner: Person,
) -> None:
    capture_id = captured(owner)
    share, _ = made(owner, capture_id), made(owner, capture_id)
    kept = made(owner, captured(owner))
    receipt = deletion.delete(owner.principal, capture_id)
    assert receipt is not None and receipt.shares == 2
    assert opened(share) is None and opened(kept)
    assert Share.objects.count() == ShareDocument.objects.count() == 1


@pytest.mark.both_stacks
def test_links_that_a_backup_brought_back_go_with_the_ledger_of_deletions(owner: Person) -> None:
    capture_id = captured(owner)
    share = made(owner, capture_id)
    (row,) = queries.for_principal(owner.principal).stored([capture_id]).values()
    again = deletion.delete_again(capture_id, row.sha256, timezone.now(), "user olga")
    assert again is not None and again.shares == 1
    assert opened(share) is None and not ShareDocument.objects.exists()


@pytest.mark.both_stacks
def test_a_link_ends_with_the_rights_of_the_person_who_made_it(
    owner: Person, teammate: Person
) -> None:
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


def test_a_link_of_somebody_who_left_can_be_revoked_for_good(
    owner: Person, teammate: Person
) -> None:
    share = made(teammate, captured(owner))
    member = Membership.objects.get(user=teammate.user)
    member.delete()
    status = shares.for_principal(owner.principal).one(share.status.id)
    assert status is not None and status.is_revocable
    assert shares.for_principal(owner.principal).revoke(share.status.id)
    Membership.objects.create(user=teammate.user, team=owner.team, role=Role.MEMBER)
    assert opened(share) is None


def test_a_capture_that_is_deleted_while_its_document_is_made_is_not_shared(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture_id, render = captured(owner), new_shares.render_document

    def delete_meanwhile(*given: Any) -> Any:
        document = render(*given)
        assert deletion.delete(owner.principal, capture_id)
        return document

    monkeypatch.setattr(new_shares, "render_document", delete_meanwhile)
    assert share_capture(owner.principal, capture_id, ShareTerms()) is None
    assert not Share.objects.exists()


def test_a_link_goes_with_its_maker_and_with_its_team(owner: Person, teammate: Person) -> None:
    share = made(teammate, captured(owner))
    teammate.user.delete()
    assert not Share.objects.exists()
    assert opened(share) is None


def test_a_link_that_a_key_made_ends_with_the_key(owner: Person) -> None:
    found = share_capture(owner.service, captured(owner), ShareTerms())
    assert isinstance(found, NewShare)
    assert opened(found)
    revoke_key(ApiKey.objects.get(team=owner.team, name=f"{owner.user.username}'s service"))
    assert opened(found) is None


def test_the_document_stays_as_it_was_made(owner: Person) -> None:
    capture_id = captured(owner)
    share = made(owner, capture_id)
    before = text_of(share)
    owner.ask("PATCH", f"/api/v1/captures/{capture_id}/", b'{"note":"later"}')
    assert text_of(share) == before


def test_whoever_may_not_export_makes_no_link_and_sees_none(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    viewer = make_person("vera", "default", Role.VIEWER)
    capture_id = captured(owner)
    share = made(teammate, capture_id)
    assert shares.for_principal(owner.principal).one(share.status.id) == share.status
    for person in (viewer, stranger):
        door = shares.for_principal(person.principal)
        assert share_capture(person.principal, capture_id, ShareTerms()) is None
        assert door.one(share.status.id) is None
        assert door.of_capture(capture_id) is None
        assert door.recent() == door.views(share.status.id) == ()
        assert door.revoke(share.status.id) is None
    assert opened(share)


def test_what_is_not_inspected_is_not_shared(owner: Person) -> None:
    capture_id = accept(owner, CUT, JSON)
    found = share_capture(owner.principal, capture_id, ShareTerms())
    assert found == NoShare.NOT_INSPECTED


def test_a_capture_has_so_many_open_links_and_no_more(owner: Person) -> None:
    capture_id = captured(owner)
    first = made(owner, capture_id)
    row, document = Share.objects.get(), ShareDocument.objects.get()
    for number in range(MAX_LIVE_SHARES - 1):
        row.pk, row.sha256 = None, f"{number:064}"
        row.save(force_insert=True)
        ShareDocument.objects.create(share=row, content=document.content, policy="")
    assert share_capture(owner.principal, capture_id, ShareTerms()) == NoShare.TOO_MANY
    shares.for_principal(owner.principal).revoke(first.status.id)
    assert isinstance(share_capture(owner.principal, capture_id, ShareTerms()), NewShare)


def test_making_and_revoking_stand_in_the_audit_log_without_the_token(owner: Person) -> None:
    capture_id = captured(owner)
    share = made(owner, capture_id)
    shares.for_principal(owner.principal).revoke(share.status.id)
    entries = list(AuditEntry.objects.order_by("id").values_list("act", "on"))[-2:]
    on = f"link {share.status.id} to capture {capture_id}"
    assert entries == [("share_made", on), ("share_revoked", on)]


@pytest.mark.both_stacks
def test_documents_go_soon_after_the_end_and_rows_after_ninety_days(owner: Person) -> None:
    capture_id = captured(owner)
    live, used_up, expired = made(owner, capture_id), made(owner, capture_id, 1), None
    expired = made(owner, capture_id)
    assert opened(used_up)
    past = timezone.now() - timedelta(seconds=1)
    Share.objects.filter(pk=expired.status.id).update(expires_at=past)
    while erasure.erase_step():
        pass
    assert [each.share_id for each in ShareDocument.objects.all()] == [live.status.id]
    assert Share.objects.count() == 3
    old = timezone.now() - erasure.ROW_KEPT - timedelta(seconds=1)
    Share.objects.filter(pk=expired.status.id).update(expires_at=old)
    assert erasure.erase_step() and not erasure.erase_step()
    assert Share.objects.count() == 2
    assert opened(live)
