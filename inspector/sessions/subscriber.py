"""Keeps sessions as captures are read and deleted."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

import msgspec

from inspector.archive.events import ProjectionChange
from inspector.archive.inspection.projection import ProjectionRows
from inspector.archive.models import Capture
from inspector.database.bulk import bulk_insert, bulk_update
from inspector.sessions.membership import assign_sessions, count_turns, lock_teams
from inspector.sessions.models import Turn
from inspector.sessions.placing import place_turns
from inspector.sessions.turn_rows import encoded, is_turn, stored_call, turn_of


def inspected(changes: Sequence[ProjectionChange]) -> None:
    afters = {each.after.inspection.capture_id: each.after for each in changes}
    lock_teams({rows.inspection.team_id for rows in afters.values()})
    again = [each.before.inspection.capture_id for each in changes if each.before]
    left = _remove(again)
    turns = {pk: rows for pk, rows in afters.items() if is_turn(rows)}
    touched = left | _store(turns, frozenset(again))
    place_turns(touched, afters)
    count_turns(touched)


def body_deleted(captures: Sequence[Capture]) -> None:
    """Delete digests and names of what was sent; numbers and causes stay."""
    rows = list(Turn.objects.filter(capture__in=captures).only("call"))
    for row in rows:
        row.digests = row.outline = row.changes = row.conversation = row.answered_from = None
        row.call = encoded(_without_names(row))
    columns = ("digests", "outline", "changes", "conversation", "answered_from", "call")
    bulk_update(rows, columns)


def deleted(captures: Sequence[Capture]) -> None:
    lock_teams({each.team_id for each in captures})
    count_turns(_remove([each.pk for each in captures]))


def _store(afters: Mapping[UUID, ProjectionRows], again: Collection[UUID]) -> set[UUID]:
    """Insert turns, and return the sessions in which some are to be placed."""
    by_team = defaultdict(list)
    for rows in afters.values():
        by_team[rows.inspection.team_id].append(turn_of(rows))
    inspections = {pk: rows.inspection for pk, rows in afters.items()}
    for turns in by_team.values():
        assign_sessions(turns, inspections, again)
        bulk_insert(turns)
    every = (turn for turns in by_team.values() for turn in turns)
    return {turn.session_id for turn in every if turn.lane is None}


def _remove(ids: Collection[UUID]) -> set[UUID]:
    """Return the sessions that lose a turn. Those that went on with it keep what they showed."""
    if not ids:
        return set()
    rows = Turn.objects.filter(pk__in=ids)
    sessions = set(rows.values_list("session", flat=True))
    if sessions:
        rows.delete()
    return sessions


def _without_names(row: Turn) -> msgspec.Struct:
    gone = {"calls": (), "results": (), "answer": None, "head": None, "body": ""}
    return msgspec.structs.replace(stored_call(row), **gone)
