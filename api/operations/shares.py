"""Shares: made, listed, shown, revoked."""

from api.operations.filter_parameters import filter_parameters
from api.operations.operation import CAPTURE_ID, JSON, Operation, ResponseBody, get, in_path, v1
from api.schemas.shares import CreatedShare, ShareList, ShareRequest
from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.sharing.share_status import ShareStatus
from inspector.teams.access import EXPORT

TAG = "shares"
TAG_TEXTS = {TAG: "Links to captures for readers without an account"}
SHARE_ID = in_path("share", "id of the link")

CAPTURE_SHARES = v1(
    "capture-shares",
    "captures/<str:capture_id>/shares/",
    TAG,
    get(
        "list_capture_shares",
        EXPORT,
        "list the links to the capture",
        ResponseBody("the links, newest first", ShareList),
        CAPTURE_ID,
        errors=(404,),
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
)
SHARES = v1(
    "shares",
    "shares/",
    TAG,
    get(
        "list_shares",
        EXPORT,
        "list the links of the team",
        ResponseBody("the links, newest first", ShareList),
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
)
SHARE = v1(
    "share",
    "shares/<str:share>/",
    TAG,
    get(
        "show_share",
        EXPORT,
        "get a link",
        ResponseBody("the link", ShareStatus),
        SHARE_ID,
        errors=(404,),
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
)
ENDPOINTS = (CAPTURE_SHARES, SHARES, SHARE)
