"""Bodies of shares."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from inspector.archive.member_types import Url
from inspector.sharing.document.passage_masks import (
    MAX_CHARACTERS,
    MAX_PASSAGES,
    MIN_CHARACTERS,
)
from inspector.sharing.new_collections import MAX_CAPTURES
from inspector.sharing.share_status import SharedView, ShareStatus
from inspector.sharing.terms import (
    LEAST_SECONDS,
    MAX_VIEWS,
    MOST_SECONDS,
    USUAL_SECONDS,
    USUAL_VIEWS,
)

Passage = Annotated[str, Meta(min_length=MIN_CHARACTERS, max_length=MAX_CHARACTERS)]


class ShareRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The terms of a new link: its lifetime in seconds, how often it can be opened, what its
    document leaves out, and the passages that are masked in it.
    """

    expires_in: Annotated[int, Meta(ge=LEAST_SECONDS, le=MOST_SECONDS)] = USUAL_SECONDS
    max_views: Annotated[int, Meta(ge=1, le=MAX_VIEWS)] = USUAL_VIEWS
    without_prompt: bool = True
    without_texts: bool = False
    mask: Annotated[tuple[Passage, ...], Meta(max_length=MAX_PASSAGES)] = ()


class SeveralShareRequest(ShareRequest, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The terms of a new link to several captures, which are shown in this order: as a `list`, or
    as a `comparison` of two to four.
    """

    captures: Annotated[tuple[UUID, ...], Meta(min_length=1, max_length=MAX_CAPTURES)]
    layout: Literal["comparison", "list"] = "list"


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
