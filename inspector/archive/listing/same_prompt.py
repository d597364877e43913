"""Other captures of one prompt: how many, and the newest that another model answered."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from inspector.archive.listing.cursor import Order
from inspector.archive.models import Capture

NEWEST_FIRST = Order("inspection__called_at", "inspection__capture").newest_first
MAX_COUNTED = 200
"""Told as "more than": a test that runs all day sends one prompt any number of times."""


@dataclass(frozen=True, slots=True)
class SamePrompt:
    """``other_model``: another model, with the newest capture that it answered."""

    number: int
    is_all: bool
    other_model: tuple[str, UUID] | None = None


def same_prompt(captures: QuerySet[Capture], here: Capture) -> SamePrompt:
    """Return the other captures of the prompt of an inspected capture, in its team."""
    asked = here.inspection
    equal = captures.filter(
        inspection__team=here.team_id, inspection__prompt_sha256=asked.prompt_sha256
    )
    columns = ("id", "inspection__model", "inspection__request_model")
    newest = equal.exclude(id=here.id).order_by(*NEWEST_FIRST)
    rows = list(newest.values_list(*columns)[: MAX_COUNTED + 1])
    own = asked.model or asked.request_model
    named = ((model or request_model, capture_id) for capture_id, model, request_model in rows)
    other = next((each for each in named if each[0] and each[0] != own), None)
    return SamePrompt(min(len(rows), MAX_COUNTED), len(rows) <= MAX_COUNTED, other)
