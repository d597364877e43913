"""Retention rules: what a team has deleted by itself, and when. A rule is added switched off, so
that its forecast can be read before it deletes anything.
"""

import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Annotated, TypeVar

import msgspec
from django.db import models, transaction
from django.db.models import Min, QuerySet, Sum
from django.db.models.functions import Now
from django.utils import timezone

from inspector.archive.listing.capture_fields import ARRIVED_UNTIL
from inspector.archive.listing.filter_params import query_conditions
from inspector.archive.listing.filters import Filters
from inspector.archive.member_types import Count, Moment, codes
from inspector.archive.models import Capture, RetentionClock, RetentionRule, State, Tombstone
from inspector.archive.queries import Captures
from inspector.core.same_fields import struct_of
from inspector.database.portability import StatementTimeout, time_limit
from inspector.query.tree import AllOf, Matcher, Not, Operator
from inspector.teams.access import DELETE, READ, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name
from inspector.work import queries as work
from inspector.work.models import WorkState

RETENTION = "retention"
"""The kind of work. Its subject is the number of the rule."""
PIN = "pinned"
"""The tag that keeps a capture from rules. Whoever may tag may pin."""
MAX_DAYS = 36_500
"""A hundred years: what is meant for ever needs no rule."""
MAX_RULES = 20
"""Rules of one team: each looks for what is due, hour by hour."""
FORECAST_SECONDS = 5.0
"""For all rules of one answer together; what is not counted by then is unknown."""
THINGS = {
    RetentionClock.CAPTURES: "capture",
    RetentionClock.BODIES: "body",
    RetentionClock.TOMBSTONES: "receipt",
}
QUERY_CHARACTERS = 8_000
"""Characters of a sent query; ``query.language`` refuses one over 2,000 in its own words."""

Asked = TypeVar("Asked")


class RetentionForecast(msgspec.Struct, frozen=True):
    """The captures that a rule would delete now: counted, less what is pinned, what it deleted."""

    count: Count
    byte_length: Count
    """Bytes of the bodies of responses; 0 for tombstones."""
    oldest: Moment | None
    first_due: Moment | None = None
    """Where nothing is due yet, when the first of what the rule means will be; None where it means
    nothing that is there, or where looking takes too long.
    """


class RetentionRuleStatus(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    clock: Annotated[str, codes(RetentionClock)]
    query: str
    days: int
    is_on: bool
    made_by: str
    deleted: Count
    """In all."""
    error: str | None
    ended_at: Moment | None
    """End of the last pass."""
    is_under_way: bool

    @property
    def thing(self) -> str:
        """A word or two for what it deletes."""
        return THINGS[RetentionClock(self.clock)]


class RuleRefusal(Enum):
    NOT_UNDERSTOOD = auto()
    DAYS = auto()
    NO_QUERY = auto()
    """A deleted capture has nothing left that a query could ask for."""
    TOO_MANY = auto()
    FORBIDDEN = auto()


def rules(principal: Principal) -> tuple[RetentionRuleStatus, ...]:
    under_way = _under_way(principal)
    return tuple(_status(rule, under_way) for rule in _seen(principal).order_by("pk"))


def add_rule(
    principal: Principal, clock: RetentionClock, query: str, days: int
) -> RetentionRuleStatus | RuleRefusal:
    """Add a rule to the principal's one team, switched off."""
    team_ids = principal.team_ids(DELETE)
    if len(team_ids) != 1:
        return RuleRefusal.FORBIDDEN
    conditions = query_conditions(query[: QUERY_CHARACTERS + 1], timezone.now())
    if conditions.mistakes or len(query) > QUERY_CHARACTERS:
        return RuleRefusal.NOT_UNDERSTOOD
    if clock is RetentionClock.TOMBSTONES and conditions.text:
        return RuleRefusal.NO_QUERY
    if not 1 <= days <= MAX_DAYS:
        return RuleRefusal.DAYS
    if RetentionRule.objects.filter(team__in=team_ids).count() >= MAX_RULES:
        return RuleRefusal.TOO_MANY
    with transaction.atomic():
        rule = RetentionRule.objects.create(
            team_id=team_ids[0],
            clock=clock,
            query=conditions.text,
            days=days,
            made_by=actor_name(principal),
        )
        note(principal, rule.team_id, Act.RETENTION_ADDED, _words(rule))
    rule.refresh_from_db()
    return _status(rule, frozenset())


def rule_status(principal: Principal, number: int) -> RetentionRuleStatus | None:
    """None where the principal sees no such rule."""
    rule = _seen(principal).filter(pk=number).first()
    return _status(rule, _under_way(principal)) if rule else None


def forecast(principal: Principal, number: int) -> RetentionForecast | None:
    """As ``forecasts`` for one rule."""
    rule = _seen(principal).filter(pk=number).first()
    return _counted_until(time.monotonic() + FORECAST_SECONDS, rule) if rule else None


def turn_rule(principal: Principal, number: int, on: bool) -> RetentionRuleStatus | None:
    """Switch a rule on or off. None where the principal may delete in no team that has it."""
    with transaction.atomic():
        if not on:
            _end_passes(principal, number)
        # Of two who switch it at once, the second finds it switched, and notes nothing.
        rule = _theirs(principal, number).select_for_update().first()
        if rule is None:
            return None
        if rule.is_on != on:
            _theirs(principal, number).update(is_on=on, error=None)
            if on:
                work.open_once(RETENTION, rule.team_id, str(number), subject=str(number))
            note(
                principal, rule.team_id, Act.RETENTION_ON if on else Act.RETENTION_OFF, _words(rule)
            )
            rule.refresh_from_db()
    return _status(rule, _under_way(principal))


def remove_rule(principal: Principal, number: int) -> RetentionRuleStatus | None:
    """Return the rule as it was; None where the principal may delete in no team that has it."""
    under_way = _under_way(principal)
    with transaction.atomic():
        _end_passes(principal, number)
        # Not while it is switched on: a pass would begin by a rule that is gone.
        rule = _theirs(principal, number).select_for_update().first()
        if rule is None:
            return None
        removed = _status(rule, under_way)
        note(principal, rule.team_id, Act.RETENTION_REMOVED, _words(rule))
        rule.delete()
    return removed


def forecasts(principal: Principal) -> Mapping[int, RetentionForecast | None]:
    """Count what each rule of the principal's teams would delete now. None where this release does
    not understand its query, or the time that all of them have together is over.
    """
    end = time.monotonic() + FORECAST_SECONDS
    rows = _seen(principal).order_by("pk")
    return {rule.pk: _counted_until(end, rule) for rule in rows}


def cutoff_of(rule: RetentionRule) -> datetime:
    """Return the moment before which captures are due, by the database's clock, which all share."""
    now: datetime = RetentionRule.objects.filter(pk=rule.pk).values_list(Now(), flat=True).get()
    return now - timedelta(days=rule.days)


def due_filters(rule: RetentionRule, cutoff: datetime) -> Filters | None:
    """Return the captures that a rule deletes or strips; None where its query is not understood."""
    filters = _meant_filters(rule, cutoff)
    return None if filters is None else filters.with_value(ARRIVED_UNTIL, cutoff)


def _meant_filters(rule: RetentionRule, cutoff: datetime) -> Filters | None:
    """Return the same of any age."""
    found = query_conditions(rule.query, cutoff + timedelta(days=rule.days))
    if found.mistakes:
        return None
    unpinned = Not(Matcher("tag", Operator.IS, (PIN,)))
    filters = Filters(AllOf((*found.filters.tree.nodes, unpinned)))
    return filters.with_value("bodiless", False) if rule.clock == RetentionClock.BODIES else filters


def due_tombstones(rule: RetentionRule, cutoff: datetime) -> QuerySet[Tombstone]:
    return _tombstones(rule).filter(deleted_at__lt=cutoff)


def _tombstones(rule: RetentionRule) -> QuerySet[Tombstone]:
    return Tombstone.objects.filter(team=rule.team_id, capture__state=State.GONE)


def _counted_until(end: float, rule: RetentionRule) -> RetentionForecast | None:
    found = _asked_until(end, _counted, rule)
    if found is None or found.count:
        return found
    return msgspec.structs.replace(found, first_due=_asked_until(end, _first_due, rule))


def _asked_until(
    end: float, ask: Callable[[RetentionRule, datetime], Asked | None], rule: RetentionRule
) -> Asked | None:
    """None where the time is over."""
    milliseconds = int((end - time.monotonic()) * 1000)
    if milliseconds <= 0:
        return None
    try:
        with time_limit(milliseconds):
            return ask(rule, cutoff_of(rule))
    except StatementTimeout:
        return None


def _counted(rule: RetentionRule, cutoff: datetime) -> RetentionForecast | None:
    if rule.clock == RetentionClock.TOMBSTONES:
        stones = due_tombstones(rule, cutoff).aggregate(
            count=models.Count("pk"), oldest=Min("deleted_at")
        )
        return RetentionForecast(stones["count"], 0, stones["oldest"])
    filters = due_filters(rule, cutoff)
    if filters is None:
        return None
    found = _matching(rule, filters).aggregate(
        count=models.Count("pk"), byte_length=Sum("byte_length"), oldest=Min("received_at")
    )
    return RetentionForecast(found["count"], found["byte_length"] or 0, found["oldest"])


def _first_due(rule: RetentionRule, cutoff: datetime) -> datetime | None:
    oldest: datetime | None
    if rule.clock == RetentionClock.TOMBSTONES:
        oldest = _tombstones(rule).aggregate(oldest=Min("deleted_at"))["oldest"]
    else:
        filters = _meant_filters(rule, cutoff)
        found = None if filters is None else _matching(rule, filters)
        oldest = None if found is None else found.aggregate(oldest=Min("received_at"))["oldest"]
    return None if oldest is None else oldest + timedelta(days=rule.days)


def _matching(rule: RetentionRule, filters: Filters) -> QuerySet[Capture]:
    return Capture.objects.filter(pk__in=Captures((rule.team_id,)).ids(filters))


def _seen(principal: Principal) -> QuerySet[RetentionRule]:
    return RetentionRule.objects.filter(team__in=principal.team_ids(READ))


def _theirs(principal: Principal, number: int) -> QuerySet[RetentionRule]:
    return RetentionRule.objects.filter(pk=number, team__in=principal.team_ids(DELETE))


def _end_passes(principal: Principal, number: int) -> None:
    """Before the rule is locked, as steps lock them. One under way deletes nothing more."""
    theirs = work.for_principal(principal, RETENTION, DELETE)
    passes = theirs.rows().filter(subject=str(number))
    theirs.end(passes.values_list("pk", flat=True), WorkState.STOPPED)


def _under_way(principal: Principal) -> frozenset[str]:
    """Rules of which a pass is under way, by the subject of their work."""
    rows = work.for_principal(principal, RETENTION).rows()
    begun = rows.filter(state=WorkState.OPEN, cursor__isnull=False)
    return frozenset(begun.values_list("subject", flat=True))


def _words(rule: RetentionRule) -> str:
    return f"rule {rule.pk}: {rule}"


def _status(rule: RetentionRule, under_way: frozenset[str]) -> RetentionRuleStatus:
    return struct_of(RetentionRuleStatus, rule, is_under_way=str(rule.pk) in under_way)
