"""The page of exports: what it shows, and what its forms do."""

import pytest
from django.http import HttpResponse

from inspector.archive import deletion
from inspector.dashboard.exports.views import export_row
from inspector.formatting.humanize import size
from inspector.teams.models import Role
from inspector.work.models import Work
from tests.archive.samples import CUT, accept, inspect_all
from tests.people import Person, make_person
from tests.transfer.exports.carried import carry_out, made, requested

PAGE = "/t/default/exports/"


def page(person: Person, query: str = "", **headers: str) -> HttpResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    found: HttpResponse = person.browser().get(PAGE + query, headers=named)
    return found


def post(person: Person, path: str, **values: str) -> HttpResponse:
    found: HttpResponse = person.browser().post(PAGE + path, values)
    return found


def test_the_page_offers_the_query_of_the_list_and_its_number(owner: Person) -> None:
    accept(owner)
    accept(owner, CUT)
    inspect_all()
    assert "2 captures of Default" in page(owner).content.decode()
    text = page(owner, "?verdict=cut-off").content.decode()
    assert "1 capture of" in text
    assert "verdict:cut-off" in text


def test_the_form_requests_an_export_of_that_query(owner: Person) -> None:
    accept(owner)
    cut = accept(owner, CUT)
    inspect_all()
    answer = post(owner, "new/?verdict=cut-off", format="jsonl")
    assert (answer.status_code, answer["Location"]) == (302, PAGE)
    assert "Writing: 0 of 1" in page(owner).content.decode()
    carry_out()
    number = Work.objects.get().pk
    text = page(owner).content.decode()
    assert f"{PAGE}{number}/file/" in text and "1 capture" in text
    file = owner.browser().get(f"{PAGE}{number}/file/")
    assert str(cut).encode() in b"".join(file.streaming_content)  # type: ignore[attr-defined]


def test_rows_are_asked_for_again_only_while_one_is_open(owner: Person) -> None:
    requested(owner)
    fragment = page(owner, HX_Request="true").content.decode()
    assert fragment.strip().startswith('<div id="exports" hx-get=') and "<html" not in fragment
    carry_out()
    assert "hx-get" not in page(owner, HX_Request="true").content.decode()


@pytest.mark.parametrize(
    ("path", "form", "status", "words"),
    [
        ("new/?verdict=no-such", "csv", 422, "was not understood"),
        ("new/", "parquet", 422, "Choose a format."),
    ],
)
def test_what_cannot_be_exported_is_said(
    owner: Person, path: str, form: str, status: int, words: str
) -> None:
    answer = post(owner, path, format=form)
    assert answer.status_code == status and words in answer.content.decode()
    assert not Work.objects.exists()


def test_the_eleventh_open_one_is_refused_in_words(owner: Person) -> None:
    for _ in range(10):
        requested(owner)
    answer = post(owner, "new/", format="csv")
    assert answer.status_code == 409 and "10 exports are under way" in answer.content.decode()


def test_a_file_is_deleted_and_an_open_one_is_stopped(owner: Person) -> None:
    found, _ = made(owner)
    still_open = requested(owner)
    for number in (found.id, still_open.id):
        assert post(owner, f"{number}/delete/").status_code == 302
    assert page(owner).content.decode().count("Deleted.") == 2
    assert owner.browser().get(f"{PAGE}{found.id}/file/").status_code == 404


def test_each_end_has_its_words(owner: Person) -> None:
    capture_id = accept(owner)
    found, file = made(owner)
    assert export_row(found).words == f"1 capture, {size(len(file))}"
    deletion.delete(owner.principal, capture_id)
    assert "Withdrawn: a capture in it was deleted or overwritten." in page(owner).content.decode()
    for state, words in (("expired", "Expired."), ("failed", "Failed after 1 capture")):
        Work.objects.update(state=state)
        assert words in page(owner).content.decode()


def test_whoever_only_reads_is_offered_nothing(owner: Person, teammate: Person) -> None:
    viewer = make_person("vera", "default", Role.VIEWER)
    accept(owner)
    archive = "/t/default/captures/"
    offer = f'href="{PAGE}"'
    assert offer in teammate.browser().get(archive).content.decode()
    assert offer not in viewer.browser().get(archive).content.decode()
