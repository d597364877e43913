"""Counts over the newest votes of a period.

Sums (``queries.slots``) know outcomes alone. What captures have in common is changed by later
readings and by people, so it is counted: over a bounded number of votes, under a time limit.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    Count,
    Exists,
    F,
    FilteredRelation,
    OuterRef,
    Q,
    QuerySet,
    TextField,
    Value,
)
from django.db.models.functions import Cast, Concat, NullIf

from inspector.database.portability import AT, TimeSlot, count_groups, time_limit
from inspector.feedback.models import (
    LIVE,
    FeedbackTokenKind,
    TokenPlace,
    TriageState,
    Vote,
    VoteOutcome,
)
from inspector.feedback.queries import ORDER, VoteGroup, Votes, VoteTally

MOST = 10_000
"""The newest; how many were looked at is told beside the numbers."""
LIMIT_MILLISECONDS = 2_000
OF_CAPTURES = ("model", "vendor", "request_model", "dialect", "verdict")
BY = (*OF_CAPTURES, "finish_reason", "tag", "key")
"""Dimensions that votes can be grouped by."""

_CELLS: dict[str, Any] = {
    "of_outcome": F("outcome"),
    "of_state": F("state"),
    "of_token": F("token_kind"),
}
_VALUES: dict[str, Any] = {
    **{name: F(f"capture__inspection__{name}") for name in OF_CAPTURES},
    "finish_reason": F("voted__finish_reason"),
    "tag": Cast("capture__tags", TextField()),
    "key": F("capture__key__name"),
}
_CHOICE = Concat(
    Cast("capture_id", TextField()),
    Value(" ", TextField()),
    Cast("choice", TextField()),
    output_field=TextField(),
)


@dataclass(frozen=True, slots=True)
class VoteCounts:
    """``is_all``: no more votes are of the period. Of choices and users, different ones."""

    is_all: bool
    votes: int
    choices: int
    users: int
    """0 where none was named."""
    unverified: int
    open_negative: int
    groups: tuple[VoteGroup, ...] = ()
    """By the requested dimension; a capture with several tags is in several groups."""


@dataclass(frozen=True, slots=True)
class VoteCoverage:
    """Choices that came with a token inside them, and those of them that anybody voted on."""

    tokens: int
    voted: int
    is_all: bool


def count_votes(votes: Votes, start: datetime, end: datetime, by: str = "") -> VoteCounts:
    """Count the newest ``MOST`` votes of a period and, with ``by``, the groups of a dimension.
    Raises ``StatementTimeout`` where that takes longer than ``LIMIT_MILLISECONDS``.
    """
    cells = {**_CELLS, "of_value": _VALUES[by] if by else Value("")}
    with time_limit(LIMIT_MILLISECONDS):
        different = _newest(votes, start, end)[:MOST].aggregate(
            choices=Count(_CHOICE, distinct=True),
            users=Count(NullIf("user_id", Value("")), distinct=True),
        )
        rows = _newest(votes, start, end, by).annotate(**cells, **{AT: TimeSlot("created_at", 1)})
        alike = [_CountedCell(*row[:-2]) for row in count_groups(rows[:MOST], [*cells])]
    number = sum(each.votes for each in alike)
    return VoteCounts(
        is_all=number < MOST,
        votes=number,
        choices=different["choices"],
        users=different["users"],
        unverified=sum(each.votes for each in alike if each.token_kind != FeedbackTokenKind.OWN),
        open_negative=sum(
            each.votes
            for each in alike
            if (each.outcome, each.state) == (VoteOutcome.NEGATIVE, TriageState.OPEN)
        ),
        groups=_grouped(by, alike) if by else (),
    )


def vote_coverage(votes: Votes, start: datetime, end: datetime) -> VoteCoverage:
    """Return the part of a period's newest responses with a vote. Raises ``StatementTimeout``."""
    voted = Vote.objects.filter(LIVE, capture=OuterRef("capture"), choice=OuterRef("choice"))
    places = TokenPlace.objects.filter(team__in=votes.team_ids, called_at__gte=start).exclude(
        capture__metadata__has_key="sample"
    )
    newest = places.filter(called_at__lt=end).order_by("-called_at").annotate(at=Exists(voted))
    with time_limit(LIMIT_MILLISECONDS):
        found = list(newest.values_list("at", flat=True)[: MOST + 1])
    return VoteCoverage(len(found[:MOST]), sum(found[:MOST]), len(found) <= MOST)


@dataclass(frozen=True, slots=True)
class _CountedCell:
    """``value`` as the database spells it."""

    outcome: str
    state: str
    token_kind: str
    value: str | None
    votes: int


def _newest(votes: Votes, start: datetime, end: datetime, by: str = "") -> QuerySet[Vote]:
    theirs = Vote.objects.filter(LIVE, team__in=votes.team_ids)
    found = theirs.filter(created_at__gte=start, created_at__lt=end)
    if by == "finish_reason":
        of_choice = Q(capture__choices__index=F("choice"))
        found = found.annotate(voted=FilteredRelation("capture__choices", condition=of_choice))
    return found.order_by(*ORDER.newest_first)


def _grouped(by: str, alike: Iterable[_CountedCell]) -> tuple[VoteGroup, ...]:
    tallies: dict[str | None, VoteTally] = {}
    for each in alike:
        is_negative = each.outcome == VoteOutcome.NEGATIVE
        one = VoteTally(0, each.votes) if is_negative else VoteTally(each.votes, 0)
        for value in _values(by, each.value):
            tallies[value] = tallies.get(value, VoteTally()) + one
    groups = (VoteGroup(value, tally) for value, tally in tallies.items())
    return tuple(sorted(groups, key=lambda each: (-each.tally.votes, each.value or "")))


def _values(by: str, spelt: str | None) -> tuple[str | None, ...]:
    # Captures without tags form one group of their own.
    if by == "tag":
        return tuple(dict.fromkeys(json.loads(spelt or "[]"))) or (None,)
    return (spelt or None,)
