"""Sessions: calls that belong together, and what each turn added and missed."""

from api.operations.operation import Parameter, ResponseBody, get, in_path, limit, v1
from api.schemas.sessions import SessionDetail, SessionListBody
from inspector.sessions.queries import MAX_PAGE_ROWS, PAGE_TURNS
from inspector.teams.access import READ

TAG = "sessions"
TAG_TEXTS = {TAG: "Calls that belong together, turn by turn"}

SESSIONS = v1(
    "sessions",
    "sessions/",
    TAG,
    get(
        "list_sessions",
        READ,
        "list sessions, the latest first",
        ResponseBody("one page", SessionListBody),
        Parameter("cursor", "`next_cursor` of a page: sessions that ended before"),
        limit(MAX_PAGE_ROWS),
    ),
)
SESSION = v1(
    "session",
    "sessions/<str:session>/",
    TAG,
    get(
        "show_session",
        READ,
        f"get a session with {PAGE_TURNS} of its turns",
        ResponseBody("the session", SessionDetail),
        in_path("session", "id of the session", format="uuid"),
        Parameter("first", "number of the first turn; without it, 1"),
        errors=(404,),
    ),
)
ENDPOINTS = (SESSIONS, SESSION)
