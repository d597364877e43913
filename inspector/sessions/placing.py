"""Places turns in their sessions: threads, attempts, what changed against the turn before, and the
missed caches. Callers hold the team's lock.

A turn is compared with those shortly before it; where one comes late, those shortly after it are
compared again. The work is bounded however long a session is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

import msgspec
from django.db.models import Max

from inspector.archive.listing.cursor import Cursor, Order
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
from inspector.sessions import misses
from inspector.sessions.models import Turn
from inspector.sessions.turn_rows import call_of, outline_of, pack_changes, stored_call

ORDER = Order("received_at", "capture")
COMPARED = 50
"""Turns before one that it may go on with."""
COMPARED_AGAIN = 20
"""Turns after one that came late."""
ROUND = 200
"""Most turns that are placed at once."""

_WIDE = ("outline", "changes")
_PLACED = (
    "lane", "parent", "bond", "attempt_of", "hop_of", "cause", "is_due", "section",
    "missed_tokens", "missed_ticks", "changes",
)  # fmt: skip


def place_turns(session_ids: Collection[UUID], own: Collection[UUID]) -> None:
    """Places what is not placed in these sessions, and compares anew what came after it. ``own``
    are the captures that the transaction stores, and so has locked.
    """
    for session_id in sorted(session_ids):
        while first := _first_unplaced(session_id):
            _place_round(first, own)


def _first_unplaced(session_id: UUID) -> Turn | None:
    return Turn.objects.filter(session=session_id, lane=None).order_by(*ORDER.oldest_first).first()


def _place_round(first: Turn, own: Collection[UUID]) -> None:
    turns = Turn.objects.filter(session=first.session_id).defer(*_WIDE)
    here = Cursor(first.received_at, first.capture_id)
    before = list(turns.filter(here.older(ORDER)).order_by(*ORDER.newest_first)[:COMPARED])[::-1]
    later = turns.filter(here.newer(ORDER)).order_by(*ORDER.oldest_first)
    rows = [first, *later[: ROUND - 1]]
    last = max(at for at, row in enumerate(rows) if row.lane is None)
    again = rows[: last + 1 + COMPARED_AGAIN]
    highest = turns.aggregate(highest=Max("lane"))["highest"]
    changed = _placed_anew(before, again, -1 if highest is None else highest)
    misses.note(_compare(changed, [*before, *again]), own)
    Turn.objects.bulk_update(changed, _PLACED)


def _placed_anew(before: Sequence[Turn], again: Sequence[Turn], highest: int) -> list[Turn]:
    """The turns whose place changed, or who go on with one that is new."""
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
    """The thread that a turn had begun already."""
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
