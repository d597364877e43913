"""What a list may be narrowed by: these names, and never an expression of the asker's own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from inspector.archive import database  # noqa: F401  the lookup that ``q`` is made of
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
    since: datetime | None = None
    until: datetime | None = None
    """The first moment that is no longer meant."""
    q: str = ""
    """Stands in the model, the model that was asked for, or the provider's id; in any case."""

    @property
    def order(self) -> Order:
        """Where an inspection decides, lists are read from the indexes of inspections."""
        decides = self._of_inspection() or self._severities or self.q
        return BY_INSPECTION if decides else BY_CAPTURE

    def narrow(self, captures: QuerySet[Capture], team_ids: Iterable[int]) -> QuerySet[Capture]:
        for condition in (*self._conditions(team_ids), *self._times(), *self._rows()):
            captures = captures.filter(condition)
        return captures

    def _conditions(self, team_ids: Iterable[int]) -> Iterable[Q]:
        if self.order == BY_INSPECTION:
            yield Q(inspection__team__in=team_ids)
        if self.state:
            yield Q(state__in=self.state)
        if self.key:
            yield Q(key__in=key_ids(team_ids, self.key))
        for name, values in self._of_inspection().items():
            yield Q(**{f"inspection__{name}__in": values})
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
    def _severities(self) -> Texts:
        return tuple(value for value in self.finding if value in [*Severity])


SEARCHED = ("model", "request_model", "response_id")
ALL = Filters()


def _any(conditions: Iterable[Q]) -> Q:
    found = Q()
    for condition in conditions:
        found |= condition
    return found


def _has(rows: QuerySet[Any]) -> Q:
    # Not EXISTS: a database that keeps to it must ask for every capture in turn.
    return Q(id__in=rows.values("capture"))
