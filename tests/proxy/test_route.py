"""Which addresses are calls, and of whom."""

import hashlib

import pytest

from inspector.proxy.messages import Refusal
from inspector.proxy.route import CallRoute, climbs, route_of
from inspector.teams.secret import hash_of

SHA = hashlib.sha256(b"ri_k").hexdigest()


@pytest.mark.parametrize(
    ("path", "header", "route"),
    [
        (
            "/proxy/ri_k/openai/chat/completions",
            None,
            CallRoute(SHA, "openai", "/chat/completions"),
        ),
        ("/proxy/openai/chat/completions", "ri_k", CallRoute(SHA, "openai", "/chat/completions")),
        ("/proxy/ri_k/openai", None, CallRoute(SHA, "openai", "")),
        ("/proxy/ri_k/openai/", None, CallRoute(SHA, "openai", "/")),
        ("/proxy/ri_k/openai/v1//x/", None, CallRoute(SHA, "openai", "/v1//x/")),
        ("/proxy/ri_k/openai/x", "ri_other", CallRoute(SHA, "openai", "/x")),
        ("/proxy/openai/x", None, Refusal.UNKNOWN_KEY),
        ("/proxy/openai/x", "", Refusal.UNKNOWN_KEY),
        ("/proxy/ri_" + "k" * 200 + "/openai/x", None, Refusal.UNKNOWN_KEY),
        ("/proxy/ri_k", None, Refusal.UNKNOWN_UPSTREAM),
        ("/proxy/ri_k/", None, Refusal.UNKNOWN_UPSTREAM),
        ("/proxy/ri_k//x", None, Refusal.UNKNOWN_UPSTREAM),
        ("/proxy/ri_k/open%61i/x", None, Refusal.UNKNOWN_UPSTREAM),
        ("/proxy/ri_k/openai/../x", None, Refusal.UNKNOWN_UPSTREAM),
    ],
)
def test_key_and_upstream_are_read_from_the_address(path, header, route):
    assert route_of(path, header) == route


def test_a_key_is_looked_up_as_the_teams_store_it():
    route = route_of("/proxy/ri_k/openai/x", None)

    assert isinstance(route, CallRoute)
    assert route.key_sha256 == hash_of("ri_k")


@pytest.mark.parametrize(
    "rest",
    [
        *("/..", "/../x", "/v1/../../x", "/%2e%2e/x", "/%2E./x", "/.%2e/x", "/%252e%252e/x"),
        *("/a%2f..%2fb", "/a/..%2f..%2fb", "/..%5cx", "/a\\b", "/%5c", "//evil.example/x"),
        *("/./x", "/x/.", "/x/..", "/..;a=b/x", "/%00", "/%0d%0aX: y"),
        *("/%c0%ae%c0%ae/x", "/%C0%AE./x", "/a%c1%9cb", "/%e0%80%ae/x", "/%f0%80%80%af"),
        *("/%25252e%25252e/x", "/%2525252e%2525252e/x", "/%252525252525252e", "/%25c0%25ae/x"),
    ],
)
def test_what_some_server_may_read_as_a_way_up_climbs(rest):
    assert climbs(rest)


@pytest.mark.parametrize(
    "rest",
    [
        *("", "/", "/chat/completions", "/models/org%2Fname", "/model/arn%3Aaws%3Abedrock/invoke"),
        *("/v1beta/models/gemini:generateContent", "/v1//x", "/a..b/...", "/.well-known/x", "/%25"),
        *("/%E4", "/%C3%A4%C3%80", "/%E0%A4%85", "/%F0%9F%98%80", "/100%2525", "/%C0", "/50%"),
    ],
)
def test_other_paths_do_not_climb(rest):
    assert not climbs(rest)
