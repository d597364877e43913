"""Rules on the clock of bodies: what was sent goes, what was counted of it stays."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from django.db.models import Q

from inspector.archive import annotation, body_deletion, deletion, rewriting
from inspector.archive.annotation import annotate, lock_capture
from inspector.archive.background import deletion_pace, redacting, retention_rules, retention_steps
from inspector.archive.background.retention_rules import RetentionRuleStatus
from inspector.archive.inspection import reinspection
from inspector.archive.listing.filters import Filters
from inspector.archive.models import (
    Capture,
    Evidence,
    FindingRow,
    Inspection,
    RetentionClock,
    State,
    TokenTombstone,
)
from inspector.archive.queries import BodyState, for_principal
from inspector.archive.rewriting import LeftAsItIs
from inspector.core.completion import Result
from inspector.search.models import CaptureTexts, IndexedPart
from inspector.usage.models import StoredContribution
from inspector.work.run import run_one
from tests.archive.background.test_retention import TOKEN, aged, status, tag
from tests.archive.carrying_out import carry_out
from tests.archive.samples import CUT, accept, inspected
from tests.people import Person
from tests.sharing.shared import captured, made, opened, text_of
from tests.stored import everything

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletion_pace.DeletionPace, "rest", lambda self: None)


def rule_on_bodies(person: Person, query: str = "", days: int = 30) -> int:
    rule = retention_rules.add_rule(person.principal, RetentionClock.BODIES, query, days)
    assert isinstance(rule, RetentionRuleStatus)
    assert retention_rules.turn_rule(person.principal, rule.id, on=True)
    return rule.id


def without_body(person: Person, capture_id: UUID) -> UUID:
    assert body_deletion.delete_bodies(person.team.pk, [capture_id], "retention rule 1") == 1
    return capture_id


def bodiless() -> set[UUID]:
    gone = Capture.objects.filter(body_deleted_at__isnull=False)
    return set(gone.values_list("pk", flat=True))


def detail(person: Person, capture_id: UUID) -> Any:
    found = for_principal(person.principal).opened(capture_id)
    assert found is not None
    return found


@pytest.mark.both_stacks
def test_no_text_is_left_and_what_was_counted_stays(owner: Person) -> None:
    capture_id = aged(captured(owner), 31)
    before = detail(owner, capture_id)
    assert b"CANARY" in everything()
    rule = rule_on_bodies(owner)
    carry_out(retention_steps.KIND)
    assert b"CANARY" not in everything()
    after = detail(owner, capture_id)
    assert after.row.body_deleted_at is not None
    assert after.body_deleted_by == f"retention rule {rule}"
    assert after.analysis.usage == before.analysis.usage
    assert after.analysis.timeline == before.analysis.timeline
    kept = ("model", "verdict", "result", "dialect", "prompt_tokens", "duration_us", "byte_length")
    assert all(getattr(after.row, name) == getattr(before.row, name) for name in kept)
    assert (after.analysis.verdict, after.analysis.result) == (before.row.verdict, Result.CALLED)
    assert after.sha256 == before.sha256
    assert [each.code for each in after.analysis.findings] == [
        each.code for each in before.analysis.findings
    ]
    choice = after.analysis.choices[0]
    assert (choice.content, choice.tool_calls[0].name, choice.finish_reason) == (
        "",
        "",
        "tool_calls",
    )
    assert {cut.pointer: cut.length for cut in after.cuts}["/choices/0/content"] == 23
    assert status(owner, rule).deleted == 1


@pytest.mark.both_stacks
def test_a_pass_takes_each_body_once_and_leaves_what_is_young_or_pinned(owner: Person) -> None:
    goes, pinned = (aged(inspected(owner), 31 + number) for number in range(2))
    young, unread = aged(inspected(owner), 29), aged(accept(owner), 31)
    tag(owner, pinned, "pinned")
    rule = rule_on_bodies(owner)
    forecast = retention_rules.forecasts(owner.principal)[rule]
    assert forecast is not None and forecast.count == 2
    carry_out(retention_steps.KIND)
    assert bodiless() == {goes}
    assert Evidence.objects.filter(pk__in=[pinned, young, unread]).count() == 3
    carry_out(retention_steps.KIND)
    assert status(owner, rule).deleted == 1


def test_the_sums_of_usage_stay(owner: Person) -> None:
    capture_id = captured(owner)
    before = StoredContribution.objects.values_list().get(pk=capture_id)
    without_body(owner, capture_id)
    assert StoredContribution.objects.values_list().get(pk=capture_id) == before


def test_words_go_and_a_note_is_still_found(owner: Person) -> None:
    capture_id = captured(owner)
    capture = lock_capture(owner.principal, capture_id)
    assert capture is not None
    annotate(capture, None, "NOTED here")
    without_body(owner, capture_id)
    found = for_principal(owner.principal)
    assert found.page(filters=Filters.of(q="noted")).rows[0].id == capture_id
    assert not found.page(filters=Filters.of(q="ANSWER-CANARY")).rows
    assert IndexedPart.objects.count() == 1
    assert CaptureTexts.objects.filter(pk=capture_id).exists()


def test_a_link_to_it_shows_what_is_left(owner: Person) -> None:
    """Nothing of it was stored for the link."""
    capture_id = captured(owner)
    share = made(owner, capture_id, without_prompt=False)
    assert "ANSWER-CANARY" in text_of(share)
    without_body(owner, capture_id)
    assert opened(share) and "Body deleted" in text_of(share)
    assert "CANARY" not in text_of(share)


def test_messages_of_findings_say_what_their_rule_looks_for(owner: Person) -> None:
    capture_id = inspected(owner, CUT)
    before = set(FindingRow.objects.values_list("code", "severity"))
    without_body(owner, capture_id)
    rows = FindingRow.objects.all()
    assert set(rows.values_list("code", "severity")) == before
    assert not any(rows.values_list("pointer", flat=True))
    assert all(rows.values_list("message", flat=True))


def test_a_deleted_body_is_never_read_again(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    capture_id = without_body(owner, inspected(owner))
    monkeypatch.setattr(reinspection, "ANALYSIS_VERSION", 99)
    monkeypatch.setattr(reinspection, "_BEHIND", reinspection.Q(tried_version__lt=99))
    while run_one(replace(reinspection.KIND, mine=Q())):
        pass
    row = Inspection.objects.get(pk=capture_id)
    assert (row.tried_version, row.analysis_version < 99) == (99, True)
    assert detail(owner, capture_id).failed_version is None


def test_one_in_quarantine_loses_its_body_and_stays_there(owner: Person) -> None:
    capture_id = accept(owner)
    Capture.objects.update(state=State.QUARANTINED, quarantine_reason="CANARY")
    without_body(owner, capture_id)
    assert annotation.requeue_quarantined(owner.principal, capture_id)
    row = Capture.objects.get()
    assert (row.state, row.quarantine_reason) == (State.QUARANTINED, None)


def test_an_export_that_read_the_body_before_reads_again(owner: Person) -> None:
    capture_id = inspected(owner)
    captures = for_principal(owner.principal)
    (walked,) = captures.walk(None, 10, Filters())
    assert walked.body == BodyState(rewritings=0, is_deleted=False)
    without_body(owner, capture_id)
    assert not captures.lock({capture_id: walked.body})
    (again,) = captures.walk(None, 10, Filters())
    assert again.body.is_deleted and captures.lock({capture_id: again.body})


def test_the_whole_capture_can_still_be_deleted_and_keeps_hashes_of_tokens(owner: Person) -> None:
    capture_id = without_body(owner, inspected(owner, TOKEN))
    receipt = deletion.delete(owner.principal, capture_id)
    assert receipt is not None and receipt.feedback_tokens == 1
    assert TokenTombstone.objects.count() == 1
    row = Capture.objects.get()
    assert (row.state, row.body_deleted_at) == (State.GONE, None)


def test_the_list_is_asked_for_those_without_a_body(owner: Person) -> None:
    gone, there = without_body(owner, inspected(owner)), inspected(owner)
    captures = for_principal(owner.principal)
    for query, expected in ((True, gone), (False, there)):
        (row,) = captures.page(filters=Filters.of(bodiless=query)).rows
        assert row.id == expected


def test_a_redaction_passes_it_by(owner: Person) -> None:
    capture_id = without_body(owner, captured(owner))
    find = redacting.named_by(())
    found = rewriting.rewrite(Capture.objects.all(), capture_id, find)
    assert found is LeftAsItIs.GONE
    assert not Evidence.objects.exists()
