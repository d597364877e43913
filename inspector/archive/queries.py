"""The only access to captures outside this app:

``for_principal`` returns the captures that a principal may see. Lists never touch evidence or
documents: every column of a row is narrow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.db.models import Max, QuerySet
from django.utils import timezone

from inspector.archive import readouts
from inspector.archive.listing import adjacent, new_captures, search_part
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
from inspector.archive.listing.completion import Completion, complete, count_query
from inspector.archive.listing.cursor import ARRIVAL, Cursor, Order
from inspector.archive.listing.facet_counts import COUNTED_ROWS, FacetCounts, count_facets
from inspector.archive.listing.filters import NO_FILTERS, Filters
from inspector.archive.listing.named_captures import name_captures
from inspector.archive.listing.near_values import near_values
from inspector.archive.listing.new_captures import NewCaptures
from inspector.archive.listing.running_captures import (
    MAX_RUNNING_CAPTURES,
    RunningCapture,
    running_captures,
)
from inspector.archive.listing.sort import NEWEST_FIRST, Sort, sorted_captures
from inspector.archive.listing.state_counts import (
    count_states,
    count_uninspected,
    oldest_waiting,
)
from inspector.archive.listing.stored_captures import StoredCapture, stored_captures
from inspector.archive.listing.values_like import values_like
from inspector.archive.listing.worst_findings import WorstFinding, worst_findings
from inspector.archive.models import Capture, State
from inspector.archive.opened import ROWS, OpenedCapture
from inspector.archive.readers.on_demand import Asker
from inspector.archive.readouts import StoredReadout
from inspector.archive.shared_capture import SharedCapture, shared_captures, shared_row
from inspector.archive.visible_captures import visible_captures
from inspector.core.wire.exchange import Exchange
from inspector.database.portability import StatementTimeout, time_limit
from inspector.query.fields import Field
from inspector.teams.access import READ, Principal, ShareAccess

PAGE_ROWS = 50
MAX_PAGE_ROWS = 200
"""Rows that somebody may ask for; a cursor leads on."""
COUNT_MILLISECONDS = 2_000
"""Then the number is unknown, and said to be."""
WIDE_COLUMNS = (
    "note",
    "metadata",
    "content_type",
    "quarantine_reason",
    "request_method",
    "request_url",
)
KEY_COLUMNS = ("key__sha256", "key__scopes", "key__made_by")
"""Columns of an API key that no row shows."""


@dataclass(frozen=True, slots=True)
class BoundedCount:
    """A number of captures; not ``is_all``: a lower bound."""

    number: int
    is_all: bool = True


class BodyState(NamedTuple):
    """The fate of a body since it was read."""

    rewritings: int
    is_deleted: bool

    @classmethod
    def of(cls, capture: Capture) -> BodyState:
        return cls(capture.rewritings, capture.body_deleted_at is not None)


@dataclass(frozen=True, slots=True)
class WalkedCapture:
    """A capture that a walk over a list comes by; ``cursor`` is behind it."""

    id: UUID
    byte_length: int
    cursor: str
    body: BodyState


def for_principal(principal: Principal, scope: str = READ) -> Captures:
    """``scope`` is what the captures are wanted for: a key may export and yet read nothing else."""
    if principal.share is not None:
        team_ids = (principal.share.team_id,) if scope == READ else ()
        return Captures(team_ids, principal.asker, principal.share)
    return Captures(team_ids=tuple(principal.team_ids(scope)), asker=principal.asker)


@dataclass(frozen=True, slots=True)
class Captures:
    """The captures that one principal may see. A capture of another team is treated as missing."""

    team_ids: tuple[int, ...]
    asker: Asker = None
    """The key, person or share whose readings share one rate limit."""
    share: ShareAccess | None = None
    """Share whose link is used: what is seen is within it, and withheld as it says."""

    def page(
        self,
        before: str | None = None,
        after: str | None = None,
        limit: int = PAGE_ROWS,
        filters: Filters = NO_FILTERS,
        sort: Sort = NEWEST_FIRST,
    ) -> CaptureList:
        """One page of the list: the first captures of its order, those that come after the cursor
        ``before``, or the next ones that arrived after the cursor ``after``.

        With ``after``, which goes by arrival, the rows are those nearest to the cursor, so that
        polling again with ``newest`` leaves none out. Raises ``BadCursor``.
        """
        filters = self._named(filters)
        rows = filters.narrow(self._rows(), self.team_ids)
        limit = max(1, min(limit, MAX_PAGE_ROWS))
        if after is not None:
            return self._as_shared(_page_after(rows, after, limit))
        return self._as_shared(self._sorted(rows, filters.order, before, limit, sort))

    def search(
        self,
        before: str | None = None,
        limit: int = PAGE_ROWS,
        filters: Filters = NO_FILTERS,
        sort: Sort = NEWEST_FIRST,
    ) -> CaptureList:
        """One page within two seconds: where looking through all captures takes longer, those that
        come next are looked through (``CaptureList.stopped_at``).

        Raises ``BadCursor``, and ``StatementTimeout`` where even these take longer.
        """
        if self.share is not None:
            # A part ends at a capture that the link need not show.
            with time_limit(search_part.WHOLE_MILLISECONDS):
                return self.page(before, limit=limit, filters=filters, sort=sort)
        try:
            with time_limit(search_part.WHOLE_MILLISECONDS):
                # Of common words the captures that come next fill a page.
                if sort.is_usual and filters.has_common_words():
                    page = self._page_of_part(before, limit, filters, sort)
                    if page is not None and page.stopped_at is None:
                        return page
                return self.page(before, limit=limit, filters=filters, sort=sort)
        except StatementTimeout:
            with time_limit(search_part.PART_MILLISECONDS):
                page = self._page_of_part(before, limit, filters, sort)
                # So few that the time went by for another reason.
                return page or self.page(before, limit=limit, filters=filters, sort=sort)

    def _page_of_part(
        self, before: str | None, limit: int, filters: Filters, sort: Sort
    ) -> CaptureList | None:
        """None where no captures are beyond the part."""
        # Deleted ones are counted, too: without a state their index is read in its order.
        every = Capture.objects.filter(team__in=self.team_ids)
        part = search_part.next_part(every, before, sort)
        if part is None:
            return None
        filters = self._named(filters)
        rows = filters.narrow(self._rows(), self.team_ids, is_part=True)
        rows = rows.filter(part.holds(filters.order))
        limit = max(1, min(limit, MAX_PAGE_ROWS))
        page = self._sorted(rows, filters.order, before, limit, sort)
        if not sort.is_usual:
            return replace(page, stopped_at=part.last.at)
        if page.older is not None:
            return page
        return replace(page, older=str(part.last), stopped_at=part.last.at)

    def _sorted(
        self, rows: QuerySet[Capture], order: Order, before: str | None, limit: int, sort: Sort
    ) -> CaptureList:
        if not sort.is_usual:
            page = sorted_captures(rows, self.team_ids, sort, order, before, limit)
            return list_of(page.captures, page.following)
        if not sort.is_descending:
            return _oldest_first(rows, order, before, limit)
        if before is not None:
            rows = rows.filter(Cursor.parse(before).older(order))
        found = list(rows.order_by(*order.newest_first)[: limit + 1])
        older = cursor_of(found[limit - 1]) if len(found) > limit else None
        return list_of(found[:limit], older)

    def rows(self, ids: Iterable[UUID], filters: Filters = NO_FILTERS) -> tuple[CaptureRow, ...]:
        """Return those among the named captures that match the filters, newest first."""
        rows = self._named(filters).narrow(self._rows(), self.team_ids)
        found = rows.filter(id__in=list(ids)[:MAX_PAGE_ROWS]).order_by(*Order().newest_first)
        return self._as_shared(CaptureList(tuple(map(row_of, found)), None, None)).rows

    def rows_by_id(self, ids: Collection[UUID]) -> Mapping[UUID, CaptureRow]:
        return {row.id: row for row in self.rows(ids)}

    def teams_of(self, ids: Collection[UUID]) -> set[int]:
        """Return the ids of the teams that these captures are of."""
        return set(self._visible().filter(id__in=ids).values_list("team", flat=True))

    def worst_findings(self, ids: Collection[UUID]) -> Mapping[UUID, WorstFinding]:
        """Return the most severe finding of each capture that has any, by one statement. Of shared
        ones none: it may quote the request, or tell of the team's prices.
        """
        return worst_findings(self._visible(), ids) if ids and self.share is None else {}

    def ids(self, filters: Filters) -> QuerySet[Capture, UUID]:
        """Return the ids of matching captures, unevaluated: a subquery for another app's query."""
        rows = self._named(filters).narrow(self._visible(), self.team_ids)
        return rows.order_by().values_list("id", flat=True)

    def ids_before(
        self, before: str | None, limit: int, filters: Filters
    ) -> tuple[tuple[UUID, ...], str | None]:
        """Return the next matching captures behind a cursor, newest first, and the cursor behind
        them; from the newest on without one. Raises ``BadCursor``.
        """
        named = self._named(filters)
        rows = named.narrow(self._visible(), self.team_ids)
        if before is not None:
            rows = rows.filter(Cursor.parse(before).older(named.order))
        found = list(rows.only("id", "called_at").order_by(*named.order.newest_first)[:limit])
        return tuple(each.id for each in found), cursor_of(found[-1]) if found else before

    def walk(self, after: str | None, limit: int, filters: Filters) -> tuple[WalkedCapture, ...]:
        """Return the next matching captures behind a cursor, oldest first. Raises ``BadCursor``."""
        named = self._named(filters)
        rows = named.narrow(self._visible(), self.team_ids)
        if after is not None:
            rows = rows.filter(Cursor.parse(after).newer(named.order))
        columns = ("id", "called_at", "byte_length", "rewritings", "body_deleted_at")
        found = rows.only(*columns).order_by(*named.order.oldest_first)
        return tuple(
            WalkedCapture(each.id, each.byte_length, cursor_of(each), BodyState.of(each))
            for each in found[:limit]
        )

    def newest_bound(self) -> datetime:
        """Return a moment behind every capture that is there."""
        # Taken from the rows, not from a clock: this host's may be behind that of the database.
        # Deleted ones, too: a bound may lie further behind, and the index of arrivals has no state.
        rows = Capture.objects.filter(team__in=self.team_ids)
        newest = rows.aggregate(at=Max("received_at"))["at"]
        return (newest or timezone.now()) + timedelta(microseconds=1)

    def lock(self, bodies: Mapping[UUID, BodyState]) -> bool:
        """Keep captures from being deleted or overwritten until the transaction ends. False where
        one was, or its body, since it was read.
        """
        rows = self._visible().filter(id__in=bodies).order_by("id")
        columns = ("id", "rewritings", "body_deleted_at")
        # ``no_key``: votes and other rows that refer to a capture are stored meanwhile.
        found = rows.only(*columns).select_for_update(no_key=True)
        return {each.id: BodyState.of(each) for each in found} == dict(bodies)

    def stored(self, ids: Collection[UUID]) -> Mapping[UUID, StoredCapture]:
        """Whole captures with evidence, unless still recorded. Raises ``NewerEvidenceForm``."""
        return stored_captures(self._visible(), ids)

    def count(
        self, filters: Filters, milliseconds: int = COUNT_MILLISECONDS
    ) -> BoundedCount | None:
        """How many captures match, up to ``COUNTED_ROWS``; None where counting takes too long."""
        try:
            with time_limit(milliseconds):
                found = self.ids(filters)[: COUNTED_ROWS + 1].count()
        except StatementTimeout:
            return None
        return BoundedCount(min(found, COUNTED_ROWS), found <= COUNTED_ROWS)

    def exact_count(self, filters: Filters) -> int | None:
        """How many captures match, however many; None where counting takes too long."""
        try:
            with time_limit(COUNT_MILLISECONDS):
                return self.ids(filters).count()
        except StatementTimeout:
            return None

    def arrivals(self, after: str) -> NewCaptures:
        """Return the next captures after a cursor, unfiltered. Raises ``BadCursor``."""
        return new_captures.captures_after(self._visible(), after)

    def newest_arrival(self) -> str | None:
        """Return the cursor to ask later for what came after (``page``, ``arrivals``); None where
        nothing is. Asked for before a page: what arrives between is told twice rather than never.
        """
        return new_captures.newest_arrival(self._visible())

    def unfinished(self) -> NewCaptures:
        """Uninspected captures, which may match filters once inspected, and the newest position."""
        return new_captures.unfinished_captures(self._visible())

    def running(self, limit: int = MAX_RUNNING_CAPTURES) -> tuple[RunningCapture, ...]:
        """Return captures that are being recorded, newest first; none to whoever has a link."""
        return running_captures(self._visible(), limit) if self.share is None else ()

    def counts(self, filters: Filters, now: datetime) -> FacetCounts:
        """Facet counts over the newest matching captures. Raises ``StatementTimeout``."""
        named = self._named(filters)
        return count_facets(self._narrow, named, now)

    def named(self, text: str, limit: int = 5) -> tuple[CaptureRow, ...]:
        """Return the newest captures that go by a text as a whole: an id or its beginning, an
        idempotency key, an id in the response's headers.
        """
        filters = self._named(Filters.of(q=text))
        # A text that names none is left as it is.
        return () if filters.text else self.page(limit=limit, filters=filters).rows

    def first_by_key(self, key_id: int) -> CaptureRow | None:
        """Return the first call that came with a key; None if none did."""
        first = self._rows().filter(key=key_id).order_by(*Order().oldest_first).first()
        return None if first is None else row_of(first)

    def values_like(self, text: str, filters: Filters) -> tuple[tuple[Field, str, int], ...]:
        """Return values that hold a text, each with its field and its captures among a list's."""
        return tuple(values_like(self._narrow, filters, text))

    def number_of(self, query: str, now: datetime) -> int | None:
        """How many captures a query finds, as far as is counted; None where it takes too long."""
        return count_query(self._narrow, query, now)

    def complete(self, text: str, at: int, now: datetime) -> Completion:
        """Suggest completions for the word of a query at a caret."""
        return complete(self._narrow, text, at, now)

    def near_values(self, name: str, value: str) -> tuple[str, ...] | None:
        """Return stored values like one that no capture has; None where one has it."""
        return near_values(self._visible(), name, value)

    def opened(
        self, capture_id: UUID, filters: Filters = NO_FILTERS, with_evidence: bool = False
    ) -> OpenedCapture | None:
        """Open one capture, whose parts are loaded on first use.

        Returns None where the principal sees no such capture. ``newer`` and ``older`` are its
        neighbours in the list filtered by ``filters``. ``with_evidence`` loads the evidence in the
        same statement.
        """
        rows = (*ROWS, "evidence") if with_evidence else ROWS
        capture = self._visible().select_related(*rows).filter(id=capture_id).first()
        if capture is None:
            return None
        if self.share is not None:
            return SharedCapture(capture, self._visible(), self.share, self.asker)
        return OpenedCapture(capture, self._visible(), self._named(filters), self.asker)

    def is_recording(self, capture_id: UUID) -> bool | None:
        """Return None if the principal sees no such capture."""
        states = self._visible().filter(id=capture_id).values_list("state", flat=True)
        state = states.first()
        return None if state is None else state == State.RECORDING

    def place(self, capture_id: UUID, filters: Filters) -> AdjacentCounts | None:
        """Return a capture's position in its team's filtered list. Raises ``StatementTimeout``."""
        capture = self._visible().only("id", "team", "called_at").filter(id=capture_id).first()
        if capture is None:
            return None
        return adjacent.count_adjacent(self._visible(), capture, self._named(filters))

    def evidence(self, capture_id: UUID) -> Exchange | None:
        """Return the exchange as stored: bytes, reads and request."""
        capture = self.opened(capture_id, with_evidence=True)
        return capture.exchange if capture else None

    def readout(self, capture_id: UUID) -> StoredReadout | None:
        """All that was read; None until inspected. Raises ``ReadingError``, also without a body."""
        capture = self.opened(capture_id)
        if capture is None:
            return None
        capture.require_body()
        return capture.readout

    def previous_readout(self, capture_id: UUID) -> StoredReadout | None:
        """Return the analysis before the latest reinspection; None where none can be loaded."""
        capture = self._visible().select_related("document").filter(id=capture_id).first()
        stored = getattr(capture, "document", None)
        if stored is None or stored.previous is None:
            return None
        return readouts.load(bytes(stored.previous))

    def state_counts(self) -> StateCounts:
        return count_states(self.team_ids)

    def oldest_waiting(self) -> datetime | None:
        return oldest_waiting(self.team_ids)

    def uninspected(self, since: datetime, until: datetime) -> UninspectedCount:
        """Uninspected captures of calls of the period; ``until`` is exclusive."""
        return count_uninspected(self.team_ids, since, until)

    def _as_shared(self, page: CaptureList) -> CaptureList:
        if self.share is None:
            return page
        return replace(page, rows=tuple(shared_row(self.share, row) for row in page.rows))

    def _named(self, filters: Filters) -> Filters:
        return name_captures(filters, self._visible())

    def _narrow(self, filters: Filters) -> QuerySet[Capture]:
        return filters.narrow(self._visible(), self.team_ids)

    def _visible(self) -> QuerySet[Capture]:
        visible = visible_captures(self.team_ids)
        return visible if self.share is None else shared_captures(self.share, visible)

    def _rows(self) -> QuerySet[Capture]:
        rows = self._visible().select_related("inspection", "key")
        return rows.defer(*WIDE_COLUMNS, *KEY_COLUMNS)


def _oldest_first(
    rows: QuerySet[Capture], order: Order, before: str | None, limit: int
) -> CaptureList:
    if before is not None:
        rows = rows.filter(Cursor.parse(before).newer(order))
    found = list(rows.order_by(*order.oldest_first)[: limit + 1])
    return list_of(found[:limit], cursor_of(found[limit - 1]) if len(found) > limit else None)


def _page_after(rows: QuerySet[Capture], after: str, limit: int) -> CaptureList:
    rows = rows.filter(Cursor.parse(after).newer(ARRIVAL))
    found = list(rows.order_by(*ARRIVAL.oldest_first)[:limit])[::-1]
    newest = str(Cursor(found[0].received_at, found[0].id)) if found else after
    return list_of(found, None, newest)
