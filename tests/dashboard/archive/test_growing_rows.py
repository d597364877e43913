"""Rows of calls that are still recorded."""

import re
from datetime import UTC, datetime
from uuid import UUID

import pytest

from inspector.archive.intake.recording import Recording, append, finish
from inspector.archive.listing.cursor import Cursor
from tests.archive.calls import FIRST, SECOND, begun, call, segment
from tests.markup import evened
from tests.people import Person

ARCHIVE = "/t/default/captures/"

pytestmark = [pytest.mark.django_db]


def test_a_row_grows_without_being_replaced_until_the_end(owner: Person) -> None:
    one = call(owner)
    lease = begun(one)
    append([segment(lease, 0, FIRST)])
    browser = owner.browser()
    shown = browser.get(ARCHIVE).content.decode()
    assert f'<span id="so-far-{one.id}" class="faint">100 B so far</span>' in shown
    assert "result-recording tone-wait in-progress" in shown
    after = re.search(r'name="after" value="([^"]*)"', shown) or re.search(
        r"after=([^&\"]+)", shown
    )
    assert after is not None
    live = f"{ARCHIVE}live/?after={after[1]}&unfinished={one.id}"
    append([segment(lease, 1, SECOND)])
    update = browser.get(live).content.decode()
    assert f'<span id="so-far-{one.id}" class="faint" hx-swap-oob="true">300 B so far' in update
    assert f'<tr id="row-{one.id}"' not in update
    finish([one])
    assert "so-far" not in browser.get(live).content.decode()


def test_a_running_row_tells_what_is_known_of_it(owner: Person, stranger: Person) -> None:
    one = call(owner)
    lease = begun(one)
    browser = owner.browser()
    empty = browser.get(ARCHIVE).content.decode()
    assert 'title="requested">gpt-4o</span>' in empty and "no byte yet" in empty
    assert f'data-since="{one.started_at.isoformat()}"' in empty
    assert '<svg class="shape"' not in row_of(empty, one)
    append([segment(lease, 0, FIRST)])
    assert "still recorded" in row_of(browser.get(ARCHIVE).content.decode(), one)
    assert str(one.id) not in stranger.browser().get("/t/elsewhere/captures/").content.decode()
    assert stranger.browser().get(ARCHIVE).status_code == 404


def row_of(html: str, recording: Recording) -> str:
    found = re.search(rf'<tr id="row-{recording.id}".*?</tr>', html, re.DOTALL)
    assert found is not None
    return found[0]


def test_a_list_is_followed_where_it_begins(owner: Person, teammate: Person) -> None:
    begun(call(owner))
    browser = teammate.browser()
    followed = browser.get(f"{ARCHIVE}?tail=1&state=recording").content.decode()
    assert 'data-tail="follow"' in followed and "dashboard/tail" in followed
    assert '<input type="hidden" name="tail" value="1">' in followed
    assert f'href="{ARCHIVE}?q=state:recording">Stop following' in followed
    plain = browser.get(f"{ARCHIVE}?state=recording").content.decode()
    assert f'href="{ARCHIVE}?tail=1&amp;q=state:recording">Follow new captures' in evened(plain)
    assert "data-tail" not in plain
    assert "this filter was ignored" not in followed


def test_an_older_page_of_a_list_is_not_followed(owner: Person) -> None:
    begun(call(owner))
    before = Cursor(datetime(2100, 1, 1, tzinfo=UTC), UUID(int=0))
    older = owner.browser().get(f"{ARCHIVE}?tail=1&before={before}").content.decode()
    assert "data-tail" not in older and 'id="live"' not in older
