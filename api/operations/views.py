"""Saved views of a team: listed, saved, deleted."""

from api.operations.operation import (
    IF_NONE_MATCH,
    JSON,
    UNCHANGED,
    Endpoint,
    Operation,
    ResponseBody,
    in_path,
)
from api.schemas.addresses import V1
from api.schemas.views import DeletedView, NewView, SavedViewBody, SavedViewList
from inspector.teams.access import INGEST, READ

TAG = "views"
TAG_TEXTS = {TAG: "Saved views: lists of captures under a name"}

VIEWS = Endpoint(
    "api:views",
    f"{V1}views/",
    TAG,
    (
        Operation(
            "GET",
            "list_views",
            READ,
            "list the saved views of the team",
            {200: ResponseBody("the views, by name", SavedViewList), 304: UNCHANGED},
            parameters=(IF_NONE_MATCH,),
        ),
        Operation(
            "POST",
            "create_view",
            INGEST,
            "save a view for the team",
            {201: ResponseBody("the view", SavedViewBody)},
            errors=(409,),
            body={JSON: NewView},
        ),
    ),
)
VIEW = Endpoint(
    "api:view",
    f"{V1}views/<str:view>/",
    TAG,
    (
        Operation(
            "DELETE",
            "delete_view",
            INGEST,
            "delete a view of the team",
            {200: ResponseBody("the id of the deleted view", DeletedView)},
            errors=(404,),
            parameters=(in_path("view", "id of the view"),),
        ),
    ),
)
ENDPOINTS = (VIEWS, VIEW)
