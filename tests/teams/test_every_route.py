"""Every address is asked on PostgreSQL too (the matrix asks on SQLite): no statement fails there."""

import pytest

from inspector.teams.authorisation import TABLE
from tests.teams.world import BODIES, OURS, all_routes, make_world


@pytest.mark.production
def test_no_route_is_a_fault_to_who_may_ask(db: None) -> None:
    world, faults = make_world(), []
    side = world.sides[OURS]
    for route in all_routes():
        for method in TABLE[route.name].methods:
            for name in ("owner", "key"):
                path = side.path(route)
                answer = world.askers[name].ask(method, path, *BODIES.get(route.name, (b"", "")))
                if answer.status_code >= 500:
                    faults.append(f"{method} {route.name} as {name}: {answer.status_code}")
    assert faults == []
