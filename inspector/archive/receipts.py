"""The receipts that are kept of deleted captures: the only access to them outside this app."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

import msgspec
from django.db.models import QuerySet

from inspector.archive.deletion import DiskErasure, disk_erasure, receipt_days
from inspector.archive.listing.cursor import Cursor, Order
from inspector.archive.member_types import Moment
from inspector.archive.models import Capture, Tombstone
from inspector.archive.queries import MAX_PAGE_ROWS, PAGE_ROWS
from inspector.teams.access import READ, Principal

ORDER = Order("deleted_at", "capture_id")
# In either case: PowerShell's ``Get-FileHash`` prints capitals, ``sha256sum`` none.
_SHA256 = re.compile("[0-9A-Fa-f]{64}")


class KeptReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """The facts kept of a deleted capture; what went with it is told once, by the deletion."""

    id: UUID
    state: Literal["gone"] = "gone"
    received_at: Moment
    sha256: str
    """Empty where the capture was still recorded."""
    byte_length: int
    deleted_at: Moment
    deleted_by: str
    erased_from_disk: DiskErasure
    receipt_days: int | None
    """As that of a ``DeletionReceipt``, by the rules of now."""


@dataclass(frozen=True, slots=True)
class ReceiptFilters:
    """Each None: any."""

    id: UUID | None = None
    sha256: str | None = None
    """Lower-case hexadecimal."""


@dataclass(frozen=True, slots=True)
class ReceiptPage:
    """The newest deletion first; ``newer`` and ``older`` are cursors of the pages beside it."""

    receipts: tuple[KeptReceipt, ...]
    newer: str | None
    older: str | None


def parse_sha256(text: str) -> str | None:
    """Return a SHA-256 in lower case; None for anything else."""
    return text.lower() if _SHA256.fullmatch(text) else None


def for_principal(principal: Principal) -> Receipts:
    return Receipts(tuple(principal.team_ids(READ)))


@dataclass(frozen=True, slots=True)
class Receipts:
    """The receipts that one principal may see. One of another team is treated as missing."""

    team_ids: tuple[int, ...]

    def page(
        self,
        before: str | None = None,
        after: str | None = None,
        limit: int = PAGE_ROWS,
        filters: ReceiptFilters = ReceiptFilters(),
    ) -> ReceiptPage:
        """One page of the list: the newest, those older than the cursor ``before``, or those next
        to the cursor ``after`` that are newer. Raises ``BadCursor``.
        """
        rows, limit = self._rows(filters), max(1, min(limit, MAX_PAGE_ROWS))
        if after is not None:
            return _page_after(rows, after, limit)
        if before is not None:
            rows = rows.filter(Cursor.parse(before).older(ORDER))
        found = list(rows.order_by(*ORDER.newest_first)[: limit + 1])
        page = found[:limit]
        newer = _cursor_of(page[0]) if page and before is not None else None
        older = _cursor_of(page[-1]) if len(found) > limit else None
        return ReceiptPage(_receipts(page), newer, older)

    def _rows(self, filters: ReceiptFilters) -> QuerySet[Tombstone]:
        rows = Tombstone.objects.filter(team__in=self.team_ids).select_related("capture")
        rows = rows.only(
            "deleted_at",
            "deleted_by",
            "team",
            "capture__received_at",
            "capture__sha256",
            "capture__byte_length",
        )
        if filters.id is not None:
            rows = rows.filter(pk=filters.id)
        if filters.sha256 is not None:
            # As a list of ids: joined, SQLite would look up the capture of each receipt.
            same = Capture.objects.filter(team__in=self.team_ids, sha256=filters.sha256)
            rows = rows.filter(pk__in=same.values("pk"))
        return rows


def _page_after(rows: QuerySet[Tombstone], after: str, limit: int) -> ReceiptPage:
    rows = rows.filter(Cursor.parse(after).newer(ORDER))
    found = list(rows.order_by(*ORDER.oldest_first)[: limit + 1])
    page = found[:limit][::-1]
    newer = _cursor_of(page[0]) if len(found) > limit else None
    older = _cursor_of(page[-1]) if page else None
    return ReceiptPage(_receipts(page), newer, older)


def _cursor_of(stone: Tombstone) -> str:
    return str(Cursor(stone.deleted_at, stone.capture_id))


def _receipts(stones: Sequence[Tombstone]) -> tuple[KeptReceipt, ...]:
    days = {team_id: receipt_days(team_id) for team_id in {each.team_id for each in stones}}
    erasure = disk_erasure()
    return tuple(_receipt(each, erasure, days[each.team_id]) for each in stones)


def _receipt(stone: Tombstone, erasure: DiskErasure, days: int | None) -> KeptReceipt:
    capture = stone.capture
    return KeptReceipt(
        id=capture.id,
        received_at=capture.received_at,
        sha256=capture.sha256,
        byte_length=capture.byte_length,
        deleted_at=stone.deleted_at,
        deleted_by=stone.deleted_by,
        erased_from_disk=erasure,
        receipt_days=days,
    )
