"""What a list may be narrowed by: these names, and never an expression of the asker's own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from inspector.archive import database  # noqa: F401  the lookup that ``q`` is made of
from inspector.archive.costs import Narrowing, costs
from inspector.archive.cursor import Order
from inspector.archive.models import Capture, ChoiceRow, FindingRow, TagRow
from inspector.core.findings import Severity
from inspector.teams.naming import key_ids

Texts = tuple[str, ...]

BY_CAPTURE = Order()
BY_INSPECTION = Order("inspection__received_at", "inspection__capture")


@dataclass(frozen=True, slots=True)
class Filters:
    """Several values of one name mean any of them; of ``tag``, all of them."""

    state: Texts = ()
    key: Texts = ()
    """Names of API keys, or what they begin with as the list of keys shows it."""
    tag: Texts = ()
    verdict: Texts = ()
    model: Texts = ()
    request_model: Texts = ()
    """That was asked for, where the request is known."""
    dialect: Texts = ()
    vendor: Texts = ()
    finish_reason: Texts = ()
    finding: Texts = ()
    """Codes of rules, or severities."""
    cost: Texts = ()
    """What is known of the computed one, or why it is not known."""
    price_table: Texts = ()
    """Whose rates the computed cost is by."""
    service_tier: Texts = ()
    """As answers state it."""
    fingerprint: Texts = ()
    lacks: Texts = ()
    """Names of ``lackable``, of which nothing was sent or is known."""
    since: datetime | None = None
    until: datetime | None = None
    """The first moment that is no longer meant."""
    q: str = ""
    """Stands in the model, the model that was asked for, or the provider's id; in any case."""

    @property
    def order(self) -> Order:
        """Where costs or an inspection decide, lists are read from the indexes of these."""
        if self._is_of_costs:
            return costs().order
        decides = self._of_inspection() or self._severities or self.q or self.lacks
        return BY_INSPECTION if decides else BY_CAPTURE

    def narrow(self, captures: QuerySet[Capture], team_ids: Iterable[int]) -> QuerySet[Capture]:
        every = (*self._team(team_ids), *self._conditions(team_ids), *self._times(), *self._rows())
        for condition in every:
            captures = captures.filter(condition)
        return captures

    def _team(self, team_ids: Iterable[int]) -> Iterable[Q]:
        """Of the row whose index decides; that of the capture is asked in any case."""
        if self._is_of_costs:
            yield Q(**{f"{costs().row}__team__in": team_ids})
        elif self.order == BY_INSPECTION:
            yield Q(inspection__team__in=team_ids)

    def _conditions(self, team_ids: Iterable[int]) -> Iterable[Q]:
        if self.state:
            yield Q(state__in=self.state)
        if self.key:
            yield Q(key__in=key_ids(team_ids, self.key))
        for name, values in self._of_inspection().items():
            yield Q(**{f"inspection__{name}__in": values})
        for narrowing, values in self._of_cost:
            yield narrowing(values)
        if self.lacks:
            yield _any(map(_lacking, self.lacks))
        if self.q:
            yield _any(Q(**{f"inspection__{name}__holds": self.q}) for name in SEARCHED)

    def _times(self) -> Iterable[Q]:
        if self.since:
            yield Q(**{f"{self.order.time}__gte": self.since})
        if self.until:
            yield Q(**{f"{self.order.time}__lt": self.until})

    def _rows(self) -> Iterable[Q]:
        """Of what a capture has several of, each stands in a row of its own."""
        for tag in self.tag:
            yield _has(TagRow.objects.filter(tag=tag))
        if self.finish_reason:
            yield _has(ChoiceRow.objects.filter(finish_reason__in=self.finish_reason))
        if self.finding:
            counted = [Q(**{f"inspection__{name}_count__gt": 0}) for name in self._severities]
            codes = [code for code in self.finding if code not in self._severities]
            if codes:
                counted.append(_has(FindingRow.objects.filter(code__in=codes)))
            yield _any(counted)

    def _of_inspection(self) -> dict[str, Texts]:
        columns = {
            "verdict": self.verdict,
            "model": self.model,
            "request_model": self.request_model,
            "dialect": self.dialect,
            "vendor": self.vendor,
        }
        return {name: values for name, values in columns.items() if values}

    @property
    def _of_cost(self) -> list[tuple[Narrowing, Texts]]:
        asked = [(name, values) for name in OF_COSTS if (values := getattr(self, name))]
        return [(getattr(costs(), name), values) for name, values in asked]

    @property
    def _is_of_costs(self) -> bool:
        """Whether something is asked of their rows that no capture without one has."""
        return bool(self._of_cost or (self.lacks and LACKED.keys().isdisjoint(self.lacks)))

    @property
    def _severities(self) -> Texts:
        return tuple(value for value in self.finding if value in [*Severity])


OF_COSTS = ("cost", "price_table", "service_tier", "fingerprint")
LACKED = {
    **{name: f"inspection__{name}" for name in ("model", "request_model", "vendor", "dialect")},
    "key": "key",
}
"""Of captures that were inspected: what was not sent is known only then."""
SEARCHED = ("model", "request_model", "response_id")
ALL = Filters()


def lackable() -> Texts:
    return (*LACKED, *costs().lacked)


def _lacking(name: str) -> Q:
    column = LACKED.get(name)
    return Q(**{f"{column}__isnull": True}) if column else costs().lacked[name]


def _any(conditions: Iterable[Q]) -> Q:
    found = Q()
    for condition in conditions:
        found |= condition
    return found


def _has(rows: QuerySet[Any]) -> Q:
    # Not EXISTS: a database that keeps to it must ask for every capture in turn.
    return Q(id__in=rows.values("capture"))
