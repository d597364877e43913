"""What pages show where something could not be read for whoever looks."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from django.conf import LazySettings
from django.test import Client

from inspector.archive.readers import readout_cache
from inspector.archive.readers.pool import ReaderPool
from tests.archive.samples import SSE, STREAM, WHOLE, inspected
from tests.people import Person

SENTENCE = b"All readers are busy; ask again. The bytes are stored as received."


@pytest.fixture(autouse=True)
def nothing_is_small(settings: LazySettings) -> None:
    settings.SMALL_READING_BYTES = settings.READER_WAIT_SECONDS = 0
    readout_cache._cache.clear()


def signed_in(person: Person) -> Client:
    client = Client()
    client.force_login(person.user)
    return client


def all_busy(readers: ReaderPool, settings: LazySettings) -> ExitStack:
    at_work = ExitStack()
    for _ in range(settings.READING_PLACES):
        at_work.enter_context(readers.place())
    return at_work


def test_a_capture_is_shown_by_its_stored_reading_and_says_so(
    owner: Person, teammate: Person, stranger: Person, settings: LazySettings, readers: ReaderPool
) -> None:
    path = f"/captures/{inspected(owner, STREAM, SSE)}/"
    with all_busy(readers, settings):
        for person in (owner, teammate):
            page = signed_in(person).get(path)
            assert page.status_code == 200
            assert SENTENCE in page.content
        assert signed_in(stranger).get(path).status_code == 404
    assert SENTENCE not in signed_in(owner).get(path).content


def test_what_has_nothing_else_to_show_says_why(
    owner: Person, stranger: Person, settings: LazySettings, readers: ReaderPool
) -> None:
    path = f"/captures/{inspected(owner, STREAM, SSE)}/timeline/"
    with all_busy(readers, settings):
        refused = signed_in(owner).get(path)
        assert (refused.status_code, refused["Retry-After"]) == (503, "2")
        assert SENTENCE in refused.content
        assert signed_in(stranger).get(path).status_code == 404
    assert signed_in(owner).get(path).status_code == 200


def test_what_is_pasted_is_read_elsewhere_or_told_why_not(
    owner: Person, settings: LazySettings, readers: ReaderPool
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
