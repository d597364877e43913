"""Deleting by hand: by whoever may, with a tick, and with a receipt."""

from uuid import UUID

import pytest

from inspector.archive.models import Capture, State
from inspector.teams.models import Role
from tests.archive.samples import accept, inspected
from tests.dashboard.test_hostile import HOSTILE, assert_inert
from tests.people import Person, make_person


def delete(person: Person, capture_id: UUID, confirm: str = "yes") -> tuple[int, str]:
    answer = person.browser().post(f"/captures/{capture_id}/delete/", {"confirm": confirm})
    return answer.status_code, answer.content.decode()


def test_a_tick_deletes_and_the_receipt_is_shown(owner: Person) -> None:
    capture_id = inspected(owner)
    before = Capture.objects.get(pk=capture_id)
    assert (
        f"/captures/{capture_id}/delete/"
        in owner.browser().get(f"/captures/{capture_id}/").content.decode()
    )
    status, page = delete(owner, capture_id)
    assert status == 200
    for said in (str(capture_id), before.sha256, f"{before.byte_length:,} bytes", "by olga"):
        assert said in " ".join(page.split())
    assert owner.browser().get(f"/captures/{capture_id}/").status_code == 404
    assert delete(owner, capture_id)[0] == 404


def test_without_a_tick_nothing_is_deleted_and_the_form_says_so(owner: Person) -> None:
    capture_id = inspected(owner)
    status, page = delete(owner, capture_id, confirm="")
    assert status == 422 and "Nothing was deleted" in page
    assert Capture.objects.get(pk=capture_id).state == State.INSPECTED


def test_what_waits_can_be_deleted(owner: Person) -> None:
    assert delete(owner, accept(owner))[0] == 200


@pytest.mark.parametrize("role", [Role.VIEWER, Role.MEMBER])
def test_who_may_not_is_offered_nothing_and_refused(owner: Person, role: Role) -> None:
    other, capture_id = make_person("other", "default", role), inspected(owner)
    assert "/delete/" not in other.browser().get(f"/captures/{capture_id}/").content.decode()
    assert delete(other, capture_id)[0] == 403
    assert Capture.objects.get(pk=capture_id).state == State.INSPECTED


@pytest.mark.thorough
def test_hostile_names_on_the_receipt_are_text(owner: Person) -> None:
    for text in (text for text in HOSTILE if text.isprintable()):
        owner.user.username = text[:100]
        owner.user.save()
        assert_inert(delete(owner, inspected(owner))[1])
