"""Captures of the same session or trace as one, in the order of their calls."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from inspector.archive.models import Capture, Inspection

MAX_COUNTED = 200
"""On either side; beyond them there are "more"."""


@dataclass(frozen=True, slots=True)
class Sibling:
    id: UUID
    called_at: datetime
    finish_reasons: tuple[str, ...]
    result: str
    model: str | None


@dataclass(frozen=True, slots=True)
class Siblings:
    """In the order of calls; of more than ``MAX_COUNTED`` on a side the nearest are there."""

    before: tuple[Sibling, ...]
    after: tuple[Sibling, ...]

    @property
    def position(self) -> int | None:
        """From 1; None where the beginning is too far away."""
        return None if len(self.before) > MAX_COUNTED else len(self.before) + 1

    @property
    def total(self) -> int | None:
        is_counted = self.position is not None and len(self.after) <= MAX_COUNTED
        return len(self.before) + 1 + len(self.after) if is_counted else None


def siblings_of(visible: QuerySet[Capture], here: Capture, column: str) -> Siblings | None:
    """Return the captures of its team with its value in this column; None where it has none."""
    inspection = getattr(here, "inspection", None)
    value = getattr(inspection, column) if isinstance(inspection, Inspection) else None
    if value is None:
        return None
    shared = {
        "inspection__team": here.team_id,
        f"inspection__{column}": value,
        "team": here.team_id,
    }
    same = visible.filter(**shared)
    at, number = "inspection__called_at", "inspection__capture"
    earlier = Q(**{f"{at}__lt": here.called_at}) | Q(
        **{at: here.called_at, f"{number}__lt": here.pk}
    )
    later = Q(**{f"{at}__gt": here.called_at}) | Q(**{at: here.called_at, f"{number}__gt": here.pk})
    before = _rows(same.filter(earlier).order_by(f"-{at}", f"-{number}"))
    return Siblings(before[::-1], _rows(same.filter(later).order_by(at, number)))


def _rows(captures: QuerySet[Capture]) -> tuple[Sibling, ...]:
    columns = ("id", "called_at", "inspection__finish_reasons", "inspection__result")
    found = captures.values_list(*columns, "inspection__model")[: MAX_COUNTED + 1]
    return tuple(
        Sibling(id_, at, tuple(reasons), result, model) for id_, at, reasons, result, model in found
    )
