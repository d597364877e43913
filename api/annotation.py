"""The body of a PATCH: new tags, a new note, and nothing else."""

from __future__ import annotations

from typing import Annotated

import msgspec
from django.http import HttpRequest
from msgspec import Meta

from api.api_error import ApiError
from api.body import read_json
from api.envelope import STATUSES
from inspector.archive.intake.submission import MAX_TAGS, NOTE_CHARACTERS, TAG_CHARACTERS
from inspector.transfer.json_document import BadDocument, strict_value

Tag = Annotated[str, Meta(min_length=1, max_length=TAG_CHARACTERS, pattern=r"\S")]


class AnnotationChanges(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Changes to a capture; None leaves a member as it is."""

    tags: Annotated[list[Tag], Meta(max_length=MAX_TAGS)] | None = None
    note: Annotated[str, Meta(max_length=NOTE_CHARACTERS)] | None = None


def read_annotation(request: HttpRequest) -> AnnotationChanges:
    try:
        changes = msgspec.convert(strict_value(read_json(request), "body"), AnnotationChanges)
    except BadDocument as error:
        raise ApiError(STATUSES[error.code], error.code, error.message) from error
    except msgspec.ValidationError as error:
        raise ApiError(422, "invalid_body", str(error)[:500]) from error
    if changes == AnnotationChanges():
        raise ApiError(422, "invalid_body", "the body names neither tags nor note")
    return changes
