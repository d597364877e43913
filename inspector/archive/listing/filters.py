"""Filters of the capture list: a closed set of names, never an expression from the request."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from inspector.archive.listing.cost_lookup import CostFilter, cost_filters
from inspector.archive.listing.cursor import Order
from inspector.archive.models import Capture, ChoiceRow, FindingRow, TagRow
from inspector.core.findings import Severity
from inspector.database import portability  # noqa: F401  the lookup that ``q`` is made of
from inspector.teams.names import key_ids

Texts = tuple[str, ...]
IdRange = tuple[UUID, UUID]
EMPTY_FINISH = "empty"

BY_CAPTURE = Order()
BY_INSPECTION = Order("inspection__received_at", "inspection__capture")


@dataclass(frozen=True, slots=True)
class Filters:
    """Several values of one name match any of them; several of ``tag`` must all match."""

    state: Texts = ()
    key: Texts = ()
    """Names of API keys, or their displayed prefixes."""
    tag: Texts = ()
    verdict: Texts = ()
    result: Texts = ()
    """The result of the whole answer."""
    model: Texts = ()
    request_model: Texts = ()
    """The model named in the request."""
    dialect: Texts = ()
    vendor: Texts = ()
    finish_reason: Texts = ()
    """``EMPTY_FINISH`` matches a reason that was sent as an empty text."""
    finding: Texts = ()
    """Codes of findings, or severities."""
    cost: Texts = ()
    """A state of the computed cost, or the reason why it is unknown."""
    price_table: Texts = ()
    """The price table whose rates the computed cost uses."""
    service_tier: Texts = ()
    """As stated in the response."""
    fingerprint: Texts = ()
    missing: Texts = ()
    """Names of ``missing_fields``: fields that were not sent, or are unknown."""
    since: datetime | None = None
    until: datetime | None = None
    """Exclusive."""
    q: str = ""
    """Matches a part of the model, the requested model or the provider's id, ignoring case; where
    captures go by it, these alone (``named_captures``).
    """
    ids: IdRange | None = None
    """First and last id. No parameter: set in place of ``q`` where that names captures."""

    @property
    def order(self) -> Order:
        """The table whose index the list is read from: costs, inspection or captures."""
        if self._is_of_costs:
            return cost_filters().order
        # Listed by the table whose columns are compared: its indexes have team, column and time.
        decides = self._of_inspection() or self._severities or self.q or self.missing
        return BY_INSPECTION if decides else BY_CAPTURE

    def narrow(self, captures: QuerySet[Capture], team_ids: Iterable[int]) -> QuerySet[Capture]:
        every = (*self._team(team_ids), *self._conditions(team_ids), *self._times(), *self._rows())
        for condition in every:
            captures = captures.filter(condition)
        return captures

    def _team(self, team_ids: Iterable[int]) -> Iterable[Q]:
        # The condition is repeated on the table whose index is used; the capture's own is always
        # there.
        if self._is_of_costs:
            yield Q(**{f"{cost_filters().row}__team__in": team_ids})
        elif self.order == BY_INSPECTION:
            yield Q(inspection__team__in=team_ids)

    def _conditions(self, team_ids: Iterable[int]) -> Iterable[Q]:
        if self.ids:
            yield Q(id__range=self.ids)
        if self.state:
            yield Q(state__in=self.state)
        if self.key:
            yield Q(key__in=key_ids(team_ids, self.key))
        for name, values in self._of_inspection().items():
            yield Q(**{f"inspection__{name}__in": values})
        for narrowing, values in self._of_cost:
            yield narrowing(values)
        if self.missing:
            yield _any(map(_missing, self.missing))
        if self.q:
            yield _any(Q(**{f"inspection__{name}__holds": self.q}) for name in SEARCH_FIELDS)

    def _times(self) -> Iterable[Q]:
        if self.since:
            yield Q(**{f"{self.order.time}__gte": self.since})
        if self.until:
            yield Q(**{f"{self.order.time}__lt": self.until})

    def _rows(self) -> Iterable[Q]:
        """Conditions on tables with several rows a capture: tags, choices, findings."""
        for tag in self.tag:
            yield _has(TagRow.objects.filter(tag=tag))
        if self.finish_reason:
            # A provider may send the word itself, too.
            empty = ("",) if EMPTY_FINISH in self.finish_reason else ()
            reasons = (*self.finish_reason, *empty)
            yield _has(ChoiceRow.objects.filter(finish_reason__in=reasons))
        if self.finding:
            counted = [Q(**{f"inspection__{name}_count__gt": 0}) for name in self._severities]
            codes = [code for code in self.finding if code not in self._severities]
            # Severities are counted in columns of the inspection; only codes need findings' rows.
            if codes:
                counted.append(_has(FindingRow.objects.filter(code__in=codes)))
            yield _any(counted)

    def _of_inspection(self) -> dict[str, Texts]:
        columns = {
            "verdict": self.verdict,
            "result": self.result,
            "model": self.model,
            "request_model": self.request_model,
            "dialect": self.dialect,
            "vendor": self.vendor,
        }
        return {name: values for name, values in columns.items() if values}

    @property
    def _of_cost(self) -> list[tuple[CostFilter, Texts]]:
        given = [(name, values) for name in COST_FILTERS if (values := getattr(self, name))]
        return [(getattr(cost_filters(), name), values) for name, values in given]

    @property
    def _is_of_costs(self) -> bool:
        """Tells whether only captures with a row in the cost table can match."""
        return bool(
            self._of_cost or (self.missing and MISSING_CONDITIONS.keys().isdisjoint(self.missing))
        )

    @property
    def _severities(self) -> Texts:
        return tuple(value for value in self.finding if value in [*Severity])


COST_FILTERS = ("cost", "price_table", "service_tier", "fingerprint")
# Only inspected captures match: before, it is not known what was not sent.
MISSING_CONDITIONS = {
    **{name: f"inspection__{name}" for name in ("model", "request_model", "vendor", "dialect")},
    "key": "key",
}
SEARCH_FIELDS = ("model", "request_model", "response_id")
NO_FILTERS = Filters()


def missing_fields() -> Texts:
    return (*MISSING_CONDITIONS, *cost_filters().missing)


def _missing(name: str) -> Q:
    column = MISSING_CONDITIONS.get(name)
    return Q(**{f"{column}__isnull": True}) if column else cost_filters().missing[name]


def _any(conditions: Iterable[Q]) -> Q:
    found = Q()
    for condition in conditions:
        found |= condition
    return found


def _has(rows: QuerySet[Any]) -> Q:
    # Not EXISTS: a database that keeps to it must ask for every capture in turn.
    return Q(id__in=rows.values("capture"))
