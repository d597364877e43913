"""The one door to captures: whoever reads or lists them comes through ``for_principal``.

Lists never touch evidence or documents: every column of a row is narrow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from inspector.archive import arrivals, document, neighbours
from inspector.archive.account import account_of, uninspected
from inspector.archive.arrivals import Arrivals
from inspector.archive.counts import Counts, counts_of
from inspector.archive.cursor import Cursor, Order
from inspector.archive.document import Bounded
from inspector.archive.filters import ALL, Filters
from inspector.archive.models import DELETED, Capture
from inspector.archive.neighbours import Place
from inspector.archive.opened import ROWS, OpenedCapture
from inspector.archive.readers.on_demand import Asker
from inspector.archive.readers.works import Readout
from inspector.archive.values import (
    Account,
    CaptureList,
    CaptureRow,
    Uninspected,
    cursor_of,
    list_of,
    row_of,
)
from inspector.core.analysis import Analysis
from inspector.core.exchange import Exchange
from inspector.core.tape import Tape
from inspector.teams.access import READ, Principal

PAGE_ROWS = 50
MAX_PAGE_ROWS = 200
WIDE_COLUMNS = (
    "note",
    "metadata",
    "content_type",
    "quarantine_reason",
    "request_method",
    "request_url",
)


def for_principal(principal: Principal) -> Captures:
    return Captures(team_ids=tuple(principal.team_ids(READ)), asker=principal.asker)


@dataclass(frozen=True, slots=True)
class Captures:
    """What one asker may see. A capture of another team is as missing as one that never was."""

    team_ids: tuple[int, ...]
    asker: Asker = None
    """Whose readings are counted together."""

    def page(
        self,
        before: str | None = None,
        after: str | None = None,
        limit: int = PAGE_ROWS,
        filters: Filters = ALL,
    ) -> CaptureList:
        """Newest first: the newest, those before a cursor, or the next ones after it.

        With ``after`` the rows are those nearest to the cursor, so that asking again with
        ``newest`` leaves none out. Raises ``BadCursor``.
        """
        limit = max(1, min(limit, MAX_PAGE_ROWS))
        rows = filters.narrow(self._rows(), self.team_ids)
        if after is not None:
            return _page_after(rows, filters.order, after, limit)
        if before is not None:
            rows = rows.filter(Cursor.parse(before).older(filters.order))
        found = list(rows.order_by(*filters.order.newest_first)[: limit + 1])
        older = cursor_of(found[limit - 1]) if len(found) > limit else None
        return list_of(found[:limit], older, before)

    def rows(self, ids: Iterable[UUID], filters: Filters = ALL) -> tuple[CaptureRow, ...]:
        """Those of the named captures that the filters mean, newest first."""
        found = filters.narrow(self._rows(), self.team_ids).filter(id__in=list(ids)[:MAX_PAGE_ROWS])
        return tuple(row_of(capture) for capture in found.order_by("-received_at", "-id"))

    def ids(self, filters: Filters) -> QuerySet[Capture, UUID]:
        """All that the filters mean, to be asked for inside another app's question."""
        return filters.narrow(self._seen(), self.team_ids).order_by().values_list("id", flat=True)

    def arrivals(self, after: str) -> Arrivals:
        """The next ones after a cursor, whatever they are. Raises ``BadCursor``."""
        return arrivals.after(self._seen(), after)

    def unfinished(self) -> Arrivals:
        """Those that an inspection may still make match, up to the newest of all."""
        return arrivals.unfinished(self._seen())

    def counts(self, filters: Filters, now: datetime) -> Counts:
        """Of the newest that match. Raises ``TookTooLong``."""
        return counts_of(lambda each: each.narrow(self._seen(), self.team_ids), filters, now)

    def opened(
        self, id: UUID, within: Filters = ALL, with_evidence: bool = False
    ) -> OpenedCapture | None:
        """One capture, whose parts are got as they are asked for; None where it is not theirs.

        ``newer`` and ``older`` are its neighbours in the list that ``within`` narrows. With the
        evidence what is surely asked for comes in the same statement.
        """
        rows = (*ROWS, "evidence") if with_evidence else ROWS
        capture = self._seen().select_related(*rows).filter(id=id).first()
        return OpenedCapture(capture, self._seen(), within, self.asker) if capture else None

    def place(self, id: UUID, within: Filters) -> Place | None:
        """Where a capture stands in a narrowed list of its team. Raises ``TookTooLong``."""
        capture = self._seen().only("id", "team", "received_at").filter(id=id).first()
        return neighbours.place_of(self._seen(), capture, within) if capture else None

    def evidence(self, id: UUID) -> Exchange | None:
        """The bytes as they came, with their reads and what stood around them."""
        capture = self.opened(id, with_evidence=True)
        return capture.exchange if capture else None

    def analysis(self, id: UUID) -> Analysis | None:
        """In full, read again from the evidence; None until inspected."""
        readout = self.readout(id)
        return readout.analysis if readout else None

    def tape(self, id: UUID) -> Tape | None:
        """None until inspected."""
        readout = self.readout(id)
        return readout.tape if readout else None

    def readout(self, id: UUID) -> Readout | None:
        """Analysis and tape together; None until inspected. Raises ``NotRead``."""
        capture = self.opened(id, with_evidence=True)
        return capture.readout if capture else None

    def replaced(self, id: UUID) -> Bounded | None:
        """The reading that the stored one replaced; None where none is kept that can be read."""
        capture = self._seen().select_related("document").filter(id=id).first()
        stored = getattr(capture, "document", None)
        if stored is None or stored.previous is None:
            return None
        return document.readable(bytes(stored.previous))

    def account(self) -> Account:
        return account_of(self.team_ids)

    def uninspected(self, since: datetime, until: datetime) -> Uninspected:
        """Of what arrived from one moment up to another."""
        return uninspected(self.team_ids, since, until)

    def _seen(self) -> QuerySet[Capture]:
        return Capture.objects.filter(team__in=self.team_ids).exclude(state__in=DELETED)

    def _rows(self) -> QuerySet[Capture]:
        return self._seen().select_related("inspection").defer(*WIDE_COLUMNS)


def _page_after(rows: QuerySet[Capture], order: Order, after: str, limit: int) -> CaptureList:
    rows = rows.filter(Cursor.parse(after).newer(order))
    found = list(rows.order_by(*order.oldest_first)[:limit])[::-1]
    older = cursor_of(found[-1]) if found else after
    return list_of(found, older, after)
