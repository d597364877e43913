"""Facts about a share, and whether it can be opened."""

from enum import StrEnum
from typing import Annotated
from uuid import UUID

import msgspec
from django.utils import timezone

from inspector.archive.member_types import Count, Moment, codes
from inspector.core.same_fields import struct_of
from inspector.sharing.models import Share


class ShareState(StrEnum):
    """Whether a share can be opened, or the first reason why not, in this order."""

    REVOKED = "revoked"
    EXPIRED = "expired"
    MAKER_GONE = "maker-gone"
    """Its maker may share nothing in the team any more."""
    LIVE = "live"


class ShareStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A share without its token, which nobody has but who was given it."""

    id: int
    capture: UUID | None
    query: str | None
    """Query of a list; one of both is null."""
    state: Annotated[str, codes(ShareState)]
    made_by: str
    created_at: Moment
    expires_at: Moment
    revoked_at: Moment | None
    without_prompt: bool
    views: Count
    """How many pages were opened by it."""
    last_viewed_at: Moment | None

    @property
    def is_live(self) -> bool:
        return self.state == ShareState.LIVE

    @property
    def is_revocable(self) -> bool:
        """One whose maker lost the right to share would open again if they got it back."""
        return self.state in (ShareState.LIVE, ShareState.MAKER_GONE)


def status_of(share: Share) -> ShareStatus:
    return struct_of(ShareStatus, share, capture=share.capture_id, state=_state_of(share))


def _state_of(share: Share) -> ShareState:
    if share.revoked_at is not None:
        return ShareState.REVOKED
    if share.expires_at <= timezone.now():
        return ShareState.EXPIRED
    return ShareState.LIVE if getattr(share, "is_held", True) else ShareState.MAKER_GONE


def share_words(share: Share) -> str:
    """Return a share as the audit log names it."""
    if share.capture_id is None:
        return f"link {share.pk} to a list"
    return f"link {share.pk} to capture {share.capture_id}"
