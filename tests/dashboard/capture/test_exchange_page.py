"""The exchange on its page: to its team, without credentials, whatever the headers hold."""

import re
from datetime import UTC, datetime
from html import unescape
from uuid import UUID

import pytest

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange, Headers, Read, Request, TransportOutcome
from tests.archive.samples import WHOLE, accept_arrival, inspect_all
from tests.dashboard.test_hostile import HOSTILE_TEXTS, assert_inert
from tests.markup import words
from tests.people import Person

SECRET = "sk-exchange0123456789abcdefghijklmnop"
STARTED = datetime(2026, 11, 20, 14, 2, 18, 500_000, tzinfo=UTC)
ASKED = Request(
    method="POST",
    url=f"https://api.openai.com/v1/chat/completions?api_key={SECRET}",
    headers=(("Authorization", f"Bearer {SECRET}"), ("User-Agent", "curl/8")),
    body=b'{"model":"gpt-4o","seed":7,"service_tier":"flex"}',
)
HEADERS = (
    ("x-request-id", "req_7"),
    ("set-cookie", f"a={SECRET}"),
    ("x-ratelimit-remaining-requests", "4999"),
    ("x-blank", ""),
)

pytestmark = [pytest.mark.django_db]


def stored(
    person: Person,
    headers: Headers | None = HEADERS,
    request: Request | None = ASKED,
    started_at: datetime | None = STARTED,
    **metadata: object,
) -> UUID:
    exchange = Exchange(
        reads=(Read(None, WHOLE),),
        content_type="application/json",
        status_code=429,
        headers=headers,
        request=request,
        outcome=TransportOutcome.ENDED,
    )
    arrival = Submission(exchange, metadata=metadata, started_at=started_at)
    capture_id = accept_arrival(person, arrival).id
    inspect_all()
    return capture_id


def panel(person: Person, capture_id: UUID) -> str:
    answer = person.browser().get(
        f"/captures/{capture_id}/panels/exchange/", headers={"HX-Request": "true"}
    )
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.both_stacks
def test_the_exchange_opens_to_the_team_and_to_nobody_else(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    capture_id = stored(owner, release="7")
    for person in (owner, teammate):
        html = words(panel(person, capture_id))
        assert "HTTP 429" in html
        assert "requests 4,999 left" in html
        assert "x-request-id req_7 the provider's id of this request" in html
        assert "x-blank empty" in html
        assert "request sent 20 Nov 2026, 14:02:18.5 UTC" in html
        assert "release 7" in html
        assert "seed asked for 7" in html
    path = f"/captures/{capture_id}/panels/exchange/"
    for headers in ({}, {"HX-Request": "true"}):
        assert stranger.browser().get(path, headers=headers).status_code == 404


def test_without_scripts_the_panel_stands_on_the_page(owner: Person) -> None:
    capture_id = stored(owner)
    answer = owner.browser().get(f"/captures/{capture_id}/")
    assert '<section class="panel" id="exchange"' in answer.content.decode()
    led = owner.browser().get(f"/captures/{capture_id}/panels/exchange/")
    assert led.headers["Location"] == f"/captures/{capture_id}/#exchange"


def test_credentials_are_shown_as_removed(owner: Person) -> None:
    html = panel(owner, stored(owner, api_key=SECRET))
    assert SECRET not in html
    said = words(html)
    assert "POST https://api.openai.com/v1/chat/completions?api_key=[removed]" in said
    assert "Authorization [removed]" in said and "set-cookie [removed]" in said
    assert "api_key [removed]" in said and "Removed before this was stored" in said


def test_what_was_not_sent_along_says_how_to_send_it(owner: Person) -> None:
    said = words(panel(owner, stored(owner, headers=None, request=None, started_at=None)))
    for sentence in (
        "No response headers were sent along.",
        "No request was sent along.",
        "How to send the rest along",
        "request not known seed asked for, service_tier asked for",
    ):
        assert sentence in said
    said = words(panel(owner, stored(owner, headers=(), request=Request(headers=()))))
    assert "The list of response headers was sent empty." in said
    assert "The list of request headers was sent empty." in said


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_text_is_inert_in_headers_and_metadata(text: str, owner: Person) -> None:
    text = text.encode("utf-8", "replace").decode()
    headers = ((text, text), ("x-request-id", text), ("x-ratelimit-reset-requests", text))
    asked = Request(method=text, url=text, headers=headers)
    capture_id = stored(owner, headers=headers, request=asked, **{text: {text: [text]}})
    answer = owner.browser().get(f"/captures/{capture_id}/")
    assert_inert(answer.content.decode())


def test_a_header_of_100_kilobytes_costs_the_page_little(owner: Person) -> None:
    plain = len(panel(owner, stored(owner, headers=(("x-long", "a"),))))
    html = panel(owner, stored(owner, headers=(("x-long", "a" * 100_000),)))
    assert len(html) < plain + 12_000
    assert "10,000 more characters" in html and "89,700 more are in the API" in words(html)


@pytest.mark.both_stacks
def test_a_session_leads_to_its_captures(owner: Person) -> None:
    capture_id = stored(owner, session_id='s 1, "two"')
    link = re.search(r'href="(/t/[^"]+\?q=session:[^"]+)"', panel(owner, capture_id))
    assert link is not None
    assert str(capture_id) in owner.browser().get(unescape(link[1])).content.decode()


def test_a_user_that_no_column_holds_is_shown_without_a_link(owner: Person) -> None:
    request = Request(headers=(), body=rb'{"model":"gpt-4o","user":"half \ud800"}')
    capture_id = stored(owner, request=request)
    assert owner.browser().get(f"/captures/{capture_id}/").status_code == 200
    html = panel(owner, capture_id)
    assert "user half [U+D800]" in words(html) and "q=user" not in html
