"""Which session a capture is of: what its sender states, else the captures that it goes on with.

Callers hold the team's lock (``lock_teams``), so that nobody else opens the session meanwhile.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count, Max, Min, Q, QuerySet

from inspector.archive.models import Inspection
from inspector.core.request.threads import HOP_US
from inspector.database.bulk import bulk_insert, bulk_update
from inspector.database.fixed_query import FixedQuery, Given
from inspector.database.portability import advisory_lock
from inspector.sessions.models import Grouping, Session, Turn
from inspector.sessions.turn_rows import stored_call

LOCK = 7_045
"""Tells this use of PostgreSQL's advisory locks from others."""
INFERRED_WITHIN = timedelta(days=1)
"""A chat goes on after a night; what is equal later is another one."""
MAX_CANDIDATES = 200
"""The newest: some servers give all answers one id."""

ANYWHERE = ("conversation", "answered_from")
"""Columns whose values are those of other sessions, too, at other times."""

_COLUMNS = (
    "capture_id", "team_id", "session_id", "called_at", "key", "response_id", "conversation",
    "answered_from", "call",
)  # fmt: skip


def lock_teams(team_ids: Collection[int]) -> None:
    for team_id in sorted(team_ids):
        advisory_lock(LOCK, team_id)


def assign_sessions(
    turns: Sequence[Turn], inspections: Mapping[UUID, Inspection], again: Collection[UUID]
) -> None:
    """Set the session of each turn, and make those that are new. ``turns`` are of one team. One
    that is alone in a new session is in its place, as most are; but not those that were read
    before (``again``), which may have a finding to take away.
    """
    known, made = _Known(turns), list[Session]()
    stated = _stated_sessions(turns, inspections)
    for turn in sorted(turns, key=lambda each: (each.called_at, each.capture_id)):
        session = stated.get(turn.capture_id)
        if session is None:
            found = next(known.before(turn), None)
            if found is None:
                made.append(_unsaved(turn, Grouping.PROMPT))
            turn.session_id = found.session_id if found else made[-1].pk
        else:
            turn.session_id = session.pk
        known.add(turn)
        _join(turn, known)
    counts = Counter(turn.session_id for turn in turns)
    new = {each.pk: each for each in made}
    for turn in turns:
        is_alone = turn.session_id in new and counts[turn.session_id] == 1
        if is_alone and turn.capture_id not in again:
            turn.lane, new[turn.session_id].lanes = 0, 1
    bulk_insert(made)


def _join(turn: Turn, known: _Known) -> None:
    """Take what goes on with this turn, or is the same answer, into its session; inferred ones
    only: what senders state is not questioned.
    """
    others = {each.session_id for each in known.after(turn)} - {turn.session_id}
    if not others:
        return
    for session in Session.objects.filter(pk__in=others, grouping=Grouping.PROMPT):
        Turn.objects.filter(session=session).update(session=turn.session_id, lane=None)
        known.rename(session.pk, turn.session_id)
        session.delete()


def count_turns(session_ids: Collection[UUID]) -> None:
    """Count the turns of sessions anew, and delete those without one."""
    if not session_ids:
        return
    counted = Turn.objects.filter(session__in=session_ids).values("session").order_by()
    counts = counted.annotate(
        turns=Count("pk"), first=Min("called_at"), last=Max("called_at"), lanes=Max("lane")
    )
    rows = {row["session"]: row for row in counts}
    sessions = list(Session.objects.filter(pk__in=rows))
    for session in sessions:
        row = rows[session.pk]
        session.turns, session.lanes = row["turns"], (row["lanes"] or 0) + 1
        session.first_at, session.last_at = row["first"], row["last"]
        session.is_listed = session.grouping == Grouping.SESSION or session.turns > 1
    bulk_update(sessions, ("turns", "lanes", "first_at", "last_at", "is_listed"))
    Session.objects.filter(pk__in=set(session_ids) - rows.keys()).delete()


# -- stated ----------------------------------------------------------------------------------------


def _stated_sessions(
    turns: Sequence[Turn], inspections: Mapping[UUID, Inspection]
) -> dict[UUID, Session]:
    stated = {
        turn.capture_id: named
        for turn in turns
        if (named := _stated(inspections[turn.capture_id])) is not None
    }
    if not stated:
        return {}
    by_id = {turn.capture_id: turn for turn in turns}
    team_id = next(iter(turns)).team_id
    rows = Session.objects.filter(team=team_id, value__in={value for _, value in stated.values()})
    found = {(each.grouping, each.value or ""): each for each in rows}
    new = {named: _unsaved(by_id[pk], *named) for pk, named in stated.items() if named not in found}
    bulk_insert(list(new.values()))
    return {pk: (found | new)[named] for pk, named in stated.items()}


def _stated(inspection: Inspection) -> tuple[str, str] | None:
    if inspection.session:
        return Grouping.SESSION, inspection.session
    return (Grouping.TRACE, inspection.trace) if inspection.trace else None


def _unsaved(turn: Turn, grouping: str, value: str | None = None) -> Session:
    return Session(
        team_id=turn.team_id,
        grouping=grouping,
        value=value,
        first_at=turn.called_at,
        last_at=turn.called_at,
        turns=1,
        lanes=0,
        is_listed=False,
    )


# -- inferred --------------------------------------------------------------------------------------


class _Known:
    """The captures that turns of one team may belong to, and the turns, by what links them."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns: dict[UUID, Turn] = {}
        self._by: dict[tuple[str, str | int], list[Turn]] = defaultdict(list)
        for each in _candidates(turns):
            self.add(each)

    def add(self, turn: Turn) -> None:
        self._turns[turn.capture_id] = turn
        for column in ("response_id", "conversation", "answered_from"):
            value = getattr(turn, column)
            if value is not None:
                self._by[column, value].append(turn)
        if previous := stored_call(turn).previous:
            self._by["previous", previous].append(turn)

    def rename(self, session: UUID, to: UUID) -> None:
        for each in self._turns.values():
            if each.session_id == session:
                each.session_id = to

    def before(self, turn: Turn) -> Iterator[Turn]:
        """Yield turns that this one may go on with: by the response that it names, with the same
        answer elsewhere, with the call that it repeats, then the newest whose messages begin its
        own.
        """
        call = stored_call(turn)
        yield from self._by["response_id", call.previous] if call.previous else ()
        yield from self._same_answers(turn)
        if call.retry_of and (repeated := self._turns.get(UUID(call.retry_of))):
            yield repeated
        if turn.answered_from is not None:
            begun = self._by["conversation", turn.answered_from]
            yield from (each for each in reversed(begun) if _is_near(each, turn))

    def after(self, turn: Turn) -> Iterator[Turn]:
        """Yield turns that may go on with one that came late."""
        yield from self._same_answers(turn)
        if turn.response_id is not None:
            yield from self._by["previous", turn.response_id]
        if turn.conversation is not None:
            going_on = self._by["answered_from", turn.conversation]
            yield from (each for each in going_on if _is_near(turn, each))

    def _same_answers(self, turn: Turn) -> Iterator[Turn]:
        for each in self._by["response_id", turn.response_id] if turn.response_id else ():
            apart = abs(each.called_at - turn.called_at)
            is_other = each.capture_id != turn.capture_id
            is_apart = stored_call(each).route != stored_call(turn).route
            asks_other = each.conversation != turn.conversation and None not in (
                each.conversation,
                turn.conversation,
            )
            if is_other and is_apart and not asks_other and apart <= timedelta(microseconds=HOP_US):
                yield each


def _is_near(before: Turn, after: Turn) -> bool:
    """Tell whether both have one key within a day: the same words elsewhere begin another."""
    lapse = after.called_at - before.called_at
    return before.key == after.key and timedelta(0) <= lapse <= INFERRED_WITHIN


def _candidates(turns: Sequence[Turn]) -> Iterator[Turn]:
    calls = [stored_call(turn) for turn in turns]
    responses = {turn.response_id for turn in turns} | {call.previous for call in calls}
    team_id = turns[0].team_id
    since, until = _span(turns)
    wanted: Mapping[str, Collection[Any]] = {
        "response_id": responses - {None, ""},
        "conversation": {each.answered_from for each in turns} - {None},
        "answered_from": {each.conversation for each in turns} - {None},
        "capture": {UUID(call.retry_of) for call in calls if call.retry_of},
    }
    seen: set[UUID] = set()
    for column, values in wanted.items():
        if not values:
            continue
        found = _NEWEST.instances(column, team=team_id, values=values, since=since, until=until)
        # In the order of calls.
        for each in reversed(found):
            if each.capture_id not in seen:
                seen.add(each.capture_id)
                yield each


def _newest(column: str) -> QuerySet[Turn]:
    rows = Turn.objects.filter(Q((f"{column}__among", Given("values"))), team=Given("team"))
    if column in ANYWHERE:
        rows = rows.filter(called_at__gte=Given("since"), called_at__lte=Given("until"))
    return rows.only(*_COLUMNS).order_by("-called_at")[:MAX_CANDIDATES]


_NEWEST = FixedQuery(_newest)


def _span(turns: Sequence[Turn]) -> tuple[datetime, datetime]:
    moments = [turn.called_at for turn in turns]
    return min(moments) - INFERRED_WITHIN, max(moments) + INFERRED_WITHIN
