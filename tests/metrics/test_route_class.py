"""The class of each address and method: few, and the same whatever the address says."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.test import RequestFactory

from inspector.metrics.route_class import OF_NAMES, TAKES_IN, RouteClass, route_class
from inspector.teams.authorisation import TABLE

MAKE = RequestFactory()


def class_of(name: str, method: str, **headers: str) -> RouteClass:
    request: Any = MAKE.generic(method, "/", headers=headers)
    request.resolver_match = SimpleNamespace(view_name=name)
    return route_class(request)


@pytest.mark.parametrize(
    ("name", "method", "expected"),
    [
        ("api:captures", "POST", "intake"), ("api:captures", "GET", "api_read"),
        ("api:traces", "POST", "intake"), ("api:batch", "POST", "intake"),
        ("api:capture", "HEAD", "api_read"), ("api:capture", "PATCH", "api_write"),
        ("api:inspect", "POST", "api_write"), ("api:vote-of-team", "POST", "vote"),
        ("api:livez", "GET", "health"), ("api:readyz", "GET", "health"),
        ("api:admission", "GET", "admission"), ("api:metrics", "GET", "metrics"),
        ("api:nothing-here", "POST", "none"), ("dashboard:archive", "GET", "page"),
        ("dashboard:sign-in", "POST", "form"),
    ],
)  # fmt: skip
def test_the_class_is_that_of_address_and_method(name: str, method: str, expected: str) -> None:
    assert class_of(name, method) == expected


def test_what_a_script_of_a_page_asks_for_is_a_part() -> None:
    for method in ("GET", "POST"):
        assert class_of("dashboard:archive", method, **{"HX-Request": "true"}) == "partial"


def test_what_has_no_address_is_static_or_none() -> None:
    assert route_class(MAKE.get("/static/dashboard/style.css")) == "static"
    assert route_class(MAKE.get("/t/acme/secret/")) == "none"


def test_every_named_address_is_there_and_what_takes_in_may_be_posted_to() -> None:
    assert {*OF_NAMES, *TAKES_IN} <= {*TABLE}
    assert all("POST" in TABLE[name].methods for name in TAKES_IN)
