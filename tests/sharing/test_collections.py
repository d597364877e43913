"""Links to several captures: lists and comparisons, of which a capture that is deleted is gone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from inspector.archive import body_deletion, deletion
from inspector.sharing import erasure, shares
from inspector.sharing.document.withheld import Withheld
from inspector.sharing.models import Share, ShareDocument, ShareMember
from inspector.sharing.new_collections import MAX_CAPTURES, share_comparison, share_list
from inspector.sharing.new_shares import NewShare, NoShare
from inspector.sharing.share_status import ShareState
from inspector.sharing.terms import ShareTerms
from inspector.teams.models import Membership, Role
from tests.archive.samples import CUT, WHOLE, accept, inspected
from tests.people import Person
from tests.sharing.shared import captured, opened, text_of

SECOND = WHOLE.replace(b"Hello", b"SECOND-CANARY")


def terms(withheld: Withheld | None = None, max_views: int = 25) -> ShareTerms:
    return ShareTerms(timedelta(days=7), max_views, withheld or Withheld())


def listed(person: Person, *ids: UUID, **more: Any) -> NewShare:
    made = share_list(person.principal, ids, terms(**more))
    assert isinstance(made, NewShare)
    return made


def compared(person: Person, *ids: UUID, **more: Any) -> NewShare:
    made = share_comparison(person.principal, ids, terms(**more))
    assert isinstance(made, NewShare)
    return made


@pytest.mark.both_stacks
def test_a_list_shows_each_capture_in_a_row_and_what_it_says(owner: Person) -> None:
    share = listed(owner, captured(owner), inspected(owner, SECOND))
    text = text_of(share)
    assert "ANSWER-CANARY" in text and "SECOND-CANARY" in text
    assert text.count("<article") == 2 and text.count("<tr>") >= 2
    assert 'href="#c1-capture"' in text and 'id="c1-capture"' in text
    assert text.count('id="c2-answer"') == 1
    assert "<!-- rows" not in text and "<script" not in text
    assert (share.status.layout, share.status.capture, share.status.captures) == ("list", None, 2)


def test_neighbours_of_the_list_are_not_in_it(owner: Person) -> None:
    first, second = captured(owner), inspected(owner, SECOND)
    text = text_of(listed(owner, first))
    assert str(second) not in text and "SECOND-CANARY" not in text


def test_a_comparison_marks_what_differs(owner: Person) -> None:
    text = text_of(compared(owner, captured(owner), inspected(owner, SECOND)))
    assert 'class="several compared"' in text and 'class="differs"' in text
    same = text_of(compared(owner, inspected(owner), inspected(owner)))
    assert 'class="differs"' not in same


@pytest.mark.both_stacks
def test_a_deleted_member_is_gone_and_the_others_stay(owner: Person) -> None:
    goes, stays = captured(owner), inspected(owner, SECOND)
    for share in (listed(owner, goes, stays), compared(owner, goes, stays)):
        assert "ANSWER-CANARY" in text_of(share)
    receipt = deletion.delete(owner.principal, goes)
    assert receipt is not None and receipt.shares == 2
    for number in Share.objects.values_list("pk", flat=True):
        assert shares.for_principal(owner.principal).one(number) is not None
    assert Share.objects.count() == 2 and ShareMember.objects.count() == 2
    for share in (listed(owner, stays),):
        assert str(goes) not in text_of(share)


def test_nothing_of_a_deleted_member_is_left_in_the_document(owner: Person) -> None:
    goes, stays = captured(owner), inspected(owner, SECOND)
    share = compared(owner, goes, stays)
    deletion.delete(owner.principal, goes)
    text = text_of(share)
    assert str(goes) not in text and "CANARY" not in text.replace("SECOND-CANARY", "")
    assert "SECOND-CANARY" in text and text.count("<article") == 1


def test_with_its_last_member_a_link_is_gone(owner: Person) -> None:
    first, second = captured(owner), inspected(owner)
    share = listed(owner, first, second)
    deletion.delete(owner.principal, first)
    assert opened(share)
    deletion.delete(owner.principal, second)
    assert opened(share) is None
    assert not Share.objects.exists() and not ShareDocument.objects.exists()


def test_a_member_whose_body_is_deleted_is_gone_from_it(owner: Person) -> None:
    goes, stays = captured(owner), inspected(owner, SECOND)
    share = listed(owner, goes, stays)
    body_deletion.delete_bodies(owner.team.pk, [goes], "retention rule 1")
    assert "ANSWER-CANARY" not in text_of(share) and "SECOND-CANARY" in text_of(share)
    again = listed(owner, goes, stays)
    assert again.status.captures == 1 and "1 capture without a reading" in text_of(again)


def test_what_is_withheld_is_withheld_of_each(owner: Person) -> None:
    ids = captured(owner), inspected(owner, SECOND)
    bare = text_of(listed(owner, *ids, withheld=Withheld(prompt=True, texts=True)))
    assert "CANARY" not in bare
    masked = text_of(listed(owner, *ids, withheld=Withheld(passages=("SECOND-CANARY",))))
    assert "SECOND-CANARY" not in masked and "ANSWER-CANARY" in masked
    nowhere = share_list(owner.principal, ids, terms(Withheld(passages=("NOWHERE",))))
    assert nowhere is NoShare.PASSAGE_NOT_FOUND


def test_views_are_capped_and_it_expires_and_is_revoked(owner: Person) -> None:
    capped = listed(owner, captured(owner), max_views=1)
    assert [bool(opened(capped)) for _ in range(2)] == [True, False]
    revoked = listed(owner, captured(owner))
    assert shares.for_principal(owner.principal).revoke(revoked.status.id)
    assert opened(revoked) is None
    expired = listed(owner, captured(owner))
    Share.objects.filter(pk=expired.status.id).update(
        expires_at=timezone.now() - timedelta(seconds=1)
    )
    assert opened(expired) is None
    while erasure.erase_step():
        pass
    assert not ShareDocument.objects.exists() and not ShareMember.objects.exists()


def test_it_ends_with_the_rights_of_its_maker(owner: Person, teammate: Person) -> None:
    share = listed(teammate, captured(owner))
    Membership.objects.filter(user=teammate.user).update(role=Role.VIEWER)
    assert opened(share) is None
    status = shares.for_principal(owner.principal).one(share.status.id)
    assert status is not None and status.state == ShareState.MAKER_GONE


def test_what_is_not_read_is_left_out_of_a_list_and_not_compared(owner: Person) -> None:
    read, unread = captured(owner), accept(owner, CUT)
    assert listed(owner, read, unread).status.captures == 1
    assert share_comparison(owner.principal, (read, unread), terms()) is NoShare.NOT_INSPECTED
    assert share_list(owner.principal, (unread,), terms()) is NoShare.NOT_INSPECTED


def test_so_many_and_no_more(owner: Person) -> None:
    one = captured(owner)
    for number in (1, 5):
        ids = [one, *(uuid4() for _ in range(number - 1))]
        assert share_comparison(owner.principal, ids, terms()) is NoShare.OTHER_NUMBER
    many = [uuid4() for _ in range(MAX_CAPTURES + 1)]
    assert share_list(owner.principal, many, terms()) is NoShare.OTHER_NUMBER
    assert share_list(owner.principal, (), terms()) is NoShare.OTHER_NUMBER


def test_of_captures_of_a_stranger_none_is_shared(owner: Person, stranger: Person) -> None:
    ours, theirs = captured(owner), captured(stranger)
    assert share_list(owner.principal, (ours, theirs), terms()) is None
    assert share_comparison(owner.principal, (ours, theirs), terms()) is None
    share = listed(owner, ours)
    foreign = shares.for_principal(stranger.principal)
    assert foreign.one(share.status.id) is None and foreign.revoke(share.status.id) is None


def test_a_capture_tells_the_links_that_hold_it(owner: Person) -> None:
    capture_id = captured(owner)
    share = listed(owner, capture_id, inspected(owner))
    assert shares.for_principal(owner.principal).of_capture(capture_id) == (share.status,)
