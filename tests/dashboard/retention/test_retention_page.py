"""The page of retention rules, at each door."""

from datetime import UTC, datetime

import pytest
from django.db import connection

from inspector.archive.background import retention_rules
from inspector.archive.background.retention_rules import RuleRefusal
from inspector.archive.models import Capture, Inspection, RetentionRule
from inspector.database import lock_wait
from inspector.teams.models import Role
from tests.archive.samples import WHOLE, inspected
from tests.people import Person, make_person

PAGE = "/t/default/retention/"
RULE = {"clock": "captures", "query": "verdict:complete", "days": "30"}


def page(person: Person) -> str:
    return person.browser().get(PAGE).content.decode()


def added(person: Person) -> int:
    assert person.browser().post(f"{PAGE}add/", RULE).status_code == 302
    return RetentionRule.objects.latest("pk").pk


def grow_old() -> None:
    at = datetime(2026, 1, 2, tzinfo=UTC)
    Capture.objects.update(received_at=at, called_at=at)
    Inspection.objects.update(called_at=at)


def test_a_rule_is_added_off_forecast_switched_on_and_removed(owner: Person) -> None:
    assert "No rules: nothing is deleted by itself." in page(owner)
    inspected(owner)
    grow_old()
    rule = added(owner)
    seen = page(owner)
    assert "verdict:complete" in seen and "Switch on…" in seen
    assert f"1 capture, {len(WHOLE)} B, the oldest of 2026-01-02" in seen
    turn = f"{PAGE}rules/{rule}/turn/"
    assert owner.browser().post(turn, {"on": "yes"}).status_code == 302
    assert RetentionRule.objects.get().is_on and "Switch off" in page(owner)
    assert owner.browser().post(turn, {"on": "no"}).status_code == 302
    assert not RetentionRule.objects.get().is_on
    assert owner.browser().post(f"{PAGE}rules/{rule}/remove/").status_code == 302
    assert not RetentionRule.objects.exists()


@pytest.mark.embedded
def test_a_form_waits_for_a_database_that_is_written_to_as_long_as_what_comes_in(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[int] = []

    def add_rule(*_: object) -> RuleRefusal:
        with connection.cursor() as cursor:
            waits.append(cursor.execute("PRAGMA busy_timeout").fetchone()[0])
        return RuleRefusal.DAYS

    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 1.5)
    monkeypatch.setattr(retention_rules, "add_rule", add_rule)
    owner.browser().post(f"{PAGE}add/", RULE)
    assert waits == [20_000]
    monkeypatch.undo()
    lock_wait._set(None)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"query": "nonsense:x"}, "The query was not understood: nonsense is no field."),
        ({"query": "verdict:complet"}, "did you mean verdict:complete?"),
        ({"query": "(a"}, "not understood: it opens a parenthesis that is not closed."),
        ({"clock": "tombstones"}, "Of a deleted capture nothing is left"),
        ({"days": "0"}, "greater than or equal to 1"),
        ({"days": ""}, "This field is required."),
        ({"clock": "months"}, "Select a valid choice."),
        ({"query": "\0"}, "Null characters are not allowed."),
    ],
)
def test_what_is_wrong_with_a_rule_is_said(
    owner: Person, changed: dict[str, str], said: str
) -> None:
    answer = owner.browser().post(f"{PAGE}add/", {**RULE, **changed})
    assert answer.status_code == 422 and said in answer.content.decode()
    assert not RetentionRule.objects.exists()


def test_members_read_and_admins_change(owner: Person, teammate: Person) -> None:
    added(make_person("ada", "default", Role.ADMIN))
    seen = page(teammate)
    assert "verdict:complete" in seen and "<button" not in seen.partition("<main")[2]


def test_a_forecast_that_takes_too_long_says_so(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    added(owner)
    monkeypatch.setattr(retention_rules, "FORECAST_SECONDS", 0.0)
    assert "Counting takes too long: ask for less by time." in page(owner)
