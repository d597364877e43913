"""Stores captures of another archive, each once however often it comes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import transaction

from inspector.archive.intake import submission
from inspector.archive.intake.submission import Submission
from inspector.archive.listing.stored_captures import imported_key
from inspector.archive.models import DELETED, Capture
from inspector.archive.storage.evidence import CaptureOrigin
from inspector.teams.access import INGEST, Principal


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a capture: stored now, ``is_known``, or ``is_deleted`` here, which holds."""

    id: UUID
    is_known: bool = False
    is_deleted: bool = False


def store_imported(principal: Principal, arrivals: Sequence[Submission]) -> list[Imported]:
    """Store what was not here before, in one commit, and returns one result each, in their order.
    All have an origin. Any exception means that none was stored.
    """
    (team_id,) = principal.team_ids(INGEST)
    with transaction.atomic():
        known = _known(team_id, [_origin_of(arrival).id for arrival in arrivals])
        related = _known(team_id, _related(arrivals))
        new = {
            _origin_of(each).id: _placed(each, related)
            for each in arrivals
            if _origin_of(each).id not in known
        }
        stored = submission.accept_batch(principal, list(new.values())) if new else []
    ids = dict(zip(new, (Imported(each.id) for each in stored), strict=True))
    results = []
    for arrival in arrivals:
        origin_id = _origin_of(arrival).id
        results.append(known.get(origin_id) or ids[origin_id])
        # Of two equal lines the second one finds the first.
        known[origin_id] = replace(results[-1], is_known=True)
    return results


def _known(team_id: int, origin_ids: Collection[UUID]) -> dict[UUID, Imported]:
    """Return captures of the team by their ids where they were received first, perhaps here."""
    keys = {imported_key(origin_id): origin_id for origin_id in origin_ids}
    theirs = Capture.objects.filter(team=team_id)
    here = theirs.filter(id__in=origin_ids).values_list("id", "id", "state")
    rows = theirs.filter(idempotency_key__in=keys)
    imported = rows.values_list("idempotency_key", "id", "state")
    found = [*here, *((keys[key or ""], capture_id, state) for key, capture_id, state in imported)]
    return {
        origin_id: Imported(capture_id, is_known=True, is_deleted=state in DELETED)
        for origin_id, capture_id, state in found
    }


def _related(arrivals: Sequence[Submission]) -> set[UUID]:
    origins = [_origin_of(arrival) for arrival in arrivals]
    return {each.retry_of for each in origins if each.retry_of}


def _placed(arrival: Submission, related: Mapping[UUID, Imported]) -> Submission:
    """With its relation to a capture here; one to a capture that is not stays in its origin."""
    origin = _origin_of(arrival)
    retried = related.get(origin.retry_of) if origin.retry_of else None
    return replace(
        arrival, idempotency_key=imported_key(origin.id), retry_of=retried.id if retried else None
    )


def _origin_of(arrival: Submission) -> CaptureOrigin:
    if arrival.origin is None:
        raise ValueError("an import names where the capture was received first")
    return arrival.origin
