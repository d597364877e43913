"""Sessions: calls that belong together, and what each turn added and missed."""

from api.operations.operation import (
    IF_NONE_MATCH,
    UNCHANGED,
    Endpoint,
    Operation,
    Parameter,
    ResponseBody,
    in_path,
    limit,
)
from api.schemas.addresses import V1
from api.schemas.sessions import SessionDetail, SessionListBody
from inspector.sessions.queries import MAX_PAGE_ROWS, PAGE_TURNS
from inspector.teams.access import READ

TAG = "sessions"
TAG_TEXTS = {TAG: "Calls that belong together, turn by turn"}

SESSIONS = Endpoint(
    "api:sessions",
    f"{V1}sessions/",
    TAG,
    (
        Operation(
            "GET",
            "list_sessions",
            READ,
            "list sessions, the latest first",
            {200: ResponseBody("one page", SessionListBody), 304: UNCHANGED},
            parameters=(
                Parameter("cursor", "`next_cursor` of a page: sessions that ended before"),
                limit(MAX_PAGE_ROWS),
                IF_NONE_MATCH,
            ),
        ),
    ),
)
SESSION = Endpoint(
    "api:session",
    f"{V1}sessions/<str:session>/",
    TAG,
    (
        Operation(
            "GET",
            "show_session",
            READ,
            f"get a session with {PAGE_TURNS} of its turns",
            {200: ResponseBody("the session", SessionDetail), 304: UNCHANGED},
            errors=(404,),
            parameters=(
                in_path("session", "id of the session", format="uuid"),
                Parameter("first", "number of the first turn; without it, 1"),
                IF_NONE_MATCH,
            ),
        ),
    ),
)
ENDPOINTS = (SESSIONS, SESSION)
