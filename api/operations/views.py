"""Saved views of a team: listed, saved, deleted."""

from api.operations.operation import JSON, Operation, ResponseBody, get, in_path, v1
from api.schemas.views import DeletedView, NewView, SavedViewBody, SavedViewList
from inspector.teams.access import INGEST, READ

TAG = "views"
TAG_TEXTS = {TAG: "Saved views: lists of captures under a name"}

VIEWS = v1(
    "views",
    "views/",
    TAG,
    get(
        "list_views",
        READ,
        "list the saved views of the team",
        ResponseBody("the views, by name", SavedViewList),
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
)
VIEW = v1(
    "view",
    "views/<str:view>/",
    TAG,
    Operation(
        "DELETE",
        "delete_view",
        INGEST,
        "delete a view of the team",
        {200: ResponseBody("the id of the deleted view", DeletedView)},
        errors=(404,),
        parameters=(in_path("view", "id of the view"),),
    ),
)
ENDPOINTS = (VIEWS, VIEW)
