"""Keeps votes consistent with their captures: a projector, called with all changes that one
transaction stores or deletes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeGuard
from uuid import UUID

from django.db.models import QuerySet

from inspector.archive import vote_targets
from inspector.archive.inspection.projection import CHOICE_ROWS, LARGEST, ProjectionRows
from inspector.archive.inspection.projection_store import ProjectionChange
from inspector.core.feedback_token import MAX_CHARACTERS
from inspector.feedback import series, sums
from inspector.feedback.models import LIVE, Revocation, TokenPlace, Vote
from inspector.feedback.series import series_id_of
from inspector.teams.secret import hash_of


def update_votes(replaced: Sequence[ProjectionChange]) -> dict[str, int]:
    """The projector of votes (``settings.PROJECTORS``): deletes those on deleted captures, moves
    those on captures that were read again to the series of their new values, and notes which choice
    carries which token. Returns how many votes it deleted, for the receipt.
    """
    known = [each.before for each in replaced if each.before is not None]
    if known:
        TokenPlace.objects.filter(capture__in=[_id(rows) for rows in known]).delete()
    deleted = [_id(each.before) for each in replaced if each.before and not each.after]
    for each in replaced:
        if each.after is not None and each.before is not None:
            _count_again(each.after)
    _store_token_places([each.after for each in replaced if each.after is not None])
    return {"feedback_votes": _forget_all(deleted)}


def _id(rows: ProjectionRows) -> UUID:
    capture_id: UUID = rows.inspection.capture_id
    return capture_id


def _forget_all(captures: Collection[UUID]) -> int:
    if not captures:
        return 0
    Revocation.objects.filter(capture__in=captures).delete()
    # Most captures have no votes: asked for all of them by one statement.
    voted = Vote.objects.filter(capture__in=captures).order_by("capture")
    return sum(map(_forget, voted.values_list("capture", flat=True).distinct()))


def _forget(capture_id: UUID) -> int:
    """Deletes the votes on a deleted capture."""
    votes = Vote.objects.filter(capture=capture_id).only(*sums.COUNTED_FIELDS)
    live = list(votes.filter(LIVE).order_by("pk").select_for_update(no_key=True))
    series_ids = _series_of(votes)
    series.lock_series(series_ids)
    sums.move_votes(live, [])
    _, gone = votes.delete()
    if live:
        series.forget_unused(live[0].team_id, series_ids)
    return gone.get(Vote._meta.label, 0)


def _count_again(rows: ProjectionRows) -> None:
    """Moves the votes on a reinspected capture to the series of its new values."""
    votes = Vote.objects.filter(capture=_id(rows))
    if not votes.exists():
        return
    series_id = series_id_of(vote_targets.target_of_inspection(rows.inspection, 0))
    moved = votes.filter(LIVE).exclude(series=series_id).order_by("pk")
    before = list(moved.only(*sums.COUNTED_FIELDS).select_for_update(no_key=True))
    former = _series_of(votes) - {series_id}
    series.lock_series(former)
    votes.update(series=series_id)
    sums.move_votes(before, [_counted_under(vote, series_id) for vote in before])
    series.forget_unused(rows.inspection.team_id, former)


def _series_of(votes: QuerySet[Vote]) -> set[int]:
    return set(votes.values_list("series", flat=True))


def _counted_under(vote: Vote, series_id: int) -> Vote:
    return Vote(
        team_id=vote.team_id,
        created_at=vote.created_at,
        outcome=vote.outcome,
        series_id=series_id,
    )


# -- tokens that came inside responses ------------------------------------------------------------


def _store_token_places(afters: Sequence[ProjectionRows]) -> None:
    places = [place for rows in afters for place in _token_places_of(rows)]
    TokenPlace.objects.bulk_create(places)


def _token_places_of(rows: ProjectionRows) -> Iterable[TokenPlace]:
    """One row for each choice that carries a token."""
    assert rows.analysis is not None, "what is stored now was read now"
    inspection = rows.inspection
    carried = {c.index: c.feedback_token for c in rows.analysis.choices[:CHOICE_ROWS]}
    for choice, token in carried.items():
        if is_token(token) and -LARGEST <= choice <= LARGEST:
            yield TokenPlace(
                team_id=inspection.team_id,
                sha256=hash_of(token),
                received_at=inspection.received_at,
                capture_id=inspection.capture_id,
                choice=choice,
            )


def is_token(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and 0 < len(value) <= MAX_CHARACTERS
