"""Retention rules over HTTP."""

import json
from typing import Any

import pytest

from inspector.archive.background import retention_rules
from inspector.archive.background.retention_rules import MAX_RULES
from inspector.archive.models import RetentionRule
from inspector.teams.access import DELETE
from inspector.teams.keys import create_api_key
from tests.archive.background.test_retention import aged
from tests.archive.samples import WHOLE, inspected
from tests.people import Answer, Person, ask, bearer

RULES = "/api/v1/retention/rules/"
BODIES = {"clock": "bodies", "query": "result:answered", "days": 30}


def add(person: Person, **changed: Any) -> Answer:
    return person.post(RULES, json.dumps({**BODIES, **changed}).encode())


def with_scopes(person: Person, *scopes: str) -> str:
    return create_api_key(person.team, "another", scopes=list(scopes))


def test_a_rule_is_added_off_read_with_its_forecast_switched_and_removed(owner: Person) -> None:
    aged(inspected(owner), 31)
    answer = add(owner)
    rule = answer.json
    assert answer.status == 201
    assert (rule["clock"], rule["query"], rule["days"]) == ("bodies", "result:answered", 30)
    assert (rule["is_on"], rule["deleted"]) == (False, 0)
    assert rule["made_by"].startswith("key ")
    one = owner.get(f"{RULES}{rule['id']}/").json
    assert one["rule"] == rule == owner.get(RULES).json["rules"][0]
    assert (one["forecast"]["count"], one["forecast"]["byte_length"]) == (1, len(WHOLE))
    on = owner.ask("PATCH", f"{RULES}{rule['id']}/", b'{"is_on":true}')
    assert (on.status, on.json["is_on"]) == (200, True)
    removed = owner.ask("DELETE", f"{RULES}{rule['id']}/")
    assert (removed.status, removed.json["id"]) == (200, rule["id"])
    assert owner.get(RULES).json == {"rules": []}


def test_a_forecast_that_takes_too_long_is_null(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = add(owner).json
    monkeypatch.setattr(retention_rules, "FORECAST_SECONDS", 0.0)
    assert owner.get(f"{RULES}{rule['id']}/").json["forecast"] is None


@pytest.mark.parametrize(
    "changed",
    [
        {"clock": "months"},
        {"days": 0},
        {"days": 36_501},
        {"days": "30"},
        {"query": "resullt:answered"},
        {"query": "a" * 8_001},
        {"clock": "tombstones"},
        {"for": "ever"},
    ],
)
def test_what_is_no_rule_is_refused(owner: Person, changed: dict[str, Any]) -> None:
    answer = add(owner, **changed)
    assert (answer.status, answer.code) == (422, "invalid_body")
    assert not RetentionRule.objects.exists()


def test_a_team_has_so_many_rules(owner: Person) -> None:
    for _ in range(MAX_RULES):
        assert add(owner).status == 201
    answer = add(owner)
    assert (answer.status, answer.code) == (409, "too_many_rules")


def test_a_key_that_deletes_and_does_not_read_switches_a_rule(owner: Person) -> None:
    rule = add(owner).json["id"]
    key = bearer(with_scopes(owner, DELETE))
    answer = ask("PATCH", f"{RULES}{rule}/", b'{"is_on":true}', "application/json", key)
    assert answer.json["is_on"] is True
