"""Whose replay it is, which answer is meant, and what is passed on of the request."""

from __future__ import annotations

import hashlib

import pytest

from inspector.proxy.headers import RawHeader
from inspector.proxy.replay_route import ReplayRoute, replay_route_of

KEY = "ri_secret"
AUTHORISED: list[RawHeader] = [(b"authorization", b"Bearer ri_secret")]


def route_of(path: str, query: str = "", headers: list[RawHeader] = AUTHORISED) -> ReplayRoute:
    route = replay_route_of(path, query, headers)
    assert route is not None
    return route


@pytest.mark.parametrize(
    ("path", "target", "rest"),
    [
        ("/replay/abc/v1/chat/completions", "abc", "/v1/chat/completions"),
        ("/replay/abc", "abc", ""),
        ("/replay/abc/", "abc", "/"),
        ("/replay/", "", "/"),
        ("/replay/set/tag:checkout/v1/x", "set/tag:checkout", "/v1/x"),
        ("/replay/set/tag=a%2Fb&model=c%3Bd/v1", "set/tag=a%2Fb&model=c%3Bd", "/v1"),
        ("/replay/set/", "set/", ""),
        ("/replay/set", "set/", ""),
        ("/replay/abc//v1/../x%2e", "abc", "//v1/../x%2e"),
    ],
)
def test_target_and_path_are_read_as_they_come(path: str, target: str, rest: str) -> None:
    route = route_of(path)
    assert (route.target, route.path, route.options) == (target, rest, ())
    assert route.is_of_set is target.startswith("set/")


@pytest.mark.parametrize(
    ("path", "target", "rest"),
    [
        ("/replay/abc;speed=0;cut-event=7/v1/x", "abc", "/v1/x"),
        ("/replay/abc;speed=0/v1/x;cut-event=7", "abc", "/v1/x"),
        ("/replay/abc/;speed=0;cut-event=7/v1/x", "abc", "/v1/x"),
        ("/replay/set/tag:a;speed=0;cut-event=7/v1/x", "set/tag:a", "/v1/x"),
        ("/replay/set;speed=0/tag:a;cut-event=7/v1/x", "set/tag:a", "/v1/x"),
    ],
)
def test_options_stand_behind_any_segment(path: str, target: str, rest: str) -> None:
    route = route_of(path)
    assert (route.target, route.path) == (target, rest)
    assert route.options == (("speed", "0"), ("cut-event", "7"))


@pytest.mark.parametrize(
    ("query", "headers", "key"),
    [
        ("", [(b"authorization", b"Bearer ri_secret")], KEY),
        ("", [(b"authorization", b"bearer   ri_secret")], KEY),
        ("", [(b"authorization", b"ri_secret")], KEY),
        ("", [(b"x-api-key", b"ri_secret")], KEY),
        ("", [(b"api-key", b"ri_secret")], KEY),
        ("", [(b"x-goog-api-key", b" ri_secret ")], KEY),
        ("", [(b"x-inspector-key", b"ri_secret"), (b"authorization", b"Bearer ri_other")], KEY),
        ("", [(b"authorization", b"Bearer sk-of-another"), (b"x-api-key", b"ri_secret")], KEY),
        ("key=ri_secret", [(b"authorization", b"Bearer sk-of-another")], KEY),
        ("key=ri%5Fsecret", [], KEY),
        ("key=ri_secret;speed=0", [], KEY),
        ("", [(b"authorization", b"Bearer sk-of-another")], "sk-of-another"),
    ],
)
def test_a_key_is_found_where_client_libraries_put_it(
    query: str, headers: list[RawHeader], key: str
) -> None:
    expected = hashlib.sha256(key.encode()).hexdigest()
    assert route_of("/replay/abc/v1", query, headers).key_sha256 == expected


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("", []),
        ("key=", [(b"authorization", b"")]),
        ("", [(b"authorization", b"Bearer ")]),
        ("", [(b"x-api-key", b"r" * 201)]),
        ("keys=ri_secret", []),
    ],
)
def test_without_a_key_there_is_no_route(query: str, headers: list[RawHeader]) -> None:
    assert replay_route_of("/replay/abc/v1", query, headers) is None


@pytest.mark.parametrize(
    ("query", "passed"),
    [
        ("alt=sse&key=ri_secret&speed=0", "alt=sse&speed=0"),
        ("key=ri_secret", ""),
        ("k%65y=ri_secret&speed=0", "speed=0"),
        ("speed=0&speed=1&monkey=1", "speed=0&speed=1&monkey=1"),
        ("alt=sse&key=ri_secret;speed=0;cut-event=7", "alt=sse&key=;speed=0;cut-event=7"),
    ],
)
def test_a_key_is_not_passed_on(query: str, passed: str) -> None:
    assert route_of("/replay/abc/v1", query).query == passed


def test_of_headers_only_options_are_passed_on() -> None:
    headers = [*AUTHORISED, (b"x-inspector-replay-speed", b"0"), (b"cookie", b"a=b")]
    assert route_of("/replay/abc", headers=headers).headers == (("x-inspector-replay-speed", "0"),)
