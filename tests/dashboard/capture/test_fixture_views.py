"""Fixtures from a capture's page: the menu and the files."""

import re
from uuid import UUID

import pytest

from tests.archive.calls import begun, call
from tests.archive.samples import SSE, STREAM, accept, inspected
from tests.people import Person

KINDS = ("har", "reads")


def address(capture_id: UUID, kind: str) -> str:
    return f"/captures/{capture_id}/fixtures/{kind}/"


def links_in(html: str, capture_id: UUID) -> list[str]:
    return re.findall(rf'href="/captures/{capture_id}/fixtures/([a-z]+)/"', html)


def test_the_page_offers_every_kind(owner: Person) -> None:
    for capture_id in (inspected(owner, STREAM, SSE), accept(owner)):
        html = owner.browser().get(f"/captures/{capture_id}/").content.decode()
        assert tuple(links_in(html, capture_id)) == KINDS


def test_the_page_of_a_call_that_is_recorded_offers_none(owner: Person) -> None:
    one = call(owner)
    begun(one)
    html = owner.browser().get(f"/captures/{one.id}/").content.decode()
    assert links_in(html, one.id) == []
    assert owner.browser().get(address(one.id, "har")).status_code == 404


@pytest.mark.parametrize("kind", KINDS)
def test_a_link_leads_to_the_file_that_the_interface_gives(owner: Person, kind: str) -> None:
    capture_id = inspected(owner, STREAM, SSE)
    answer = owner.browser().get(address(capture_id, kind))
    given = owner.get(f"/api/v1/captures/{capture_id}/fixture/?kind={kind}")
    assert (answer.status_code, answer.content) == (200, given.body)
    assert answer["Content-Disposition"] == given.headers["Content-Disposition"]
    assert answer["Cache-Control"] == "private, no-store"


def test_a_kind_that_is_none_is_not_found(owner: Person) -> None:
    assert owner.browser().get(address(inspected(owner), "xml")).status_code == 404
