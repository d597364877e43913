"""Retention rules delete what is old enough, and nothing that is pinned or held."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from inspector.archive import deletion
from inspector.archive.annotation import annotate, lock_capture
from inspector.archive.background import deletion_pace, retention_rules, retention_steps
from inspector.archive.background.retention_rules import (
    MAX_DAYS,
    RetentionForecast,
    RetentionRuleStatus,
    RuleRefusal,
)
from inspector.archive.models import (
    Capture,
    Inspection,
    RetentionClock,
    RetentionRule,
    State,
    TokenTombstone,
    Tombstone,
)
from inspector.teams.models import AuditEntry
from inspector.work.models import Work
from inspector.work.run import run_one
from tests.archive.carrying_out import carry_out
from tests.archive.samples import CUT, WHOLE, accept, inspected
from tests.people import Person
from tests.stored import everything

CAPTURES, TOMBSTONES = RetentionClock.CAPTURES, RetentionClock.TOMBSTONES
TOKEN = WHOLE.replace(b'"index":0', b'"feedback_token":"CANARY","index":0')


@pytest.fixture(autouse=True)
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletion_pace.DeletionPace, "rest", lambda self: None)


def add(person: Person, query: str = "", days: int = 30, clock: RetentionClock = CAPTURES) -> Any:
    return retention_rules.add_rule(person.principal, clock, query, days)


def switched_on(
    person: Person, query: str = "", days: int = 30, clock: RetentionClock = CAPTURES
) -> int:
    rule = add(person, query, days, clock)
    assert isinstance(rule, RetentionRuleStatus)
    assert retention_rules.turn_rule(person.principal, rule.id, on=True)
    return rule.id


def aged(capture_id: UUID, days: float) -> UUID:
    """As if it had arrived so long ago."""
    at = timezone.now() - timedelta(days=days)
    Capture.objects.filter(pk=capture_id).update(received_at=at, called_at=at)
    Inspection.objects.filter(pk=capture_id).update(called_at=at)
    return capture_id


def tag(person: Person, capture_id: UUID, *tags: str) -> None:
    capture = lock_capture(person.principal, capture_id)
    assert capture is not None
    annotate(capture, list(tags), None)


def forecast(person: Person, number: int) -> RetentionForecast | None:
    return retention_rules.forecasts(person.principal)[number]


def gone() -> set[UUID]:
    return set(Capture.objects.filter(state=State.GONE).values_list("pk", flat=True))


def status(person: Person, number: int) -> RetentionRuleStatus:
    return next(rule for rule in retention_rules.rules(person.principal) if rule.id == number)


@pytest.mark.both_stacks
def test_what_matches_and_is_old_enough_goes_with_receipts(owner: Person) -> None:
    old, other = aged(inspected(owner, CUT), 31), aged(inspected(owner), 31)
    young = aged(inspected(owner, CUT), 29)
    rule = switched_on(owner, "verdict:cut-off")
    carry_out(retention_steps.KIND)
    assert gone() == {old}
    assert Tombstone.objects.get().deleted_by == f"retention rule {rule}"
    assert {other, young} == set(
        Capture.objects.exclude(state=State.GONE).values_list("pk", flat=True)
    )
    entry = AuditEntry.objects.get(act="retention_deleted")
    assert (entry.by, entry.on) == (
        f"retention rule {rule}",
        "1: captures of verdict:cut-off after 30 days",
    )
    found = status(owner, rule)
    assert (found.deleted, found.error, found.is_under_way) == (1, None, False)
    assert found.ended_at is not None


def test_a_rule_that_is_off_deletes_nothing(owner: Person) -> None:
    aged(inspected(owner), 31)
    rule = switched_on(owner)
    assert retention_rules.turn_rule(owner.principal, rule, on=False)
    add(owner)
    carry_out(retention_steps.KIND)
    assert gone() == set()


@pytest.mark.both_stacks
def test_pins_win_and_the_forecast_says_so(owner: Person) -> None:
    goes, pinned = (aged(inspected(owner), 40 + n) for n in range(2))
    tag(owner, pinned, "pinned", "seen")
    rule = switched_on(owner)
    found = forecast(owner, rule)
    oldest = Capture.objects.get(pk=goes).received_at
    assert found == RetentionForecast(1, len(WHOLE), oldest)
    carry_out(retention_steps.KIND)
    assert gone() == {goes}
    assert forecast(owner, rule) == RetentionForecast(0, 0, None)


@pytest.mark.parametrize(
    ("query", "matches"),
    [
        ("result:error,truncated", True),
        ("verdict:complete or verdict:cut-off", True),
        ("verdict:complete", False),
        ("size>100", True),
        ("size>1MB", False),
        ("tag:test", True),
        ("-tag:test", False),
        ("upstream:openai", False),
    ],
)
def test_a_rule_asks_in_the_language_of_the_list(owner: Person, query: str, matches: bool) -> None:
    capture = aged(inspected(owner, CUT), 31)
    tag(owner, capture, "test")
    switched_on(owner, query)
    carry_out(retention_steps.KIND)
    assert (gone() == {capture}) is matches


def test_it_goes_past_what_is_pinned(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletion_pace.DeletionPace, "size", lambda self: 2)
    captures = [aged(inspected(owner), 40 - n) for n in range(7)]
    for each in captures[:3]:
        tag(owner, each, "pinned")
    rule = switched_on(owner)
    carry_out(retention_steps.KIND)
    assert gone() == set(captures[3:])
    assert status(owner, rule).deleted == 4


def test_a_pass_is_followed_by_an_hour_without(owner: Person) -> None:
    rule = switched_on(owner)
    carry_out(retention_steps.KIND)
    late = aged(inspected(owner), 31)
    carry_out(retention_steps.KIND)
    assert gone() == set()
    Work.objects.filter(subject=str(rule)).update(due_at=timezone.now() - timedelta(seconds=1))
    carry_out(retention_steps.KIND)
    assert gone() == {late}


@pytest.mark.both_stacks
def test_a_step_that_is_cut_off_deletes_nothing_and_is_repeated(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = aged(inspected(owner), 31)
    rule = switched_on(owner)
    advance = retention_steps._advance

    def cut_off(*args: Any) -> None:
        raise ValueError("cut off")

    monkeypatch.setattr(retention_steps, "_advance", cut_off)
    for _ in range(3):
        Work.objects.update(due_at=timezone.now() - timedelta(seconds=1))
        carry_out(retention_steps.KIND)
    assert gone() == set() and not Tombstone.objects.exists()
    assert status(owner, rule).error == "ValueError"
    monkeypatch.setattr(retention_steps, "_advance", advance)
    Work.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    carry_out(retention_steps.KIND)
    assert gone() == {capture} and status(owner, rule).error is None


def test_a_rule_that_is_switched_off_meanwhile_deletes_nothing_more(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion_pace.DeletionPace, "size", lambda self: 1)
    for n in range(3):
        aged(inspected(owner), 40 - n)
    rule = switched_on(owner)

    def switch_off(self: object) -> None:
        assert retention_rules.turn_rule(owner.principal, rule, on=False)

    monkeypatch.setattr(deletion_pace.DeletionPace, "rest", switch_off)
    carry_out(retention_steps.KIND)
    assert len(gone()) == 1


def test_a_rule_whose_process_keeps_dying_waits_an_hour(owner: Person, settings: Any) -> None:
    aged(inspected(owner), 31)
    rule = switched_on(owner)
    Work.objects.update(attempt=settings.MAX_ATTEMPTS)
    assert run_one(retention_steps.KIND)
    assert gone() == set()
    assert "process" in str(status(owner, rule).error)


def test_a_rule_of_a_later_release_deletes_nothing_and_says_so(owner: Person) -> None:
    aged(inspected(owner), 31)
    rule = switched_on(owner)
    RetentionRule.objects.update(query="field_of_later:x")
    assert forecast(owner, rule) is None
    carry_out(retention_steps.KIND)
    assert gone() == set()
    assert status(owner, rule).error == "query_not_understood"


def test_rules_are_counted_within_a_time(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = [add(owner).id for _ in range(2)]
    nothing = RetentionForecast(0, 0, None)
    assert retention_rules.forecasts(owner.principal) == dict.fromkeys(rules, nothing)
    monkeypatch.setattr(retention_rules, "FORECAST_SECONDS", 0.0)
    assert retention_rules.forecasts(owner.principal) == dict.fromkeys(rules)


def test_what_was_never_inspected_goes_too(owner: Person) -> None:
    capture = aged(accept(owner, b"x"), 31)
    switched_on(owner)
    carry_out(retention_steps.KIND)
    assert gone() == {capture}


@pytest.mark.both_stacks
def test_content_is_gone_and_sums_are_those_of_the_rest(owner: Person) -> None:
    aged(inspected(owner, WHOLE.replace(b"Hello", b"BETWEENUSALONE")), 31)
    inspected(owner)
    switched_on(owner)
    carry_out(retention_steps.KIND)
    assert b"BETWEENUSALONE" not in everything()


@pytest.mark.both_stacks
def test_tombstones_go_after_their_time_with_all_that_is_known(owner: Person) -> None:
    old, young = inspected(owner, TOKEN), inspected(owner, TOKEN)
    for capture in (old, young):
        assert deletion.delete(owner.principal, capture)
    Tombstone.objects.filter(pk=old).update(deleted_at=timezone.now() - timedelta(days=100))
    rule = switched_on(owner, days=90, clock=TOMBSTONES)
    found = forecast(owner, rule)
    assert found is not None and (found.count, found.byte_length) == (1, 0)
    carry_out(retention_steps.KIND)
    assert list(Capture.objects.values_list("pk", flat=True)) == [young]
    assert Tombstone.objects.count() == TokenTombstone.objects.count() == 1
    assert status(owner, rule).deleted == 1


def test_one_teams_rules_leave_the_other_alone(owner: Person, stranger: Person) -> None:
    theirs = aged(inspected(stranger), 400)
    deletion.delete(stranger.principal, aged(inspected(stranger), 400))
    Tombstone.objects.update(deleted_at=timezone.now() - timedelta(days=400))
    switched_on(owner)
    switched_on(owner, days=1, clock=TOMBSTONES)
    carry_out(retention_steps.KIND)
    assert Capture.objects.get(pk=theirs).state == State.INSPECTED
    assert Tombstone.objects.count() == 1


@pytest.mark.parametrize(
    ("clock", "query", "days", "refusal"),
    [
        (CAPTURES, "nonsense:x", 30, RuleRefusal.NOT_UNDERSTOOD),
        (CAPTURES, "x" * 9_000, 30, RuleRefusal.NOT_UNDERSTOOD),
        (CAPTURES, "", 0, RuleRefusal.DAYS),
        (CAPTURES, "", MAX_DAYS + 1, RuleRefusal.DAYS),
        (TOMBSTONES, "verdict:complete", 30, RuleRefusal.NO_QUERY),
    ],
)
def test_a_rule_that_says_nothing_sensible_is_refused(
    owner: Person, clock: RetentionClock, query: str, days: int, refusal: RuleRefusal
) -> None:
    assert add(owner, query, days, clock) is refusal
    assert not RetentionRule.objects.exists()


def test_a_team_has_not_too_many_rules(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention_rules, "MAX_RULES", 1)
    assert isinstance(add(owner), RetentionRuleStatus)
    assert add(owner) is RuleRefusal.TOO_MANY


def test_only_members_see_rules(owner: Person, teammate: Person, stranger: Person) -> None:
    rule = switched_on(owner)
    assert add(teammate) is RuleRefusal.FORBIDDEN
    for nobody in (teammate, stranger):
        assert not retention_rules.turn_rule(nobody.principal, rule, on=False)
        assert not retention_rules.remove_rule(nobody.principal, rule)
    assert [each.id for each in retention_rules.rules(teammate.principal)] == [rule]
    assert retention_rules.rules(stranger.principal) == ()
    assert retention_rules.forecasts(stranger.principal) == {}
    assert retention_rules.remove_rule(owner.principal, rule)
    acts = AuditEntry.objects.filter(act__startswith="retention").order_by("pk")
    assert [*acts.values_list("act", flat=True)] == [
        "retention_added",
        "retention_on",
        "retention_removed",
    ]


@pytest.mark.parametrize(
    ("clock", "query", "days", "words"),
    [
        ("captures", "", 365, "all captures after 365 days"),
        ("captures", "tag:desk", 1, "captures of tag:desk after 1 day"),
        ("bodies", "tag:desk", 7, "bodies of tag:desk after 7 days"),
        ("bodies", "", 7, "bodies of all captures after 7 days"),
        ("tombstones", "", 400, "receipts of deleted captures after 400 days"),
    ],
)
def test_the_audit_log_names_a_rule_as_its_page_does(
    owner: Person, clock: str, query: str, days: int, words: str
) -> None:
    rule = retention_rules.add_rule(owner.principal, RetentionClock(clock), query, days)
    assert isinstance(rule, RetentionRuleStatus)
    entry = AuditEntry.objects.get(act="retention_added")
    assert entry.on == f"rule {rule.id}: {words}"


@pytest.mark.both_stacks
def test_a_forecast_of_nothing_yet_tells_when_the_first_is_due(owner: Person) -> None:
    pinned, first, _ = (aged(inspected(owner), 20 - n) for n in range(3))
    aged(inspected(owner, CUT), 25)
    tag(owner, pinned, "pinned")
    rule = add(owner, "verdict:complete").id
    due = Capture.objects.get(pk=first).received_at + timedelta(days=30)
    assert forecast(owner, rule) == RetentionForecast(0, 0, None, due)
    bodies = retention_rules.add_rule(
        owner.principal, RetentionClock.BODIES, "verdict:complete", 30
    )
    assert isinstance(bodies, RetentionRuleStatus)
    assert forecast(owner, bodies.id) == RetentionForecast(0, 0, None, due)
    assert forecast(owner, add(owner, "model:no-such").id) == RetentionForecast(0, 0, None)


def test_a_forecast_tells_when_the_first_receipt_is_due(owner: Person) -> None:
    receipt = deletion.delete(owner.principal, inspected(owner))
    assert receipt is not None
    rule = add(owner, clock=TOMBSTONES)
    due = receipt.deleted_at + timedelta(days=30)
    assert forecast(owner, rule.id) == RetentionForecast(0, 0, None, due)
