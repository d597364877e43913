"""Pages where something could not be read for whoever looks."""

from contextlib import ExitStack
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from inspector.archive.inspection import reinspection
from inspector.archive.models import Inspection
from inspector.archive.readers.child import WebReader
from inspector.work.models import Work
from tests.archive.loaded import damage
from tests.archive.older import read_everything_again, the_job
from tests.archive.samples import SSE, STREAM, WHOLE, inspected
from tests.people import Person

SENTENCE = (
    b"What was read of this cannot be loaded; it is being read again."
    b" The bytes are stored as received."
)


@pytest.fixture(autouse=True)
def nothing_is_small(settings: LazySettings) -> None:
    settings.SMALL_READING_BYTES = settings.READER_WAIT_SECONDS = 0


def signed_in(person: Person) -> Client:
    client = Client()
    client.force_login(person.user)
    return client


def all_busy(readers: WebReader, settings: LazySettings) -> ExitStack:
    at_work = ExitStack()
    for _ in range(settings.READING_PLACES):
        at_work.enter_context(readers.place())
    return at_work


def test_a_stored_capture_is_shown_although_all_readers_are_busy(
    owner: Person, settings: LazySettings, readers: WebReader
) -> None:
    path = f"/captures/{inspected(owner, STREAM, SSE)}/"
    with all_busy(readers, settings):
        assert b"Hello" in signed_in(owner).get(path).content
        assert signed_in(owner).get(f"{path}timeline.json").status_code == 200


def test_a_readout_that_cannot_be_loaded_is_read_again_and_the_page_says_so(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    capture_id = inspected(owner, STREAM, SSE)
    path = f"/captures/{capture_id}/"
    damage(capture_id)
    for person in (owner, teammate):
        page = signed_in(person).get(path)
        assert page.status_code == 200
        assert SENTENCE in page.content
        assert b"data: [DONE]" in page.content
        refused = signed_in(person).get(f"{path}timeline.json")
        assert (refused.status_code, refused["Retry-After"]) == (503, "2")
        assert person.get(f"/api/v1{path}").json["analysis"] is None
        for part in ("completion", "findings"):
            answer = person.get(f"/api/v1{path}{part}/")
            assert (answer.status, answer.code) == (503, "being_read_again"), part
    assert signed_in(stranger).get(path).status_code == 404
    read_everything_again()
    page = signed_in(owner).get(path)
    assert SENTENCE not in page.content and b"Hello" in page.content
    assert owner.get(f"/api/v1{path}completion/").status == 200


def test_what_can_be_neither_loaded_nor_read_again_is_not_tried_for_ever(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture_id = inspected(owner)
    damage(capture_id)
    monkeypatch.setattr(reinspection, "readout", None)
    for _ in range(4):
        signed_in(owner).get(f"/captures/{capture_id}/")
        read_everything_again()
        Work.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    signed_in(owner).get(f"/captures/{capture_id}/")
    assert not Inspection.objects.filter(tried_version=0).exists()
    assert the_job().failed == 1


def test_what_is_pasted_is_read_elsewhere_or_told_why_not(
    owner: Person, settings: LazySettings, readers: WebReader
) -> None:
    form = {"text": WHOLE.decode()}
    with all_busy(readers, settings):
        refused = signed_in(owner).post("/paste/", form)
    assert refused.status_code == 503
    assert b"All readers are busy; ask again." in refused.content
    shown = signed_in(owner).post("/paste/", form)
    assert (shown.status_code, len(readers.pids())) == (200, 1)
    assert b"Hello" in shown.content


def test_who_belongs_to_no_team_finds_no_page_to_paste_into(owner: Person) -> None:
    client = signed_in(owner)
    assert client.get("/paste/").status_code == 200
    owner.user.memberships.all().delete()
    assert client.get("/paste/").status_code == 404
    assert client.post("/paste/", {"text": "{}"}).status_code == 404
