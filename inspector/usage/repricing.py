"""Reprices the captures of calls of a period by the current price table and overrides.

Arithmetic over rows: each capture's billable facts are stored, so no evidence is read. A job goes
through the captures in the order of calls and stores its position in the same transaction as the
prices: a step that is cut off is repeated, and nothing counts twice.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
from django.db import transaction
from django.db.models import Max, Min, Q, QuerySet
from msgspec.structs import replace

from inspector.archive.inspection import added_findings, claims
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.core.decoded_types import built
from inspector.core.fields.service_tier import STANDARD, STANDARD_WORDS
from inspector.database import bulk
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
from inspector.usage.models import Price
from inspector.usage.rollup import rollups
from inspector.usage.rollup.contribution import cost_measures, without_cost
from inspector.work import queries as work
from inspector.work.leases import Leased
from inspector.work.models import WorkState
from inspector.work.queries import WorkOfKind, WorkStatus
from inspector.work.run import Kind

REPRICING = "repricing"
BATCH_CAPTURES = 100
"""Priced and stored in one short transaction."""
MAX_COUNTED = 10_000
"""Counted each time the form is shown or changed."""
MAX_LISTED_JOBS = 5
"""On the page of prices; each job is in the audit log."""

_LOGGER = logging.getLogger(__name__)


class RepricingTask(msgspec.Struct, frozen=True):
    """The period whose captures are priced again, in the order of their calls; ``version`` is
    that of the program that was asked.
    """

    version: int
    since: datetime
    until: datetime


class RepricingResult(msgspec.Struct, frozen=True):
    """Sums of the costs that are known, and of how many captures they are; so far."""

    table: str
    """The price table of the program that prices last."""
    changed: int = 0
    failed: int = 0
    before_usd: str = "0"
    before_captures: int = 0
    before_lower_bounds: int = 0
    """Captures whose known cost is a lower bound."""
    after_usd: str = "0"
    after_captures: int = 0
    after_lower_bounds: int = 0


@dataclass(frozen=True, slots=True)
class RepricingProgress:
    """The progress and results of a job, and who requested it."""

    since: datetime
    until: datetime
    requested_by: str
    requested_at: datetime
    table: str
    state: WorkState
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
        """Return the newest jobs first, ``MAX_LISTED_JOBS`` at most, with how far each is."""
        jobs = WorkOfKind(REPRICING, self.team_ids).recent(MAX_LISTED_JOBS)
        return tuple(_progress(job, task_of(job.request), result_of(job.result)) for job in jobs)

    def is_under_way(self) -> bool:
        return bool(WorkOfKind(REPRICING, self.team_ids).open_now())

    def count(self, price: Override) -> int:
        """Return how many captures have the model, vendor, tier and days of a price,
        ``MAX_COUNTED`` + 1 at most.
        """
        # By the inspection's columns alone: its index leads from the team through the model.
        found = Price.objects.filter(
            _of_override(price), capture__inspection__team__in=self.managed
        )
        return found[: MAX_COUNTED + 1].count()

    def first_unpriced(self, model: str) -> date | None:
        """Return the day, UTC, of the first capture of a model whose cost is not computed."""
        found = Price.objects.filter(
            capture__inspection__team__in=self.managed,
            capture__inspection__named_model=model,
            computed_usd=None,
        )
        first = found.aggregate(at=Min("capture__inspection__called_at"))["at"]
        return first.astimezone(UTC).date() if first else None

    def request(self, since: datetime, until: datetime) -> bool:
        """Request repricing for the principal's one team; False while it is under way there."""
        (team_id,) = self.managed
        end = min(until, _after_newest(team_id, since))
        with transaction.atomic():
            job = work.open_once(
                REPRICING,
                team_id,
                "prices",
                request=msgspec.to_builtins(RepricingTask(ANALYSIS_VERSION, since, end)),
                result=msgspec.to_builtins(RepricingResult(table=table_name())),
                total=_within(team_id, since, end).count(),
                requested_by=actor_name(self.principal),
            )
        return job is not None


def task_of(stored: Any) -> RepricingTask:
    return msgspec.convert(stored, built(RepricingTask))


def result_of(stored: Any) -> RepricingResult:
    return msgspec.convert(stored, built(RepricingResult))


def step(job: Leased) -> bool:
    found = _remaining(job)
    if not found:
        job.end()
        _LOGGER.info("a repricing is finished", extra=fields(team=job.team_id))
        return False
    return _store(job, found)


def give_up(job: Leased, error: Exception) -> None:
    """Leave captures that cannot be repriced: they keep their price."""
    if found := _remaining(job):
        before = result_of(job.row.result)
        _advance(job, found, replace(before, failed=before.failed + len(found)))


def _after_newest(team_id: int, since: datetime) -> datetime:
    # What comes later is priced by the current rates anyway. The end is taken from the rows, not
    # from a clock: this host's may be behind that of the database.
    newest = Price.objects.filter(team=team_id).aggregate(at=Max("called_at"))["at"]
    return max(newest or since, since) + timedelta(microseconds=1)


def _of_override(price: Override) -> Q:
    of = "capture__inspection__"
    name = "named_model__startswith" if price.is_prefix else "named_model"
    found: dict[str, Any] = {
        f"{of}called_at__gte": midnight(price.starts),
        f"{of}{name}": price.model,
    }
    if price.ends is not None:
        found[f"{of}called_at__lt"] = midnight(price.ends)
    if price.vendor is not None:
        found[f"{of}vendor"] = price.vendor
    if price.tier is not None:
        found["service_tier__in"] = STANDARD_WORDS if price.tier == STANDARD else {price.tier}
    return Q(**found)


def midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _within(team_id: int, since: datetime, until: datetime) -> QuerySet[Price]:
    return Price.objects.filter(team=team_id, called_at__gte=since, called_at__lt=until)


def _remaining(job: Leased) -> list[tuple[UUID, datetime]]:
    task = task_of(job.row.request)
    rows = _within(job.team_id, task.since, task.until)
    if job.row.cursor is not None:
        last = msgspec.json.decode(job.row.cursor, type=tuple[UUID, datetime])
        behind = Q(called_at__gt=last[1]) | Q(capture__gt=last[0])
        rows = rows.filter(behind, called_at__gte=last[1])
    found = rows.order_by("called_at", "capture").values_list("capture", "called_at")
    return list(found[:BATCH_CAPTURES])


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


def _store(job: Leased, found: Sequence[tuple[UUID, datetime]]) -> bool:
    with transaction.atomic():
        if not job.renew():
            return False
        # What is deleted or read again by now gets no price from here.
        held = added_findings.lock_inspected([capture_id for capture_id, _ in found])
        prices = list(Price.objects.filter(pk__in=held))
        again = _priced(prices, overrides_of([job.team_id])[job.team_id])
        changed = [each for each in again if each.is_changed]
        _replace(changed)
        result = _added_up(result_of(job.row.result), again)
        failed = result.failed + len(prices) - len(again)
        counted = replace(result, changed=result.changed + len(changed), failed=failed)
        return _advance(job, found, replace(counted, table=table_name()))


def _priced(prices: Sequence[Price], overrides: Sequence[Override]) -> list[_RepricedCapture]:
    """Reprice the rows, leaving out those whose billable facts this release cannot decode."""
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
        receipt = receipt_of(billable, price.called_at, overrides)
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
        called_at=price.called_at,
        billable=bytes(price.billable),
        service_tier=price.service_tier,
        other_service_tier=price.other_service_tier,
        fingerprint=price.fingerprint,
        **each.columns,
    )


def _advance(job: Leased, found: Sequence[tuple[UUID, datetime]], result: RepricingResult) -> bool:
    cursor = msgspec.json.encode(found[-1]).decode()
    return job.advance(len(found), cursor=cursor, result=msgspec.to_builtins(result))


def _added_up(before: RepricingResult, again: Sequence[_RepricedCapture]) -> RepricingResult:
    befores = [Decimal(text) for each in again if (text := each.price.computed_usd) is not None]
    afters = [usd for each in again if (usd := each.receipt.total_usd) is not None]
    lower_before = sum(each.price.unpriced_items is not None for each in again)
    lower_after = sum(each.receipt.is_lower_bound for each in again)
    return replace(
        before,
        before_usd=_sum(before.before_usd, befores),
        after_usd=_sum(before.after_usd, afters),
        before_captures=before.before_captures + len(befores),
        after_captures=before.after_captures + len(afters),
        before_lower_bounds=before.before_lower_bounds + lower_before,
        after_lower_bounds=before.after_lower_bounds + lower_after,
    )


def _sum(first: str, more: Sequence[Decimal]) -> str:
    total = Decimal(first)
    for each in more:
        total = EXACT.add(total, each)
    return plain(total) or "0"


def _progress(job: WorkStatus, task: RepricingTask, result: RepricingResult) -> RepricingProgress:
    return RepricingProgress(
        since=task.since,
        until=task.until,
        requested_by=job.requested_by,
        requested_at=job.created_at,
        table=result.table,
        state=job.state,
        total=job.total or 0,
        done=job.done,
        changed=result.changed,
        failed=result.failed,
        before_usd=Decimal(result.before_usd),
        before_captures=result.before_captures,
        before_lower_bounds=result.before_lower_bounds,
        after_usd=Decimal(result.after_usd),
        after_captures=result.after_captures,
        after_lower_bounds=result.after_lower_bounds,
        finished_at=job.finished_at,
    )


KIND = Kind(
    REPRICING,
    step,
    give_up,
    mine=Q(request__version__lte=ANALYSIS_VERSION),
    gives_way=claims.any_due,
)
