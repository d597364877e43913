"""Bulk jobs: one change to all captures of a query, requested, followed and undone; or their
deletion or redaction, which is not.

A job notes each capture that it changed. Whoever changes the same tag of it later takes that note
away, so that undoing reverts what the job did and nobody since changed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import QueryDict
from django.utils import timezone

from inspector.archive.background.redacting import RedactedCaptures
from inspector.archive.deletion import DeletedCaptures
from inspector.archive.intake.limits import TAG_CHARACTERS
from inspector.archive.listing.filter_params import FilterParams, parse_filter_params
from inspector.archive.listing.filters import Filters
from inspector.archive.member_types import Count, Moment
from inspector.archive.models import BulkJob, BulkKind, BulkState
from inspector.archive.queries import BoundedCount, Captures
from inspector.archive.redaction import rule_set
from inspector.core.redaction.mask_rule import MaskRule
from inspector.core.redaction.mask_rules import RuleSet
from inspector.database.column_text import clean_text
from inspector.teams.access import DELETE, INGEST, READ, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name

MAX_OPEN_BULK_JOBS = 10
"""Of one team: each takes its turn, so that more would only wait longer."""
KEPT = timedelta(days=30)
"""How long a finished job can be undone."""
FORGET_EVERY_SECONDS = 3600.0
FINAL = frozenset({BulkKind.DELETE, BulkKind.REDACT})
"""What nothing takes back: such a job can be stopped."""
REVERSED = {BulkKind.TAG: BulkKind.UNTAG, BulkKind.UNTAG: BulkKind.TAG}

_forget_at = 0.0


@dataclass(frozen=True, slots=True)
class TooManyBulkJobs:
    """The team has as many open bulk jobs as it may have; another one can be requested later."""

    limit: int = MAX_OPEN_BULK_JOBS


@dataclass(frozen=True, slots=True)
class OtherCount:
    """Not as many captures match as were confirmed; None: too many to count them in time."""

    number: int | None


class BulkDeletionSums(msgspec.Struct, frozen=True):
    """What a deletion took away so far. ``exports``: files that held a capture; ``shares``: links
    to one.
    """

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


class BulkJobStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A bulk job, and how far it is. ``state``: ``open``, ``finished``, ``stopped`` or
    ``failed``.
    """

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
        return self.state == BulkState.OPEN

    @property
    def can_be_undone(self) -> bool:
        """An open deletion or redaction can be stopped; what it did by then stays so."""
        if self.action in FINAL:
            return self.is_open
        return self.undone_by is None and (self.is_open or self.changed > 0)


def matching(
    principal: Principal, conditions: FilterParams, received_before: datetime
) -> BoundedCount | None:
    """How many captures a job would go through, counted up to a bound; None where that takes too
    long.
    """
    captures = Captures(tuple(principal.team_ids(READ)))
    return captures.count(_until(conditions.filters, received_before))


def newest_bound(principal: Principal) -> datetime:
    """A moment behind every capture that the principal's teams have."""
    return Captures(tuple(principal.team_ids(READ))).newest_bound()


def request_bulk_job(
    principal: Principal,
    kind: BulkKind,
    tag: str,
    conditions: FilterParams,
    received_before: datetime | None = None,
) -> BulkJobStatus | TooManyBulkJobs | None:
    """Opens a job for all captures that match now, of a principal of one team. ``received_before``
    leaves later arrivals out; without it all that are there by now are meant. None where the
    principal may not read or not tag the team's captures.
    """
    if conditions.mistakes:
        raise ValueError("a query with mistakes matches more than was meant")
    team_ids = _changeable_teams(principal)
    if len(team_ids) != 1:
        return None
    [team_id] = team_ids
    if _open_jobs(team_id).count() >= MAX_OPEN_BULK_JOBS:
        return TooManyBulkJobs()
    newest = newest_bound(principal)
    bound = min(received_before or newest, newest)
    counted = matching(principal, conditions, bound)
    job = BulkJob.objects.create(
        team_id=team_id,
        kind=kind,
        argument=clean_text(tag, TAG_CHARACTERS),
        query=str(conditions),
        received_before=bound,
        total=counted.number if counted and counted.is_all else None,
        requested_by=actor_name(principal)[:200],
        created_at=timezone.now(),
    )
    return status_of(job)


def request_bulk_deletion(
    principal: Principal,
    conditions: FilterParams,
    confirmed: int,
    received_before: datetime | None = None,
) -> BulkJobStatus | TooManyBulkJobs | OtherCount | None:
    """Opens a job that deletes all captures that match now, if they are as many as the principal
    confirmed; more than these it never deletes. None where the principal may not read or not delete
    the captures of its one team.
    """
    team_id = _team_of_final_job(principal, conditions)
    if not isinstance(team_id, int):
        return team_id
    bound = _confirmed_bound(team_id, conditions, confirmed, received_before)
    if isinstance(bound, OtherCount):
        return bound
    with transaction.atomic():
        job = BulkJob.objects.create(
            team_id=team_id,
            kind=BulkKind.DELETE,
            argument="",
            query=str(conditions),
            received_before=bound,
            total=confirmed,
            receipt=msgspec.to_builtins(BulkDeletionSums()),
            requested_by=actor_name(principal)[:200],
            created_at=timezone.now(),
        )
        note(principal, team_id, Act.CAPTURES_DELETED, f"{confirmed} captures, bulk job {job.pk}")
    return status_of(job)


def request_bulk_redaction(
    principal: Principal, rules: Sequence[MaskRule], conditions: FilterParams
) -> BulkJobStatus | TooManyBulkJobs | None:
    """Opens a job that overwrites what rules name in all captures that match now. None where there
    are no rules, or the principal may not read or not delete the captures of its one team.
    """
    team_id = _team_of_final_job(principal, conditions) if rules else None
    if not isinstance(team_id, int):
        return team_id
    bound = newest_bound(principal)
    counted = matching(principal, conditions, bound)
    total = counted.number if counted and counted.is_all else None
    return _redaction(principal, team_id, rules, conditions, bound, total)


def request_confirmed_redaction(
    principal: Principal, rules: Sequence[MaskRule], conditions: FilterParams, confirmed: int
) -> BulkJobStatus | TooManyBulkJobs | OtherCount | None:
    """As ``request_bulk_redaction``, if the captures that match now are as many as the principal
    confirmed.
    """
    team_id = _team_of_final_job(principal, conditions) if rules else None
    if not isinstance(team_id, int):
        return team_id
    bound = _confirmed_bound(team_id, conditions, confirmed)
    if isinstance(bound, OtherCount):
        return bound
    return _redaction(principal, team_id, rules, conditions, bound, confirmed)


def rules_of(job: BulkJob) -> RuleSet:
    """The rules that a redaction applies, as they were when it was requested."""
    return rule_set(tuple(msgspec.convert(job.rules or [], list[MaskRule])))


def request_undo(principal: Principal, number: int) -> BulkJobStatus | TooManyBulkJobs | None:
    """Opens a job that takes back what a job changed, which ends if it is still open; or returns
    the one there is. A deletion or redaction only ends. None where the principal has no such job or
    may not read and tag.
    """
    with transaction.atomic():
        rows = BulkJob.objects.filter(pk=number, team__in=_changeable_teams(principal))
        job = rows.select_for_update().first()
        if job is None:
            return None
        if job.kind in FINAL:
            return _stopped(principal, rows)
        if undone_by := BulkJob.objects.filter(undoes=job).first():
            return status_of(undone_by)
        # A job that stops makes room for the one that undoes it.
        others = _open_jobs(job.team_id).exclude(pk=job.pk)
        if others.count() >= MAX_OPEN_BULK_JOBS:
            return TooManyBulkJobs()
        _stop(rows)
        undoing = BulkJob.objects.create(
            team_id=job.team_id,
            kind=REVERSED[BulkKind(job.kind)],
            argument=job.argument,
            query=job.query,
            received_before=job.received_before,
            undoes=job,
            total=job.changes.count(),
            requested_by=actor_name(principal)[:200],
            created_at=timezone.now(),
        )
    return status_of(undoing)


def stop_bulk_job(principal: Principal, number: int) -> BulkJobStatus | None:
    """Ends a job that is still open; what it did by then stays so. None where the principal sees no
    such job or may not delete.
    """
    return _stopped(principal, _visible(principal).filter(pk=number))


def _stopped(principal: Principal, rows: QuerySet[BulkJob]) -> BulkJobStatus | None:
    """A job that goes no further; what it did by then stays so."""
    theirs = rows.filter(team__in=principal.team_ids(DELETE))
    _stop(theirs)
    job = theirs.first()
    return status_of(job) if job else None


def _stop(rows: QuerySet[BulkJob]) -> None:
    # Without its lease a step that is under way stores nothing more.
    rows.filter(state=BulkState.OPEN).update(
        state=BulkState.STOPPED, finished_at=Now(), lease_token=None
    )


def bulk_job(principal: Principal, number: int) -> BulkJobStatus | None:
    found = _visible(principal).filter(pk=number).first()
    return status_of(found) if found else None


def open_bulk_job(principal: Principal) -> BulkJobStatus | None:
    """The newest of the open jobs that the principal requested."""
    found = _visible(principal).filter(state=BulkState.OPEN).order_by("-id")
    jobs = found[:MAX_OPEN_BULK_JOBS]
    if not jobs:
        return None
    name = actor_name(principal)[:200]
    return next((status_of(job) for job in jobs if job.requested_by == name), None)


def recent_bulk_jobs(principal: Principal, limit: int = 50) -> tuple[BulkJobStatus, ...]:
    """Returns the latest bulk jobs of the principal's teams, newest first."""
    return tuple(status_of(job) for job in _visible(principal).order_by("-id")[:limit])


def status_of(job: BulkJob) -> BulkJobStatus:
    undone_by = getattr(job, "undone_by", None)
    is_deletion = job.kind == BulkKind.DELETE and job.receipt is not None
    is_redaction = job.kind == BulkKind.REDACT and job.receipt is not None
    return BulkJobStatus(
        id=job.pk,
        action=job.kind,
        tag=job.argument,
        query=job.query,
        state=job.state,
        total=job.total,
        done=job.done,
        changed=job.changed,
        full=job.full,
        receipt=msgspec.convert(job.receipt, BulkDeletionSums) if is_deletion else None,
        redacted=msgspec.convert(job.receipt, RedactedCaptures) if is_redaction else None,
        error=job.error,
        undoes=job.undoes_id,
        undone_by=undone_by.pk if undone_by else None,
        requested_by=job.requested_by,
        created_at=job.created_at,
        finished_at=job.finished_at,
    )


def filters_of(job: BulkJob) -> Filters | None:
    """Parses the job's query; None if this release does not understand it."""
    values: Mapping[str, Sequence[str]] = dict(QueryDict(job.query).lists())
    found = parse_filter_params(values, job.created_at)
    return None if found.mistakes else _until(found.filters, job.received_before)


def forget_old() -> None:
    """Deletes jobs that ended long ago; does nothing if called again within an hour."""
    global _forget_at
    if time.monotonic() < _forget_at:
        return
    _forget_at = time.monotonic() + FORGET_EVERY_SECONDS
    # One that another undoes is needed until that has ended long ago, too, and goes the next time.
    ended = BulkJob.objects.filter(finished_at__lt=timezone.now() - KEPT)
    ended.filter(undone_by=None).delete()


def _redaction(
    principal: Principal,
    team_id: int,
    rules: Sequence[MaskRule],
    conditions: FilterParams,
    bound: datetime,
    total: int | None,
) -> BulkJobStatus:
    with transaction.atomic():
        job = BulkJob.objects.create(
            team_id=team_id,
            kind=BulkKind.REDACT,
            argument="",
            rules=msgspec.to_builtins(rules),
            query=str(conditions),
            received_before=bound,
            total=total,
            receipt=msgspec.to_builtins(RedactedCaptures()),
            requested_by=actor_name(principal)[:200],
            created_at=timezone.now(),
        )
        numbers = ", ".join(str(rule.id) for rule in rules)
        note(principal, team_id, Act.CAPTURES_REDACTED, f"rules {numbers}, bulk job {job.pk}")
    return status_of(job)


def _team_of_final_job(
    principal: Principal, conditions: FilterParams
) -> int | TooManyBulkJobs | None:
    """The team in which a job may be opened that nothing takes back. None where the principal may
    not read or not delete the captures of its one team.
    """
    if conditions.mistakes:
        raise ValueError("a query with mistakes matches more than was meant")
    team_ids = set(principal.team_ids(DELETE)) & set(principal.team_ids(READ))
    if len(team_ids) != 1:
        return None
    [team_id] = team_ids
    is_full = _open_jobs(team_id).count() >= MAX_OPEN_BULK_JOBS
    return TooManyBulkJobs() if is_full else team_id


def _confirmed_bound(
    team_id: int,
    conditions: FilterParams,
    confirmed: int,
    received_before: datetime | None = None,
) -> datetime | OtherCount:
    """A moment behind all captures that match, if these are as many as were confirmed."""
    captures = Captures((team_id,))
    newest = captures.newest_bound()
    bound = min(received_before or newest, newest)
    number = captures.exact_count(_until(conditions.filters, bound))
    return bound if number == confirmed else OtherCount(number)


def _until(filters: Filters, bound: datetime) -> Filters:
    return filters.with_value("until", bound)


def _open_jobs(team_id: int) -> QuerySet[BulkJob]:
    return BulkJob.objects.filter(team=team_id, state=BulkState.OPEN)


def _changeable_teams(principal: Principal) -> set[int]:
    # Reading, too: how many captures a job changed tells what they hold.
    return set(principal.team_ids(INGEST)) & set(principal.team_ids(READ))


def _visible(principal: Principal) -> QuerySet[BulkJob]:
    rows = BulkJob.objects.filter(team__in=principal.team_ids(READ))
    return rows.select_related("undone_by")
