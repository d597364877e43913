"""Bodies of shares."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from inspector.archive.member_types import Url
from inspector.sharing.shares import SharedView, ShareStatus
from inspector.sharing.terms import (
    LEAST_SECONDS,
    MAX_VIEWS,
    MOST_SECONDS,
    USUAL_SECONDS,
    USUAL_VIEWS,
)


class ShareRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The terms of a new link: its lifetime in seconds, how often it can be opened, and what its
    document leaves out.
    """

    expires_in: Annotated[int, Meta(ge=LEAST_SECONDS, le=MOST_SECONDS)] = USUAL_SECONDS
    max_views: Annotated[int, Meta(ge=1, le=MAX_VIEWS)] = USUAL_VIEWS
    without_prompt: bool = True
    without_texts: bool = False


class CreatedShare(msgspec.Struct, frozen=True):
    """A new link. `url` is told this once: only its hash is stored."""

    url: Url
    share: ShareStatus


class ShareDetail(msgspec.Struct, frozen=True):
    """A link, and who opened it when, the last fifty first."""

    share: ShareStatus
    log: tuple[SharedView, ...]


class ShareList(msgspec.Struct, frozen=True):
    """Newest first."""

    shares: tuple[ShareStatus, ...]
