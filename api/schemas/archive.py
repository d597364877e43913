"""Values of the archive as JSON: the shapes that the API promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings

from api.schemas import costs
from inspector.archive.deletion import DeletionReceipt
from inspector.archive.intake.submission import Accepted
from inspector.archive.listing.capture_values import CaptureList, CapturePage, CaptureRow
from inspector.archive.readers.response_json import analysis_members
from inspector.archive.storage.previous_analysis import PreviousAnalysis
from inspector.core.identity import created_at
from inspector.core.wire.exchange import Headers
from inspector.usage.rollup.queries import ComputedCost, StoredPrice

BASE = "/api/v1/"


def capture_url(capture_id: UUID) -> str:
    return f"{settings.ORIGIN}{BASE}captures/{capture_id}/"


def page_url(capture_id: UUID) -> str:
    return f"{settings.ORIGIN}/captures/{capture_id}/"


def accepted_capture(accepted: Accepted) -> dict[str, Any]:
    return {
        "id": str(accepted.id),
        "state": accepted.state,
        "duplicate": accepted.duplicate,
        "url": capture_url(accepted.id),
        "page": page_url(accepted.id),
    }


def deletion_receipt(receipt: DeletionReceipt) -> dict[str, Any]:
    return {
        **asdict(receipt),
        "id": str(receipt.id),
        "received_at": timestamp(receipt.received_at),
        "deleted_at": timestamp(receipt.deleted_at),
    }


def capture_row(row: CaptureRow) -> dict[str, Any]:
    return {
        **asdict(row),
        "id": str(row.id),
        "received_at": timestamp(row.received_at),
        "url": capture_url(row.id),
        "page": page_url(row.id),
    }


def capture_list(found: CaptureList, prices: Mapping[UUID, ComputedCost]) -> dict[str, Any]:
    return {
        "captures": [
            {**capture_row(row), "cost": costs.computed_cost(prices.get(row.id))}
            for row in found.rows
        ],
        "older": found.older,
        "newest": found.newest,
    }


def capture_page(page: CapturePage, price: StoredPrice | None) -> dict[str, Any]:
    return {
        **capture_row(page.row),
        "cost": costs.capture_cost(price, page.row.received_at),
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
        "exchange": exchange(page),
        "created_at": created_timestamp(page.row.created),
        "removed": msgspec.structs.asdict(page.removal) if page.removal else None,
        "same_bytes_as": [str(capture_id) for capture_id in page.same_bytes_as],
        "attempt": page.attempt,
        "quarantine_reason": page.quarantine_reason,
        **analysis_members(page.analysis),
        "cuts": msgspec.to_builtins(page.cuts),
        "previous": previous_reading(page.previous) if page.previous else None,
    }


def exchange(page: CapturePage) -> dict[str, Any]:
    """What surrounds the body, credentials removed. Null where nobody sent it along."""
    request = page.request
    return {
        "status": page.status_code,
        "headers": header_pairs(page.headers),
        "request": request
        and {
            "method": request.method,
            "url": request.url,
            "headers": header_pairs(request.headers),
        },
        "started_at": timestamp(page.started_at) if page.started_at else None,
        "outcome": page.outcome,
        "metadata": page.metadata,
    }


def header_pairs(headers: Headers | None) -> list[list[str]] | None:
    return None if headers is None else [[name, value] for name, value in headers]


def created_timestamp(created: int | None) -> str | None:
    moment = created_at(created)
    return timestamp(moment) if moment else None


def previous_reading(previous: PreviousAnalysis) -> dict[str, Any]:
    return {
        "analysis_version": previous.analysis_version,
        "changes": msgspec.to_builtins(previous.changes),
        "left_out": previous.left_out,
    }


def timestamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
