"""Arguments that several tools take, and what they name."""

from typing import Annotated

from msgspec import Meta

from api.api_error import not_found
from api.lookup import uuid_of
from inspector.archive import queries
from inspector.archive.opened import OpenedCapture
from inspector.teams.access import Principal

CaptureId = Annotated[str, Meta(max_length=100, description="id of the capture, a UUID")]


def opened_capture(
    principal: Principal, capture_id: str, *, with_evidence: bool = False
) -> OpenedCapture:
    """Raise ``ApiError`` where the principal sees none such."""
    captures = queries.for_principal(principal)
    found = captures.opened(uuid_of(capture_id), with_evidence=with_evidence)
    if found is None:
        raise not_found()
    return found
