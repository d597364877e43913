"""All captures of a query changed from the list: counted, requested, followed, undone."""

import re
from typing import Any

import pytest

from inspector.archive.background import bulk_jobs
from inspector.archive.models import Capture
from inspector.archive.queries import Captures
from inspector.teams.models import Membership, Role
from inspector.work.models import Work
from tests import markup
from tests.archive.carrying_out import carry_out
from tests.archive.samples import CUT, accept, inspected
from tests.markup import evened
from tests.people import Person

TAG = "/t/default/captures/tag/"
BULK = "/t/default/captures/bulk/"
SCRIPT = {"HX-Request": "true"}


def words(answer: Any) -> str:
    return markup.words(answer.content.decode())


def request_all(person: Person, query: str = "", **form: str) -> Any:
    sent = {"every": "yes", "tag": "seen", "act": "add", **form}
    return person.browser().post(f"{TAG}{query}", sent, headers=SCRIPT)


def test_all_of_a_query_is_counted_with_the_moment_of_counting(owner: Person) -> None:
    inspected(owner)
    inspected(owner, CUT)
    html = owner.browser().get(f"{BULK}count/?verdict=complete", headers=SCRIPT).content.decode()
    assert "all 1 of this query" in evened(html) and 'data-number="1"' in html
    bound = re.search(r'name="received_before" value="([^"]+)"', html)
    assert bound
    later = inspected(owner)
    request_all(owner, "?verdict=complete", received_before=bound[1])
    carry_out()
    assert Capture.objects.get(pk=later).tags == []
    assert Capture.objects.filter(tags=["seen"]).count() == 1


def test_too_many_to_count_in_time_are_offered_without_a_number(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept(owner)
    monkeypatch.setattr(Captures, "count", lambda captures, filters: None)
    html = owner.browser().get(f"{BULK}count/", headers=SCRIPT).content.decode()
    assert "all of this query" in evened(html) and 'data-number="all"' in html
    assert "0 so far" in words(request_all(owner))


def test_a_query_with_a_mistake_offers_and_changes_nothing(owner: Person) -> None:
    accept(owner)
    assert not words(owner.browser().get(f"{BULK}count/?verdict=nothing")).strip()
    assert "A filter of this list was ignored" in words(request_all(owner, "?verdict=nothing"))
    assert not Work.objects.exists()


def test_a_change_is_requested_followed_and_undone(owner: Person, teammate: Person) -> None:
    capture_id = accept(owner)
    html = request_all(owner).content.decode()
    assert 'id="bulk" hx-swap-oob' in html and "Stop and undo" in html
    job = Work.objects.get()
    waiting = teammate.browser().get(f"{BULK}{job.pk}/", headers=SCRIPT)
    assert "Adding seen : 0 of 1" in words(waiting) and b"hx-trigger" in waiting.content
    carry_out()
    done = teammate.browser().get(f"{BULK}{job.pk}/", headers=SCRIPT)
    assert "seen added to 1 capture." in words(done)
    assert b'hx-target="#rows"' in done.content and b"load delay" not in done.content
    undoing = teammate.browser().post(f"{BULK}{job.pk}/undo/", headers=SCRIPT)
    assert "Removing seen : 0 of 1" in words(undoing)
    carry_out()
    assert Capture.objects.get(pk=capture_id).tags == []
    listed = words(teammate.browser().get(BULK))
    assert "seen removed from 1 capture." in listed and "undone" in listed


def test_the_page_of_changes_asks_again_while_one_is_under_way(owner: Person) -> None:
    accept(owner)
    request_all(owner)
    assert b'hx-select="#changes"' in owner.browser().get(BULK).content
    carry_out()
    assert b"hx-select" not in owner.browser().get(BULK).content


def test_without_scripts_it_has_a_page(owner: Person) -> None:
    accept(owner)
    browser = owner.browser()
    answer = browser.post(TAG, {"every": "yes", "tag": "seen", "act": "remove"})
    job = Work.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"{BULK}{job.pk}/")
    assert "Removing seen : 0 of 1" in words(browser.get(answer["Location"]))
    answer = browser.post(f"{BULK}{job.pk}/undo/")
    assert "undoes an earlier change" in words(browser.get(answer["Location"]))


def test_a_list_that_is_opened_again_shows_the_change_that_its_reader_waits_for(
    owner: Person, teammate: Person
) -> None:
    accept(owner)
    request_all(owner)
    assert "Adding seen" in words(owner.browser().get("/t/default/captures/"))
    assert "Adding seen" not in words(teammate.browser().get("/t/default/captures/"))
    carry_out()
    assert "Adding seen" not in words(owner.browser().get("/t/default/captures/"))


def test_what_is_refused_says_why(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    accept(owner)
    assert "A tag cannot be empty." in words(request_all(owner, tag=" "))
    monkeypatch.setattr(bulk_jobs, "MAX_OPEN_BULK_JOBS", 0)
    assert "are under way: try again" in words(request_all(owner))
    plain = owner.browser().post(TAG, {"every": "yes", "tag": "seen"})
    assert plain.status_code == 409 and "Not changed." in words(plain)


def test_a_viewer_is_not_offered_to_undo(owner: Person, teammate: Person) -> None:
    accept(owner)
    request_all(owner)
    assert b"/undo/" in teammate.browser().get(BULK).content
    Membership.objects.filter(user=teammate.user).update(role=Role.VIEWER)
    assert b"/undo/" not in teammate.browser().get(BULK).content
