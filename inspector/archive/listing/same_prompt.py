"""Other captures of one prompt: how many, and the newest of each other model that answered it."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from inspector.archive.listing.cursor import Order
from inspector.archive.models import Capture

NEWEST_FIRST = Order("inspection__received_at", "inspection__capture").newest_first
MAX_COUNTED = 200
MAX_MODELS = 3
"""Beside the capture's own: as many answers as are compared at once."""


@dataclass(frozen=True, slots=True)
class SamePrompt:
    """``by_model``: other models, each with its newest capture, the newest first."""

    number: int
    is_all: bool
    by_model: tuple[tuple[str, UUID], ...]


def same_prompt(captures: QuerySet[Capture], here: Capture) -> SamePrompt:
    """The other captures of the prompt of an inspected capture, in its team."""
    asked = here.inspection
    equal = captures.filter(
        inspection__team=here.team_id, inspection__prompt_sha256=asked.prompt_sha256
    )
    columns = ("id", "inspection__model", "inspection__request_model")
    newest = equal.exclude(id=here.id).order_by(*NEWEST_FIRST)
    rows = list(newest.values_list(*columns)[: MAX_COUNTED + 1])
    own = asked.model or asked.request_model
    by_model: dict[str, UUID] = {}
    for capture_id, model, request_model in rows:
        name = model or request_model
        if name and name != own:
            by_model.setdefault(name, capture_id)
    return SamePrompt(
        min(len(rows), MAX_COUNTED), len(rows) <= MAX_COUNTED, tuple(by_model.items())[:MAX_MODELS]
    )
