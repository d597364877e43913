from uuid import UUID, uuid4

import pytest
from django.db import transaction

from inspector.archive.annotation import TaggingResult, annotate, lock_capture, tag_all
from inspector.archive.intake.limits import MAX_TAGS
from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture, State, TagRow
from inspector.core.wire.exchange import Exchange
from inspector.teams.access import READ, for_key
from inspector.teams.keys import create_api_key
from inspector.teams.models import Membership, Role
from tests.archive.samples import WHOLE, accept, accept_arrival, tagged
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def test_who_may_hold_a_capture(owner: Person, teammate: Person, stranger: Person) -> None:
    capture_id = accept(owner)
    with transaction.atomic():
        assert (
            lock_capture(owner.principal, capture_id)
            == lock_capture(teammate.service, capture_id)
            is not None
        )
        assert lock_capture(stranger.principal, capture_id) is None
        assert lock_capture(owner.principal, uuid4()) is None


def test_who_only_looks_changes_nothing(owner: Person) -> None:
    capture_id = accept(owner)
    reader = for_key(create_api_key(owner.team, "reader", [READ]))
    assert reader is not None
    Membership.objects.filter(user=owner.user).update(role=Role.VIEWER)
    with transaction.atomic():
        assert lock_capture(reader, capture_id) is lock_capture(owner.principal, capture_id) is None


@pytest.mark.parametrize("state", [State.DELETING, State.GONE])
def test_what_is_deleted_is_held_no_more(owner: Person, state: State) -> None:
    capture_id = accept(owner)
    Capture.objects.filter(pk=capture_id).update(state=state)
    with transaction.atomic():
        assert lock_capture(owner.principal, capture_id) is None


def test_what_is_not_named_stays(owner: Person) -> None:
    arrival = Submission(Exchange.of_body(WHOLE), tags=("a", "b"), note="look")
    capture_id = accept_arrival(owner, arrival).id
    with transaction.atomic():
        capture = lock_capture(owner.principal, capture_id)
        assert capture is not None
        annotate(capture, ["b", "c\0", "b"], None)
    found = Capture.objects.get(pk=capture_id)
    assert (found.tags, found.note, found.byte_length) == (["b", "c\\u0000"], "look", len(WHOLE))
    assert set(TagRow.objects.values_list("tag", flat=True)) == {"b", "c\\u0000"}
    annotate(capture, None, "\ud800")
    assert Capture.objects.get(pk=capture_id).note == "\\ud800"
    annotate(capture, [], "")
    assert (Capture.objects.get(pk=capture_id).tags, TagRow.objects.count()) == ([], 0)


def tags_of(capture_id: UUID) -> list[str]:
    rows = sorted(TagRow.objects.filter(capture=capture_id).values_list("tag", flat=True))
    tags: list[str] = Capture.objects.get(pk=capture_id).tags
    assert rows == sorted(tags), "found by what is shown"
    return tags


def test_a_tag_is_given_to_all_that_lack_it_and_taken_from_all_that_have_it(owner: Person) -> None:
    bare, has = tagged(owner), tagged(owner, "eu", "nightly")
    both = [bare, has]
    assert tag_all(owner.principal, both, "eu", add=True) == TaggingResult((bare,))
    assert (tags_of(bare), tags_of(has)) == (["eu"], ["eu", "nightly"])
    assert set(tag_all(owner.principal, both, "eu", add=False).changed) == set(both)
    assert (tags_of(bare), tags_of(has)) == ([], ["nightly"])
    assert tag_all(owner.principal, both, "eu", add=False) == TaggingResult(())


def test_a_capture_that_has_as_many_tags_as_it_may_keeps_them(owner: Person) -> None:
    full = tagged(owner, *(f"t{number}" for number in range(MAX_TAGS)))
    assert tag_all(owner.principal, [full], "one more", add=True) == TaggingResult((), full=1)
    assert len(tags_of(full)) == MAX_TAGS


def test_a_stranger_tags_nothing_of_others(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    capture_id = tagged(owner)
    assert tag_all(stranger.principal, [capture_id], "seen", add=True) == TaggingResult(())
    assert tags_of(capture_id) == []
    assert tag_all(teammate.principal, [capture_id], "seen", add=True) == TaggingResult(
        (capture_id,)
    )
    Capture.objects.filter(pk=capture_id).update(state=State.GONE)
    assert tag_all(owner.principal, [capture_id], "late", add=True) == TaggingResult(())
