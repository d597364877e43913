"""The only access to votes for reading: ``for_principal`` returns those a principal may see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from operator import and_
from typing import Any
from uuid import UUID

from django.db.models import F, Q, QuerySet
from django.db.models import Sum as SumOf

from inspector.archive import queries as archive
from inspector.archive.listing.cursor import Cursor, Order
from inspector.feedback.models import LIVE, FeedbackTokenKind, Triage, Vote, VoteOutcome, VoteSum
from inspector.feedback.vote_fields import VOTE_FIELDS
from inspector.query.conditions import Compiler
from inspector.query.fields import Scope
from inspector.query.tree import AllOf, Matcher, Operator
from inspector.teams.access import READ, Principal

PAGE_ROWS = 50
MAX_PAGE_ROWS = 200
MAX_OF_A_CAPTURE = 500
"""All choices together, beside them on one page."""
MAX_HISTORY = 200
"""Entries of one vote: votes and steps before it, which anybody with the token can add to."""
ORDER = Order("created_at", "id")
CAPTURE_COLUMNS = ("model", "vendor", "verdict", "result")
"""Columns of the capture's inspection that a vote is shown with."""
OF_CAPTURE = {f"capture_{name}": F(f"capture__inspection__{name}") for name in CAPTURE_COLUMNS}

# Columns of captures are checked vote by vote, newest first: filtered values are mostly common, and
# a list of all their captures would be made before the first row is found.


@dataclass(frozen=True, slots=True)
class VoteFilters:
    """``tree`` is resolved: its matchers name fields of ``VOTE_FIELDS``."""

    tree: AllOf = AllOf()

    @classmethod
    def of(cls, **values: object) -> VoteFilters:
        """Filter by values of fields: several of one name match any of them."""
        each = ((name, v if isinstance(v, tuple) else (v,)) for name, v in values.items())
        return cls(AllOf(tuple(Matcher(name, Operator.IS, found) for name, found in each)))


NO_FILTERS = VoteFilters()


@dataclass(frozen=True, slots=True)
class VoteRow:
    """One row of the vote list. ``comment`` and ``user_id`` are untrusted text."""

    id: UUID
    created_at: datetime
    superseded_at: datetime | None
    outcome: str
    comment: str | None
    user_id: str
    state: str
    capture_id: UUID
    choice: int
    model: str | None
    vendor: str | None
    verdict: str | None
    result: str | None
    token_kind: str
    is_verified: bool
    token_parts: Mapping[str, str]
    """Unverified fields of a foreign token."""


@dataclass(frozen=True, slots=True)
class VoteList:
    """Newest first; ``older`` is the cursor of the next page."""

    rows: tuple[VoteRow, ...]
    older: str | None


@dataclass(frozen=True, slots=True)
class TriageStep:
    state: str
    note: str
    at: datetime
    by: str


@dataclass(frozen=True, slots=True)
class EarlierVote:
    row: VoteRow
    steps: tuple[TriageStep, ...]


@dataclass(frozen=True, slots=True)
class VotePage:
    """A vote with the earlier votes of the same user by the same token, newest first."""

    row: VoteRow
    team_slug: str
    live_id: UUID | None
    """The id of the user's live vote; its own id where this one is live."""
    history: tuple[EarlierVote, ...]
    steps: tuple[TriageStep, ...]


@dataclass(frozen=True, slots=True)
class VoteTally:
    positive: int = 0
    negative: int = 0

    @property
    def votes(self) -> int:
        return self.positive + self.negative

    def __add__(self, other: VoteTally) -> VoteTally:
        return VoteTally(self.positive + other.positive, self.negative + other.negative)


@dataclass(frozen=True, slots=True)
class VoteGroup:
    """``value`` None: of captures that have none."""

    value: str | None
    tally: VoteTally = field(default_factory=VoteTally)


def for_principal(principal: Principal) -> Votes:
    return Votes(principal, tuple(principal.team_ids(READ)))


@dataclass(frozen=True, slots=True)
class Votes:
    """The votes that one principal may see. A vote of another team is treated as missing."""

    principal: Principal
    team_ids: tuple[int, ...]

    def page(
        self, before: str | None = None, limit: int = PAGE_ROWS, filters: VoteFilters = NO_FILTERS
    ) -> VoteList:
        """One page of the votes that hold, the newest first. Raises ``BadCursor``."""
        limit = max(1, min(limit, MAX_PAGE_ROWS))
        votes = self.newest(filters)
        if before is not None:
            votes = votes.filter(Cursor.parse(before).older(ORDER))
        found = list(votes[: limit + 1])
        more = len(found) > limit
        older = str(Cursor(found[limit - 1].created_at, found[limit - 1].pk)) if more else None
        return VoteList(tuple(map(row_of, found[:limit])), older)

    def one(self, vote_id: UUID) -> VotePage | None:
        """Return a superseded one, too: what was made of it stays."""
        vote = self._visible().select_related("team").filter(pk=vote_id).first()
        if vote is None:
            return None
        same = self._visible().filter(
            team=vote.team_id, token_sha256=vote.token_sha256, user_id=vote.user_id
        )
        earlier = same.exclude(LIVE)
        if vote.superseded_at is not None:
            earlier = earlier.filter(Cursor(vote.created_at, vote.pk).older(ORDER))
        rows = [row_of(each) for each in earlier.order_by(*ORDER.newest_first)[:MAX_HISTORY]]
        steps = _steps_of([row.id for row in rows])
        return VotePage(
            row=row_of(vote),
            team_slug=vote.team.slug,
            live_id=same.filter(LIVE).values_list("pk", flat=True).first(),
            history=tuple(EarlierVote(row, tuple(steps.get(row.id, ()))) for row in rows),
            steps=tuple(_steps_of([vote.pk]).get(vote.pk, ())),
        )

    def of_capture(self, capture_id: UUID) -> dict[int, tuple[VoteRow, ...]]:
        """Live votes by choice, the newest ``MAX_OF_A_CAPTURE`` of all."""
        votes = self.live().filter(capture=capture_id)
        found: dict[int, list[VoteRow]] = {}
        for vote in votes.order_by(*ORDER.newest_first)[:MAX_OF_A_CAPTURE]:
            found.setdefault(vote.choice, []).append(row_of(vote))
        return {choice: tuple(rows) for choice, rows in sorted(found.items())}

    def slots(self, start: datetime, end: datetime, slot_seconds: int) -> dict[datetime, VoteTally]:
        """Tallies of the slots that have votes, of sums: the cost is that of hours or days."""
        sums = VoteSum.objects.filter(team__in=self.team_ids, span_seconds=slot_seconds)
        within = sums.filter(start__gte=start, start__lt=end).order_by()
        outcomes = within.values_list("start", "outcome").annotate(SumOf("votes"))
        return dict(sorted(_tallied(outcomes).items()))

    def _visible(self) -> QuerySet[Vote]:
        return Vote.objects.filter(team__in=self.team_ids).annotate(**OF_CAPTURE)

    def live(self) -> QuerySet[Vote]:
        return self._visible().filter(LIVE)

    def newest(self, filters: VoteFilters) -> QuerySet[Vote]:
        return self.filtered(filters).order_by(*ORDER.newest_first)

    def filtered(self, filters: VoteFilters) -> QuerySet[Vote]:
        votes, scope = self.live(), Scope(self.team_ids, door=archive.for_principal(self.principal))
        for condition in Compiler(VOTE_FIELDS, scope, _comment_holds).each(filters.tree):
            votes = votes.filter(condition)
        return votes


def _comment_holds(text: str, scope: Scope, is_phrase: bool) -> Q:
    words = (text,) if is_phrase else text.split()
    return reduce(and_, (Q(comment__holds=word) for word in words))


def _steps_of(ids: list[UUID]) -> dict[UUID, list[TriageStep]]:
    """Newest first, the newest ``MAX_HISTORY`` of all."""
    found: dict[UUID, list[TriageStep]] = {}
    for each in Triage.objects.filter(vote__in=ids).order_by("-pk")[:MAX_HISTORY]:
        step = TriageStep(each.state, each.note, each.at, each.by)
        found.setdefault(each.vote_id, []).append(step)
    return found


def sum_tallies(tallies: Iterable[VoteTally]) -> VoteTally:
    return sum(tallies, VoteTally())


def _tallied(counted: Iterable[tuple[Any, ...]]) -> dict[Any, VoteTally]:
    """Add up rows of a value, an outcome and a number of votes."""
    tallies: dict[Any, VoteTally] = {}
    for value, outcome, votes in counted:
        one = (
            VoteTally(int(votes), 0)
            if outcome == VoteOutcome.POSITIVE
            else VoteTally(0, int(votes))
        )
        tallies[value] = tallies.get(value, VoteTally()) + one
    return tallies


def row_of(vote: Vote) -> VoteRow:
    of_capture = {name: getattr(vote, f"capture_{name}") for name in CAPTURE_COLUMNS}
    return VoteRow(
        id=vote.pk,
        created_at=vote.created_at,
        superseded_at=vote.superseded_at,
        outcome=vote.outcome,
        comment=vote.comment,
        user_id=vote.user_id,
        state=vote.state,
        capture_id=vote.capture_id,
        choice=vote.choice,
        token_kind=vote.token_kind,
        is_verified=vote.token_kind == FeedbackTokenKind.OWN,
        token_parts=vote.token_parts,
        **of_capture,
    )
