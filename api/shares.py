"""Shares: links to captures and lists for readers without an account."""

from datetime import timedelta
from urllib.parse import urljoin

from django.conf import settings
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError, not_found
from api.authentication import principal_of
from api.body import read_json
from api.captures import requested_conditions
from api.lookup import number_of, uuid_of
from api.query_params import read_query_params
from api.responses import json_response, json_with_etag
from api.schemas.shares import CreatedShare, ShareList, ShareRequest
from inspector.sharing import shares
from inspector.sharing.shares import (
    MAX_LIVE_LISTS,
    MAX_LIVE_SHARES,
    NewShare,
    NoShare,
    Shares,
    ShareTerms,
)

TOO_MANY = f"a capture has at most {MAX_LIVE_SHARES} open links, a team {MAX_LIVE_LISTS} to lists"


class CaptureSharesEndpoint(APIView):
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        found = _shares_of(request).of_capture(uuid_of(capture_id))
        if found is None:
            raise not_found()
        read_query_params(request)
        return json_with_etag(request, ShareList(found))

    def post(self, request: Request, capture_id: str) -> HttpResponseBase:
        capture_uuid = uuid_of(capture_id)
        if _shares_of(request).of_capture(capture_uuid) is None:
            raise not_found()
        read_query_params(request)
        return _created(_shares_of(request).share_capture(capture_uuid, _terms_of(request)))


class ShareListEndpoint(APIView):
    def get(self, request: Request) -> HttpResponseBase:
        read_query_params(request)
        return json_with_etag(request, ShareList(_shares_of(request).recent()))

    def post(self, request: Request) -> HttpResponseBase:
        conditions = requested_conditions(request)
        return _created(_shares_of(request).share_list(conditions, _terms_of(request)))


class ShareEndpoint(APIView):
    def get(self, request: Request, share: str) -> HttpResponseBase:
        status = _shares_of(request).one(number_of(share))
        if status is None:
            raise not_found()
        read_query_params(request)
        return json_with_etag(request, status)

    def delete(self, request: Request, share: str) -> HttpResponseBase:
        read_query_params(request)
        revoked = _shares_of(request).revoke(number_of(share))
        if revoked is None:
            raise not_found()
        return json_response(revoked)


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
