"""Places turns in their sessions: threads, attempts, what changed against the turn before, and the
missed caches. Callers hold the team's lock.

A turn is compared with those shortly before it; where one comes late, those shortly after it are
compared again. The work is bounded however long a session is.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

import msgspec
from django.db import connection

from inspector.archive.listing.cursor import Order
from inspector.core.request.cache_miss import CacheMiss, cache_miss
from inspector.core.request.changes import PromptChanges, changes_between
from inspector.core.request.outline import PromptOutline
from inspector.core.request.threads import (
    Bond,
    PlacedCall,
    Placement,
    could_read_cache_of,
    lapse_us,
    place,
)
from inspector.database.bulk import bulk_update
from inspector.database.model_columns import columns_of, names_of, table_of
from inspector.sessions import misses
from inspector.sessions.models import Session, Turn
from inspector.sessions.turn_rows import call_of, outline_of, pack_changes, stored_call

WIDE = ("outline", "changes")
"""Columns that are left out."""


def turns_around(firsts: Sequence[Turn], before: int, after: int) -> Iterator[Turn]:
    """So many turns before each of these in its session, those themselves, and what is after.

    Django writes such a statement anew for each session, which takes longer than to answer it.
    """
    parameters = [value for first in firsts for value in _values(first, before, after)]
    sql = " UNION ALL ".join([_statement()] * len(firsts))
    yield from Turn.objects.raw(sql, parameters) if firsts else ()


def _values(first: Turn, before: int, after: int) -> list[Any]:
    columns = {column.attname: column for column in columns_of(Turn)}
    place = [
        columns[name].get_db_prep_value(getattr(first, name), connection)
        for name in ("session_id", "called_at", "capture_id")
    ]
    return [*place, before, *place, after + 1]


@cache
def _statement() -> str:
    columns = [column for column in columns_of(Turn) if column.attname not in WIDE]
    select = f"SELECT {names_of(columns)} FROM {table_of(Turn)} WHERE session_id = %s"
    here = "(called_at, capture_id)"
    return (
        f"SELECT * FROM ({select} AND {here} < (%s, %s)"
        " ORDER BY called_at DESC, capture_id DESC LIMIT %s) AS older"
        f" UNION ALL SELECT * FROM ({select} AND {here} >= (%s, %s)"
        " ORDER BY called_at, capture_id LIMIT %s) AS newer"
    )


ORDER = Order("called_at", "capture")
COMPARED = 50
"""Turns before one that it may go on with."""
COMPARED_AGAIN = 20
"""Turns after one that came late."""
ROUND = 200
"""Turns of a session that are placed at once: each is compared with those before it."""
SESSIONS = 25
"""Sessions of a round: of each it holds 50 turns, whose digests may be 32 kB."""

_PLACED = (
    "lane", "parent", "bond", "attempt_of", "hop_of", "cause", "is_due", "section",
    "missed_tokens", "missed_ticks", "changes",
)  # fmt: skip


def place_turns(session_ids: Collection[UUID], own: Collection[UUID]) -> None:
    """Place what is not placed in these sessions, and compare anew what came after it. ``own`` are
    the captures that the transaction stores, and so has locked.
    """
    while session_ids and (firsts := _first_unplaced(session_ids)):
        _place_round(firsts, own)


def _first_unplaced(session_ids: Collection[UUID]) -> Sequence[Turn]:
    """Return the first of each session, of as many as a round takes."""
    waiting = Turn.objects.filter(session__in=session_ids, lane=None)
    rows = waiting.only(*ORDER.oldest_first, "session").order_by(*ORDER.oldest_first)[:ROUND]
    firsts: dict[UUID, Turn] = {}
    for row in rows:
        firsts.setdefault(row.session_id, row)
    return list(firsts.values())[:SESSIONS]


def _place_round(firsts: Sequence[Turn], own: Collection[UUID]) -> None:
    lanes = dict(
        Session.objects.filter(pk__in={each.session_id for each in firsts}).values_list(
            "pk", "lanes"
        )
    )
    near = defaultdict[UUID, list[Turn]](list)
    for row in turns_around(firsts, COMPARED, ROUND):
        near[row.session_id].append(row)
    changed = list[Turn]()
    for first in firsts:
        rows = sorted(near[first.session_id], key=_place)
        at = next(at for at, row in enumerate(rows) if row.pk == first.pk)
        changed += _placed_anew(rows[:at], _again(rows[at:]), lanes[first.session_id] - 1)
    every = [row for rows in near.values() for row in rows]
    misses.note(_compare(changed, every), own)
    bulk_update(changed, _PLACED)


def _place(row: Turn) -> tuple[datetime, UUID]:
    return row.called_at, row.capture_id


def _again(rows: Sequence[Turn]) -> Sequence[Turn]:
    """Up to the last that is not placed, and those shortly after it."""
    last = max(at for at, row in enumerate(rows) if row.lane is None)
    return rows[: last + 1 + COMPARED_AGAIN]


def _placed_anew(before: Sequence[Turn], again: Sequence[Turn], highest: int) -> list[Turn]:
    """Return the turns whose place changed, or who go on with one that is new."""
    placed = [PlacedCall(call_of(row), _placement_of(row)) for row in before]
    changed: list[Turn] = []
    new: set[UUID] = set()
    for row in again:
        call, was = call_of(row), _placement_of(row)
        placement = place(call, placed[-COMPARED:])
        if placement.lane is None:
            lane = _own_lane(was, placed)
            highest = highest + 1 if lane is None else highest
            placement = msgspec.structs.replace(placement, lane=highest if lane is None else lane)
        placed.append(PlacedCall(call, placement))
        if row.lane is None or placement != was or placement.parent in new:
            new.add(row.capture_id)
            changed.append(row)
            for name in Placement.__struct_fields__:
                setattr(row, name, getattr(placement, name))
    return changed


def _own_lane(was: Placement, placed: Sequence[PlacedCall]) -> int | None:
    taken = any(each.placement.lane == was.lane for each in placed)
    return None if taken else was.lane


def _placement_of(row: Turn) -> Placement:
    return Placement(
        lane=row.lane,
        parent=row.parent,
        bond=Bond(row.bond) if row.bond else None,
        attempt_of=row.attempt_of,
        hop_of=row.hop_of,
    )


# -- compared with the turn before -----------------------------------------------------------------


def _compare(changed: Sequence[Turn], near: Sequence[Turn]) -> list[tuple[Turn, CacheMiss | None]]:
    by_id = {row.capture_id: row for row in near}
    pairs = [(row, by_id.get(row.parent) if row.parent else None) for row in changed]
    ids = {row.capture_id for pair in pairs for row in pair if row is not None}
    outlines = _outlines(ids)
    found: list[tuple[Turn, CacheMiss | None]] = []
    for row, parent in pairs:
        if parent is None:
            row.changes = None
            found.append((row, None))
            continue
        earlier, later = outlines.get(parent.capture_id), outlines.get(row.capture_id)
        changes = changes_between(earlier, later) if earlier and later else None
        row.changes = pack_changes(changes)
        found.append((row, _miss(parent, row, changes)))
    return found


def _outlines(ids: Collection[UUID]) -> dict[UUID, PromptOutline]:
    rows = Turn.objects.filter(pk__in=ids, outline__isnull=False).only("outline")
    return {row.capture_id: found for row in rows if (found := outline_of(row))}


def _miss(parent: Turn, row: Turn, changes: PromptChanges | None) -> CacheMiss | None:
    """None, too, where the prompt is not known: it may depart anywhere."""
    if row.hop_of is not None or changes is None:
        return None
    before, after = call_of(parent), call_of(row)
    if not could_read_cache_of(before, after):
        return None
    facts = stored_call(parent).facts, stored_call(row).facts
    return cache_miss(*facts, changes.departure, lapse_us(before, after))
