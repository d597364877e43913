import pytest
from django.db import OperationalError

from inspector.archive.intake import submission
from inspector.archive.models import Capture
from inspector.archive.storage import disk_space
from tests.archive.disks import disk
from tests.archive.samples import WHOLE
from tests.people import Answer, Person, ask

CAPTURES = "/api/v1/captures/"


def assert_one_shape(answer: Answer) -> None:
    assert answer.headers["Content-Type"] == "application/json"
    assert set(answer.json) == {"error"}
    assert set(answer.json["error"]) == {"code", "message", "request_id"}
    assert answer.json["error"]["request_id"] == answer.headers["X-Request-ID"]


@pytest.mark.parametrize(
    "path",
    ["/api", "/api/", "/api/v1", "/api/v2/", "/api/v1/nothing/", "/api/v1/captures", "/api/../x"],
)
def test_below_api_nothing_is_missing_in_html(owner: Person, path: str) -> None:
    for method in ("GET", "POST", "DELETE"):
        answer = owner.ask(method, path)
        assert answer.status == 404
        assert_one_shape(answer)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"])
def test_a_method_that_a_route_does_not_take(owner: Person, method: str) -> None:
    answer = owner.ask(method, CAPTURES)
    assert (answer.status, answer.code) == (405, "method_not_allowed")
    assert "POST" in answer.headers["Allow"]
    assert_one_shape(answer)


def test_options_tells_every_key_what_an_address_takes(owner: Person) -> None:
    answer = owner.ask("OPTIONS", CAPTURES)
    assert (answer.status, answer.json) == (200, {"methods": ["GET", "POST", "HEAD", "OPTIONS"]})
    assert answer.headers["Allow"] == "GET, POST, HEAD, OPTIONS"
    assert ask("OPTIONS", CAPTURES).status == 401


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("/api/v1/captures", "the last slash is missing: '/api/v1/captures/'"),
        ("/api/v1/captures/x/raw", "the last slash is missing: '/api/v1/captures/x/raw/'"),
        ("/api/v1/captchas", "there is no such thing here"),
    ],
)
def test_an_address_without_its_last_slash_says_so(owner: Person, path: str, what: str) -> None:
    for method in ("GET", "POST"):
        answer = owner.ask(method, path)
        assert (answer.status, answer.json["error"]["message"]) == (404, what)


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_health_answers_in_the_same_shape(db: None, path: str) -> None:
    answer = ask("POST", path)
    assert answer.status == 405
    assert_one_shape(answer)


def test_a_host_that_is_not_ours(owner: Person) -> None:
    answer = owner.get(CAPTURES, {"Host": "evil.test"})
    assert answer.status == 400
    assert_one_shape(answer)


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "*/*;q=0", "x"])
def test_the_api_speaks_json_whatever_is_asked_for(owner: Person, accept: str) -> None:
    answer = owner.get(CAPTURES, {"Accept": accept})
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/json"


def test_a_format_is_no_parameter(owner: Person) -> None:
    assert owner.get(f"{CAPTURES}?format=api").status == 422


def test_more_parameters_than_anybody_needs(owner: Person) -> None:
    answer = owner.get(CAPTURES + "?" + "&".join(f"a{n}=1" for n in range(2_000)))
    assert answer.status == 400
    assert_one_shape(answer)


def test_a_busy_database_is_told_apart_from_a_fault(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*args: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(submission, "accept", busy)
    answer = owner.post(CAPTURES, WHOLE)
    assert (answer.status, answer.code) == (503, "unavailable")
    assert answer.headers["Retry-After"] == "1"
    assert_one_shape(answer)
    assert not Capture.objects.exists()


@pytest.mark.embedded
def test_a_nearly_full_disk_takes_nothing_more_and_shows_what_there_is(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture_id = owner.post(CAPTURES, WHOLE).json["id"]
    monkeypatch.setattr(disk_space.os, "statvfs", lambda path: disk(total=1 << 40, left=1 << 20))
    answer = owner.post(CAPTURES, WHOLE)
    assert (answer.status, answer.code) == (503, "storage_full")
    assert answer.headers["Retry-After"] == "10"
    assert_one_shape(answer)
    assert owner.get(f"{CAPTURES}{capture_id}/").status == 200
    assert owner.ask("DELETE", f"{CAPTURES}{capture_id}/").status == 200
    assert owner.get(CAPTURES).json["captures"] == []


def test_a_fault_of_ours_shows_nothing_of_itself(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*args: object) -> None:
        raise RuntimeError("CANARY")

    monkeypatch.setattr(submission, "accept", fails)
    answer = owner.post(CAPTURES, WHOLE)
    assert (answer.status, answer.code) == (500, "internal_error")
    assert b"CANARY" not in answer.body
    assert_one_shape(answer)


def test_every_request_has_an_id_of_its_own(owner: Person) -> None:
    ids = {owner.get(CAPTURES).headers["X-Request-ID"] for _ in range(3)}
    assert len(ids) == 3
