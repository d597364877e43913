"""The page that shares a list or a comparison."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from django.test import Client

from inspector.teams.models import Membership, Role
from tests.archive.samples import CUT, accept, inspected
from tests.people import Person
from tests.sharing.shared import captured

PAGE = "/t/default/shares/new/"
FORM = {"days": "7", "max_views": "25"}


def link_of(answer: Any) -> str:
    found = re.search(r'id="new-link"[^>]*>([^<]+)<', answer.content.decode())
    assert found is not None
    return urlsplit(found[1]).path


def test_the_list_of_a_query_is_frozen(owner: Person) -> None:
    captured(owner)
    inspected(owner, CUT)
    page = owner.browser().get(f"{PAGE}?verdict=complete")
    assert "1 capture of" in page.content.decode()
    answer = owner.browser().post(f"{PAGE}?verdict=complete", FORM)
    captured(owner)
    text = Client().get(link_of(answer)).content.decode()
    assert text.count("<article") == 1 and "ANSWER-CANARY" in text
    links = owner.browser().get("/t/default/shares/").content.decode()
    assert re.search(r"<td>1 capture</td>", links)


def test_the_compared_are_shared_from_their_page(owner: Person) -> None:
    first, second = captured(owner), inspected(owner)
    query = f"?id={first}&amp;id={second}"
    compare = owner.browser().get(f"/captures/compare/?id={first}&id={second}").content.decode()
    assert f"{PAGE}{query}" in compare
    page = owner.browser().get(f"{PAGE}?id={first}&id={second}").content.decode()
    assert f"/captures/compare/{query}" in page
    answer = owner.browser().post(f"{PAGE}?id={first}&id={second}", FORM)
    assert Client().get(link_of(answer)).content.decode().count("<article") == 2


def test_whoever_may_not_export_is_offered_nothing(owner: Person, teammate: Person) -> None:
    first, second = captured(owner), inspected(owner)
    Membership.objects.filter(user=teammate.user).update(role=Role.VIEWER)
    compare = teammate.browser().get(f"/captures/compare/?id={first}&id={second}")
    assert PAGE not in compare.content.decode()
    assert teammate.browser().get(PAGE).status_code == 403


def test_what_cannot_be_shared_is_said(owner: Person) -> None:
    read = captured(owner)
    unread = accept(owner)
    for query, form, status, words in (
        ("?verdict=nothing", FORM, 422, "was not understood"),
        (f"?id={unread}", FORM, 409, "Two to four captures are compared"),
        (f"?id={unread}&id={read}", FORM, 409, "has none"),
        ("?verdict=complete", {**FORM, "days": "8"}, 422, "Select a valid choice"),
        ("?verdict=cut-off", FORM, 409, "Two to four captures are compared"),
    ):
        answer = owner.browser().post(PAGE + query, form)
        assert (answer.status_code, words in answer.content.decode()) == (status, True)


def test_captures_of_a_stranger_are_none(owner: Person, stranger: Person) -> None:
    query = f"?id={captured(owner)}&id={captured(stranger)}"
    assert owner.browser().post(PAGE + query, FORM).status_code == 404
