"""What is told of a share, and whether it can be opened."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated
from uuid import UUID

import msgspec
from django.utils import timezone

from inspector.archive.member_types import Count, Moment, codes
from inspector.formatting.humanize import plural
from inspector.sharing.models import Share, ShareLayout


class ShareState(StrEnum):
    """Whether a share can be opened, or the first reason why not, in this order."""

    REVOKED = "revoked"
    EXPIRED = "expired"
    USED_UP = "used-up"
    MAKER_GONE = "maker-gone"
    """Whoever made it may share nothing in the team any more."""
    LIVE = "live"


class ShareStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A share without its token, which nobody has but who was given it."""

    id: int
    layout: Annotated[str, codes(ShareLayout)]
    capture: UUID | None
    """None where it is of several."""
    captures: Count
    """How many it showed when it was made."""
    state: Annotated[str, codes(ShareState)]
    made_by: str
    created_at: Moment
    expires_at: Moment
    revoked_at: Moment | None
    max_views: Count
    views: Count
    last_viewed_at: Moment | None
    without_prompt: bool
    without_texts: bool
    masked_passages: Count
    analysis_version: int

    @property
    def is_live(self) -> bool:
        return self.state == ShareState.LIVE

    @property
    def is_revocable(self) -> bool:
        """One whose maker lost the right to share would open again if they got it back."""
        return self.state in (ShareState.LIVE, ShareState.MAKER_GONE)


class SharedView(msgspec.Struct, frozen=True):
    """One line of a share's access log: when it was opened, and from which network."""

    at: Moment
    network: str


def status_of(share: Share) -> ShareStatus:
    return ShareStatus(
        id=share.pk,
        layout=share.layout,
        capture=share.capture_id,
        captures=share.captures,
        state=_state_of(share),
        made_by=share.made_by,
        created_at=share.created_at,
        expires_at=share.expires_at,
        revoked_at=share.revoked_at,
        max_views=share.max_views,
        views=share.views,
        last_viewed_at=getattr(share, "last_viewed_at", None),
        without_prompt=share.without_prompt,
        without_texts=share.without_texts,
        masked_passages=share.masked_passages,
        analysis_version=share.analysis_version,
    )


def _state_of(share: Share) -> ShareState:
    if share.revoked_at is not None:
        return ShareState.REVOKED
    if share.expires_at <= timezone.now():
        return ShareState.EXPIRED
    if share.views >= share.max_views:
        return ShareState.USED_UP
    return ShareState.LIVE if getattr(share, "is_held", True) else ShareState.MAKER_GONE


def share_words(share: Share) -> str:
    """A share as the audit log names it."""
    if share.capture_id is None:
        return f"link {share.pk} to {plural(share.captures, 'capture')}"
    return f"link {share.pk} to capture {share.capture_id}"
