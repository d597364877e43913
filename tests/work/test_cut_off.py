"""Whatever cuts a step off, and wherever: nothing is done twice, nothing is lost. One row of the
table for each kind of work.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from inspector.archive.background import bulk_jobs, bulk_steps, retention_rules, retention_steps
from inspector.archive.background.bulk_jobs import BulkJobStatus
from inspector.archive.background.deletion_pace import DeletionPace
from inspector.archive.inspection import reinspection
from inspector.archive.listing.filter_params import FilterParams
from inspector.archive.models import BulkChange, BulkKind, Capture, Evidence, Tombstone
from inspector.core.analysis import Verdict
from inspector.core.redaction_mark import MaskKind, MaskRule
from inspector.operations import sweeping
from inspector.search import rebuilding, word_index
from inspector.search.models import CaptureTexts, IndexedPart
from inspector.teams.models import AuditEntry
from inspector.telemetry import span_export
from inspector.telemetry.models import OutboxSpan
from inspector.telemetry.post_result import PostOutcome, PostResult
from inspector.transfer.exports import steps as export_steps
from inspector.transfer.exports import walk
from inspector.transfer.models import UploadBody
from inspector.transfer.uploads import steps as upload_steps
from inspector.usage import repricing
from inspector.usage.cost import team_prices
from inspector.usage.drift import scan
from inspector.usage.models import DriftEvent
from inspector.work import leases, run
from inspector.work.leases import Leased
from inspector.work.models import Work, WorkState
from inspector.work.run import Kind, run_one
from tests.archive.background.test_retention import aged, switched_on
from tests.archive.older import grow_old, the_job
from tests.archive.samples import accept, inspect_all, inspected
from tests.people import Person
from tests.transfer.exports.carried import exported, file_of, requested
from tests.transfer.uploads.test_steps import after, exporter, parked_by, spans
from tests.usage.past import WITH_REASONING, arrived
from tests.usage.test_repricing import OURS

TAKEN, REFUSED = PostResult(PostOutcome.TAKEN), PostResult(PostOutcome.REFUSED)

pytestmark = pytest.mark.both_stacks


@dataclass(frozen=True)
class Case:
    """``begun`` opens the work, and returns what tells how it came out."""

    kind: Kind
    begun: Callable[[Person, pytest.MonkeyPatch], Callable[[], object]]
    outcome: object


def done_of(owner: Person, job: object) -> Callable[[], tuple[object, ...]]:
    assert isinstance(job, BulkJobStatus)

    def found() -> tuple[object, ...]:
        now = bulk_jobs.bulk_job(owner.principal, job.id)
        assert now is not None
        return now.state, now.done, now.changed

    return found


def tagging(owner: Person, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    monkeypatch.setattr(bulk_steps, "STEP_CAPTURES", 2)
    for _ in range(3):
        accept(owner)
    job = bulk_jobs.request_bulk_job(owner.principal, BulkKind.TAG, "seen", FilterParams())
    done = done_of(owner, job)
    return lambda: (
        *done(),
        list(Capture.objects.values_list("tags", flat=True)),
        BulkChange.objects.count(),
    )


def deleting(owner: Person, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    monkeypatch.setattr(bulk_steps, "DELETED_CAPTURES", 2)
    for _ in range(3):
        accept(owner)
    job = bulk_jobs.request_bulk_deletion(owner.principal, FilterParams(), 3)
    done = done_of(owner, job)
    return lambda: (*done(), Tombstone.objects.count(), Evidence.objects.count())


def redacting(owner: Person, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    for _ in range(2):
        accept(owner, b'{"words":"OURSECRET"}')
    inspect_all()
    rules = [MaskRule(id=1, kind=MaskKind.WORD, text="OURSECRET")]
    job = bulk_jobs.request_bulk_redaction(owner.principal, rules, FilterParams())
    done = done_of(owner, job)
    return lambda: (*done(), list(Capture.objects.values_list("redactions", "rewritings")))


def exporting(owner: Person, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    monkeypatch.setattr(walk, "GROUP_CAPTURES", 2)
    for _ in range(3):
        accept(owner)
    number = requested(owner).id

    def found() -> object:
        row = Work.objects.get(pk=number)
        is_ended = row.state == WorkState.FINISHED
        return row.state, row.done, is_ended and file_of(owner, number) == exported(owner.team)

    return found


def reading_again(owner: Person, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    for _ in range(3):
        grow_old(inspected(owner), verdict=Verdict.MISSING_FINISH)
    reinspection.open_jobs()
    return lambda: (the_job().state, the_job().done, the_job().changed, the_job().failed)


def pricing_again(owner: Person, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    monkeypatch.setattr(repricing, "BATCH_CAPTURES", 2)
    for _ in range(3):
        inspected(owner)
    team_prices.for_principal(owner.principal).add(OURS)
    now, door = timezone.now(), repricing.for_principal(owner.principal)
    assert door.request(now - timedelta(days=1), now + timedelta(days=1))

    def found() -> object:
        (job,) = door.latest()
        return job.state, job.done, job.changed, job.after_captures, str(job.after_usd)

    return found


def forgetting(owner: Person, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    monkeypatch.setattr(DeletionPace, "size", lambda self, most=2: 2)
    for _ in range(3):
        aged(accept(owner), 31)
    switched_on(owner)

    def found() -> object:
        (rule,) = retention_rules.rules(owner.principal)
        noted = AuditEntry.objects.filter(act="retention_deleted").count()
        return rule.deleted, rule.error, rule.is_under_way, Tombstone.objects.count(), noted

    return found


def cutting(owner: Person, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    monkeypatch.setattr(upload_steps, "STEP_SECONDS", 0)
    monkeypatch.setattr("django.conf.settings.BATCH_COMMIT_LINES", 2)
    sender = exporter(owner)
    upload = parked_by(sender, spans(5))

    def found() -> object:
        now = after(sender, upload)
        is_kept = UploadBody.objects.exists()
        return now.state, now.entries, now.captures, now.left, Capture.objects.count(), is_kept

    return found


def sending(owner: Person, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    # All together are refused, each alone is taken.
    monkeypatch.setattr(span_export, "_exported", lambda ids: TAKEN if len(ids) == 1 else REFUSED)
    monkeypatch.setattr("django.conf.settings.OTLP_ENDPOINT", "http://127.0.0.1:1")
    for _ in range(3):
        inspected(owner)
    span_export.open_due()

    def found() -> object:
        row = Work.objects.get(kind="spans")
        result = row.result
        return row.state, row.done, OutboxSpan.objects.count(), result.get("alone", 0)

    return found


def indexing(owner: Person, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    monkeypatch.setattr(rebuilding, "STEP_CAPTURES", 2)
    for _ in range(3):
        word_index.remove([inspected(owner)])
    CaptureTexts.objects.update(index_version=rebuilding.UNKNOWN)
    rebuilding.open_due()

    def found() -> object:
        row = Work.objects.get(kind="search")
        return row.state, row.done, IndexedPart.objects.filter(is_note=False).count()

    return found


def scanning(owner: Person, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    # The first stretch has nothing to find, the second a change.
    arrived(owner, 1, 8 * 24)
    arrived(owner, 30, 9)
    arrived(owner, 8, 2, WITH_REASONING)
    scan.open_due()

    def found() -> object:
        row = Work.objects.get(kind="drift")
        return row.state, row.done, DriftEvent.objects.count()

    return found


CASES = {
    "spans": Case(span_export.KIND, sending, ("finished", 3, 0, 0)),
    "search": Case(rebuilding.KIND, indexing, ("finished", 3, 3)),
    "drift": Case(scan.KIND, scanning, ("finished", 2, 1)),
    "upload": Case(upload_steps.KIND, cutting, ("finished", 5, 5, (), 5, False)),
    "retention": Case(retention_steps.KIND, forgetting, (3, None, False, 3, 1)),
    "reinspection": Case(reinspection.KIND, reading_again, ("finished", 3, 3, 0)),
    "repricing": Case(repricing.KIND, pricing_again, ("finished", 3, 3, 3, "0.000027")),
    "tag": Case(bulk_steps.KIND, tagging, ("finished", 3, 3, [["seen"]] * 3, 3)),
    "delete": Case(bulk_steps.KIND, deleting, ("finished", 3, 3, 3, 0)),
    "redact": Case(bulk_steps.KIND, redacting, ("finished", 2, 2, [(1, 1)] * 2)),
    "export": Case(export_steps.KIND, exporting, ("finished", 3, True)),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture
def outcome(case: Case, owner: Person, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    """Open the work of the case."""
    return case.begun(owner, monkeypatch)


def to_the_end(kind: Kind) -> None:
    """As often as a step may fail, and once more."""
    for _ in range(5):
        Work.objects.update(due_at=timezone.now() - timedelta(seconds=1))
        while run_one(kind):
            pass


def killed(*_: object, **__: object) -> Any:
    raise KeyboardInterrupt


def failing_once(advance: Callable[..., bool]) -> Callable[..., bool]:
    calls: list[None] = []

    def failing(*arguments: Any, **columns: Any) -> bool:
        stored = advance(*arguments, **columns)
        calls.append(None)
        if len(calls) == 1:
            raise ValueError("after its effect")
        return stored

    return failing


def test_each_kind_of_work_stands_in_the_table() -> None:
    assert {case.kind.name for case in CASES.values()} == {kind.name for kind in sweeping.KINDS}


def test_a_step_that_fails_after_its_effect_is_repeated(
    case: Case, outcome: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Leased, "advance", failing_once(Leased.advance))
    to_the_end(case.kind)
    assert outcome() == case.outcome


@pytest.mark.parametrize("place", ["advance", "renew", "end", "rest"])
def test_a_process_that_is_killed_while_it_stores_leaves_it_to_the_next(
    case: Case, outcome: Callable[[], object], monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Leased, place, killed)
        for _ in range(2):
            Work.objects.update(due_at=timezone.now() - timedelta(seconds=1))
            try:
                run_one(case.kind, lambda: False)
            except KeyboardInterrupt:
                continue
    to_the_end(case.kind)
    assert outcome() == case.outcome


def test_a_process_that_is_killed_between_two_steps_leaves_the_rest_to_the_next(
    case: Case, outcome: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(leases, "again", killed)
        with pytest.raises(KeyboardInterrupt):
            run_one(case.kind)
    to_the_end(case.kind)
    assert outcome() == case.outcome


def test_who_comes_late_with_a_lease_that_ran_out_changes_nothing(
    case: Case, outcome: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = leases.claim(run.which(case.kind))
    assert mine is not None
    to_the_end(case.kind)
    assert outcome() == case.outcome
    case.kind.step(mine)
    assert outcome() == case.outcome


def test_who_lost_the_lease_to_one_still_at_work_changes_nothing(
    case: Case, outcome: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = leases.claim(run.which(case.kind))
    assert mine is not None
    before = outcome()
    Work.objects.update(lease_token=uuid4())
    case.kind.step(mine)
    assert outcome() == before
    to_the_end(case.kind)
    assert outcome() == case.outcome
