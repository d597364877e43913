"""Jobs that change or delete all captures of a query: requested, followed, undone."""

from typing import Annotated, Literal

import msgspec
from django.http.response import HttpResponseBase
from msgspec import Meta
from rest_framework.request import Request

from api.api_error import ApiError, existing, needs_read, not_found
from api.authentication import principal_of
from api.body import read_json
from api.captures.capture import Tag
from api.captures.filters import capture_conditions_of
from api.endpoint import Endpoint
from api.lookup import number_of
from api.operation import ResponseBody, conditional_get, operation
from api.responses import json_response, json_with_etag
from inspector.archive.background import bulk_jobs
from inspector.archive.background.bulk_jobs import BulkJobStatus, OtherCount, TooManyBulkJobs
from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.archive.models import BulkKind

RETRY_SECONDS = 60
"""A job over a whole archive takes minutes; a place is not free sooner."""


class BulkRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Change of all captures that match the query."""

    action: Literal["tag", "untag"]
    tag: Tag


class BulkDeletionRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Deletes all captures that match the query for good, if they are as many as this says."""

    confirm_captures: Annotated[int, Meta(ge=0)]


class BulkEndpoint(Endpoint):
    @operation(
        "change_captures",
        "tag or untag all captures of a query, in the background",
        ResponseBody("requested", BulkJobStatus, status=202),
        reads=BulkRequest,
        filters=CAPTURE_FIELDS,
    )
    def post(self, request: Request) -> HttpResponseBase:
        conditions = capture_conditions_of(self.params.values)
        wanted = read_json(request._request, BulkRequest)
        found = bulk_jobs.request_bulk_job(
            principal_of(request), BulkKind(wanted.action), wanted.tag, conditions
        )
        return accepted(found)


class BulkDeletionEndpoint(Endpoint):
    @operation(
        "delete_captures",
        "delete all captures of a query for good, in the background",
        ResponseBody("requested", BulkJobStatus, status=202),
        reads=BulkDeletionRequest,
        filters=CAPTURE_FIELDS,
        errors=(409,),
    )
    def post(self, request: Request) -> HttpResponseBase:
        conditions = capture_conditions_of(self.params.values)
        wanted = read_json(request._request, BulkDeletionRequest)
        found = bulk_jobs.request_bulk_deletion(
            principal_of(request), conditions, wanted.confirm_captures
        )
        return accepted(found)


class BulkJobEndpoint(Endpoint):
    @conditional_get(
        "show_bulk_job", "get how far a bulk job is", ResponseBody("the job", BulkJobStatus)
    )
    def get(self, request: Request, job: str) -> HttpResponseBase:
        found = existing(bulk_jobs.bulk_job(principal_of(request), number_of(job)))
        return json_with_etag(request, found)

    @operation(
        "stop_bulk_job",
        "stop a bulk job; what it did by then stays so",
        ResponseBody("the job", BulkJobStatus),
    )
    def delete(self, request: Request, job: str) -> HttpResponseBase:
        stopped = existing(bulk_jobs.stop_bulk_job(principal_of(request), number_of(job)))
        return json_response(stopped)


class BulkUndoEndpoint(Endpoint):
    @operation(
        "undo_bulk_job",
        "take back what a bulk job changed, in the background; a deletion or redaction is"
        " only stopped",
        ResponseBody("the job that undoes it", BulkJobStatus, status=202),
    )
    def post(self, request: Request, job: str) -> HttpResponseBase:
        found = bulk_jobs.request_undo(principal_of(request), number_of(job))
        if found is None:
            raise not_found()
        return accepted(found)


def accepted(found: BulkJobStatus | TooManyBulkJobs | OtherCount | None) -> HttpResponseBase:
    if found is None:
        raise needs_read()
    if isinstance(found, OtherCount):
        raise _other_count(found)
    if isinstance(found, TooManyBulkJobs):
        message = f"{found.limit} bulk jobs of the team are open already"
        raise ApiError(429, "too_many_jobs", message, RETRY_SECONDS)
    return json_response(found, 202)


def _other_count(found: OtherCount) -> ApiError:
    if found.number is None:
        return ApiError(422, "took_too_long", "too many captures to count: ask for less")
    message = f"{found.number} captures match, and confirm_captures says otherwise"
    return ApiError(409, "other_count", message)
