from uuid import uuid4

import pytest
from django.db import transaction

from inspector.archive.annotation import annotate, hold
from inspector.archive.intake import Arrival
from inspector.archive.models import Capture, State, TagRow
from inspector.core.exchange import Exchange
from inspector.teams.access import READ, for_key
from inspector.teams.keys import create_api_key
from inspector.teams.models import Membership, Role
from tests.archive.samples import WHOLE, accept, accept_arrival
from tests.people import Person


def test_who_may_hold_a_capture(owner: Person, teammate: Person, stranger: Person) -> None:
    id = accept(owner)
    with transaction.atomic():
        assert hold(owner.principal, id) == hold(teammate.service, id) is not None
        assert hold(stranger.principal, id) is None
        assert hold(owner.principal, uuid4()) is None


def test_who_only_looks_changes_nothing(owner: Person) -> None:
    id = accept(owner)
    reader = for_key(create_api_key(owner.team, "reader", [READ]))
    assert reader is not None
    Membership.objects.filter(user=owner.user).update(role=Role.VIEWER)
    with transaction.atomic():
        assert hold(reader, id) is hold(owner.principal, id) is None


@pytest.mark.parametrize("state", [State.DELETING, State.GONE])
def test_what_is_deleted_is_held_no_more(owner: Person, state: State) -> None:
    id = accept(owner)
    Capture.objects.filter(pk=id).update(state=state)
    with transaction.atomic():
        assert hold(owner.principal, id) is None


def test_what_is_not_named_stays(owner: Person) -> None:
    arrival = Arrival(Exchange.of_body(WHOLE), tags=("a", "b"), note="look")
    id = accept_arrival(owner, arrival).id
    with transaction.atomic():
        capture = hold(owner.principal, id)
        assert capture is not None
        annotate(capture, ["b", "c\0", "b"], None)
    found = Capture.objects.get(pk=id)
    assert (found.tags, found.note, found.byte_length) == (["b", "c\\u0000"], "look", len(WHOLE))
    assert set(TagRow.objects.values_list("tag", flat=True)) == {"b", "c\\u0000"}
    annotate(capture, None, "\ud800")
    assert Capture.objects.get(pk=id).note == "\\ud800"
    annotate(capture, [], "")
    assert (Capture.objects.get(pk=id).tags, TagRow.objects.count()) == ([], 0)
