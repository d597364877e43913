"""Every route, by every method, asked by everybody: what the authorisation table says happens."""

from typing import Any

import pytest

from inspector.teams.authorisation import ANY_SCOPE, METHODS, TABLE, AuthMethod, AuthorisationRow
from inspector.teams.route_check import Route
from tests import tiers
from tests.teams.world import (
    BODIES,
    MISSING,
    OURS,
    RIGHTS,
    THEIRS,
    Asker,
    World,
    all_routes,
    make_world,
    told,
)

ASKERS = (
    "anonymous",
    "no team",
    "other team's owner",
    "other team's key",
    *RIGHTS,
    "key",
    "deleting key",
    "wrong-scope key",
    "capturing key",
    "revoked key",
    "expired key",
    "feedback token",
    "share token",
    "visitor",
    "visitor with prompt",
    "visitor of a list",
)
OF_THE_RESPONSE = {
    # Below a link it is the link itself.
    "dashboard:home",
    "dashboard:capture",
    "dashboard:panel",
    "dashboard:audio",
    "dashboard:block-audio",
    "dashboard:block-image",
    "dashboard:text",
    "dashboard:find",
    "dashboard:state",
    "dashboard:growth",
    "dashboard:timeline",
    "dashboard:timeline-rows",
    "dashboard:trace",
    "dashboard:lines",
    "dashboard:raw",
    "dashboard:tree",
    "dashboard:around",
}
OF_THE_REQUEST = {"dashboard:request-body"}
"""All that links open, said again on purpose."""
PASSED, SENT_TO_SIGN_IN = "passed", "sent to sign in"
REFUSED = {401, 403, 404, 405, 429}
NOTHING_HERE = "api:nothing-here"
ADMISSION = "api:admission"
"""Open, for it says itself who may come in."""


@pytest.fixture
def world(db: None, settings: Any) -> World:
    settings.METRICS_KEY = "nobody in this world has it"
    settings.PROXY_ORIGIN = "http://127.0.0.1:8001"
    return make_world()


WITH_A_WRONG_METHOD = ("anonymous", "owner", "key")
WITH_EVERY_ROUTE = ("anonymous", "other team's owner")
"""The others ask every sixth in the default tier, each other ones."""


def routes_asked(asker: str) -> list[Route]:
    if tiers.is_whole or asker in WITH_EVERY_ROUTE:
        return all_routes()
    return all_routes()[ASKERS.index(asker) % 6 :: 6]


def methods_asked(row: AuthorisationRow, asker: str) -> tuple[str, ...]:
    """All, or those that the row takes and, of some askers, one that it does not."""
    refused = tuple(method for method in METHODS if row.need(method) is None)
    some = refused[:1] if asker in WITH_A_WRONG_METHOD else ()
    return METHODS if tiers.is_whole else (*row.methods, *some)


# Every address by every method and asker: minutes beside other work. How fast the machine is
# decides nothing here.
@pytest.mark.timeout(900)
def test_every_cell_is_as_it_says(world: World, subtests: pytest.Subtests) -> None:
    for name in ASKERS:
        with subtests.test(name=name):
            asker, wrong, cells = world.askers[name], [], 0
            for route in routes_asked(name):
                path = world.sides[OURS].path(route)
                for method in methods_asked(TABLE[route.name], name):
                    cells += 1
                    wanted = (by_link if asker.link else expected)(
                        route, TABLE[route.name], method, asker
                    )
                    got = outcome(asker.ask(method, path, *BODIES.get(route.name, (b"", ""))))
                    if got != wanted:
                        wrong.append(f"{method} {route.name}: {got}, not {wanted}")
            print(f"\n{name}: {cells} cells, {len(wrong)} wrong")
            assert wrong == []


DOCUMENTATION = "dashboard:doc"
"""Its pages are of no team."""
OF_BOTH_SIDES = ("other team's owner", "other team's key")


def test_what_is_another_teams_is_as_missing_as_what_never_was(
    world: World, subtests: pytest.Subtests
) -> None:
    for name in ASKERS if tiers.is_whole else OF_BOTH_SIDES:
        with subtests.test(name=name):
            asker, different, compared = world.askers[name], [], 0
            for route, method in addressed():
                for side in foreign_sides(asker):
                    for kept in kept_arguments(route, asker):
                        own = {"team": asker.team} if kept else {}
                        foreign = answer(world, asker, route, method, side, own)
                        missing = answer(world, asker, route, method, side, {**MISSING, **own})
                        compared += 1
                        if foreign != missing:
                            different.append(
                                f"{method} {route.name} of {side}, with own {sorted(kept)}"
                            )
            print(f"\n{name}: {compared} pairs, {len(different)} tell a difference")
            assert different == []


def test_everybody_who_may_ask_does(world: World) -> None:
    assert set(world.askers) == set(ASKERS)
    declared = {route.name for route in all_routes()}
    cells = len(declared) * len(METHODS) * len(ASKERS)
    undeclared = declared - set(TABLE)
    print(f"\n{cells} cells: {len(declared)} routes, {len(METHODS)} methods, {len(ASKERS)} askers")
    print(f"{len(undeclared)} undeclared routes")
    assert undeclared == set()


def expected(route: Route, row: AuthorisationRow, method: str, asker: Asker) -> object:
    """Independent of the code that decides: only the table's rows are read."""
    is_question = row.auth_method is AuthMethod.KEY and method == "OPTIONS"
    need = ANY_SCOPE if is_question else row.need(method)
    if row.auth_method is AuthMethod.KEY and not asker.key_works:
        return 401
    if need is None:
        return 405
    if route.name == NOTHING_HERE:
        return 404
    if route.name == ADMISSION:
        return PASSED if asker.key_works or asker.session else 401
    if row.auth_method is AuthMethod.OPEN:
        return PASSED
    if row.auth_method is AuthMethod.OPERATOR:
        return 401
    if row.auth_method is AuthMethod.PAGE and asker.session is None:
        return SENT_TO_SIGN_IN
    return by_need(route, need, asker)


def by_link(route: Route, row: AuthorisationRow, method: str, asker: Asker) -> object:
    if method not in ("GET", "HEAD"):
        return 405
    shown = OF_THE_RESPONSE | OF_THE_REQUEST if asker.has_prompt else OF_THE_RESPONSE
    return PASSED if route.name in shown else 404


def by_need(route: Route, need: str, asker: Asker) -> object:
    if need == ANY_SCOPE:
        return PASSED
    if asker.key_works and need not in asker.rights:
        return 403
    if set(route.arguments) & set(MISSING) and asker.team != OURS:
        return 404
    if asker.session is not None and asker.team is None:
        return 404
    return PASSED if need in asker.rights else 403


def outcome(response: Any) -> object:
    status = response.status_code
    if status == 302 and "?next=" in response["Location"]:
        return SENT_TO_SIGN_IN
    return status if status in REFUSED or status >= 500 else PASSED


def addressed() -> list[tuple[Route, str]]:
    """Routes that name something of a team, with the methods they take."""
    naming = [
        route
        for route in all_routes()
        if set(route.arguments) & set(MISSING) and route.name != DOCUMENTATION
    ]
    return [(route, method) for route in naming for method in TABLE[route.name].methods]


def foreign_sides(asker: Asker) -> list[str]:
    return [side for side in (OURS, THEIRS) if side != asker.team]


def kept_arguments(route: Route, asker: Asker) -> list[set[str]]:
    """All of an address may be foreign, or all but the asker's own team."""
    mixed = asker.team is not None and {"team"} < set(route.arguments)
    return [set(), {"team"}] if mixed else [set()]


def answer(
    world: World, asker: Asker, route: Route, method: str, side: str, other: dict[str, Any]
) -> object:
    path = world.sides[side].path(route, **other)
    said = [*world.sides[side].values.values(), *MISSING.values()]
    return told(asker.ask(method, path, *BODIES.get(route.name, (b"", ""))), *said)
