from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from inspector.web.cache_headers import no_store_by_default
from tests.people import Person


def test_an_answer_that_says_how_it_is_kept_keeps_that() -> None:
    def says(request: HttpRequest) -> HttpResponse:
        return HttpResponse(headers={"Cache-Control": "public, max-age=60"})

    answer = no_store_by_default(says)(RequestFactory().get("/"))
    assert answer["Cache-Control"] == "public, max-age=60"


def test_all_others_are_kept_by_nobody(owner: Person) -> None:
    usage = f"/t/{owner.team.slug}/usage/usage"
    browser = owner.browser()
    pages = [browser.get(path) for path in (f"{usage}.csv", f"{usage}.json", "/", "/nowhere/")]
    assert {page.headers["Cache-Control"] for page in pages} == {"private, no-store"}
    assert owner.get("/api/v1/").headers["Cache-Control"] == "private, no-store"
