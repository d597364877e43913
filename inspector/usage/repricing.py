"""Reprices the captures that arrived in a period by the current price table and overrides.

Arithmetic over rows: each capture's billable facts are stored, so no evidence is read. A job goes
through the captures by their time of arrival and stores its position in the same transaction as the
prices: a step that is cut off is repeated, and nothing counts twice.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Max, Q, QuerySet

from inspector.archive.inspection import added_findings, claims, jobs
from inspector.archive.models import JobKind, JobState
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.database import bulk
from inspector.database.portability import UNAVAILABLE
from inspector.logs.json_log import fields
from inspector.teams.access import MANAGE, READ, Principal
from inspector.teams.names import actor_name
from inspector.usage.cost.billable import Billable, decode_billable
from inspector.usage.cost.money import EXACT, plain
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.prices import table_name
from inspector.usage.cost.pricing import COST_FINDINGS, price_columns
from inspector.usage.cost.receipts import CostReceipt, cost_findings, receipt_of
from inspector.usage.cost.team_prices import overrides_of
from inspector.usage.measures import MeasureKey
from inspector.usage.models import Price, Repricing
from inspector.usage.rollup import rollups
from inspector.usage.rollup.contribution import cost_measures, without_cost

BATCH_CAPTURES = 100
"""Priced and stored in one short transaction."""
# No batch is begun after this time.
STEP_SECONDS = 1.0
MAX_LISTED_JOBS = 5

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RepricingProgress:
    """The progress and results of a job, and who requested it."""

    since: datetime
    until: datetime
    requested_by: str
    requested_at: datetime
    table: str
    state: JobState
    total: int
    done: int
    changed: int
    failed: int
    before_usd: Decimal
    before_captures: int
    before_lower_bounds: int
    """Number of captures whose known cost was a lower bound before."""
    after_usd: Decimal
    after_captures: int
    after_lower_bounds: int
    finished_at: datetime | None


def for_principal(principal: Principal) -> Repricings:
    return Repricings(principal, tuple(principal.team_ids(READ)), tuple(principal.team_ids(MANAGE)))


@dataclass(frozen=True, slots=True)
class Repricings:
    principal: Principal
    team_ids: tuple[int, ...]
    managed: tuple[int, ...]

    def latest(self) -> tuple[RepricingProgress, ...]:
        """The newest jobs first, ``MAX_LISTED_JOBS`` at most, with how far each is."""
        rows = Repricing.objects.filter(team__in=self.team_ids).select_related("job")
        return tuple(map(_progress, rows.order_by("-job")[:MAX_LISTED_JOBS]))

    def request(self, since: datetime, until: datetime) -> bool:
        """Requests repricing for the one team whose prices the principal manages. Returns False
        while a job is running there.
        """
        (team_id,) = self.managed
        repricing = Repricing(
            team_id=team_id,
            since=since,
            until=min(until, _after_newest(team_id, since)),
            requested_by=actor_name(self.principal)[:200],
            table=table_name(),
        )
        with transaction.atomic():
            total = _within(repricing).count()
            job = jobs.open_requested_job(JobKind.REPRICING, team_id, ANALYSIS_VERSION, total)
            if job is None:
                return False
            repricing.job = job
            repricing.save(force_insert=True)
        return True


def step(stop: Callable[[], bool] = lambda: False) -> bool:
    """Works on one job for up to a second. Returns False where there is no job, or new captures
    wait.
    """
    job = None if claims.any_due() else jobs.claim(JobKind.REPRICING, ANALYSIS_VERSION)
    if job is None:
        return False
    end = time.monotonic() + STEP_SECONDS
    while True:
        repricing = Repricing.objects.get(pk=job.pk)
        found = list(_remaining(repricing)[:BATCH_CAPTURES])
        if not found:
            jobs.finish(job)
            _LOGGER.info("a repricing is finished", extra=fields(team=job.team_id))
            return True
        if not _price_again(job, repricing, found):
            return True
        if stop() or claims.any_due() or time.monotonic() > end:
            jobs.release(job)
            return True


def _after_newest(team_id: int, since: datetime) -> datetime:
    # Later arrivals are priced by the current rates anyway. The end is taken from the rows, not
    # from a clock: this host's may be behind that of the database.
    newest = Price.objects.filter(team=team_id).aggregate(at=Max("received_at"))["at"]
    return max(newest or since, since) + timedelta(microseconds=1)


def _within(repricing: Repricing) -> QuerySet[Price]:
    return Price.objects.filter(
        team=repricing.team_id, received_at__gte=repricing.since, received_at__lt=repricing.until
    )


def _remaining(repricing: Repricing) -> QuerySet[Price, tuple[UUID, datetime]]:
    # In the order of the index.
    rows = _within(repricing)
    if repricing.last_received_at is not None:
        behind = Q(received_at__gt=repricing.last_received_at) | Q(
            capture__gt=repricing.last_capture
        )
        rows = rows.filter(behind, received_at__gte=repricing.last_received_at)
    return rows.order_by("received_at", "capture").values_list("capture", "received_at")


def _price_again(job: Any, repricing: Repricing, found: Sequence[tuple[UUID, datetime]]) -> bool:
    """False where the job is another's by now, or was given back until a later attempt."""
    if not jobs.begin(job, found[0][0]):
        return False
    if job.attempt > settings.MAX_ATTEMPTS:
        return _pass_over(job, repricing, found)
    try:
        return _store(job, repricing, found)
    except UNAVAILABLE:
        raise
    except Exception as error:
        _LOGGER.exception("an attempt to reprice failed", extra=fields(team=job.team_id))
        jobs.note_error(job, type(error).__name__)
        if job.attempt >= settings.MAX_ATTEMPTS:
            return _pass_over(job, repricing, found)
        jobs.postpone(job, timedelta(seconds=settings.RETRY_WAITS_SECONDS[job.attempt - 1]))
        return False


def _pass_over(job: Any, repricing: Repricing, found: Sequence[tuple[UUID, datetime]]) -> bool:
    # Captures that cannot be repriced keep their price.
    with transaction.atomic():
        if not jobs.lock_job(job):
            return False
        _advance(repricing, found)
        repricing.save()
        jobs.add_progress(job, done=len(found), failed=len(found))
    return True


@dataclass(frozen=True, slots=True)
class _RepricedCapture:
    """One price as stored, and the receipt by the current rates."""

    price: Price
    billable: Billable
    receipt: CostReceipt

    @property
    def is_changed(self) -> bool:
        return any(getattr(self.price, name) != value for name, value in self.columns.items())

    @property
    def columns(self) -> dict[str, Any]:
        return price_columns(self.receipt)


def _store(job: Any, repricing: Repricing, found: Sequence[tuple[UUID, datetime]]) -> bool:
    with transaction.atomic():
        if not jobs.lock_job(job):
            return False
        # What is deleted or read again by now gets no price from here.
        held = added_findings.lock_inspected([capture_id for capture_id, _ in found])
        prices = list(Price.objects.filter(pk__in=held))
        again = _priced(prices, overrides_of([job.team_id])[job.team_id])
        changed = [each for each in again if each.is_changed]
        _replace(changed)
        _advance(repricing, found)
        _add_up(repricing, again)
        repricing.table = table_name()
        repricing.save()
        failed = len(prices) - len(again)
        jobs.add_progress(job, done=len(found), changed=len(changed), failed=failed)
    return True


def _priced(prices: Sequence[Price], overrides: Sequence[Override]) -> list[_RepricedCapture]:
    """Reprices the rows, leaving out those whose billable facts this release cannot decode."""
    again = []
    for price in prices:
        try:
            billable = decode_billable(bytes(price.billable))
        except ValueError:
            _LOGGER.warning(
                "the billable facts of a capture cannot be decoded",
                extra=fields(capture=str(price.pk)),
            )
            continue
        receipt = receipt_of(billable, price.received_at, overrides)
        again.append(_RepricedCapture(price, billable, receipt))
    return again


def _replace(changed: Sequence[_RepricedCapture]) -> None:
    """Prices, sums and findings together."""
    by_id = {each.price.pk: each for each in changed}
    if not by_id:
        return
    befores = rollups.stored_contributions(by_id)
    afters = [
        each._replace(measures=without_cost(each.measures) | _measures(by_id[each.capture_id]))
        for each in befores
    ]
    rollups.replace_contributions(befores, afters)
    Price.objects.filter(pk__in=by_id).delete()
    bulk.bulk_insert([_row(each) for each in changed])
    added_findings.replace_findings(
        COST_FINDINGS,
        {capture_id: cost_findings(each.receipt) for capture_id, each in by_id.items()},
        by_id,
    )


def _measures(each: _RepricedCapture) -> dict[MeasureKey, int | None]:
    return dict(cost_measures(each.billable, each.receipt))


def _row(each: _RepricedCapture) -> Price:
    price = each.price
    return Price(
        capture_id=price.pk,
        team_id=price.team_id,
        received_at=price.received_at,
        billable=bytes(price.billable),
        service_tier=price.service_tier,
        other_service_tier=price.other_service_tier,
        fingerprint=price.fingerprint,
        **each.columns,
    )


def _advance(repricing: Repricing, found: Sequence[tuple[UUID, datetime]]) -> None:
    repricing.last_capture, repricing.last_received_at = found[-1]


def _add_up(repricing: Repricing, again: Sequence[_RepricedCapture]) -> None:
    befores = [Decimal(text) for each in again if (text := each.price.computed_usd) is not None]
    afters = [usd for each in again if (usd := each.receipt.total_usd) is not None]
    repricing.before_usd = _sum(repricing.before_usd, befores)
    repricing.after_usd = _sum(repricing.after_usd, afters)
    repricing.before_captures += len(befores)
    repricing.after_captures += len(afters)
    repricing.before_lower_bounds += sum(each.price.unpriced_items is not None for each in again)
    repricing.after_lower_bounds += sum(each.receipt.is_lower_bound for each in again)


def _sum(first: str, more: Sequence[Decimal]) -> str:
    total = Decimal(first)
    for each in more:
        total = EXACT.add(total, each)
    return plain(total) or "0"


def _progress(repricing: Repricing) -> RepricingProgress:
    job = repricing.job
    return RepricingProgress(
        since=repricing.since,
        until=repricing.until,
        requested_by=repricing.requested_by,
        requested_at=job.created_at,
        table=repricing.table,
        state=JobState(job.state),
        total=job.total,
        done=job.done,
        changed=job.changed,
        failed=job.failed,
        before_usd=Decimal(repricing.before_usd),
        before_captures=repricing.before_captures,
        before_lower_bounds=repricing.before_lower_bounds,
        after_usd=Decimal(repricing.after_usd),
        after_captures=repricing.after_captures,
        after_lower_bounds=repricing.after_lower_bounds,
        finished_at=job.finished_at,
    )
