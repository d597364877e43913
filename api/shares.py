"""Shares: links to captures and lists for readers without an account."""

from datetime import timedelta
from typing import Annotated
from urllib.parse import urljoin

import msgspec
from django.conf import settings
from django.http.response import HttpResponseBase
from msgspec import Meta
from rest_framework.request import Request

from api.api_error import ApiError, existing, not_found
from api.authentication import principal_of
from api.body import read_json
from api.captures.filters import capture_conditions_of
from api.endpoint import Endpoint
from api.lookup import number_of, uuid_of
from api.operation import ResponseBody, conditional_get, operation
from api.responses import json_response, json_with_etag
from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.archive.member_types import Url
from inspector.sharing import shares
from inspector.sharing.share_status import ShareStatus
from inspector.sharing.shares import (
    LEAST_SECONDS,
    MAX_LIVE_LISTS,
    MAX_LIVE_SHARES,
    MOST_SECONDS,
    USUAL_SECONDS,
    NewShare,
    NoShare,
    Shares,
    ShareTerms,
)

TOO_MANY = f"a capture has at most {MAX_LIVE_SHARES} open links, a team {MAX_LIVE_LISTS} to lists"


class ShareRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The terms of a new link: its lifetime in seconds, and whether it leaves out the prompt."""

    expires_in: Annotated[int, Meta(ge=LEAST_SECONDS, le=MOST_SECONDS)] = USUAL_SECONDS
    without_prompt: bool = True


class CreatedShare(msgspec.Struct, frozen=True):
    """A new link. `url` is told this once: only its hash is stored."""

    url: Url
    share: ShareStatus


class ShareList(msgspec.Struct, frozen=True):
    """Newest first."""

    shares: tuple[ShareStatus, ...]


class CaptureSharesEndpoint(Endpoint):
    @conditional_get(
        "list_capture_shares",
        "list the links to the capture",
        ResponseBody("the links, newest first", ShareList),
    )
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        found = existing(_shares_of(request).of_capture(uuid_of(capture_id)))
        return json_with_etag(request, ShareList(found))

    @operation(
        "share_capture",
        "make a link to the page of the capture",
        ResponseBody("the link, told this once", CreatedShare, status=201),
        reads=ShareRequest,
        errors=(409,),
    )
    def post(self, request: Request, capture_id: str) -> HttpResponseBase:
        capture_uuid = uuid_of(capture_id)
        existing(_shares_of(request).of_capture(capture_uuid))
        return _created(_shares_of(request).share_capture(capture_uuid, _terms_of(request)))


class ShareListEndpoint(Endpoint):
    @conditional_get(
        "list_shares",
        "list the links of the team",
        ResponseBody("the links, newest first", ShareList),
    )
    def get(self, request: Request) -> HttpResponseBase:
        return json_with_etag(request, ShareList(_shares_of(request).recent()))

    @operation(
        "share_list",
        "make a link to the list of a query, of what has arrived by now",
        ResponseBody("the link, told this once", CreatedShare, status=201),
        reads=ShareRequest,
        filters=CAPTURE_FIELDS,
        errors=(404, 409),
    )
    def post(self, request: Request) -> HttpResponseBase:
        conditions = capture_conditions_of(self.params.values)
        return _created(_shares_of(request).share_list(conditions, _terms_of(request)))


class ShareEndpoint(Endpoint):
    @conditional_get("show_share", "get a link", ResponseBody("the link", ShareStatus))
    def get(self, request: Request, share: str) -> HttpResponseBase:
        return json_with_etag(request, existing(_shares_of(request).one(number_of(share))))

    @operation(
        "revoke_share",
        "revoke a link: it opens nothing any more",
        ResponseBody("the link", ShareStatus),
    )
    def delete(self, request: Request, share: str) -> HttpResponseBase:
        return json_response(existing(_shares_of(request).revoke(number_of(share))))


def _created(made: NewShare | NoShare) -> HttpResponseBase:
    if made is NoShare.MISSING:
        raise not_found()
    if isinstance(made, NoShare):
        raise ApiError(409, "too_many_shares", TOO_MANY)
    return json_response(CreatedShare(urljoin(settings.ORIGIN, made.path), made.status), 201)


def _shares_of(request: Request) -> Shares:
    return shares.for_principal(principal_of(request))


def _terms_of(request: Request) -> ShareTerms:
    wanted = read_json(request._request, ShareRequest)
    return ShareTerms(timedelta(seconds=wanted.expires_in), wanted.without_prompt)
