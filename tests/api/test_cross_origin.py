"""Pages of other origins: origins × keys × methods, each with the one answer that is right."""

import itertools

import pytest
from django.conf import settings

from inspector.archive.models import Capture
from inspector.teams.access import INGEST, READ
from inspector.teams.keys import create_api_key
from inspector.web.site_origin import BadOrigin
from tests.archive.samples import WHOLE
from tests.people import Answer, Person, ask, bearer

CAPTURES, BATCH = "/api/v1/captures/", "/api/v1/captures/batch/"
LISTED, FOREIGN = "https://app.example", "https://evil.example"
ORIGINS = (
    LISTED, FOREIGN, "null", "http://app.example", "https://app.example:8443",
    "https://app.example.evil.example", "chrome-extension://abcdefghijklmnop", "own", None,
)  # fmt: skip
KEYS = ("page", "page of another team", "server", "unknown", "none")
ROUTES = (
    ("POST", CAPTURES), ("POST", BATCH), ("GET", CAPTURES), ("POST", "/api/v1/inspect/"),
    ("GET", "/api/v1/"), ("POST", "/v1/traces"), ("DELETE", CAPTURES), ("PATCH", CAPTURES),
)  # fmt: skip
LINE = b'{"response":{"body":"{}"}}\n'


def page_key(person: Person, *origins: str) -> str:
    return create_api_key(person.team, "page", [INGEST], origins=origins or (LISTED,))


def asked(method: str, path: str, origin: str | None, key: str = "", **headers: str) -> Answer:
    sent = {**headers, **({"Origin": origin} if origin else {}), **(bearer(key) if key else {})}
    body = LINE if path == BATCH else WHOLE
    return ask(method, path, b"" if method == "GET" else body, headers=sent)


def test_each_origin_with_each_key_by_each_method_has_its_answer(
    owner: Person, stranger: Person
) -> None:
    keys = {
        "page": page_key(owner),
        "page of another team": page_key(stranger, "https://other.example"),
        "server": owner.key,
        "unknown": "ri_" + "x" * 43,
        "none": "",
    }
    wrong = []
    for origin, name, (method, path) in itertools.product(ORIGINS, KEYS, ROUTES):
        before = Capture.objects.count()
        sent = settings.ORIGIN if origin == "own" else origin
        answer = asked(method, path, sent, keys[name])
        stored = Capture.objects.count() - before
        is_sending = method == "POST" and path in (CAPTURES, BATCH)
        is_pages = name == "page" and origin == LISTED
        is_servers = name == "server" and origin in (None, "own", ORIGINS[6])
        may_store = is_sending and (is_pages or is_servers)
        allowed = answer.headers.get("Access-Control-Allow-Origin")
        is_allowed = is_pages and path in (CAPTURES, BATCH)
        is_page_key = name.startswith("page")
        if (
            stored != may_store
            or allowed != (LISTED if is_allowed else None)
            or "Access-Control-Allow-Credentials" in answer.headers
            or (is_page_key and answer.status < 400) != (is_pages and is_sending)
        ):
            wrong.append((origin, name, method, path, answer.status, allowed, stored))
    assert wrong == []


@pytest.mark.parametrize("path", [CAPTURES, BATCH])
def test_a_preflight_is_answered_for_every_page_alike_and_kept_by_browsers(
    owner: Person, path: str
) -> None:
    page_key(owner)
    wanted = {"Access-Control-Request-Method": "POST"}
    for origin in (LISTED, FOREIGN):
        answer = ask("OPTIONS", path, headers={"Origin": origin, **wanted})
        assert (answer.status, answer.body) == (204, b"")
        assert answer.headers["Access-Control-Allow-Origin"] == origin
        assert answer.headers["Access-Control-Allow-Methods"] == "POST"
        assert "Authorization" in answer.headers["Access-Control-Allow-Headers"]
        assert answer.headers["Access-Control-Max-Age"] == "7200"
        assert "Origin" in answer.headers["Vary"]
        assert "Access-Control-Allow-Credentials" not in answer.headers


@pytest.mark.parametrize(
    "path", ["/api/v1/", "/api/v1/inspect/", "/api/v1/captures/file/", "/api/v1/usage/"]
)
def test_no_other_address_answers_a_preflight(owner: Person, path: str) -> None:
    headers = {"Origin": LISTED, "Access-Control-Request-Method": "POST"}
    answer = ask("OPTIONS", path, headers=headers)
    assert answer.status == 401
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_a_refusal_for_what_was_sent_can_be_read_by_the_page(owner: Person) -> None:
    key = page_key(owner)
    answer = asked("POST", f"{CAPTURES}?sort=x", LISTED, key)
    assert (answer.status, answer.code) == (422, "unknown_parameter")
    assert answer.headers["Access-Control-Allow-Origin"] == LISTED
    assert "Retry-After" in answer.headers["Access-Control-Expose-Headers"]


def test_a_foreign_page_is_told_why_and_may_not_read_it(owner: Person) -> None:
    answer = asked("POST", CAPTURES, FOREIGN, page_key(owner))
    assert (answer.status, answer.code) == (403, "origin_not_listed")
    assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize("scopes", [[READ], [INGEST, READ], ["capture"]])
def test_a_key_of_pages_can_only_send(owner: Person, scopes: list[str]) -> None:
    with pytest.raises(ValueError, match="a key of pages has the scope ingest and no other"):
        create_api_key(owner.team, "page", scopes, origins=[LISTED])


def test_an_origin_is_kept_in_the_spelling_of_browsers(owner: Person) -> None:
    key = page_key(owner, " HTTPS://App.Example:443/ ")
    assert asked("POST", CAPTURES, LISTED, key).status == 202
    for bad in ("*", "https://*.example", "app.example", "https://app.example/page", "null"):
        with pytest.raises(BadOrigin):
            page_key(owner, bad)
