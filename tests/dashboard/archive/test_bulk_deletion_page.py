"""The page on which the number of captures is typed before they are deleted."""

import re

import pytest

from inspector.archive.background import bulk_steps
from inspector.archive.models import Capture
from inspector.work.models import Work
from inspector.work.run import run_one
from tests.archive.samples import CUT, accept, inspected
from tests.dashboard.archive.test_bulk_views import words
from tests.people import Person

PAGE = "/t/default/captures/bulk/deletion/"


def form_of(person: Person, query: str = "") -> dict[str, str]:
    html = person.browser().get(PAGE + query).content.decode()
    found = re.search(r'name="received_before" value="([^"]+)"', html)
    assert found is not None
    return {"received_before": found[1]}


def test_the_number_that_the_page_tells_deletes_what_it_was_of(owner: Person) -> None:
    inspected(owner)
    inspected(owner, CUT)
    form = form_of(owner, "?verdict=cut-off")
    later = inspected(owner, CUT)
    answer = owner.browser().post(f"{PAGE}?verdict=cut-off", {**form, "number": " 1 "})
    job = Work.objects.get()
    assert answer["Location"] == f"/t/default/captures/bulk/{job.pk}/"
    under_way = owner.browser().get(answer["Location"])
    assert "Deleting: 0 of 1" in words(under_way)
    assert ">Stop</button>" in under_way.content.decode()
    assert "What is deleted cannot be brought back" in words(under_way)
    assert "can be undone" not in words(under_way)
    while run_one(bulk_steps.KIND):
        pass
    assert f"Deleted 1 capture, {len(CUT)} B" in words(owner.browser().get(answer["Location"]))
    assert sorted(Capture.objects.values_list("state", flat=True)) == [
        *("gone", "inspected", "inspected")
    ]
    assert Capture.objects.get(pk=later).state == "inspected"


@pytest.mark.parametrize("number", ["2", "", "x", "-1", "1e0", "١"])
def test_another_number_deletes_nothing(owner: Person, number: str) -> None:
    accept(owner)
    answer = owner.browser().post(PAGE, {**form_of(owner), "number": number})
    assert answer.status_code == 422 and "Nothing deleted." in words(answer)
    assert not Work.objects.exists()


def test_a_query_with_a_mistake_is_not_offered(owner: Person) -> None:
    accept(owner)
    for answer in (
        owner.browser().get(f"{PAGE}?verdict=no-such"),
        owner.browser().post(f"{PAGE}?verdict=no-such", {"number": "1"}),
    ):
        assert answer.status_code == 422 and "was ignored" in words(answer)
        assert "Delete for good" not in words(answer)


def test_nothing_is_offered_where_nothing_matches(owner: Person) -> None:
    assert "No captures match." in words(owner.browser().get(PAGE))


def test_the_eleventh_job_is_refused_in_words(owner: Person) -> None:
    accept(owner)
    form = form_of(owner)
    for _ in range(10):
        assert owner.browser().post(PAGE, {**form, "number": "1"}).status_code == 302
    answer = owner.browser().post(PAGE, {**form, "number": "1"})
    assert answer.status_code == 409 and "10 changes are under way" in words(answer)


def test_who_may_not_delete_is_not_offered_it(owner: Person, teammate: Person) -> None:
    accept(owner)
    archive = "/t/default/captures/"
    assert PAGE in owner.browser().get(archive).content.decode()
    assert PAGE not in teammate.browser().get(archive).content.decode()
