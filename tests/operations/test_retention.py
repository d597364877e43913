"""``manage.py retention``."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from inspector.archive.background import retention_rules
from inspector.archive.background.retention_rules import RetentionRuleStatus
from inspector.archive.models import Capture, Inspection, RetentionClock, State
from tests.archive.samples import WHOLE, inspected
from tests.people import Person


def said(*arguments: str) -> list[str]:
    out = StringIO()
    call_command("retention", "--team", "default", *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_it_lists_rules_with_their_forecasts_and_runs_those_that_are_on(owner: Person) -> None:
    assert said() == ["No rules: nothing is deleted by itself."]
    capture = inspected(owner)
    at = timezone.now() - timedelta(days=40)
    Capture.objects.update(received_at=at, called_at=at)
    Inspection.objects.update(called_at=at)
    rule = retention_rules.add_rule(owner.principal, RetentionClock.CAPTURES, "", 30)
    assert isinstance(rule, RetentionRuleStatus)
    what = f"{rule.id} off: captures (all) after 30 days"
    now = f"1 capture, {len(WHOLE)} B, the oldest of {at:%Y-%m-%d}"
    assert said("--run") == [f"{what}; would delete now: {now}; deleted so far: 0"]
    assert Capture.objects.get(pk=capture).state == State.INSPECTED
    assert retention_rules.turn_rule(owner.principal, rule.id, on=True)
    done = f"{rule.id} on: captures (all) after 30 days; would delete now: nothing"
    assert said("--run") == [f"{done}; deleted so far: 1"]
    assert Capture.objects.get(pk=capture).state == State.GONE


def test_an_unknown_team_is_refused(db: None) -> None:
    with pytest.raises(CommandError, match="There is no team default"):
        said()
