"""The only access to captures outside this app:

``for_principal`` returns the captures that a principal may see. Lists never touch evidence or
documents: every column of a row is narrow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from inspector.archive.listing import adjacent, new_captures
from inspector.archive.listing.adjacent import AdjacentCounts
from inspector.archive.listing.capture_values import (
    CaptureList,
    CaptureRow,
    StateCounts,
    UninspectedCount,
    cursor_of,
    list_of,
    row_of,
)
from inspector.archive.listing.cursor import Cursor, Order
from inspector.archive.listing.facet_counts import FacetCounts, count_facets
from inspector.archive.listing.filters import NO_FILTERS, Filters
from inspector.archive.listing.named_captures import name_captures
from inspector.archive.listing.near_values import near_values
from inspector.archive.listing.new_captures import NewCaptures
from inspector.archive.listing.state_counts import count_states, count_uninspected
from inspector.archive.models import DELETED, Capture
from inspector.archive.opened import ROWS, OpenedCapture
from inspector.archive.readers.on_demand import Asker
from inspector.archive.readers.operations import Readout
from inspector.archive.storage import document
from inspector.archive.storage.document import StoredAnalysis
from inspector.core.analysis import Analysis
from inspector.core.tape import Tape
from inspector.core.wire.exchange import Exchange
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
    """The captures that one principal may see. A capture of another team is treated as missing."""

    team_ids: tuple[int, ...]
    asker: Asker = None
    """The key or person whose readings share one rate limit."""

    def page(
        self,
        before: str | None = None,
        after: str | None = None,
        limit: int = PAGE_ROWS,
        filters: Filters = NO_FILTERS,
    ) -> CaptureList:
        """One page of the list, newest first: the newest captures, those before a cursor, or the
        next ones after it.

        With ``after`` the rows are those nearest to the cursor, so that polling again with
        ``newest`` leaves none out. Raises ``BadCursor``.
        """
        limit = max(1, min(limit, MAX_PAGE_ROWS))
        filters = self._named(filters)
        rows = filters.narrow(self._rows(), self.team_ids)
        if after is not None:
            return _page_after(rows, filters.order, after, limit)
        if before is not None:
            rows = rows.filter(Cursor.parse(before).older(filters.order))
        found = list(rows.order_by(*filters.order.newest_first)[: limit + 1])
        older = cursor_of(found[limit - 1]) if len(found) > limit else None
        return list_of(found[:limit], older, before)

    def rows(self, ids: Iterable[UUID], filters: Filters = NO_FILTERS) -> tuple[CaptureRow, ...]:
        """Those among the named captures that match the filters, newest first."""
        rows = self._named(filters).narrow(self._rows(), self.team_ids)
        found = rows.filter(id__in=list(ids)[:MAX_PAGE_ROWS])
        return tuple(row_of(capture) for capture in found.order_by("-received_at", "-id"))

    def ids(self, filters: Filters) -> QuerySet[Capture, UUID]:
        """The ids of all matching captures, unevaluated: a subquery for another app's query."""
        rows = self._named(filters).narrow(self._visible(), self.team_ids)
        return rows.order_by().values_list("id", flat=True)

    def arrivals(self, after: str) -> NewCaptures:
        """The next captures after a cursor, unfiltered. Raises ``BadCursor``."""
        return new_captures.captures_after(self._visible(), after)

    def unfinished(self) -> NewCaptures:
        """Uninspected captures, which may match filters once they are inspected, and the newest
        position.
        """
        return new_captures.unfinished_captures(self._visible())

    def counts(self, filters: Filters, now: datetime) -> FacetCounts:
        """Facet counts over the newest matching captures. Raises ``StatementTimeout``."""
        named = self._named(filters)
        return count_facets(lambda each: each.narrow(self._visible(), self.team_ids), named, now)

    def near_values(self, name: str, value: str) -> tuple[str, ...] | None:
        """Stored values like one that no capture has; None where one has it."""
        return near_values(self._visible(), name, value)

    def opened(
        self, capture_id: UUID, filters: Filters = NO_FILTERS, with_evidence: bool = False
    ) -> OpenedCapture | None:
        """Opens one capture, whose parts are loaded on first use.

        Returns None where the principal sees no such capture. ``newer`` and ``older`` are its
        neighbours in the list filtered by ``filters``. ``with_evidence`` loads the evidence in the
        same statement.
        """
        rows = (*ROWS, "evidence") if with_evidence else ROWS
        capture = self._visible().select_related(*rows).filter(id=capture_id).first()
        if capture is None:
            return None
        return OpenedCapture(capture, self._visible(), self._named(filters), self.asker)

    def place(self, capture_id: UUID, filters: Filters) -> AdjacentCounts | None:
        """The position of a capture in a filtered list of its team. Raises ``StatementTimeout``."""
        capture = self._visible().only("id", "team", "received_at").filter(id=capture_id).first()
        if capture is None:
            return None
        return adjacent.count_adjacent(self._visible(), capture, self._named(filters))

    def evidence(self, capture_id: UUID) -> Exchange | None:
        """The exchange as stored: bytes, reads and request."""
        capture = self.opened(capture_id, with_evidence=True)
        return capture.exchange if capture else None

    def analysis(self, capture_id: UUID) -> Analysis | None:
        """The full analysis, read again from the evidence; None until inspected."""
        readout = self.readout(capture_id)
        return readout.analysis if readout else None

    def tape(self, capture_id: UUID) -> Tape | None:
        """The tape, read again from the evidence; None until inspected."""
        readout = self.readout(capture_id)
        return readout.tape if readout else None

    def readout(self, capture_id: UUID) -> Readout | None:
        """Analysis and tape together; None until inspected. Raises ``ReadingError``."""
        capture = self.opened(capture_id, with_evidence=True)
        return capture.readout if capture else None

    def previous_analysis(self, capture_id: UUID) -> StoredAnalysis | None:
        """The analysis that the latest reinspection replaced; None where none can be read."""
        capture = self._visible().select_related("document").filter(id=capture_id).first()
        stored = getattr(capture, "document", None)
        if stored is None or stored.previous is None:
            return None
        return document.unpack_if_known(bytes(stored.previous))

    def state_counts(self) -> StateCounts:
        return count_states(self.team_ids)

    def uninspected(self, since: datetime, until: datetime) -> UninspectedCount:
        """Uninspected captures that arrived in the period; ``until`` is exclusive."""
        return count_uninspected(self.team_ids, since, until)

    def _named(self, filters: Filters) -> Filters:
        return name_captures(filters, self._visible())

    def _visible(self) -> QuerySet[Capture]:
        return Capture.objects.filter(team__in=self.team_ids).exclude(state__in=DELETED)

    def _rows(self) -> QuerySet[Capture]:
        return self._visible().select_related("inspection").defer(*WIDE_COLUMNS)


def _page_after(rows: QuerySet[Capture], order: Order, after: str, limit: int) -> CaptureList:
    rows = rows.filter(Cursor.parse(after).newer(order))
    found = list(rows.order_by(*order.oldest_first)[:limit])[::-1]
    older = cursor_of(found[-1]) if found else after
    return list_of(found, older, after)
