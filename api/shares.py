"""Shares: links to captures for readers without an account."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urljoin

from django.conf import settings
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError, not_found
from api.authentication import principal_of
from api.body import read_json
from api.lookup import number_of, uuid_of
from api.query_params import read_query_params
from api.responses import json_response, json_with_etag
from api.schemas.shares import (
    CreatedShare,
    SeveralShareRequest,
    ShareDetail,
    ShareList,
    ShareRequest,
)
from inspector.sharing import shares
from inspector.sharing.document.withheld import Withheld
from inspector.sharing.new_collections import (
    MAX_LIVE_COLLECTIONS,
    share_comparison,
    share_list,
)
from inspector.sharing.new_shares import MAX_LIVE_SHARES, NewShare, NoShare, share_capture
from inspector.sharing.shares import Shares
from inspector.sharing.terms import ShareTerms

REFUSALS = {
    NoShare.NOT_INSPECTED: ("not_inspected", "the capture is not inspected"),
    NoShare.PASSAGE_NOT_FOUND: (
        "passage_not_found",
        "a passage to mask stands nowhere in the document",
    ),
    NoShare.TOO_MANY: (
        "too_many_shares",
        f"a capture has at most {MAX_LIVE_SHARES} open links, a team {MAX_LIVE_COLLECTIONS} to"
        " several captures",
    ),
    NoShare.OTHER_NUMBER: ("other_number", "two to four captures are compared"),
    NoShare.SEVERAL_TEAMS: ("several_teams", "the captures are of several teams"),
}


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
        terms = _terms_of(read_json(request._request, ShareRequest))
        return _created(share_capture(principal_of(request), capture_uuid, terms))


class ShareListEndpoint(APIView):
    def get(self, request: Request) -> HttpResponseBase:
        read_query_params(request)
        return json_with_etag(request, ShareList(_shares_of(request).recent()))

    def post(self, request: Request) -> HttpResponseBase:
        read_query_params(request)
        wanted = read_json(request._request, SeveralShareRequest)
        ids = tuple(dict.fromkeys(wanted.captures))
        share = share_comparison if wanted.layout == "comparison" else share_list
        return _created(share(principal_of(request), ids, _terms_of(wanted)))


class ShareEndpoint(APIView):
    def get(self, request: Request, share: str) -> HttpResponseBase:
        found, number = _shares_of(request), number_of(share)
        status = found.one(number)
        if status is None:
            raise not_found()
        read_query_params(request)
        return json_with_etag(request, ShareDetail(status, found.views(number)))

    def delete(self, request: Request, share: str) -> HttpResponseBase:
        read_query_params(request)
        revoked = _shares_of(request).revoke(number_of(share))
        if revoked is None:
            raise not_found()
        return json_response(revoked)


def _created(made: NewShare | NoShare | None) -> HttpResponseBase:
    if made is None:
        raise not_found()
    if isinstance(made, NoShare):
        raise ApiError(409, *REFUSALS[made])
    return json_response(CreatedShare(urljoin(settings.ORIGIN, made.path), made.status), 201)


def _shares_of(request: Request) -> Shares:
    return shares.for_principal(principal_of(request))


def _terms_of(wanted: ShareRequest) -> ShareTerms:
    withheld = Withheld(wanted.without_prompt, wanted.without_texts, wanted.mask)
    return ShareTerms(timedelta(seconds=wanted.expires_in), wanted.max_views, withheld)
