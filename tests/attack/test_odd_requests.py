"""Odd values, paths and methods at every address: refused or passed over, and never a fault."""

from collections.abc import Iterator
from urllib.parse import quote, urlencode

import pytest
from django.test import Client

from inspector.teams.authorisation import TABLE, AuthMethod
from tests.archive.samples import inspected
from tests.people import Person, ask, bearer
from tests.teams.world import OURS, World, all_routes, make_world
from tests.tiers import some_of

NAMES = (
    "after", "at", "before", "by", "byte", "choice", "choices", "cost", "cursor", "days", "dialect", "end",
    "event", "finding", "find", "format", "group", "paused", "key", "missing", "lane", "limit", "line",
    "logprobs", "model", "model__in", "id", "outcome", "page", "q", "range", "raw", "since",
    "start", "state", "stream", "tag", "team", "timeline", "tool_calls", "until", "user", "verdict",
    "list",
)  # fmt: skip
VALUES = (
    "", " ", "\0", "a\0b", "\ud800", "-1", "0", "1e309", "NaN", "9" * 5_000, "٣", "x" * 20_000,
    "%", "%ff", "' OR 1=1--", "{{7*7}}", "{% load x %}", "a\r\nX-Injected: 1", "../../etc/passwd",
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59+14:00", "[" * 1_000, "*", "\u202e", "🙂" * 100,
)  # fmt: skip
PATHS = (
    "/static/../manage.py", "/static/%2e%2e/manage.py", "/static/..%2f..%2fetc/passwd",
    "/static//etc/passwd", "/static/%00", "/static/dashboard/%2e%2e/%2e%2e/%2e%2e/manage.py",
    "/static/dashboard", "/static/dashboard/", "/..", "/%2e%2e/%2e%2e/etc/passwd", "//evil.example",
    "/\\evil.example", "/%0d%0aX-Injected:%201", "/t/../account/", "/t/%2e%2e/captures/", "/t//team/",
    "/t/default%00/captures/", "/captures/%00/", f"/captures/{'a' * 10_000}/", "/.env", "/.git/config",
    "/var/secret_key", "/api/v1/captures/../../../etc/passwd", "/sign-in/%00/", "/join/%ff/",
    f"/sign-in/{'a' * 10_000}/", "/api/v1/captures/%F0%9F%99%82/", "/favicon.ico/..", "/;/", "/%",
)  # fmt: skip
OVERRIDES = ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override")


@pytest.fixture
def world(db: None) -> World:
    return make_world()


def readable_paths(world: World, door: AuthMethod) -> list[str]:
    side = world.sides[OURS]
    asked = [route for route in all_routes() if TABLE[route.name].auth_method is door]
    return [side.path(route) for route in asked if TABLE[route.name].need("GET")]


def spelled(pairs: dict[str, str]) -> str:
    return urlencode(
        {name: value.encode("utf-8", "surrogatepass") for name, value in pairs.items()}
    )


def everything_at_once() -> Iterator[str]:
    for value in VALUES:
        yield spelled(dict.fromkeys(NAMES, value))


def each_alone() -> Iterator[str]:
    """Every name with a value, and every value with a name."""
    for at, name in enumerate(NAMES):
        yield spelled({name: VALUES[at % len(VALUES)]})


def mixed() -> Iterator[str]:
    """Every name with another value, with --all twice."""
    for first in some_of((0, len(VALUES) // 2), 2):
        values = (VALUES[(first + at) % len(VALUES)] for at in range(len(NAMES)))
        yield spelled(dict(zip(NAMES, values, strict=True)))


QUERIES = [
    pytest.param(mixed, id="mixed"),
    pytest.param(everything_at_once, id="at once", marks=pytest.mark.thorough),
    pytest.param(each_alone, id="each alone", marks=pytest.mark.thorough),
]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("queries", QUERIES)
def test_no_value_in_a_query_is_a_fault_of_a_page(world: World, queries: object) -> None:
    assert callable(queries)
    owner, faults = world.askers["owner"], []
    for path in readable_paths(world, AuthMethod.PAGE):
        for query in queries():
            answer = owner.ask("GET", f"{path}?{query}")
            if answer.status_code >= 500 or "X-Injected" in answer.headers:
                faults.append(f"{path}?{query[:100]}: {answer.status_code}")
    assert faults == []


@pytest.mark.timeout(900)
@pytest.mark.parametrize("queries", QUERIES)
def test_no_value_in_a_query_is_a_fault_of_the_interface(world: World, queries: object) -> None:
    assert callable(queries)
    key, faults = world.askers["key"], []
    for path in readable_paths(world, AuthMethod.KEY):
        for query in queries():
            answer = key.ask("GET", f"{path}?{query}")
            if answer.status_code >= 500 or "X-Injected" in answer.headers:
                faults.append(f"{path}?{query[:100]}: {answer.status_code}")
    assert faults == []


def test_no_path_leads_out_of_what_is_served(owner: Person) -> None:
    browser = Client(raise_request_exception=False)
    browser.force_login(owner.user)
    for path in PATHS:
        for answer in (browser.get(path), Client(raise_request_exception=False).get(path)):
            # Whether a link is good is told to whoever opens it, not to whoever looks.
            is_link = path.startswith("/sign-in/") and answer.status_code == 200
            assert is_link or answer.status_code in (302, 400, 401, 404, 410), path
            body = b"".join(answer) if answer.streaming else answer.content
            assert b"root:" not in body and b"DJANGO_SETTINGS" not in body, path
            assert "X-Injected" not in answer.headers
            assert not answer.headers.get("Location", "/").startswith(("//", "http")), path


@pytest.mark.parametrize("name", OVERRIDES)
def test_no_header_or_field_makes_another_method_of_a_request(owner: Person, name: str) -> None:
    capture_id = inspected(owner)
    path = f"/api/v1/captures/{capture_id}/"
    for method in ("GET", "POST"):
        ask(method, f"{path}?_method=DELETE", headers={**bearer(owner.key), name: "DELETE"})
    form = {"_method": "DELETE", "X-HTTP-Method-Override": "DELETE"}
    owner.browser().post(f"/captures/{capture_id}/", form, headers={name: "DELETE"})
    assert owner.get(path).json["state"] == "inspected"


def test_what_is_asked_for_is_never_a_template_or_a_lookup(owner: Person) -> None:
    inspected(owner)
    for value in ("{{7*7}}", "{% now 'Y' %}", "${7*7}", "' OR '1'='1"):
        page = owner.browser().get(f"/t/default/captures/?q={quote(value)}").content.decode()
        assert "No captures match" in page and ">49<" not in page
    for name in ("team__slug", "api_key__sha256__startswith", "evidence__body__contains"):
        assert owner.get(f"/api/v1/captures/?{name}=a").status == 422
