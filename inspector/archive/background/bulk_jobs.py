"""Bulk jobs: one change to all captures of a query, requested, followed and undone; or their
deletion or redaction, which is not.

A job notes each capture that it changed. Whoever changes the same tag of it later takes that note
away, so that undoing reverts what the job did and nobody since changed.

A job is a query, the moment until which captures count, and a place in the list, stored with the
changes: a step that is cut off is repeated and changes nothing twice. Arrivals only grow within a
team, so the moment keeps later ones out. A list of ids would be a million rows in one request. A
query with a mistake is refused: a change to more captures than meant is worse than none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from django.db import transaction
from django.http import QueryDict

from inspector.archive.background.redacting import RedactedCaptures
from inspector.archive.deletion import DeletedCaptures
from inspector.archive.intake.limits import TAG_CHARACTERS
from inspector.archive.listing.capture_fields import ARRIVED_UNTIL
from inspector.archive.listing.filter_params import FilterParams, parse_filter_params
from inspector.archive.listing.filters import Filters
from inspector.archive.member_types import Count, Moment
from inspector.archive.models import BulkChange, BulkKind
from inspector.archive.queries import BoundedCount, Captures
from inspector.core.decoded_types import built
from inspector.core.redaction_mark import MaskRule
from inspector.core.same_fields import struct_of
from inspector.database.column_text import clean_text
from inspector.teams.access import DELETE, INGEST, READ, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name
from inspector.work import queries as work
from inspector.work.models import WorkState
from inspector.work.queries import WorkOfKind, WorkStatus

MAX_OPEN_BULK_JOBS = 10
"""Open jobs of one team: each takes its turn, so that more would only wait longer."""
BULK = "bulk"
"""The kind of work. Its subject is the tag."""
FINAL = frozenset({BulkKind.DELETE, BulkKind.REDACT})
"""Actions that nothing takes back: such a job can be stopped."""
REVERSED = {BulkKind.TAG: BulkKind.UNTAG, BulkKind.UNTAG: BulkKind.TAG}


@dataclass(frozen=True, slots=True)
class TooManyBulkJobs:
    """The team has as many open bulk jobs as it may have; another one can be requested later."""

    limit: int = MAX_OPEN_BULK_JOBS


@dataclass(frozen=True, slots=True)
class OtherCount:
    """Not as many captures match as were confirmed; None: too many to count them in time."""

    number: int | None


class BulkDeletionSums(msgspec.Struct, frozen=True):
    """Counts of what was deleted so far; ``exports``: files with a capture, ``shares``: links."""

    bytes: Count = 0
    feedback_votes: Count = 0
    feedback_tokens: Count = 0
    exports: Count = 0
    shares: Count = 0

    def and_of(self, gone: DeletedCaptures) -> BulkDeletionSums:
        return BulkDeletionSums(
            bytes=self.bytes + gone.byte_length,
            feedback_votes=self.feedback_votes + gone.feedback_votes,
            feedback_tokens=self.feedback_tokens + gone.feedback_tokens,
            exports=self.exports + gone.exports,
            shares=self.shares + gone.shares,
        )


class BulkTask(msgspec.Struct, frozen=True, kw_only=True):
    """The change of a job, and the captures that it is for."""

    action: BulkKind
    query: str
    """The query string of the list. Ages in it count back from the request."""
    received_before: datetime
    """Exclusive: what arrives later is left alone."""
    rules: tuple[MaskRule, ...] = ()
    """Rules of a redaction, as they were when the job was requested."""


class BulkResult(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a job."""

    changed: Count = 0
    full: Count = 0
    """Left as they are: they have as many tags as a capture may have."""
    deleted: BulkDeletionSums | None = None
    redacted: RedactedCaptures | None = None


NOTHING_YET = BulkResult()


class BulkJobStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A bulk job and its progress. ``state``: ``open``, ``finished``, ``stopped``, ``failed``."""

    id: int
    action: str
    tag: str
    query: str
    state: str
    total: Count | None
    """None where too many matched to count them."""
    done: Count
    changed: Count
    full: Count
    """Left unchanged: they have as many tags as a capture may have."""
    receipt: BulkDeletionSums | None
    """None where nothing is deleted."""
    redacted: RedactedCaptures | None
    """None where nothing is overwritten."""
    error: str | None
    undoes: int | None
    undone_by: int | None
    requested_by: str
    created_at: Moment
    finished_at: Moment | None

    @property
    def is_open(self) -> bool:
        return self.state == WorkState.OPEN

    @property
    def can_be_undone(self) -> bool:
        """An open deletion or redaction can be stopped; what it did by then stays so."""
        if self.action in FINAL:
            return self.is_open
        return self.undone_by is None and (self.is_open or self.changed > 0)


def matching(
    principal: Principal, conditions: FilterParams, received_before: datetime
) -> BoundedCount | None:
    """Return captures of a job, up to a bound; None where counting takes too long."""
    captures = Captures(tuple(principal.team_ids(READ)))
    return captures.count(_until(conditions.filters, received_before))


def newest_bound(principal: Principal) -> datetime:
    """Return a moment behind every capture that the principal's teams have."""
    return Captures(tuple(principal.team_ids(READ))).newest_bound()


def request_bulk_job(
    principal: Principal,
    kind: BulkKind,
    tag: str,
    conditions: FilterParams,
    received_before: datetime | None = None,
) -> BulkJobStatus | TooManyBulkJobs | None:
    """Open a job for all captures that match now, of a principal of one team. ``received_before``
    leaves later arrivals out; without it all that are there by now are meant. None where the
    principal may not read or not tag the team's captures.
    """
    if conditions.mistakes:
        raise ValueError("a query with mistakes matches more than was meant")
    team_ids = _changeable_teams(principal)
    if len(team_ids) != 1:
        return None
    [team_id] = team_ids
    if _are_too_many(team_id):
        return TooManyBulkJobs()
    newest = newest_bound(principal)
    bound = min(received_before or newest, newest)
    task = BulkTask(action=kind, query=str(conditions), received_before=bound)
    total = _total(principal, conditions, bound)
    return _opened(principal, team_id, task, total, subject=clean_text(tag, TAG_CHARACTERS))


def request_bulk_deletion(
    principal: Principal,
    conditions: FilterParams,
    confirmed: int,
    received_before: datetime | None = None,
) -> BulkJobStatus | TooManyBulkJobs | OtherCount | None:
    """Open a job that deletes all captures that match now, if they are as many as the principal
    confirmed; more than these it never deletes. None where the principal may not read or not delete
    the captures of its one team.
    """
    team_id = _team_of_final_job(principal, conditions)
    if not isinstance(team_id, int):
        return team_id
    bound = _confirmed_bound(team_id, conditions, confirmed, received_before)
    if isinstance(bound, OtherCount):
        return bound
    task = BulkTask(action=BulkKind.DELETE, query=str(conditions), received_before=bound)
    result = BulkResult(deleted=BulkDeletionSums())
    with transaction.atomic():
        job = _opened(principal, team_id, task, confirmed, result)
        note(principal, team_id, Act.CAPTURES_DELETED, f"{confirmed} captures, bulk job {job.id}")
    return job


def request_bulk_redaction(
    principal: Principal, rules: Sequence[MaskRule], conditions: FilterParams
) -> BulkJobStatus | TooManyBulkJobs | None:
    """Open a job that overwrites what rules name in all captures that match now. None where there
    are no rules, or the principal may not read or not delete the captures of its one team.
    """
    team_id = _team_of_final_job(principal, conditions) if rules else None
    if not isinstance(team_id, int):
        return team_id
    bound = newest_bound(principal)
    total = _total(principal, conditions, bound)
    return _redaction(principal, team_id, rules, conditions, bound, total)


def request_confirmed_redaction(
    principal: Principal, rules: Sequence[MaskRule], conditions: FilterParams, confirmed: int
) -> BulkJobStatus | TooManyBulkJobs | OtherCount | None:
    """As ``request_bulk_redaction``, if as many captures match now as the principal confirmed."""
    team_id = _team_of_final_job(principal, conditions) if rules else None
    if not isinstance(team_id, int):
        return team_id
    bound = _confirmed_bound(team_id, conditions, confirmed)
    if isinstance(bound, OtherCount):
        return bound
    return _redaction(principal, team_id, rules, conditions, bound, confirmed)


def request_undo(principal: Principal, number: int) -> BulkJobStatus | TooManyBulkJobs | None:
    """Open a job that takes back what a job changed, which ends if it is still open; or returns
    the one there is. A deletion or redaction only ends. None where the principal has no such job or
    may not read and tag.
    """
    theirs = WorkOfKind(BULK, tuple(_changeable_teams(principal)))
    with transaction.atomic():
        job = theirs.locked(number)
        if job is None or job.team_id is None:
            return None
        task = task_of(job.request)
        if task.action in FINAL:
            return stop_bulk_job(principal, number)
        if undone_by := theirs.undone_by(number):
            return status_of(undone_by)
        # A job that stops makes room for the one that undoes it.
        if _are_too_many(job.team_id, but=number):
            return TooManyBulkJobs()
        theirs.end([number], WorkState.STOPPED)
        undoing = msgspec.structs.replace(task, action=REVERSED[task.action])
        total = BulkChange.objects.filter(job=number).count()
        return _opened(
            principal, job.team_id, undoing, total, subject=job.subject, undoes_id=number
        )


def stop_bulk_job(principal: Principal, number: int) -> BulkJobStatus | None:
    """End an open job, which keeps what it did; None where the principal may not do so."""
    may_both = set(principal.team_ids(READ)) & set(principal.team_ids(DELETE))
    theirs = WorkOfKind(BULK, tuple(may_both))
    with transaction.atomic():
        theirs.end([number], WorkState.STOPPED)
    job = theirs.one(number)
    return status_of(job) if job else None


def bulk_job(principal: Principal, number: int) -> BulkJobStatus | None:
    found = work.for_principal(principal, BULK).one(number)
    return status_of(found) if found else None


def open_bulk_job(principal: Principal) -> BulkJobStatus | None:
    """Return the newest of the open jobs that the principal requested."""
    found = work.for_principal(principal, BULK).open_now()
    if not found:
        return None
    name = actor_name(principal)
    return next((status_of(job) for job in found if job.requested_by == name), None)


def recent_bulk_jobs(principal: Principal, limit: int = 50) -> tuple[BulkJobStatus, ...]:
    """Return the latest bulk jobs of the principal's teams, newest first."""
    return tuple(map(status_of, work.for_principal(principal, BULK).recent(limit)))


def status_of(job: WorkStatus) -> BulkJobStatus:
    task, result = task_of(job.request), result_of(job.result)
    return struct_of(
        BulkJobStatus,
        job,
        action=task.action,
        tag=job.subject,
        query=task.query,
        changed=result.changed,
        full=result.full,
        receipt=result.deleted,
        redacted=result.redacted,
    )


def task_of(stored: Any) -> BulkTask:
    return msgspec.convert(stored, built(BulkTask))


def result_of(stored: Any) -> BulkResult:
    return msgspec.convert(stored, built(BulkResult))


def filters_of(task: BulkTask, requested_at: datetime) -> Filters | None:
    """Parse the job's query; None if this release does not understand it."""
    values: Mapping[str, Sequence[str]] = dict(QueryDict(task.query).lists())
    found = parse_filter_params(values, requested_at)
    return None if found.mistakes else _until(found.filters, task.received_before)


def _opened(
    principal: Principal,
    team_id: int,
    task: BulkTask,
    total: int | None,
    result: BulkResult = NOTHING_YET,
    **columns: Any,
) -> BulkJobStatus:
    job = work.open_work(
        BULK,
        team_id,
        request=msgspec.to_builtins(task),
        result=msgspec.to_builtins(result),
        total=total,
        requested_by=actor_name(principal),
        **columns,
    )
    return status_of(job)


def _redaction(
    principal: Principal,
    team_id: int,
    rules: Sequence[MaskRule],
    conditions: FilterParams,
    bound: datetime,
    total: int | None,
) -> BulkJobStatus:
    task = BulkTask(
        action=BulkKind.REDACT, query=str(conditions), received_before=bound, rules=tuple(rules)
    )
    with transaction.atomic():
        job = _opened(principal, team_id, task, total, BulkResult(redacted=RedactedCaptures()))
        numbers = ", ".join(str(rule.id) for rule in rules)
        note(principal, team_id, Act.CAPTURES_REDACTED, f"rules {numbers}, bulk job {job.id}")
    return job


def _total(principal: Principal, conditions: FilterParams, bound: datetime) -> int | None:
    counted = matching(principal, conditions, bound)
    return counted.number if counted and counted.is_all else None


def _team_of_final_job(
    principal: Principal, conditions: FilterParams
) -> int | TooManyBulkJobs | None:
    """Return the team in which a job may be opened that nothing takes back. None where the
    principal may not read or not delete the captures of its one team.
    """
    if conditions.mistakes:
        raise ValueError("a query with mistakes matches more than was meant")
    team_ids = set(principal.team_ids(DELETE)) & set(principal.team_ids(READ))
    if len(team_ids) != 1:
        return None
    [team_id] = team_ids
    return TooManyBulkJobs() if _are_too_many(team_id) else team_id


def _confirmed_bound(
    team_id: int, conditions: FilterParams, confirmed: int, received_before: datetime | None = None
) -> datetime | OtherCount:
    """Return a moment behind all captures that match, if these are as many as were confirmed."""
    captures = Captures((team_id,))
    newest = captures.newest_bound()
    bound = min(received_before or newest, newest)
    number = captures.exact_count(_until(conditions.filters, bound))
    return bound if number == confirmed else OtherCount(number)


def _until(filters: Filters, bound: datetime) -> Filters:
    return filters.with_value(ARRIVED_UNTIL, bound)


def _are_too_many(team_id: int, but: int | None = None) -> bool:
    open_now = WorkOfKind(BULK, (team_id,)).open_now()
    return sum(job.id != but for job in open_now) >= MAX_OPEN_BULK_JOBS


def _changeable_teams(principal: Principal) -> set[int]:
    # Reading, too: how many captures a job changed tells what they hold.
    return set(principal.team_ids(INGEST)) & set(principal.team_ids(READ))
