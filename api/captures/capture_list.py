"""Captures taken in one by one, and listed."""

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

import msgspec
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from msgspec import UNSET, UnsetType
from rest_framework.request import Request

from api.addresses import capture_url, page_url
from api.api_error import ApiError
from api.arrival import EXCHANGE, SENT_WITH, read_arrival
from api.authentication import principal_of
from api.captures.costs import AggregatedCost, aggregated_cost
from api.captures.filters import capture_filters_of
from api.cross_origin import TakesPages
from api.endpoint import Endpoint
from api.lookup import captures_of, team_sums_of
from api.operation import (
    Parameter,
    ResponseBody,
    choice,
    conditional_get,
    header,
    number,
    operation,
    row_limit,
)
from api.query_params import QueryParams, invalid_parameter
from api.responses import json_response, json_with_etag
from inspector.archive.intake import submission, wait_for_inspection
from inspector.archive.intake.exchange_envelope import IDEMPOTENCY_KEY_CHARACTERS
from inspector.archive.intake.submission import Accepted, IdempotencyKeyReused, Submission
from inspector.archive.intake.wait_for_inspection import MAX_WAIT_SECONDS
from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.archive.listing.capture_values import CaptureList, CaptureRow
from inspector.archive.listing.filters import Filters
from inspector.archive.listing.sort import NEWEST_FIRST, Sort, SortKey
from inspector.archive.member_types import Moment, Url, codes
from inspector.archive.models import State
from inspector.archive.queries import MAX_PAGE_ROWS, PAGE_ROWS, Captures
from inspector.archive.readers.response_json import Ledger, SubmittedAnalysis, submitted_analysis
from inspector.archive.readouts import TruncatedValue
from inspector.core.analysis import Analysis
from inspector.database.portability import StatementTimeout
from inspector.usage.rollup.queries import ComputedCost

TOO_LONG = "looking through the newest captures takes too long; narrow them by time"
SORTS = [str(Sort(key, is_descending=down)) for key in SortKey for down in (True, False)]
SORT_DESCRIPTION = (
    f"order of the list, {NEWEST_FIRST} by default; with - the largest first. Captures without the "
    "value come last, newest first"
)
LATEST_FIRST = Sort(SortKey.ARRIVAL)
"""What comes after a cursor is always in this order."""
StateCode = Annotated[str, codes(State)]


class AcceptedCapture(msgspec.Struct, frozen=True, kw_only=True):
    """A stored capture. `duplicate` is true for a resend. The analysis is added if the caller
    waited for it.
    """

    id: UUID
    state: StateCode
    duplicate: bool
    url: Url
    page: Url
    analysis: Analysis | UnsetType = UNSET
    ledger: Ledger | UnsetType = UNSET
    truncated: tuple[TruncatedValue, ...] | UnsetType = UNSET


class ListedCapture(CaptureRow, frozen=True, kw_only=True):
    """One capture in the list. Null stands for a value that was not sent or is not known yet."""

    url: Url
    page: Url
    cost: AggregatedCost | None


class CaptureListBody(msgspec.Struct, frozen=True):
    """One page of captures. `next_cursor`, sent as `cursor` with the same `sort`, leads to the next
    page, `latest_cursor`, sent as `after`, to captures stored since; it is null in a list that is
    not newest first. `stopped_at` is null, or, where looking through all captures takes more than
    two seconds, `called_at` of the last that was looked through: `next_cursor` goes on behind it.
    Sorted by something else than calls, the newest alone were looked through.
    """

    captures: tuple[ListedCapture, ...]
    next_cursor: str | None
    latest_cursor: str | None
    stopped_at: Moment | None


class CaptureListEndpoint(TakesPages, Endpoint):
    @conditional_get(
        "list_captures",
        "list captures, newest first or sorted",
        ResponseBody("one page", CaptureListBody),
        Parameter("cursor", "`next_cursor` of a page: the captures that follow in the list"),
        choice("sort", SORT_DESCRIPTION, SORTS),
        Parameter(
            "after", "`latest_cursor` of a page: captures that arrived since, the nearest to it"
        ),
        row_limit(MAX_PAGE_ROWS),
        filters=CAPTURE_FIELDS,
    )
    def get(self, request: Request) -> HttpResponseBase:
        params = self.params
        limit = min(params.number("limit", PAGE_ROWS), MAX_PAGE_ROWS)
        filters, sort = capture_filters_of(params), capture_sort_of(params)
        captures = captures_of(request)
        newest = captures.newest_arrival() if sort == NEWEST_FIRST else None
        try:
            found = _found(captures, params, limit, filters, sort)
        except StatementTimeout as error:
            raise ApiError(422, "took_too_long", TOO_LONG) from error
        prices = team_sums_of(request).costs([row.id for row in found.rows])
        return json_with_etag(request, capture_list(found, prices, newest))

    @operation(
        "create_capture",
        "store a response: its bytes as they are, or one exchange envelope",
        ResponseBody("already stored (a resend), or inspected now", AcceptedCapture),
        ResponseBody("stored, to be inspected", AcceptedCapture, status=202),
        *SENT_WITH,
        number(
            "wait", f"inspect now, and wait up to this many seconds, at most {MAX_WAIT_SECONDS}"
        ),
        header(
            "Idempotency-Key",
            f"1 to {IDEMPOTENCY_KEY_CHARACTERS} characters; a resend with the same key is"
            " not stored again",
        ),
        reads=EXCHANGE,
        errors=(409,),
    )
    def post(self, request: Request) -> HttpResponse:
        params = self.params
        arrival = read_arrival(request._request, principal_of(request), params)
        if params.one("wait") is not None:
            return _inspected(request, arrival, params.number("wait", 0))
        return _acknowledgement(submission.accept(principal_of(request), arrival))


def _found(
    captures: Captures, params: QueryParams, limit: int, filters: Filters, sort: Sort
) -> CaptureList:
    cursor, after = params.one("cursor"), params.one("after")
    if after is not None:
        return captures.page(cursor, after, limit, filters, sort)
    return captures.search(cursor, limit, filters, sort)


def capture_sort_of(params: QueryParams) -> Sort:
    text = params.one("sort")
    if text is None:
        return NEWEST_FIRST
    sort = Sort.parse(text)
    if sort is None:
        known = ", ".join(SortKey)
        raise invalid_parameter("sort", f"must be one of {known}, with - for the largest first")
    if params.one("after") is not None and sort not in (NEWEST_FIRST, LATEST_FIRST):
        raise invalid_parameter("sort", f"must be {NEWEST_FIRST} where there is an after")
    return sort


def capture_list(
    found: CaptureList, prices: Mapping[UUID, ComputedCost], newest: str | None = None
) -> CaptureListBody:
    captures = (_summary(row, prices.get(row.id)) for row in found.rows)
    return CaptureListBody(tuple(captures), found.older, found.newest or newest, found.stopped_at)


def _summary(row: CaptureRow, price: ComputedCost | None) -> ListedCapture:
    return ListedCapture(
        **msgspec.structs.asdict(row),
        url=capture_url(row.id),
        page=page_url(row.id),
        cost=aggregated_cost(price),
    )


def _inspected(request: Request, arrival: Submission, seconds: int) -> HttpResponse:
    seconds = min(seconds, wait_for_inspection.MAX_WAIT_SECONDS)
    waited = wait_for_inspection.accept_and_wait(principal_of(request), arrival, seconds)
    result, analysis = waited.result, waited.analysis
    if isinstance(result, Accepted) and result.duplicate:
        # It was sent before, and is told to a caller who may read it.
        earlier = captures_of(request).opened(result.id)
        analysis = earlier.analysis if earlier else None
    return _acknowledgement(result, analysis)


def _acknowledgement(
    result: Accepted | IdempotencyKeyReused, analysis: Analysis | None = None
) -> HttpResponse:
    if isinstance(result, IdempotencyKeyReused):
        raise key_reused()
    told = accepted_capture(result, submitted_analysis(analysis) if analysis else None)
    return json_response(told, 200 if result.duplicate or analysis else 202)


def key_reused() -> ApiError:
    message = "this idempotency key was used with another body"
    return ApiError(409, "idempotency_key_reused", message)


def accepted_capture(
    accepted: Accepted, submitted: SubmittedAnalysis | None = None
) -> AcceptedCapture:
    return AcceptedCapture(
        **stored_members(accepted),
        analysis=submitted.analysis if submitted else UNSET,
        ledger=submitted.ledger if submitted else UNSET,
        truncated=submitted.truncated if submitted else UNSET,
    )


def stored_members(accepted: Accepted) -> dict[str, Any]:
    return {
        "url": capture_url(accepted.id),
        "page": page_url(accepted.id),
        "id": accepted.id,
        "state": accepted.state,
        "duplicate": accepted.duplicate,
    }
