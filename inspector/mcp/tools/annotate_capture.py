"""Tags and the note of a capture: all that can be written here."""

from typing import Annotated

import msgspec
from django.db import transaction
from msgspec import Meta

from api.api_error import ApiError, not_found
from api.captures.capture import StoredAnnotation, Tag
from api.lookup import uuid_of
from inspector.archive.annotation import annotate, lock_capture
from inspector.archive.intake.limits import MAX_TAGS, NOTE_CHARACTERS
from inspector.mcp.arguments import CaptureId
from inspector.mcp.tool import Tool
from inspector.teams.access import INGEST, Principal


class AnnotateArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: CaptureId
    add_tag: Tag | None = None
    remove_tag: Tag | None = None
    note: (
        Annotated[
            str, Meta(max_length=NOTE_CHARACTERS, description="replaces the note that is there")
        ]
        | None
    ) = None


def annotate_capture(principal: Principal, given: AnnotateArguments) -> StoredAnnotation:
    if given.add_tag is None and given.remove_tag is None and given.note is None:
        raise ApiError(422, "invalid_body", "nothing is to be changed: name a tag or a note")
    with transaction.atomic():
        capture = lock_capture(principal, uuid_of(given.id))
        if capture is None:
            raise not_found()
        annotate(capture, _tags(capture.tags, given), given.note)
    return StoredAnnotation(capture.id, tuple(capture.tags), capture.note)


def _tags(before: list[str], given: AnnotateArguments) -> list[str]:
    tags = [tag for tag in before if tag != given.remove_tag]
    if given.add_tag is not None and given.add_tag not in tags:
        tags.append(given.add_tag)
    if len(tags) > MAX_TAGS:
        raise ApiError(422, "invalid_body", f"a capture has at most {MAX_TAGS} tags")
    return tags


TOOL = Tool(
    name="annotate_capture",
    title="Tag or note a capture",
    description="Add a tag to a capture, remove one, or replace its note. Nothing else can be"
    " written here, and what was captured never changes.",
    arguments=AnnotateArguments,
    run=annotate_capture,
    scope=INGEST,
)
