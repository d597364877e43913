"""Updates for an open archive page: new rows, rows that finished, and captures to ask for again.

A filtered list shows a capture once it matches, which is often only after its inspection. So new
captures are followed by arrival, and those that do not match yet are asked for again. A call that
arrives late has its place among the rows, or is only counted where it stands beyond them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from inspector.archive.listing.capture_values import CaptureRow, place_of
from inspector.archive.listing.cursor import Cursor
from inspector.archive.listing.filters import NO_FILTERS, Filters
from inspector.archive.listing.new_captures import MAX_NEW_CAPTURES
from inspector.archive.queries import Captures
from inspector.dashboard.archive.rows import ArchiveRow, build_rows
from inspector.dashboard.archive.snippets import row_snippets
from inspector.formatting.verdicts import RECORDING_STATE, UNFINISHED_STATES
from inspector.usage.rollup.queries import TeamSums


@dataclass(frozen=True, slots=True)
class LiveUpdate:
    """``newest`` is the cursor for the next request, ``waiting`` the ids to ask for again."""

    newest: str | None
    rows: tuple[ArchiveRow, ...] = ()
    finished: tuple[ArchiveRow, ...] = ()
    """Rows that the page shows as unfinished and that have since finished."""
    growing: tuple[ArchiveRow, ...] = ()
    """Rows that the page shows and that are still recorded."""
    waiting: tuple[UUID, ...] = ()
    more: bool = False
    number: int = 0
    """Number of new rows, for a page that is paused and only shows the count."""
    earlier: int = 0
    """New captures of calls before the last row of the page, where others follow it."""


def live_update(
    captures: Captures,
    sums: TeamSums,
    filters: Filters,
    after: str,
    waiting: Iterable[UUID],
    unfinished: Iterable[UUID],
    end: Cursor | None = None,
) -> LiveUpdate:
    """``end``: the last row of the page, where others follow it. Raises ``BadCursor``."""
    arrivals = captures.arrivals(after)
    ids = newest_first(waiting, arrivals.ids)
    new = rows_of(captures, ids, filters)
    pending = pending_ids(captures, ids, new) if filters != NO_FILTERS else ()
    rows = [row for row in new if end is None or place_of(row) > end]
    shown = rows_of(captures, unfinished, NO_FILTERS)
    finished = [row for row in shown if row.state not in UNFINISHED_STATES]
    growing = [row for row in shown if row.state == RECORDING_STATE]
    every = [*rows, *finished, *growing]
    displayed = build_rows(every, sums, captures, row_snippets(every, filters))
    ends = len(rows), len(rows) + len(finished)
    return LiveUpdate(
        newest=arrivals.newest,
        rows=displayed[: ends[0]],
        finished=displayed[ends[0] : ends[1]],
        growing=displayed[ends[1] :],
        waiting=pending,
        more=arrivals.more,
        earlier=len(new) - len(rows),
    )


def paused_update(
    captures: Captures, filters: Filters, after: str, waiting: tuple[UUID, ...]
) -> LiveUpdate:
    """Count new rows without returning them, so that nothing moves while the reader scrolls."""
    arrivals = captures.arrivals(after)
    number = len(rows_of(captures, newest_first(waiting, arrivals.ids), filters))
    return LiveUpdate(after, waiting=waiting, more=arrivals.more, number=number)


def rows_of(captures: Captures, ids: Iterable[UUID], filters: Filters) -> list[CaptureRow]:
    wanted = list(ids)
    return list(captures.rows(wanted, filters)) if wanted else []


def pending_ids(captures: Captures, ids: list[UUID], rows: list[CaptureRow]) -> tuple[UUID, ...]:
    matching = {row.id for row in rows}
    others = rows_of(
        captures, [capture_id for capture_id in ids if capture_id not in matching], NO_FILTERS
    )
    return tuple(row.id for row in others if row.state in UNFINISHED_STATES)[:MAX_NEW_CAPTURES]


def newest_first(waiting: Iterable[UUID], arrivals: Iterable[UUID]) -> list[UUID]:
    return list(dict.fromkeys([*reversed([*arrivals]), *waiting]))


def parse_uuids(texts: Iterable[str], most: int = MAX_NEW_CAPTURES) -> tuple[UUID, ...]:
    found: list[UUID] = []
    for text in [*texts][:most]:
        try:
            found.append(UUID(text))
        except ValueError:
            continue
    return tuple(found)
