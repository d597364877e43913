"""Values of the archive as JSON: the shapes that the API promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings

from api import costs
from inspector.archive.deletion import Receipt
from inspector.archive.intake import Accepted
from inspector.archive.previous import Previous
from inspector.archive.readers.answers import of_read
from inspector.archive.values import CaptureList, CapturePage, CaptureRow
from inspector.usage.queries import ComputedCost, StoredPrice

BASE = "/api/v1/"


def capture_url(id: UUID) -> str:
    return f"{settings.ORIGIN}{BASE}captures/{id}/"


def page_url(id: UUID) -> str:
    return f"{settings.ORIGIN}/captures/{id}/"


def of_accepted(accepted: Accepted) -> dict[str, Any]:
    return {
        "id": str(accepted.id),
        "state": accepted.state,
        "duplicate": accepted.duplicate,
        "url": capture_url(accepted.id),
        "page": page_url(accepted.id),
    }


def of_receipt(receipt: Receipt) -> dict[str, Any]:
    return {
        **asdict(receipt),
        "id": str(receipt.id),
        "received_at": of_time(receipt.received_at),
        "deleted_at": of_time(receipt.deleted_at),
    }


def of_row(row: CaptureRow) -> dict[str, Any]:
    return {
        **asdict(row),
        "id": str(row.id),
        "received_at": of_time(row.received_at),
        "url": capture_url(row.id),
        "page": page_url(row.id),
    }


def of_list(found: CaptureList, prices: Mapping[UUID, ComputedCost]) -> dict[str, Any]:
    return {
        "captures": [
            {**of_row(row), "cost": costs.of_computed(prices.get(row.id))} for row in found.rows
        ],
        "older": found.older,
        "newest": found.newest,
    }


def of_page(page: CapturePage, price: StoredPrice | None) -> dict[str, Any]:
    return {
        **of_row(page.row),
        "cost": costs.of_price(price, page.row.received_at),
        "team": page.team_slug,
        "content_type": page.content_type,
        "status_code": page.status_code,
        "sha256": page.sha256,
        "note": page.note,
        "metadata": page.metadata,
        "source": page.source,
        "request": {
            "method": page.request_method,
            "url": page.request_url,
            "model": page.request_model,
        },
        "removed": msgspec.structs.asdict(page.removal) if page.removal else None,
        "same_bytes_as": [str(id) for id in page.same_bytes_as],
        "attempt": page.attempt,
        "quarantine_reason": page.quarantine_reason,
        **of_read(page.analysis),
        "cuts": msgspec.to_builtins(page.cuts),
        "previous": of_previous(page.previous) if page.previous else None,
    }


def of_previous(previous: Previous) -> dict[str, Any]:
    return {
        "analysis_version": previous.analysis_version,
        "changes": msgspec.to_builtins(previous.changes),
        "left_out": previous.left_out,
    }


def of_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
