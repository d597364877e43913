"""Keeps votes consistent with captures: which choice has which token, and when they end."""

from collections.abc import Iterable, Sequence
from typing import TypeGuard

from inspector.archive.events import Ended, ProjectionChange
from inspector.archive.inspection.projection import CHOICE_ROWS, LARGEST, ProjectionRows
from inspector.archive.models import Capture
from inspector.feedback import sums
from inspector.feedback.feedback_token import MAX_CHARACTERS
from inspector.feedback.models import LIVE, Revocation, TokenPlace, Vote
from inspector.teams.secret import hash_of


def inspected(changes: Sequence[ProjectionChange]) -> None:
    again = [each.before.inspection.capture_id for each in changes if each.before]
    if again:
        TokenPlace.objects.filter(capture__in=again).delete()
    _store_token_places([each.after for each in changes])


def deleted(captures: Sequence[Capture]) -> Ended:
    TokenPlace.objects.filter(capture__in=captures).delete()
    Revocation.objects.filter(capture__in=captures).delete()
    votes = Vote.objects.filter(capture__in=captures).only(*sums.COUNTED_FIELDS)
    # A vote that is cast or replaced meanwhile would be taken from the sums twice, or not.
    live = list(votes.filter(LIVE).order_by("pk").select_for_update(no_key=True))
    # The sums at once, in one order: two deletions never wait for each other in a circle.
    sums.move_votes(live, [])
    _, gone = votes.delete()
    return Ended(feedback_votes=gone.get(Vote._meta.label, 0))


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
                called_at=inspection.called_at,
                capture_id=inspection.capture_id,
                choice=choice,
            )


def is_token(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and 0 < len(value) <= MAX_CHARACTERS
