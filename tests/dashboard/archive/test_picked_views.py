"""Rows that were picked by hand lead to the pages of the query that names them."""

from typing import Any
from uuid import uuid4

import pytest

from inspector.archive.background import bulk_steps
from inspector.archive.models import Capture
from inspector.dashboard.archive.picked_views import MAX_PICKED
from inspector.transfer.exports import steps
from inspector.transfer.exports.exports import for_principal
from inspector.work.run import run_one
from tests.archive.samples import inspected
from tests.dashboard.archive.test_bulk_deletion_page import words
from tests.people import Person

PICKED = "/t/default/captures/picked/"
SCRIPT = {"HX-Request": "true"}


def pick(person: Person, then: str, *captures: object, **more: Any) -> Any:
    return person.browser().post(PICKED, {"then": then, "capture": captures}, **more)


def test_the_picked_are_deleted_by_their_number_with_receipts(owner: Person) -> None:
    first, second, left = (inspected(owner) for _ in range(3))
    page = pick(owner, "delete", first, second)["Location"]
    shown = owner.browser().get(page)
    assert "Type 2 to delete them" in words(shown)
    wrong = owner.browser().post(page, {"number": "3"})
    assert wrong.status_code == 422
    job = owner.browser().post(page, {"number": "2"})["Location"]
    while run_one(bulk_steps.KIND):
        pass
    assert "Deleted 2 captures" in words(owner.browser().get(job))
    gone = set(Capture.objects.filter(state="gone").values_list("pk", flat=True))
    assert gone == {first, second} and left not in gone


def test_the_picked_are_exported(owner: Person) -> None:
    first, _ = inspected(owner), inspected(owner)
    page = pick(owner, "export", first)["Location"]
    assert "1 capture of" in words(owner.browser().get(page))
    request = page.replace("/exports/?", "/exports/new/?")
    assert owner.browser().post(request, {"format": "jsonl"}).status_code == 302
    while run_one(steps.KIND):
        pass
    (export,) = for_principal(owner.principal).recent()
    assert (export.total, export.done) == (1, 1)


def test_a_script_is_led_by_a_header(owner: Person) -> None:
    capture = inspected(owner)
    answer = pick(owner, "delete", capture, headers=SCRIPT)
    assert answer["HX-Redirect"].startswith("/t/default/captures/bulk/deletion/?q=id")


@pytest.mark.parametrize("then", ["delete", "keep", ""])
def test_nothing_picked_or_nothing_to_be_done_is_said(owner: Person, then: str) -> None:
    captures = () if then == "delete" else (inspected(owner),)
    answer = pick(owner, then, *captures)
    assert answer.status_code == 422 and "No capture was selected." in words(answer)
    told = pick(owner, then, *captures, headers=SCRIPT)
    assert "No capture was selected." in words(told)


def test_so_many_and_no_more_fit(owner: Person) -> None:
    ids = [uuid4() for _ in range(MAX_PICKED + 1)]
    page = pick(owner, "delete", *ids[:MAX_PICKED])["Location"]
    assert "No captures match." in words(owner.browser().get(page))
    answer = pick(owner, "delete", *ids)
    assert answer.status_code == 422 and "Up to 50 captures" in words(answer)


def test_of_a_stranger_nothing_is_found(owner: Person, stranger: Person) -> None:
    capture = inspected(owner)
    page = stranger.browser().post(
        f"/t/{stranger.team.slug}/captures/picked/", {"then": "delete", "capture": capture}
    )["Location"]
    assert "No captures match." in words(stranger.browser().get(page))
    assert pick(stranger, "delete", capture).status_code == 404
