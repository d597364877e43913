"""Shares as the lists of a capture and of a team show them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from inspector.archive.listing.capture_values import CaptureRow
from inspector.query.parsed_query import text_query
from inspector.sharing.share_status import ShareState, ShareStatus

STATE_WORDS: Mapping[str, str] = {
    ShareState.LIVE: "open",
    ShareState.EXPIRED: "expired",
    ShareState.REVOKED: "revoked",
    ShareState.MAKER_GONE: "ended with the rights of its maker",
}


@dataclass(frozen=True, slots=True)
class ShareLine:
    """``about`` is the capture's model; empty on the capture's own page, and where unknown.
    ``list_query`` is the query string of a list.
    """

    share: ShareStatus
    state: str
    about: str
    list_query: str


def share_lines(
    shares: Iterable[ShareStatus], rows: Mapping[UUID, CaptureRow] | None = None
) -> tuple[ShareLine, ...]:
    known = rows or {}
    return tuple(
        _line(share, known.get(share.capture) if share.capture else None) for share in shares
    )


def _line(share: ShareStatus, row: CaptureRow | None) -> ShareLine:
    about = (row.model or "") if row else ""
    state = STATE_WORDS.get(share.state, share.state)
    return ShareLine(share, state, about, text_query(share.query) if share.query else "")
