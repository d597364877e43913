"""Where the page of a recording capture gets the address to watch it at."""

from uuid import uuid4

import pytest

from inspector.archive.intake.recording import finish
from inspector.archive.watch_token import permit_of
from inspector.teams.session_proof import principal_of
from tests.archive.calls import begun, call
from tests.archive.samples import inspected
from tests.people import Person

pytestmark = [pytest.mark.django_db]
PROXY = "http://127.0.0.1:8001"


@pytest.fixture(autouse=True)
def proxy_origin(settings):
    settings.PROXY_ORIGIN = PROXY


def address(capture_id, team: str = "default") -> str:
    return f"/t/{team}/captures/{capture_id}/live/"


def test_the_team_gets_an_address_of_the_proxy_that_says_who_watches_what(
    owner: Person, teammate: Person
) -> None:
    one = call(owner)
    begun(one)
    for person in (owner, teammate):
        answer = person.browser().get(address(one.id))
        url = answer.json()["url"]
        assert answer.headers["Cache-Control"] == "private, no-store"
        assert url.startswith(f"{PROXY}/live/")
        permit = permit_of(url.removeprefix(f"{PROXY}/live/"))
        assert permit is not None
        assert (permit.capture_id, permit.user_id) == (one.id, person.user.pk)
        assert permit.origin == "http://testserver"
        assert principal_of(permit.user_id, permit.session_proof) == person.principal


def test_strangers_find_nothing(owner: Person, stranger: Person) -> None:
    one = call(owner)
    begun(one)
    browser = stranger.browser()
    assert browser.get(address(one.id)).status_code == 404
    assert browser.get(address(one.id, stranger.team.slug)).status_code == 404
    assert browser.get(address(uuid4(), stranger.team.slug)).status_code == 404


def test_only_what_is_being_recorded_can_be_watched(owner: Person) -> None:
    one = call(owner)
    begun(one)
    finish([one])
    browser = owner.browser()
    assert browser.get(address(one.id)).status_code == 404
    assert browser.get(address(inspected(owner))).status_code == 404


def test_without_a_proxy_there_is_nothing_to_watch(owner: Person, settings) -> None:
    settings.PROXY_ORIGIN = ""
    one = call(owner)
    begun(one)
    assert owner.browser().get(address(one.id)).status_code == 404


def test_the_page_of_a_capture_may_connect_to_the_proxy_and_other_pages_may_not(
    owner: Person,
) -> None:
    one = call(owner)
    begun(one)
    browser = owner.browser()
    of_capture = browser.get(f"/captures/{one.id}/").headers["Content-Security-Policy"]
    of_archive = browser.get("/t/default/captures/").headers["Content-Security-Policy"]
    assert f"connect-src 'self' {PROXY};" in f"{of_capture};"
    assert PROXY not in of_archive


def test_where_nginx_is_in_front_of_both_the_page_needs_no_other_origin(
    owner: Person, settings
) -> None:
    settings.PROXY_ORIGIN = settings.ORIGIN
    one = call(owner)
    begun(one)
    policy = owner.browser().get(f"/captures/{one.id}/").headers["Content-Security-Policy"]
    assert "connect-src 'self';" in f"{policy};"
