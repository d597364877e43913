"""What stored requests asked, by narrow columns alone: to find the answer of one like them."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from inspector.archive.models import Capture, State

_COLUMNS = (
    "id",
    "request_url",
    "inspection__request_model",
    "inspection__model",
    "inspection__prompt_sha256",
    "inspection__streamed",
)


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """The request of an inspected capture. None: not known."""

    capture: UUID
    url: str | None
    model: str | None
    """The model that was asked for; where that is not known, the one that answered."""
    prompt_sha256: str | None
    is_streamed: bool
    """The answer came as a stream."""


def stored_requests(
    captures: QuerySet[Capture], newest_first: tuple[str, str], limit: int
) -> tuple[StoredRequest, ...]:
    """Returns the requests of the newest inspected captures."""
    inspected = captures.filter(state=State.INSPECTED, inspection__isnull=False)
    rows = inspected.order_by(*newest_first).values_list(*_COLUMNS)[:limit]
    return tuple(
        StoredRequest(capture, url, asked_model or model, prompt, streamed)
        for capture, url, asked_model, model, prompt, streamed in rows
    )
