"""Shares as the lists of a capture and of a team show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from inspector.archive.listing.capture_values import CaptureRow
from inspector.formatting.humanize import plural
from inspector.formatting.wire_values import join_names
from inspector.sharing.share_status import ShareState, ShareStatus

STATE_WORDS: Mapping[str, str] = {
    ShareState.LIVE: "open",
    ShareState.EXPIRED: "expired",
    ShareState.REVOKED: "revoked",
    ShareState.USED_UP: "used up",
    ShareState.MAKER_GONE: "ended with the rights of its maker",
}


@dataclass(frozen=True, slots=True)
class ShareLine:
    """``about`` is the capture's model; empty on the capture's own page, and where unknown."""

    share: ShareStatus
    state: str
    left_out: str
    about: str = ""


def share_line(share: ShareStatus, row: CaptureRow | None = None) -> ShareLine:
    about = (row.model or "") if row else ""
    return ShareLine(share, STATE_WORDS.get(share.state, share.state), left_out_words(share), about)


def share_lines(
    shares: Iterable[ShareStatus], rows: Mapping[UUID, CaptureRow]
) -> tuple[ShareLine, ...]:
    return tuple(
        share_line(share, rows.get(share.capture) if share.capture else None) for share in shares
    )


def left_out_words(share: ShareStatus) -> str:
    said = ((share.without_prompt, "prompt"), (share.without_texts, "texts"))
    words = [word for is_left_out, word in said if is_left_out]
    if share.masked_passages:
        words.append(plural(share.masked_passages, "passage"))
    return join_names(words) or "nothing"
