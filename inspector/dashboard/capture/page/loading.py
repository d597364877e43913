"""Opens a capture for its page, its panels and the parts that they fetch."""

from types import MappingProxyType
from uuid import UUID

from django.http import Http404, HttpRequest

from inspector.archive import queries
from inspector.archive.listing.filters import NO_FILTERS, Filters
from inspector.archive.opened import OpenedCapture
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.messages import ReadingErrorCause
from inspector.archive.readouts import StoredReadout
from inspector.dashboard.archive.filter_bar import filter_bar_of_query
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.middleware import not_read_sentence
from inspector.teams.access import Principal


def load_capture_view(principal: Principal, capture_id: UUID, request: HttpRequest) -> CaptureView:
    """Load the capture, also what is left of one whose body is deleted."""
    filters = filter_bar_of_query(request.GET.get("list", "")).conditions.filters
    capture = opened_of(principal, capture_id, filters, with_evidence=True)
    params = MappingProxyType(request.GET.dict())
    if capture.row.body_deleted_at is not None:
        analysis = capture.analysis
        return CaptureView(capture, b"", None, analysis, query_params=params, seen_by=principal)
    if capture.exchange is None:
        raise Http404
    found, not_read = readout_of(capture)
    return CaptureView(
        facts=capture,
        body=capture.body,
        request=capture.exchange.request,
        analysis=found.analysis if found else None,
        cuts=found.cuts if found else (),
        tape=found.tape if found else None,
        query_params=params,
        seen_by=principal,
        not_read=not_read,
    )


def load_with_body(principal: Principal, capture_id: UUID, request: HttpRequest) -> CaptureView:
    """Raise ``ReadingError`` where the body is deleted."""
    view = load_capture_view(principal, capture_id, request)
    if view.row.body_deleted_at is not None:
        raise ReadingError(ReadingErrorCause.DELETED)
    return view


def readout_of(capture: OpenedCapture) -> tuple[StoredReadout | None, str]:
    """Return what was read, or None with a sentence why there is nothing to show."""
    try:
        return capture.readout, ""
    except ReadingError as error:
        return None, not_read_sentence(error)


def opened_of(
    principal: Principal,
    capture_id: UUID,
    list_filters: Filters = NO_FILTERS,
    with_evidence: bool = False,
) -> OpenedCapture:
    capture = queries.for_principal(principal).opened(capture_id, list_filters, with_evidence)
    if capture is None:
        raise Http404
    return capture
