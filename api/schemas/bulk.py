"""Bodies that request a bulk job."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from api.schemas.captures import Tag


class BulkRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Change of all captures that match the query."""

    action: Literal["tag", "untag"]
    tag: Tag


class BulkDeletionRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Deletes all captures that match the query for good, if they are as many as this says."""

    confirm_captures: Annotated[int, Meta(ge=0)]
