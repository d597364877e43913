"""Bodies that request a bulk job."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from api.schemas.captures import Tag
from api.schemas.redaction import RuleIds


class BulkRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to do with all captures that match the query."""

    action: Literal["tag", "untag"]
    tag: Tag


class BulkDeletionRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Deletes all captures that match the query for good, if they are as many as this says."""

    confirm_captures: Annotated[int, Meta(ge=0)]


class BulkRedactionRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Overwrites for good what rules name in all captures that match the query, if they are as many
    as this says. `rules` are ids; all of the team, on or off, where none are named.
    """

    confirm_captures: Annotated[int, Meta(ge=0)]
    rules: RuleIds | None = None
