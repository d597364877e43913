"""The forms and the lists of links, and links that lead nowhere, as browsers ask for them."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from inspector.archive import deletion
from inspector.sharing import shares
from inspector.sharing.models import Share
from inspector.sharing.shares import NewShare
from inspector.teams.models import Membership, Role
from tests.people import Person, make_person
from tests.sharing.shared import captured, made

FORM = {"days": "7"}
TEAM_PAGE = "/t/default/shares/"


def posted(person: Person, capture_id: object, **values: str) -> HttpResponse:
    found: HttpResponse = person.browser().post(
        f"/captures/{capture_id}/shares/", {**FORM, **values}
    )
    return found


def link_in(response: HttpResponse) -> str:
    found = re.search(r"http://127\.0\.0\.1:8000(/shared/[\w-]{43}/)", response.content.decode())
    assert found is not None
    return found[1]


def stranger_asks(path: str, method: str = "GET", **headers: str) -> HttpResponse:
    """Without an account, and with no cookie."""
    found: HttpResponse = Client(raise_request_exception=False).generic(
        method, path, headers=headers or None
    )
    return found


def test_the_form_makes_a_link_that_is_shown_once(owner: Person) -> None:
    capture_id = captured(owner)
    page = posted(owner, capture_id, without_prompt="on")
    path = link_in(page)
    shown = stranger_asks(f"{path}captures/{capture_id}/").content.decode()
    assert "ANSWER-CANARY" in shown and "PROMPT-CANARY" not in shown
    again = owner.browser().get(f"/captures/{capture_id}/shares/").content.decode()
    assert path not in again and "views </span>1" in again


def test_a_box_that_is_not_ticked_leaves_nothing_out(owner: Person) -> None:
    capture_id = captured(owner)
    path = link_in(posted(owner, capture_id))
    shown = stranger_asks(f"{path}captures/{capture_id}/").content.decode()
    assert "PROMPT-CANARY" in shown


@pytest.mark.parametrize(
    ("ticked", "words"),
    [
        ({"without_prompt": "on"}, "Shared without the prompt by a link that ends"),
        ({}, "Shared by a link that ends"),
    ],
)
def test_whoever_has_a_link_is_told_its_terms(
    owner: Person, ticked: dict[str, str], words: str
) -> None:
    capture_id = captured(owner)
    path = link_in(posted(owner, capture_id, **ticked))
    Share.objects.update(expires_at=datetime(2099, 12, 6, 15, tzinfo=UTC))
    shown = stranger_asks(f"{path}captures/{capture_id}/").content.decode()
    assert words in shown and "6 Dec 2099, 15:00:00 UTC" in shown
    listing = link_in(owner.browser().post(f"{TEAM_PAGE}new/?q=stream:yes", {**FORM, **ticked}))
    assert words in stranger_asks(listing).content.decode()
    assert "by a link" not in owner.browser().get(f"/captures/{capture_id}/").content.decode()


def test_terms_beyond_the_limits_make_no_link(owner: Person) -> None:
    assert posted(owner, captured(owner), days="8").status_code == 422
    assert not Share.objects.exists()


def test_the_list_of_a_query_is_shared(owner: Person) -> None:
    first = captured(owner)
    page = f"{TEAM_PAGE}new/?q=stream:yes"
    assert "stream:yes" in owner.browser().get(page).content.decode()
    path = link_in(owner.browser().post(page, FORM))
    assert str(first) in stranger_asks(path).content.decode()
    listing = owner.browser().get(TEAM_PAGE).content.decode()
    assert "<code>stream:yes</code>" in listing and "views </span>1" in listing


def test_a_filter_that_is_not_understood_is_not_shared(owner: Person) -> None:
    refused = owner.browser().post(f"{TEAM_PAGE}new/?q=nothing:1", FORM)
    assert refused.status_code == 422 and "not understood" in refused.content.decode()
    assert not Share.objects.exists()


def end_by_nothing(person: Person, share: NewShare) -> str:
    return share.path.replace(share.path[8:28], "A" * 20)


def end_by_expiry(person: Person, share: NewShare) -> str:
    Share.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    return share.path


def end_by_revocation(person: Person, share: NewShare) -> str:
    shares.for_principal(person.principal).revoke(share.status.id)
    return share.path


def end_by_deletion(person: Person, share: NewShare) -> str:
    deletion.delete(person.principal, share.status.capture)
    return share.path


def end_by_demotion(person: Person, share: NewShare) -> str:
    Membership.objects.filter(user=person.user).update(role=Role.VIEWER)
    return share.path


ENDS = (end_by_expiry, end_by_revocation, end_by_deletion, end_by_demotion)


def told(response: HttpResponse) -> tuple[int, dict[str, str], bytes]:
    headers = {name: value for name, value in response.headers.items() if name != "X-Request-ID"}
    return response.status_code, headers, response.content


@pytest.mark.parametrize("end", ENDS)
def test_every_link_that_opens_nothing_gets_the_same_answer_by_one_statement(
    owner: Person, end: Any, django_assert_num_queries: Any
) -> None:
    """Steps are counted, not time: what asks the same statement once takes the same."""
    share = made(owner, captured(owner))
    with django_assert_num_queries(1):
        unknown = told(stranger_asks(end_by_nothing(owner, share)))
    assert unknown[0] == 404 and b"This link leads nowhere" in unknown[2]
    assert unknown[1]["Cache-Control"] == "private, no-store"
    assert unknown[1]["Referrer-Policy"] == "no-referrer"
    path = end(owner, share)
    with django_assert_num_queries(1):
        assert told(stranger_asks(path)) == unknown


def test_lists_show_links_and_revoke_them(owner: Person, teammate: Person) -> None:
    capture_id = captured(owner)
    share = made(owner, capture_id)
    stranger_asks(f"{share.path}captures/{capture_id}/")
    page = teammate.browser().get(TEAM_PAGE).content.decode()
    assert "views </span>1" in page and f"/captures/{capture_id}/" in page and "olga" in page
    revoke = f"{TEAM_PAGE}{share.status.id}/revoke/"
    assert teammate.browser().post(revoke)["Location"] == TEAM_PAGE
    assert "revoked" in owner.browser().get(TEAM_PAGE).content.decode()
    back = owner.browser().post(revoke, {"back": "capture"})["Location"]
    assert back == f"/captures/{capture_id}/shares/"
    assert stranger_asks(share.path).status_code == 404


def test_whoever_only_reads_is_offered_no_link(owner: Person, teammate: Person) -> None:
    viewer = make_person("vera", "default", Role.VIEWER)
    page = f"/captures/{captured(owner)}/"
    assert f"{page}shares/" in teammate.browser().get(page).content.decode()
    assert TEAM_PAGE in teammate.browser().get("/t/default/team/").content.decode()
    assert TEAM_PAGE not in viewer.browser().get("/t/default/team/").content.decode()
    shown = viewer.browser().get(page).content.decode()
    assert f"{page}shares/" not in shown and 'id="share"' not in shown
