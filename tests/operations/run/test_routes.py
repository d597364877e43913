"""Addresses of the proxy for a command's addresses, and the upstreams that are added for them."""

import socket

import pytest

from inspector.operations.run.routes import Routes
from inspector.teams import team_upstreams
from inspector.teams.access import for_team
from tests.people import Person

PROXY = "http://127.0.0.1:8001"


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def routes(owner: Person, said: list[str]) -> Routes:
    principal = for_team(owner.team.slug)
    assert principal is not None
    return Routes(PROXY, "ri_key", team_upstreams.for_principal(principal), said.append)


def names(routes: Routes) -> set[str]:
    return {each.name for each in routes.upstreams.all() if not each.is_preset}


def test_a_known_address_goes_to_its_upstream_with_what_follows(routes: Routes) -> None:
    found = routes.through("https://api.openai.com/v1/", False)
    assert found == f"{PROXY}/proxy/ri_key/openai/v1"
    found = routes.through("https://router.huggingface.co", True)
    assert found == f"{PROXY}/proxy/ri_key/huggingface"


def test_of_two_upstreams_the_longer_address_is_meant(routes: Routes) -> None:
    routes.upstreams.add("eu", "https://api.openai.com/v1")
    assert routes.through("https://api.openai.com/v1", True) == f"{PROXY}/proxy/ri_key/eu"


def test_a_host_that_begins_like_a_known_one_is_another(routes: Routes) -> None:
    found = routes.through("https://api.openai.com.evil.example/v1", False)
    assert (found, names(routes)) == (None, set())


def test_an_address_that_was_chosen_becomes_an_upstream_once(routes: Routes) -> None:
    for _ in range(2):
        found = routes.through("http://127.0.0.1:1234/v1", True)
        assert found == f"{PROXY}/proxy/ri_key/127-0-0-1-1234/v1"
    assert names(routes) == {"127-0-0-1-1234"}


def test_a_server_of_this_machine_is_added_only_where_one_listens(routes: Routes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        assert routes.through(address, False) is not None
    assert len(names(routes)) == 1
    assert routes.through("http://127.0.0.1:1", False) is None


def test_an_upstream_that_is_turned_off_is_not_called(routes: Routes) -> None:
    routes.upstreams.turn("openai", False)
    assert routes.through("https://api.openai.com/v1", False) is None


def test_an_address_that_no_upstream_may_have_is_said_once(routes: Routes, said: list[str]) -> None:
    for _ in range(2):
        assert routes.through("http://169.254.169.254/v1", True) is None
    (sentence,) = said
    assert sentence.startswith("Calls to http://169.254.169.254 are not captured: ")


def test_a_run_within_a_run_has_its_own_key(routes: Routes) -> None:
    found = routes.through(f"{PROXY}/proxy/ri_outer/openai/v1", True)
    assert found == f"{PROXY}/proxy/ri_key/openai/v1"
