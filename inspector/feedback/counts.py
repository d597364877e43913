"""What the votes of a period are on, counted over the newest of them.

Sums (``queries.groups``) have no rows for what one capture has several of, nor for what a later
reading or a person changes: those are counted, and of however many votes, in bounded time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, FilteredRelation, OuterRef, Q, QuerySet

from inspector.archive.database import time_limit
from inspector.feedback.models import LIVE, Outcome, TokenKind, TokenPlace, TriageState, Vote
from inspector.feedback.queries import ORDER, Tally, VoteGroup, Votes

MOST = 10_000
LIMIT_MILLISECONDS = 2_000
BY = ("verdict", "finish_reason", "tag")

_COLUMNS = ("outcome", "state", "capture", "choice", "user_id", "token_kind", "is_commented")
_VALUES: dict[str, Any] = {
    "verdict": F("capture__inspection__verdict"),
    "finish_reason": F("voted__finish_reason"),
    "tag": F("capture__tags"),
}


@dataclass(frozen=True, slots=True)
class Counts:
    """``is_all``: no more votes are of the period. Of choices and users, different ones."""

    is_all: bool
    votes: int
    choices: int
    users: int
    """0 where none was named."""
    commented: int
    unverified: int
    open_negative: int
    groups: tuple[VoteGroup, ...] = ()
    """By what was asked for; a capture with several tags is in several."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Choices that came with a token inside them, and those of them that anybody voted on."""

    tokens: int
    voted: int
    is_all: bool


def counts(votes: Votes, start: datetime, end: datetime, by: str = "") -> Counts:
    """Raises ``TookTooLong``."""
    with time_limit(LIMIT_MILLISECONDS):
        found = list(_newest(votes, start, end, by))
    rows = found[:MOST]
    return Counts(
        is_all=len(found) <= MOST,
        votes=len(rows),
        choices=len({(row[2], row[3]) for row in rows}),
        users=len({row[4] for row in rows if row[4]}),
        commented=sum(bool(row[6]) for row in rows),
        unverified=sum(row[5] != TokenKind.OWN for row in rows),
        open_negative=sum(row[:2] == (Outcome.NEGATIVE, TriageState.OPEN) for row in rows),
        groups=_grouped((row[7], row[0]) for row in rows) if by else (),
    )


def coverage(votes: Votes, start: datetime, end: datetime) -> Coverage:
    """Of responses that were received in a period, the newest. Raises ``TookTooLong``."""
    voted = Vote.objects.filter(LIVE, capture=OuterRef("capture"), choice=OuterRef("choice"))
    places = TokenPlace.objects.filter(team__in=votes.team_ids, received_at__gte=start)
    newest = places.filter(received_at__lt=end).order_by("-received_at").annotate(at=Exists(voted))
    with time_limit(LIMIT_MILLISECONDS):
        found = list(newest.values_list("at", flat=True)[: MOST + 1])
    return Coverage(len(found[:MOST]), sum(found[:MOST]), len(found) <= MOST)


def _newest(votes: Votes, start: datetime, end: datetime, by: str) -> QuerySet[Vote, Any]:
    found = votes.live().filter(created_at__gte=start, created_at__lt=end, capture__isnull=False)
    if by == "finish_reason":
        of_choice = Q(capture__choices__index=F("choice"))
        found = found.annotate(voted=FilteredRelation("capture__choices", condition=of_choice))
    value = {"value": _VALUES[by]} if by else {}
    told = found.annotate(is_commented=Q(comment__isnull=False), **value)
    return told.order_by(*ORDER.newest_first).values_list(*_COLUMNS, *value)[: MOST + 1]


def _grouped(told: Iterable[tuple[Any, str]]) -> tuple[VoteGroup, ...]:
    numbers = Counter((value, outcome) for several, outcome in told for value in _each(several))
    values = dict.fromkeys(value for value, _ in numbers)
    groups = (VoteGroup(value, _tally(numbers, value)) for value in values)
    return tuple(sorted(groups, key=lambda each: (-each.tally.votes, each.value or "")))


def _tally(numbers: Counter[tuple[str | None, str]], value: str | None) -> Tally:
    return Tally(numbers[value, Outcome.POSITIVE], numbers[value, Outcome.NEGATIVE])


def _each(value: Any) -> Iterator[str | None]:
    """None: of captures that have none, of however many tags."""
    if isinstance(value, list):
        yield from dict.fromkeys(value) or (None,)
    else:
        yield value or None
