"""Captures that are being recorded: what is known of them without reading what came."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import chain, product
from uuid import UUID

from django.db.models import Max, Q, QuerySet

from inspector.archive.models import Capture, Evidence, EvidenceSegment, State
from inspector.archive.storage import evidence
from inspector.core.request.request_params import parse_request_body, parse_request_params

MAX_RUNNING_CAPTURES = 100
"""The newest: what runs beside them is listed when it ends."""
KNOWN_REQUESTS = 2_000
"""Captures whose requests a process remembers; a request does not change while it is answered."""

FIRST_SEGMENTS = (0, 1)
"""The first one may hold no read but the head of the response."""

Place = tuple[UUID, int]
"""A capture and the number of one of its segments."""


@dataclass(frozen=True, slots=True)
class RunningCapture:
    """One that was being recorded when it was asked for. Times count from the request."""

    id: UUID
    began_at: datetime
    """When the request was sent, or else when the capture was stored first."""
    byte_length: int
    request_model: str | None
    """The model that the request's body names; None where it names none."""
    first_us: int | None
    """Arrival of the first read that is stored; None as long as there is none."""
    last_us: int | None


def running_captures(captures: QuerySet[Capture], limit: int) -> tuple[RunningCapture, ...]:
    """Return those among the captures that are being recorded, newest first."""
    running = captures.filter(state=State.RECORDING).order_by("-called_at", "-id")
    rows = list(running.only("id", "called_at", "byte_length")[:limit])
    spans = _spans([row.pk for row in rows])
    return tuple(_of_row(row, *spans.get(row.pk, (None, None))) for row in rows)


def _of_row(row: Capture, first_us: int | None, last_us: int | None) -> RunningCapture:
    return RunningCapture(
        id=row.pk,
        began_at=row.called_at,
        byte_length=row.byte_length,
        request_model=_request_model(row.pk),
        first_us=first_us,
        last_us=last_us,
    )


@lru_cache(maxsize=KNOWN_REQUESTS)
def _request_model(capture_id: UUID) -> str | None:
    stored = Evidence.objects.filter(pk=capture_id).values_list("surroundings", flat=True).first()
    if stored is None:
        return None
    params = parse_request_params(parse_request_body(evidence.unpack_surroundings(stored).request))
    return params.model if params else None


def _spans(ids: Sequence[UUID]) -> dict[UUID, tuple[int | None, int | None]]:
    """Arrival of the first and of the last stored read of each capture that has one."""
    if not ids:
        return {}
    segments = EvidenceSegment.objects.filter(capture__in=ids).order_by()
    last = dict(segments.values_list("capture").annotate(Max("number")))
    times = _times([*product(last, FIRST_SEGMENTS), *last.items()])
    return {
        pk: (
            _first(chain.from_iterable(times.get((pk, first), ()) for first in FIRST_SEGMENTS)),
            _first(reversed(times.get((pk, number), ()))),
        )
        for pk, number in last.items()
    }


def _times(places: Iterable[Place]) -> dict[Place, list[int | None]]:
    wanted = Q()
    for pk, number in places:
        wanted |= Q(capture=pk, number=number)
    if not wanted:
        return {}
    found = EvidenceSegment.objects.filter(wanted).values_list("capture", "number", "reads")
    return {(pk, number): evidence.unpack_boundaries(reads).at_us for pk, number, reads in found}


def _first(times: Iterable[int | None]) -> int | None:
    return next((at_us for at_us in times if at_us is not None), None)
