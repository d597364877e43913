"""Captures over HTTP: taken in, listed, shown whole and in parts, annotated, deleted; and analysed
without being stored.
"""

from collections.abc import Mapping, Sequence

import msgspec
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.http import parse_etags
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError, not_found
from api.arrival import read_arrival
from api.authentication import principal_of
from api.body import WAIT_LIMIT, read_json
from api.cross_origin import TakesPages
from api.lookup import capture_of, captures_of, inspected_capture_of, team_sums_of, uuid_of
from api.query_params import QueryParams, invalid_parameter, read_query_params
from api.responses import encode_json, etag_of, json_bytes_response, json_response, json_with_etag
from api.schemas.captures import (
    AnnotationChanges,
    CaptureDetail,
    CaptureFindings,
    StoredAnnotation,
    accepted_capture,
    capture_detail,
    capture_list,
)
from inspector.archive import deletion
from inspector.archive.annotation import annotate, capture_exists, lock_capture
from inspector.archive.download import download
from inspector.archive.intake import submission, wait_for_inspection
from inspector.archive.intake.submission import Accepted, IdempotencyKeyReused, Submission
from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.archive.listing.capture_values import CaptureList
from inspector.archive.listing.cursor import BadCursor
from inspector.archive.listing.filter_params import FilterParams, parse_filter_params
from inspector.archive.listing.filters import Filters
from inspector.archive.listing.sort import NEWEST_FIRST, Sort, SortKey
from inspector.archive.opened import OpenedCapture
from inspector.archive.queries import MAX_PAGE_ROWS, PAGE_ROWS, Captures
from inspector.archive.readers import on_demand
from inspector.archive.readers import operations as works
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.messages import ReadingErrorCause
from inspector.archive.readers.on_demand import Asker
from inspector.archive.readers.response_json import submitted_analysis
from inspector.archive.readouts import StoredReadout
from inspector.core.analysis import Analysis
from inspector.core.pasted.responses import NoSuchPart, part_of
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.exchange import Exchange
from inspector.database.portability import StatementTimeout
from inspector.query.parsed_query import parameter_of
from inspector.teams.access import DELETE, INGEST
from inspector.transfer.capture_fixture import fixture_of, fixture_response
from inspector.transfer.fixtures.registry import KINDS
from inspector.web.cache_headers import unless_known

TOO_LONG = "looking through the newest captures takes too long; narrow them by time"


class CaptureListEndpoint(TakesPages, APIView):
    def get(self, request: Request) -> HttpResponseBase:
        params = read_query_params(
            request,
            once=("cursor", "after", "limit", "sort", *CAPTURE_FIELDS.single()),
            many=CAPTURE_FIELDS.repeatable(),
        )
        limit = min(params.number("limit", PAGE_ROWS), MAX_PAGE_ROWS)
        filters, sort = capture_filters_of(params), capture_sort_of(params)
        try:
            found = _found(captures_of(request), params, limit, filters, sort)
        except BadCursor as error:
            raise ApiError(422, "invalid_parameter", "this is no cursor of this list") from error
        except StatementTimeout as error:
            raise ApiError(422, "took_too_long", TOO_LONG) from error
        prices = team_sums_of(request).costs([row.id for row in found.rows])
        return json_with_etag(request, capture_list(found, prices))

    def post(self, request: Request) -> HttpResponse:
        params = read_query_params(request, once=("note", "dialect", "wait"), many=("tag",))
        arrival = read_arrival(request._request, principal_of(request), params)
        if params.one("wait") is not None:
            return _inspected(request, arrival, params.number("wait", 0))
        return _acknowledgement(submission.accept(principal_of(request), arrival))


class CaptureEndpoint(APIView):
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        read_query_params(request)
        return json_with_etag(request, _detail_of(request, capture_id))

    def patch(self, request: Request, capture_id: str) -> HttpResponseBase:
        _require_visible(request, capture_id)
        changes = read_annotation(request._request)
        with transaction.atomic():
            capture = lock_capture(principal_of(request), uuid_of(capture_id))
            if capture is None:
                raise not_found()
            _require_match(request, capture_id)
            annotate(capture, changes.tags, changes.note)
        return json_response(StoredAnnotation(capture.id, tuple(capture.tags), capture.note))

    def delete(self, request: Request, capture_id: str) -> HttpResponse:
        _require_visible(request, capture_id, DELETE)
        receipt = deletion.delete(principal_of(request), uuid_of(capture_id))
        if receipt is None:
            raise not_found()
        return json_response(receipt)


def _found(
    captures: Captures, params: QueryParams, limit: int, filters: Filters, sort: Sort
) -> CaptureList:
    cursor, after = params.one("cursor"), params.one("after")
    if after is not None:
        return captures.page(cursor, after, limit, filters, sort)
    return captures.search(cursor, limit, filters, sort)


def capture_filters_of(params: QueryParams) -> Filters:
    """Return the list's filters; the first mistake in them ends the request."""
    values = {name: params.many(name) for name in CAPTURE_FIELDS.parameter_names()}
    return capture_conditions_of(values).filters


def capture_conditions_of(values: Mapping[str, Sequence[str]]) -> FilterParams:
    """Return the filters as parsed, of no other parameters; the first mistake ends the request."""
    found = parse_filter_params(values, timezone.now())
    for mistake in found.mistakes:
        raise invalid_parameter(*parameter_of(mistake, found.query))
    return found


def requested_conditions(request: Request) -> FilterParams:
    """Return the filters of a request whose query string has nothing else."""
    params = read_query_params(
        request, once=CAPTURE_FIELDS.single(), many=CAPTURE_FIELDS.repeatable()
    )
    return capture_conditions_of(params.values)


def capture_sort_of(params: QueryParams) -> Sort:
    text = params.one("sort")
    if text is None:
        return NEWEST_FIRST
    sort = Sort.parse(text)
    if sort is None:
        known = ", ".join(SortKey)
        raise invalid_parameter("sort", f"must be one of {known}, with - for the largest first")
    if params.one("after") is not None and sort != NEWEST_FIRST:
        raise invalid_parameter("sort", f"must be {NEWEST_FIRST} where there is an after")
    return sort


def read_annotation(request: HttpRequest) -> AnnotationChanges:
    changes = read_json(request, AnnotationChanges)
    if changes == AnnotationChanges():
        raise ApiError(422, "invalid_body", "the body names neither tags nor note")
    return changes


def key_reused() -> ApiError:
    message = "this idempotency key was used with another body"
    return ApiError(409, "idempotency_key_reused", message)


def _detail_of(request: Request, capture_id: str) -> CaptureDetail:
    capture = capture_of(request, capture_id)
    return capture_detail(capture, team_sums_of(request).price(capture.row.id))


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


def _require_visible(request: Request, capture_id: str, scope: str = INGEST) -> None:
    # Checked first: a caller who may not see the capture learns nothing from other errors.
    if not capture_exists(principal_of(request), uuid_of(capture_id), scope):
        raise not_found()
    read_query_params(request)


def _require_match(request: Request, capture_id: str) -> None:
    # If-Match (RFC 9110, section 13.1.1): a client that names what it saw overwrites nothing newer.
    if_match = request.META.get("HTTP_IF_MATCH")
    if if_match is None or if_match.strip() == "*":
        return
    etag = etag_of(encode_json(_detail_of(request, capture_id)))
    if etag not in parse_etags(if_match):
        raise ApiError(412, "changed_meanwhile", "this is not what the If-Match speaks of")


class InspectEndpoint(APIView):
    def post(self, request: Request) -> HttpResponse:
        params = read_query_params(request, once=("dialect", "part"))
        principal = principal_of(request)
        exchange = read_arrival(request._request, principal, params, WAIT_LIMIT).exchange
        asker, largest = principal.asker, settings.MAX_ANSWER_BYTES
        if part := params.number("part", 0):
            exchange = part_of_text(exchange, part, asker)
        with on_demand.reserve_reader(exchange):
            read, _ = on_demand.read(works.response_json, exchange, asker, largest=largest)
        return json_bytes_response(read)


def part_of_text(exchange: Exchange, part: int, asker: Asker) -> Exchange:
    """Return the response with this number of a text that holds several."""
    body = decompressed(exchange).body
    with on_demand.reserve_reader(body):
        found, _ = on_demand.read(works.responses, body, asker)
    try:
        text = part_of(body, found, part)
    except NoSuchPart as error:
        raise invalid_parameter("part", f"names none: {error}") from error
    return msgspec.structs.replace(Exchange.of_body(text), dialect=exchange.dialect)


class RawEndpoint(APIView):
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        read_query_params(request)
        return download(request._request, capture_of(request, capture_id))


class FixtureEndpoint(APIView):
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        params = read_query_params(request, once=("kind",))
        capture, kind = capture_of(request, capture_id), params.one("kind") or ""
        if kind not in KINDS:
            raise invalid_parameter("kind", f"must be one of {', '.join(KINDS)}")
        found = fixture_of(capture, kind)
        etag = etag_of(found.content)
        return unless_known(request._request, etag, lambda: fixture_response(found))


class CompletionEndpoint(APIView):
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        read_query_params(request)
        capture = inspected_capture_of(request, capture_id)
        found = readout_of(capture)
        if found.analysis.completion is None:
            raise ApiError(404, "no_completion", "no completion was read from these bytes")
        etag = _etag(capture, found)
        return unless_known(
            request._request, etag, lambda: json_response(found.analysis.completion)
        )


class TimelineEndpoint(APIView):
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        read_query_params(request)
        capture = inspected_capture_of(request, capture_id)
        found = readout_of(capture)
        # Megabytes of plain numbers, which need no care of texts.
        return unless_known(
            request._request,
            _etag(capture, found),
            lambda: json_bytes_response(msgspec.json.encode(found.tape)),
        )


class FindingsEndpoint(APIView):
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        read_query_params(request)
        capture = inspected_capture_of(request, capture_id)
        findings = capture.with_added(capture.analysis).findings if capture.analysis else ()
        return json_with_etag(request, CaptureFindings(findings))


def readout_of(capture: OpenedCapture) -> StoredReadout:
    """Return the whole readout. Raises ``ReadingError`` where it is cut."""
    capture.require_body()
    found = capture.readout
    if found is None:
        raise not_found()
    if found.tape is None:
        raise ReadingError(ReadingErrorCause.TOO_LARGE)
    return found


def _etag(capture: OpenedCapture, found: StoredReadout) -> str:
    # The same bytes may be read differently by another analysis version.
    return f'"{capture.sha256}-{found.analysis.analysis_version}"'
