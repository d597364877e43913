"""The captures that the caller may see; every other is treated as missing."""

from uuid import UUID

from rest_framework.request import Request

from api.api_error import ApiError, existing, not_found
from api.authentication import principal_of
from inspector.archive.models import State
from inspector.archive.opened import OpenedCapture
from inspector.archive.queries import Captures, for_principal
from inspector.usage.rollup import queries as usage
from inspector.usage.rollup.queries import TeamSums

RETRY_SECONDS = 1
"""The doorbell rings when a capture is stored: mostly it is read within this."""
ID_DIGITS = 18
"""Below 2**63 in any case: what is above is no id, and fits no parameter of a statement."""


def uuid_of(text: str) -> UUID:
    """Parse an id in any spelling of a UUID; an invalid one is a 404, like an unknown one."""
    try:
        return UUID(text)
    except ValueError as error:
        raise not_found() from error


def number_of(text: str) -> int:
    """Parse the id of a row; what is no number of one is a 404, like an unknown one."""
    if not (text.isascii() and text.isdigit() and len(text) <= ID_DIGITS):
        raise not_found()
    return int(text)


def captures_of(request: Request) -> Captures:
    return for_principal(principal_of(request))


def team_sums_of(request: Request) -> TeamSums:
    return usage.for_principal(principal_of(request))


def capture_of(request: Request, capture_id: str) -> OpenedCapture:
    return existing(captures_of(request).opened(uuid_of(capture_id)))


def inspected_capture_of(request: Request, capture_id: str) -> OpenedCapture:
    capture = capture_of(request, capture_id)
    require_inspected(capture.row.state)
    return capture


def require_inspected(state: str) -> None:
    if state != State.INSPECTED:
        message = f"the capture is {state}, not inspected"
        waits = state != State.QUARANTINED
        raise ApiError(409, "not_inspected", message, RETRY_SECONDS if waits else None)
