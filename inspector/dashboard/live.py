"""What a page that stays open has not shown yet: new rows, filled in rows, what may still match.

A narrowed list shows a capture once it matches, which is often when it is inspected. So captures
are followed as they arrive, those that do not match yet are asked for again, and none is missed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from inspector.archive.arrivals import MOST
from inspector.archive.filters import ALL, Filters
from inspector.archive.queries import Captures
from inspector.archive.values import CaptureRow
from inspector.dashboard.rows import ShownRow, shown_rows
from inspector.dashboard.verdicts import UNFINISHED_STATES
from inspector.usage.queries import TeamSums


@dataclass(frozen=True, slots=True)
class Came:
    """``newest`` is the cursor to ask from next; ``waiting`` what to ask for again."""

    newest: str | None
    rows: tuple[ShownRow, ...] = ()
    finished: tuple[ShownRow, ...] = ()
    """Rows that the page shows as unfinished and that are so no more."""
    waiting: tuple[UUID, ...] = ()
    more: bool = False
    number: int = 0
    """How many there would be for a reader who wants nothing to move now."""


def arrived(
    captures: Captures,
    sums: TeamSums,
    filters: Filters,
    after: str,
    waiting: Iterable[UUID],
    unfinished: Iterable[UUID],
) -> Came:
    came = captures.arrivals(after)
    asked = newest_first(waiting, came.ids)
    rows = rows_of(captures, asked, filters)
    pending = pending_of(captures, asked, rows) if filters != ALL else ()
    finished = [
        row for row in rows_of(captures, unfinished, ALL) if row.state not in UNFINISHED_STATES
    ]
    shown = shown_rows([*rows, *finished], sums)
    return Came(
        newest=came.newest,
        rows=shown[: len(rows)],
        finished=shown[len(rows) :],
        waiting=pending,
        more=came.more,
    )


def held(captures: Captures, filters: Filters, after: str, waiting: tuple[UUID, ...]) -> Came:
    """While somebody reads further down nothing moves: only the number of newer ones grows."""
    came = captures.arrivals(after)
    number = len(rows_of(captures, newest_first(waiting, came.ids), filters))
    return Came(after, waiting=waiting, more=came.more, number=number)


def rows_of(captures: Captures, ids: Iterable[UUID], filters: Filters) -> list[CaptureRow]:
    asked = list(ids)
    return list(captures.rows(asked, filters)) if asked else []


def pending_of(captures: Captures, asked: list[UUID], rows: list[CaptureRow]) -> tuple[UUID, ...]:
    shown = {row.id for row in rows}
    others = rows_of(captures, [id for id in asked if id not in shown], ALL)
    return tuple(row.id for row in others if row.state in UNFINISHED_STATES)[:MOST]


def newest_first(waiting: Iterable[UUID], came: Iterable[UUID]) -> list[UUID]:
    return list(dict.fromkeys([*reversed([*came]), *waiting]))


def uuids(texts: Iterable[str], most: int = MOST) -> tuple[UUID, ...]:
    found: list[UUID] = []
    for text in [*texts][:most]:
        try:
            found.append(UUID(text))
        except ValueError:
            continue
    return tuple(found)
