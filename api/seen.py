"""The captures of whoever asks; every other is missing."""

from __future__ import annotations

from uuid import UUID

from rest_framework.request import Request

from api.authentication import principal_of
from api.refusal import Refusal, not_found
from inspector.archive.models import State
from inspector.archive.opened import OpenedCapture
from inspector.archive.queries import Captures, for_principal
from inspector.usage import queries as usage
from inspector.usage.queries import TeamSums

LOOK_AGAIN_SECONDS = 1


def uuid_of(text: str) -> UUID:
    """Any spelling of an id is the same id; what is none is as missing as an unknown one."""
    try:
        return UUID(text)
    except ValueError as error:
        raise not_found() from error


def captures_of(request: Request) -> Captures:
    return for_principal(principal_of(request))


def sums_of(request: Request) -> TeamSums:
    return usage.for_principal(principal_of(request))


def page_of(request: Request, id: str) -> OpenedCapture:
    page = captures_of(request).opened(uuid_of(id))
    if page is None:
        raise not_found()
    return page


def inspected_page(request: Request, id: str) -> OpenedCapture:
    page = page_of(request, id)
    require_inspected(page.row.state)
    return page


def require_inspected(state: str) -> None:
    if state != State.INSPECTED:
        message = f"the capture is {state}, not inspected"
        waits = state != State.QUARANTINED
        raise Refusal(409, "not_inspected", message, LOOK_AGAIN_SECONDS if waits else None)
