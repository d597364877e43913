"""Legal holds: while one is in force, nobody deletes a capture of its query, whatever asks for it:
a person, a key, a job, a retention rule, or the ledger of deletions.

The query is asked at the moment of a deletion. So that nobody takes a capture out of it by a change
that anybody may make, it asks for nothing that people write on a capture.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from enum import Enum, auto
from uuid import UUID

import msgspec
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from inspector.archive.listing.filter_params import FilterParams, query_conditions
from inspector.archive.listing.filters import Filters
from inspector.archive.member_types import Moment
from inspector.archive.models import Capture, LegalHold
from inspector.archive.queries import Captures
from inspector.database.column_text import clean_text
from inspector.query.tree import AllOf, AnyOf, Matcher, Node, Not
from inspector.teams.access import DELETE, OWN, READ, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name

NAME_CHARACTERS = 100
MAX_HOLDS = 50
"""Of one team in force: each is a question to every deletion."""
WRITTEN_BY_PEOPLE = frozenset({"tag", "note", "missing", "has"})
"""Fields that a member can change; the last two may ask for the first."""


class HoldStatus(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    name: str
    query: str
    made_by: str
    created_at: Moment
    ended_by: str | None
    ended_at: Moment | None

    @property
    def is_in_force(self) -> bool:
        return self.ended_at is None


class HoldRefusal(Enum):
    NOT_UNDERSTOOD = auto()
    CHANGEABLE = auto()
    """The query asks for what people write on a capture."""
    NO_NAME = auto()
    TOO_MANY = auto()
    FORBIDDEN = auto()


def place(principal: Principal, name: str, query: str, now: datetime) -> HoldStatus | HoldRefusal:
    """Places a hold on captures of the principal's one team, in force at once."""
    team_ids = principal.team_ids(DELETE)
    if len(team_ids) != 1:
        return HoldRefusal.FORBIDDEN
    conditions = query_conditions(query, now)
    cleaned = clean_text(name, NAME_CHARACTERS).strip()
    if refusal := _refusal(conditions, cleaned, team_ids[0]):
        return refusal
    with transaction.atomic():
        hold = LegalHold.objects.create(
            team_id=team_ids[0],
            name=cleaned,
            query=conditions.text,
            made_by=actor_name(principal)[:200],
            created_at=now,
        )
        note(principal, hold.team_id, Act.HOLD_PLACED, f"{hold.name}: {hold.query or 'all'}")
    return _status(hold)


def end(principal: Principal, number: int) -> HoldStatus | None:
    """Ends a hold. None where the principal owns no team with such a hold in force."""
    with transaction.atomic():
        theirs = LegalHold.objects.filter(pk=number, team__in=principal.team_ids(OWN))
        ended = theirs.filter(ended_at=None).update(
            ended_at=Now(), ended_by=actor_name(principal)[:200]
        )
        if not ended:
            return None
        hold = theirs.get()
        note(principal, hold.team_id, Act.HOLD_ENDED, hold.name)
    return _status(hold)


def all_holds(principal: Principal) -> tuple[HoldStatus, ...]:
    """Those in force first, each the newest first."""
    rows = LegalHold.objects.filter(team__in=principal.team_ids(READ)).order_by("-pk")
    return tuple(sorted(map(_status, rows), key=lambda hold: not hold.is_in_force))


def hold_on(principal: Principal, capture_id: UUID) -> str | None:
    """The name of a hold that keeps a capture which the principal could delete otherwise."""
    theirs = Capture.objects.filter(pk=capture_id, team__in=principal.team_ids(DELETE))
    team_id = theirs.values_list("team", flat=True).first()
    if team_id is None:
        return None
    return next(
        (hold.name for hold in _in_force(team_id) if held_by(hold).filter(pk=capture_id).exists()),
        None,
    )


def held_among(captures: Sequence[Capture]) -> Collection[UUID]:
    """Which of these captures a hold keeps. One statement where their teams have no holds."""
    ids: dict[int, list[UUID]] = defaultdict(list)
    for capture in captures:
        ids[capture.team_id].append(capture.pk)
    found: set[UUID] = set()
    for hold in LegalHold.objects.filter(team__in=ids, ended_at=None).order_by("pk"):
        found.update(held_by(hold).filter(pk__in=ids[hold.team_id]))
    return found


def not_held(captures: QuerySet[Capture], team_id: int) -> QuerySet[Capture]:
    """Of captures of a team those that no hold keeps."""
    for hold in _in_force(team_id):
        captures = captures.exclude(pk__in=held_by(hold))
    return captures


def held_by(hold: LegalHold) -> QuerySet[Capture, UUID]:
    """Ids of the captures that a hold keeps."""
    found = query_conditions(hold.query, hold.created_at)
    # What this release does not understand is kept whole: too much is kept sooner than too little.
    return Captures((hold.team_id,)).ids(Filters() if found.mistakes else found.filters)


def _in_force(team_id: int) -> QuerySet[LegalHold]:
    return LegalHold.objects.filter(team=team_id, ended_at=None).order_by("pk")


def _refusal(conditions: FilterParams, name: str, team_id: int) -> HoldRefusal | None:
    if conditions.mistakes:
        return HoldRefusal.NOT_UNDERSTOOD
    if not WRITTEN_BY_PEOPLE.isdisjoint(_fields(conditions.filters.tree)):
        return HoldRefusal.CHANGEABLE
    if not name:
        return HoldRefusal.NO_NAME
    return HoldRefusal.TOO_MANY if _in_force(team_id).count() >= MAX_HOLDS else None


def _fields(node: Node) -> Iterator[str]:
    if isinstance(node, Matcher):
        yield node.name
    elif isinstance(node, Not):
        yield from _fields(node.node)
    elif isinstance(node, AllOf | AnyOf):
        for each in node.nodes:
            yield from _fields(each)


def _status(hold: LegalHold) -> HoldStatus:
    return HoldStatus(
        id=hold.pk,
        name=hold.name,
        query=hold.query,
        made_by=hold.made_by,
        created_at=hold.created_at,
        ended_by=hold.ended_by,
        ended_at=hold.ended_at,
    )
