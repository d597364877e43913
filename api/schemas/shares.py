"""Bodies of shares."""

from typing import Annotated

import msgspec
from msgspec import Meta

from inspector.archive.member_types import Url
from inspector.sharing.share_status import ShareStatus
from inspector.sharing.shares import LEAST_SECONDS, MOST_SECONDS, USUAL_SECONDS


class ShareRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The terms of a new link: its lifetime in seconds, and whether it leaves out the prompt."""

    expires_in: Annotated[int, Meta(ge=LEAST_SECONDS, le=MOST_SECONDS)] = USUAL_SECONDS
    without_prompt: bool = True


class CreatedShare(msgspec.Struct, frozen=True):
    """A new link. `url` is told this once: only its hash is stored."""

    url: Url
    share: ShareStatus


class ShareList(msgspec.Struct, frozen=True):
    """Newest first."""

    shares: tuple[ShareStatus, ...]
