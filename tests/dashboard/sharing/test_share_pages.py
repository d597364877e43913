"""The form, the lists and the shared page, as browsers and strangers ask for them."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from inspector.archive import deletion
from inspector.sharing import opening, shares
from inspector.sharing.models import Share
from inspector.sharing.new_shares import NewShare
from inspector.teams.models import Membership, Role
from inspector.web.token_buckets import TokenBuckets
from tests.archive.samples import CUT, JSON, accept
from tests.people import Person, make_person
from tests.sharing.shared import captured, made

FORM = {"days": "7", "max_views": "25"}
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
    document = stranger_asks(path).content.decode()
    assert "ANSWER-CANARY" in document and "PROMPT-CANARY" not in document
    again = owner.browser().get(f"/captures/{capture_id}/shares/").content.decode()
    assert path not in again and "1 of 25" in again


def test_a_box_that_is_not_ticked_leaves_nothing_out(owner: Person) -> None:
    document = stranger_asks(link_in(posted(owner, captured(owner)))).content.decode()
    assert "PROMPT-CANARY" in document


def test_passages_are_masked_a_line_each(owner: Person) -> None:
    capture_id = captured(owner)
    page = posted(owner, capture_id, passages="\r\n answer-canary \r\nPROMPT-CANARY\r\n")
    document = stranger_asks(link_in(page)).content.decode()
    assert "ANSWER-CANARY" not in document and "PROMPT-CANARY" not in document
    assert "2 passages" in page.content.decode()
    refused = posted(owner, capture_id, passages="ANSWER-CANARI")
    assert refused.status_code == 409 and "stands nowhere" in refused.content.decode()
    assert "ANSWER-CANARI" in refused.content.decode()


@pytest.mark.parametrize(
    "values",
    [
        {"days": "8"},
        {"max_views": "0"},
        {"max_views": "1001"},
        {"max_views": "many"},
        {"passages": "x"},
        {"passages": "x" * 1_001},
        {"passages": "\n".join(f"passage {number}" for number in range(51))},
    ],
)
def test_terms_beyond_the_limits_make_no_link(owner: Person, values: dict[str, str]) -> None:
    assert posted(owner, captured(owner), **values).status_code == 422
    assert not Share.objects.exists()


def test_what_is_not_inspected_is_refused_in_words(owner: Person) -> None:
    page = posted(owner, accept(owner, CUT, JSON))
    assert page.status_code == 409 and "It is not inspected" in page.content.decode()


def test_nothing_is_offered_that_is_not_there_yet(owner: Person) -> None:
    capture_id = accept(owner, CUT, JSON)
    assert 'id="share"' not in owner.browser().get(f"/captures/{capture_id}/").content.decode()
    links = owner.browser().get(f"/captures/{capture_id}/shares/").content.decode()
    assert "/document/" not in links


def test_the_shared_page_is_kept_by_nobody_and_tells_no_other_site(owner: Person) -> None:
    response = stranger_asks(made(owner, captured(owner)).path)
    assert response.status_code == 200
    assert response["Cache-Control"] == "private, no-store"
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["X-Robots-Tag"].startswith("noindex")
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    policy = response["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    assert policy.endswith("frame-ancestors 'none'; sandbox")
    assert "ETag" not in response and not response.cookies


def end_by_nothing(person: Person, share: NewShare) -> str:
    return share.path.replace(share.path[8:28], "A" * 20)


def end_by_expiry(person: Person, share: NewShare) -> str:
    Share.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    return share.path


def end_by_views(person: Person, share: NewShare) -> str:
    for _ in range(share.status.max_views):
        stranger_asks(share.path)
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


ENDS = (end_by_expiry, end_by_views, end_by_revocation, end_by_deletion, end_by_demotion)


def told(response: HttpResponse) -> tuple[int, dict[str, str], bytes]:
    headers = {name: value for name, value in response.headers.items() if name != "X-Request-ID"}
    return response.status_code, headers, response.content


@pytest.mark.parametrize("end", ENDS)
def test_every_link_that_opens_nothing_gets_the_same_answer(owner: Person, end: Any) -> None:
    share = made(owner, captured(owner), max_views=2)
    unknown = told(stranger_asks(end_by_nothing(owner, share)))
    assert unknown[0] == 404 and b"This link leads nowhere" in unknown[2]
    assert unknown[1]["Cache-Control"] == "private, no-store"
    assert unknown[1]["Referrer-Policy"] == "no-referrer"
    assert told(stranger_asks(end(owner, share))) == unknown


def test_who_is_signed_in_gets_what_everybody_gets(owner: Person) -> None:
    share = made(owner, captured(owner))
    assert owner.browser().get(share.path).content == stranger_asks(share.path).content
    gone = "/shared/nothing/"
    assert owner.browser().get(gone).content == stranger_asks(gone).content


def test_asking_for_the_headers_alone_is_no_view(owner: Person) -> None:
    share = made(owner, captured(owner), max_views=1)
    for _ in range(3):
        assert stranger_asks(share.path, "HEAD").status_code == 200
    assert stranger_asks(share.path, "HEAD").content == b""
    assert stranger_asks(share.path).status_code == 200
    assert stranger_asks(share.path, "HEAD").status_code == 404


def test_an_address_opens_links_at_a_rate_whatever_they_open(
    owner: Person, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SHARES_PER_SECOND = 2
    standing = TokenBuckets(opening.BURST_SECONDS, clock=lambda: 0.0)
    monkeypatch.setattr(opening, "_openers", standing)
    share = made(owner, captured(owner))
    assert [stranger_asks("/shared/guess/").status_code for _ in range(60)] == [404] * 60
    for path in ("/shared/guess/", share.path):
        refused = stranger_asks(path)
        assert (refused.status_code, refused["Retry-After"]) == (429, "1")


def test_lists_show_links_and_revoke_them(owner: Person, teammate: Person) -> None:
    capture_id = captured(owner)
    share = made(owner, capture_id)
    stranger_asks(share.path)
    page = teammate.browser().get(TEAM_PAGE).content.decode()
    assert "1 of 25" in page and f"/captures/{capture_id}/" in page and "user olga" in page
    views = teammate.browser().get(f"{TEAM_PAGE}{share.status.id}/views/").content.decode()
    assert "127.0.0.1" in views
    revoke = f"{TEAM_PAGE}{share.status.id}/revoke/"
    assert teammate.browser().post(revoke)["Location"] == TEAM_PAGE
    assert "revoked" in owner.browser().get(TEAM_PAGE).content.decode()
    back = owner.browser().post(revoke, {"back": "capture"})["Location"]
    assert back == f"/captures/{capture_id}/shares/"
    assert stranger_asks(share.path).status_code == 404


def test_whoever_only_reads_is_offered_the_file_and_no_link(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    viewer = make_person("vera", "default", Role.VIEWER)
    capture_id = captured(owner)
    share = made(owner, capture_id)
    page = f"/captures/{capture_id}/"
    assert f"{page}shares/" in teammate.browser().get(page).content.decode()
    assert TEAM_PAGE in teammate.browser().get("/t/default/team/").content.decode()
    assert TEAM_PAGE not in viewer.browser().get("/t/default/team/").content.decode()
    shown = viewer.browser().get(page).content.decode()
    assert f"{page}shares/" not in shown and f"{page}document/" in shown
    for path in (f"{page}shares/", TEAM_PAGE, f"{TEAM_PAGE}{share.status.id}/views/"):
        assert viewer.browser().get(path).status_code == 403
        assert stranger.browser().get(path).status_code == 404
    assert posted(viewer, capture_id).status_code == 403
    assert posted(stranger, capture_id).status_code == 404
    revoke = f"{TEAM_PAGE}{share.status.id}/revoke/"
    assert viewer.browser().post(revoke).status_code == 403
    assert stranger.browser().post(revoke).status_code == 404
    assert stranger_asks(share.path).status_code == 200


def test_a_capture_is_downloaded_as_the_same_document(owner: Person, stranger: Person) -> None:
    capture_id = captured(owner)
    path = f"/captures/{capture_id}/document/"
    response = owner.browser().get(path)
    assert response["Content-Disposition"] == f'attachment; filename="capture-{capture_id}.html"'
    text = response.content.decode()
    assert "PROMPT-CANARY" in text and "ANSWER-CANARY" in text and "Saved capture" in text
    without = owner.browser().get(f"{path}?without=prompt&without=texts").content.decode()
    assert "PROMPT-CANARY" not in without and "ANSWER-CANARY" not in without
    assert stranger.browser().get(path).status_code == 404
    assert owner.browser().get(f"/captures/{accept(owner)}/document/").status_code == 404
