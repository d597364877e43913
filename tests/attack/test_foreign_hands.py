"""Attempts of people, keys and links of elsewhere on a team: whatever is answered, nothing of the
team is another than before.
"""

import hashlib
from itertools import product
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.db.models import Model, QuerySet
from django.test import Client

from inspector.teams.authorisation import TABLE, AuthMethod
from inspector.teams.route_check import Route
from tests.teams.world import BODIES, OURS, Asker, Side, all_routes, make_world
from tests.tiers import mostly_thorough

WRITING = ("POST", "PUT", "PATCH", "DELETE")
ASKERS = (
    "other team's owner",
    "other team's key",
    "visitor with prompt",
    "anonymous",
    "no team",
    "revoked key",
    "expired key",
    "feedback token",
    "share token",
    "visitor",
    "visitor of a list",
)


def rows_of(team: str) -> dict[str, str]:
    """A hash of all rows of a team, by table."""
    found = {}
    for model in apps.get_models():
        if way := way_to_team(model):
            rows: QuerySet[Any] = model._default_manager.filter(**{f"{way}__slug": team})
            # Each use of a key, whatever it is for, is noted at the key.
            names = [each.attname for each in model._meta.fields if each.name != "last_used_at"]
            text = repr(sorted(rows.values_list(*names), key=repr))
            found[model.__name__] = hashlib.sha256(text.encode()).hexdigest()
    return found


def way_to_team(model: type[Model]) -> str | None:
    """The lookup that leads to the team of a row, over one other table at most."""
    keys = {each.name: each.related_model for each in model._meta.fields if each.is_relation}
    if "team" in keys:
        return "team"
    for name, other in keys.items():
        if isinstance(other, type) and any(each.name == "team" for each in other._meta.fields):
            return f"{name}__team"
    return None


def paths_of(route: Route, side: Side, asker: Asker) -> list[str]:
    """What is the team's below its own address, and below that of the asker's team."""
    path = side.path(route)
    is_below_a_team = asker.team is not None and {"team"} < set(route.arguments)
    return [path, side.path(route, team=asker.team)] if is_below_a_team else [path]


def ask(asker: Asker, method: str, path: str, body: bytes, content_type: str) -> int:
    client = Client(raise_request_exception=False)
    if asker.session:
        client.cookies[settings.SESSION_COOKIE_NAME] = asker.session
    headers = {"Authorization": f"Bearer {asker.key}"} if asker.key else {}
    answer = client.generic(method, f"{asker.link}{path}", body, content_type, headers=headers)
    return int(answer.status_code)


@pytest.mark.parametrize("name", mostly_thorough((name,) for name in ASKERS))
def test_nothing_that_others_ask_for_changes_a_row_of_a_team(db: None, name: str) -> None:
    world = make_world()
    asker, before, asked = world.askers[name], rows_of(OURS), 0
    for route in all_routes():
        # What is open to all says itself who may: a link, a token, a password.
        if TABLE[route.name].auth_method is AuthMethod.OPEN:
            continue
        for method, path in product(WRITING, paths_of(route, world.sides[OURS], asker)):
            status = ask(asker, method, path, *BODIES.get(route.name, (b"", "")))
            assert status < 500, (method, route.name)
            asked += 1
    assert asked > 400
    assert len(before) > 15
    after = rows_of(OURS)
    assert [table for table in before if before[table] != after[table]] == []


def test_what_its_owner_changes_would_be_seen(db: None) -> None:
    world = make_world()
    before, owner = rows_of(OURS), world.askers["owner"]
    (note,) = (route for route in all_routes() if route.name == "dashboard:note")
    ask(owner, "POST", world.sides[OURS].path(note), *BODIES["dashboard:note"])
    after = rows_of(OURS)
    assert "Capture" in [table for table in before if before[table] != after[table]]
