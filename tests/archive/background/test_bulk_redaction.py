"""Stored captures are redacted by a job: evidence, reading, words, and all that was made of it."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from django.utils import timezone

from inspector.archive import redaction_rules, rewriting
from inspector.archive.background import bulk_jobs
from inspector.archive.background.bulk_jobs import BulkJobStatus
from inspector.archive.background.redacting import RedactedCaptures
from inspector.archive.inspection.claims import claim
from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture, Document, Evidence, Inspection, State
from inspector.archive.redaction_rules import RedactionRuleStatus
from inspector.archive.storage import evidence
from inspector.core.redaction_mark import MaskKind
from inspector.core.wire.exchange import Exchange, Request
from inspector.teams.models import AuditEntry
from inspector.work.models import Work
from tests.archive.carrying_out import carry_out
from tests.archive.samples import (
    JSON,
    WHOLE,
    accept,
    accept_arrival,
    conditions,
    inspect_all,
    inspected,
)
from tests.people import Person
from tests.stored import everything

SECRET = WHOLE.replace(b"Hello", b"Hello BETWEENUSALONE")
MASKED = WHOLE.replace(b"Hello", b"Hello **************")


def rule(person: Person, text: str = "betweenusalone") -> int:
    made = redaction_rules.add_redaction_rule(person.principal, MaskKind.WORD, text)
    assert isinstance(made, RedactionRuleStatus)
    return made.id


def requested(person: Person, query: str = "") -> Any:
    rules = redaction_rules.rules_to_apply(person.principal, None)
    return bulk_jobs.request_bulk_redaction(person.principal, rules, conditions(query))


def redacted(person: Person, query: str = "") -> BulkJobStatus:
    job = requested(person, query)
    assert isinstance(job, BulkJobStatus)
    carry_out()
    found = bulk_jobs.bulk_job(person.principal, job.id)
    assert found is not None
    return found


def body_of(capture_id: Any) -> bytes:
    capture = Capture.objects.select_related("evidence").get(pk=capture_id)
    return evidence.unpack(capture, capture.evidence).body


@pytest.mark.both_stacks
def test_evidence_reading_and_words_hold_nothing_of_it_any_more(owner: Person) -> None:
    number = rule(owner)
    hit, other = inspected(owner, SECRET), inspected(owner)
    assert b"BETWEENUSALONE" in everything()
    job = redacted(owner)
    assert (job.state, job.done, job.changed) == ("finished", 2, 1)
    assert job.redacted == RedactedCaptures(captures=1, passages=1)
    # The rule itself says its word, in lower case.
    assert b"BETWEENUSALONE" not in everything()
    assert body_of(hit) == MASKED and body_of(other) == WHOLE
    capture = Capture.objects.get(pk=hit)
    assert (capture.state, capture.redactions) == (State.INSPECTED, 1)
    assert capture.sha256 != Capture.objects.get(pk=other).sha256
    assert Document.objects.get(pk=hit).previous is None
    assert Inspection.objects.get(pk=hit).answer_line == "Hello **************"
    noted = AuditEntry.objects.get(act="captures_redacted")
    assert noted.on == f"rules {number}, bulk job {job.id}"


def test_redacting_again_finds_nothing(owner: Person) -> None:
    rule(owner)
    inspected(owner, SECRET)
    redacted(owner)
    again = redacted(owner)
    assert (again.changed, again.redacted) == (0, RedactedCaptures())


def test_the_query_says_what_is_redacted(owner: Person) -> None:
    rule(owner)
    stays = inspected(owner, SECRET)
    job = redacted(owner, "size>1MB")
    assert job.done == 0 and body_of(stays) == SECRET


@pytest.mark.both_stacks
def test_a_reading_that_is_under_way_is_refused_and_begun_again(owner: Person) -> None:
    rule(owner)
    waiting = accept(owner, SECRET)
    assert [capture.pk for capture in claim()] == [waiting]
    redacted(owner)
    capture = Capture.objects.get(pk=waiting)
    assert (capture.state, capture.lease_token, capture.attempt) == (State.RECEIVED, None, 0)
    inspect_all()
    assert b"BETWEENUSALONE" not in everything()


def test_request_and_metadata_are_redacted_and_read_anew(owner: Person) -> None:
    rule(owner)
    sent = b'{"model":"m","messages":[{"role":"user","content":"say BETWEENUSALONE"}]}'
    exchange = msgspec.structs.replace(
        Exchange.of_body(WHOLE, JSON), request=Request(url="https://h.example/", body=sent)
    )
    capture_id = accept_arrival(
        owner,
        Submission(exchange, metadata={"session_id": "BETWEENUSALONE"}, posted_sha256="7" * 64),
    ).id
    inspect_all()
    job = redacted(owner)
    assert job.redacted is not None and job.redacted.passages == 2
    capture = Capture.objects.get(pk=capture_id)
    assert capture.metadata == {"session_id": "**************"}
    assert capture.posted_sha256 not in (None, "7" * 64)
    assert b"BETWEENUSALONE" not in everything()


def test_a_capture_without_its_body_is_passed_by(owner: Person) -> None:
    rule(owner)
    inspected(owner, SECRET)
    Evidence.objects.all().delete()
    job = redacted(owner)
    assert (job.state, job.done, job.redacted) == ("finished", 1, RedactedCaptures())


def test_what_cannot_be_redacted_is_left(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    rule(owner)
    broken, whole = inspected(owner, SECRET), inspected(owner, SECRET)
    rewrite = rewriting.rewrite

    def failing(theirs: Any, capture_id: UUID, *rest: Any) -> Any:
        if capture_id == broken:
            raise ValueError("with words of a payload")
        return rewrite(theirs, capture_id, *rest)

    monkeypatch.setattr(rewriting, "rewrite", failing)
    job = requested(owner)
    for _ in range(4):
        Work.objects.update(due_at=timezone.now() - timedelta(seconds=1))
        carry_out()
    found = bulk_jobs.bulk_job(owner.principal, job.id)
    assert found is not None and (found.state, found.done) == ("finished", 2)
    assert found.redacted == RedactedCaptures(captures=1, passages=1, left=1)
    assert Capture.objects.get(pk=whole).redactions == 1


def test_a_stopped_job_is_not_taken_back(owner: Person, teammate: Person, stranger: Person) -> None:
    rule(owner)
    inspected(owner, SECRET)
    job = requested(owner)
    for nobody in (teammate, stranger):
        assert bulk_jobs.request_undo(nobody.principal, job.id) is None
    stopped = bulk_jobs.request_undo(owner.principal, job.id)
    assert isinstance(stopped, BulkJobStatus) and stopped.state == "stopped"
    assert not stopped.can_be_undone
    carry_out()
    assert b"BETWEENUSALONE" in everything()


def test_only_who_may_delete_redacts(owner: Person, teammate: Person, stranger: Person) -> None:
    rule(owner)
    rules = redaction_rules.rules_to_apply(owner.principal, None)
    for person, is_allowed in ((owner, True), (teammate, False)):
        found = bulk_jobs.request_bulk_redaction(person.principal, rules, conditions())
        assert (found is not None) is is_allowed
    inspected(owner, SECRET)
    bulk_jobs.request_bulk_redaction(stranger.principal, rules, conditions())
    Work.objects.filter(team=owner.team).delete()
    carry_out()
    assert b"BETWEENUSALONE" in everything()


def test_without_a_rule_there_is_no_job(owner: Person) -> None:
    assert requested(owner) is None
