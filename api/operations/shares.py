"""Shares: made, listed, shown, revoked."""

from api.operations.filter_parameters import filter_parameters
from api.operations.operation import (
    CAPTURE_ID,
    IF_NONE_MATCH,
    JSON,
    UNCHANGED,
    Endpoint,
    Operation,
    ResponseBody,
    in_path,
)
from api.schemas.addresses import V1
from api.schemas.shares import CreatedShare, ShareList, ShareRequest
from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.sharing.share_status import ShareStatus
from inspector.teams.access import EXPORT

TAG = "shares"
TAG_TEXTS = {TAG: "Links to captures for readers without an account"}
SHARE_ID = in_path("share", "id of the link")

CAPTURE_SHARES = Endpoint(
    "api:capture-shares",
    f"{V1}captures/<str:capture_id>/shares/",
    TAG,
    (
        Operation(
            "GET",
            "list_capture_shares",
            EXPORT,
            "list the links to the capture",
            {200: ResponseBody("the links, newest first", ShareList), 304: UNCHANGED},
            errors=(404,),
            parameters=(CAPTURE_ID, IF_NONE_MATCH),
        ),
        Operation(
            "POST",
            "share_capture",
            EXPORT,
            "make a link to the page of the capture",
            {201: ResponseBody("the link, told this once", CreatedShare)},
            errors=(404, 409, 413),
            parameters=(CAPTURE_ID,),
            body={JSON: ShareRequest},
        ),
    ),
)
SHARES = Endpoint(
    "api:shares",
    f"{V1}shares/",
    TAG,
    (
        Operation(
            "GET",
            "list_shares",
            EXPORT,
            "list the links of the team",
            {200: ResponseBody("the links, newest first", ShareList), 304: UNCHANGED},
            parameters=(IF_NONE_MATCH,),
        ),
        Operation(
            "POST",
            "share_list",
            EXPORT,
            "make a link to the list of a query, of what has arrived by now",
            {201: ResponseBody("the link, told this once", CreatedShare)},
            errors=(404, 409, 413),
            parameters=tuple(filter_parameters(CAPTURE_FIELDS)),
            body={JSON: ShareRequest},
        ),
    ),
)
SHARE = Endpoint(
    "api:share",
    f"{V1}shares/<str:share>/",
    TAG,
    (
        Operation(
            "GET",
            "show_share",
            EXPORT,
            "get a link",
            {200: ResponseBody("the link", ShareStatus), 304: UNCHANGED},
            errors=(404,),
            parameters=(SHARE_ID, IF_NONE_MATCH),
        ),
        Operation(
            "DELETE",
            "revoke_share",
            EXPORT,
            "revoke a link: it opens nothing any more",
            {200: ResponseBody("the link", ShareStatus)},
            errors=(404,),
            parameters=(SHARE_ID,),
        ),
    ),
)
ENDPOINTS = (CAPTURE_SHARES, SHARES, SHARE)
