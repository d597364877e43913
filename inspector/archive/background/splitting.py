"""The task that reads a capture at every split: our own reading first, then the clients of
libraries, each of them in a process of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import msgspec
from django.conf import settings
from django.db.models.functions import Now

from inspector.archive.background.task_steps import (
    StepFinished,
    StepGoesOn,
    StepOutcome,
    TaskStep,
    read_in_process,
)
from inspector.archive.inspection import added_findings
from inspector.archive.inspection.projection_store import ProjectionChange
from inspector.archive.models import CaptureTask, FindingRow, Inspection, TaskKind
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.operations import SplitStep, split_step
from inspector.archive.readers.pool import read_alone
from inspector.archive.readers.sdk_readers import (
    SDK_READERS,
    SdkProgress,
    SdkReader,
    SdkStep,
    sdk_step,
    untried,
)
from inspector.core.findings import Finding, Where
from inspector.core.rules.added_findings import SPLIT_DEPENDENT
from inspector.core.splits.every_split import SplitPosition, SplitResult
from inspector.core.splits.readers import ReaderSplits, ReaderState
from inspector.core.wire.exchange import Exchange

SPLITTING = "splitting"
"""Source of the findings."""
HOUR = timedelta(hours=1)


class SplittingPosition(msgspec.Struct, frozen=True):
    """How far a task is. ``clients``: those that are done; ``client``: the one that is tried."""

    own: SplitPosition
    clients: tuple[ReaderSplits, ...] = ()
    client: SdkProgress | None = None

    @property
    def done(self) -> int:
        tried = len(self.clients) * self.own.library_cuttings
        return self.own.done + tried + (self.client.done if self.client else 0)

    @property
    def total(self) -> int:
        return self.own.total + len(SDK_READERS) * self.own.library_cuttings

    @property
    def stage(self) -> str:
        """Who reads: ``own``, or the name of a client."""
        left = list(SDK_READERS)[len(self.clients) :]
        return left[0] if self.own.is_done and left else "own"

    @property
    def result(self) -> SplitResult:
        found = self.own.result
        return msgspec.structs.replace(found, readers=(*found.readers, *self.clients))


def split_capture(given: TaskStep) -> StepOutcome:
    """One step of the task (``task_steps.StepFunction``)."""
    before = given.position
    so_far = msgspec.msgpack.decode(before, type=SplittingPosition) if before else None
    position = _advanced(given.exchange, so_far)
    progress = {"stage": position.stage}
    if position.own.is_done and len(position.clients) == len(SDK_READERS):
        result = position.result
        return StepFinished(
            result, position.done, progress, lambda: _stored(given.capture.pk, result)
        )
    return StepGoesOn(msgspec.msgpack.encode(position), position.done, position.total, progress)


def _advanced(exchange: Exchange, position: SplittingPosition | None) -> SplittingPosition:
    own = position.own if position else None
    if position is None or not position.own.is_done:
        return SplittingPosition(read_in_process(split_step, SplitStep(exchange, own)))
    reader = list(SDK_READERS.values())[len(position.clients)]
    tried = _tried(reader, exchange, position.client)
    if isinstance(tried, SdkProgress) and not tried.is_done:
        return msgspec.structs.replace(position, client=tried)
    ended = tried.so_far if isinstance(tried, SdkProgress) else tried
    return msgspec.structs.replace(position, clients=(*position.clients, ended), client=None)


def _tried(
    reader: SdkReader, exchange: Exchange, before: SdkProgress | None
) -> SdkProgress | ReaderSplits:
    """What a client is never costs the rest: where it ends its process, that is the result."""
    so_far, done = (before.so_far, before.done) if before else (None, 0)
    given = SdkStep(exchange, reader.slug, so_far, done)
    seconds, largest = settings.READING_SECONDS, settings.READING_RESULT_BYTES
    try:
        found: SdkProgress = read_alone(sdk_step.__name__, given, seconds, largest)
    except ReadingError as error:
        words = f"Trying it ended after {done:,} cuttings: {error.cause}."
        return untried(reader, ReaderState.ENDED, words)
    return found


def _stored(capture_id: UUID, result: SplitResult) -> SplitResult:
    """Stores the finding in the transaction that ends the task."""
    findings = split_findings(result)
    if added_findings.lock_inspected([capture_id]):
        known = FindingRow.objects.filter(capture=capture_id, source=SPLITTING).exists()
        if known or findings:
            added_findings.replace_findings(
                SPLITTING, {capture_id: findings}, [capture_id] if known else []
            )
    return result


def split_findings(result: SplitResult) -> tuple[Finding, ...]:
    """One finding for all cuttings with which our own reading differs, which quotes the first."""
    if not result.differences:
        return ()
    first = result.differences[0]
    byte = None if first.cutting.is_coded else first.cutting.byte
    more = f" ({result.differing:,} cuttings differ)" if result.differing > 1 else ""
    return (
        Finding(
            code=SPLIT_DEPENDENT.code,
            severity=SPLIT_DEPENDENT.severity,
            message=f"{first.sentence}{more}",
            where=Where(byte_start=byte, byte_end=None if byte is None else byte + 1),
        ),
    )


def open_for_errors(changes: Sequence[ProjectionChange]) -> None:
    """The projector (``settings.PROJECTORS``) that opens a task for streams in which their first
    inspection found an error, up to a number an hour and team.
    """
    by_team: dict[int, list[Inspection]] = defaultdict(list)
    for change in changes:
        if change.before is None and change.after and _is_due(change.after.inspection):
            by_team[change.after.inspection.team_id].append(change.after.inspection)
    for team_id, inspections in by_team.items():
        room = settings.SPLITTINGS_AN_HOUR - _opened(team_id)
        CaptureTask.objects.bulk_create(
            [_task_for(each) for each in inspections[: max(0, room)]],
            ignore_conflicts=True,
        )


def _is_due(inspection: Inspection) -> bool:
    return inspection.streamed and inspection.error_count > 0


def _opened(team_id: int) -> int:
    unasked = CaptureTask.objects.filter(
        team=team_id, kind=TaskKind.SPLITTING, requested_by__isnull=True
    )
    return unasked.filter(created_at__gte=Now() - HOUR).count()


def _task_for(inspection: Inspection) -> CaptureTask:
    return CaptureTask(
        capture_id=inspection.capture_id, team_id=inspection.team_id, kind=TaskKind.SPLITTING
    )
