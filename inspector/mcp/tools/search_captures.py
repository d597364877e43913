"""Searches the archive in the language of its list."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from api.api_error import ApiError
from api.captures.capture_list import ListedCapture, capture_list
from api.captures.filters import capture_conditions_of
from inspector.archive import queries
from inspector.archive.listing.cursor import BadCursor
from inspector.archive.listing.sort import NEWEST_FIRST, Sort, SortKey
from inspector.mcp.bounds import shortened, without_empty
from inspector.mcp.tool import Tool
from inspector.teams.access import Principal
from inspector.usage.rollup import queries as usage

MAX_ROWS, ROWS = 50, 10
TEXT_CHARACTERS = 160
SHOWN = (
    "id", "called_at", "state", "model", "request_model", "vendor", "verdict", "result",
    "finish_reasons", "streamed", "prompt_tokens", "completion_tokens", "first_token_us",
    "duration_us", "byte_length", "error_count", "warning_count", "tags", "key", "prompt_line",
    "answer_line", "body_deleted_at",
)  # fmt: skip
"""Members of a row of the API's list; the others are among a capture's facts."""


class SearchArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    q: Annotated[
        str,
        Meta(
            max_length=2_000,
            description='words and fields; everything without one. As in: "late parcel"'
            " model:gpt-4* result:truncated,empty first_token>2s since:7d -tag:known",
        ),
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=MAX_ROWS)] = ROWS
    sort: Annotated[
        str, Meta(description=f"one of {', '.join(SortKey)}; with - the largest first")
    ] = str(NEWEST_FIRST)
    cursor: Annotated[str, Meta(max_length=200, description="next_cursor of the page before")] = ""


def search(principal: Principal, given: SearchArguments) -> dict[str, Any]:
    filters = capture_conditions_of({"q": [given.q]} if given.q.strip() else {}).filters
    sort = Sort.parse(given.sort)
    if sort is None:
        raise ApiError(422, "invalid_parameter", f"sort is one of {', '.join(SortKey)}")
    try:
        found = queries.for_principal(principal).search(
            given.cursor or None, given.limit, filters, sort
        )
    except BadCursor as error:
        raise ApiError(422, "invalid_parameter", "this is no cursor of this list") from error
    costs = usage.for_principal(principal).costs([row.id for row in found.rows])
    listed = capture_list(found, costs)
    leads = {"next_cursor": listed.next_cursor, "stopped_at": listed.stopped_at}
    return {"captures": [_row(each) for each in listed.captures], **without_empty(leads)}


def _row(row: ListedCapture) -> dict[str, Any]:
    shown = without_empty({name: getattr(row, name) for name in SHOWN})
    if row.cost is not None and row.cost.computed_usd is not None:
        shown["cost_usd"] = row.cost.computed_usd
    return {
        name: shortened(value, TEXT_CHARACTERS) if isinstance(value, str) else value
        for name, value in shown.items()
    }


TOOL = Tool(
    name="search_captures",
    title="Search captures",
    description=(
        "List captured responses of models, newest first, by the archive's query language: what"
        " each was, how it ended, its tokens, times and cost. read_documentation has the language"
        " on its page `query`. next_cursor leads on; stopped_at says that older ones were not"
        " looked through yet."
    ),
    arguments=SearchArguments,
    run=search,
)
