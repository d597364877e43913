"""The pages of a capture whose body a rule has deleted."""

from uuid import UUID

import pytest

from inspector.archive import body_deletion
from tests.people import Person
from tests.sharing.shared import captured


@pytest.fixture
def capture_id(owner: Person) -> UUID:
    made = captured(owner)
    body_deletion.delete_bodies(owner.team.pk, [made], "retention rule 7")
    return made


def test_page_says_who_deleted_it_and_shows_what_is_left(owner: Person, capture_id: UUID) -> None:
    answer = owner.browser().get(f"/captures/{capture_id}/")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "Body deleted by retention rule 7 on" in page
    assert "CANARY" not in page
    assert page.count("Deleted with the body.") == 8
    assert "/lines/" not in page, "no place leads to bytes that are gone"
    assert "Headers were deleted with the body." in page
    assert "31" in page and "/raw/" not in page and "data-find" not in page


@pytest.mark.parametrize(
    "path",
    ["raw/", "timeline/", "timeline.json", "find/?q=a", "lines/", "around/", "tree/", "request/",
     "trace/", "fixtures/har/",
     "choices/0/content.txt"],
)  # fmt: skip
def test_what_is_read_from_the_body_is_gone(owner: Person, capture_id: UUID, path: str) -> None:
    answer = owner.browser().get(f"/captures/{capture_id}/{path}")
    assert answer.status_code == 410
    assert "What was sent is deleted" in answer.content.decode()


def test_one_panel_of_it_says_so_as_well(owner: Person, capture_id: UUID) -> None:
    headers = {"HX-Request": "true"}
    answer = owner.browser().get(f"/captures/{capture_id}/panels/choices/", headers=headers)
    assert "Deleted with the body." in answer.content.decode()


def test_the_list_says_so(owner: Person, capture_id: UUID) -> None:
    page = owner.browser().get("/t/default/captures/").content.decode()
    assert "body deleted" in page and "CANARY" not in page


def test_it_is_compared_by_what_is_left(owner: Person, capture_id: UUID) -> None:
    other = captured(owner)
    answer = owner.browser().get(f"/captures/compare/?capture={capture_id}&capture={other}")
    assert answer.status_code == 200
