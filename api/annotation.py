"""The body of a PATCH: new tags, a new note, and nothing else."""

from __future__ import annotations

from typing import Annotated

import msgspec
from django.http import HttpRequest
from msgspec import Meta

from api.body import read_json
from api.envelope import STATUSES
from api.refusal import Refusal
from inspector.archive.intake import MAX_TAGS, NOTE_CHARACTERS, TAG_CHARACTERS
from inspector.transfer.document import BadDocument, strict_value

Tag = Annotated[str, Meta(min_length=1, max_length=TAG_CHARACTERS, pattern=r"\S")]


class Changes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """None: not named, so left as it is."""

    tags: Annotated[list[Tag], Meta(max_length=MAX_TAGS)] | None = None
    note: Annotated[str, Meta(max_length=NOTE_CHARACTERS)] | None = None


def changes_of(request: HttpRequest) -> Changes:
    try:
        changes = msgspec.convert(strict_value(read_json(request), "body"), Changes)
    except BadDocument as error:
        raise Refusal(STATUSES[error.code], error.code, error.message) from error
    except msgspec.ValidationError as error:
        raise Refusal(422, "invalid_body", str(error)[:500]) from error
    if changes == Changes():
        raise Refusal(422, "invalid_body", "the body names neither tags nor note")
    return changes
