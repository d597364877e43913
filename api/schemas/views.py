"""Bodies about saved views."""

from typing import Annotated

import msgspec
from msgspec import Meta

from api.schemas.addresses import list_url
from inspector.archive.member_types import Moment, Url
from inspector.archive.saved_views import NAME_CHARACTERS, QUERY_CHARACTERS, ViewEntry


class NewView(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A view to save for the team. `query` is the query string of the capture list, `layout` what
    else stands in the address of its page.
    """

    name: Annotated[str, Meta(min_length=1, max_length=NAME_CHARACTERS, pattern=r"\S")]
    query: Annotated[str, Meta(max_length=QUERY_CHARACTERS)] = ""
    layout: Annotated[str, Meta(max_length=QUERY_CHARACTERS)] = ""


class SavedViewBody(msgspec.Struct, frozen=True, kw_only=True):
    """A saved view. `problem` says why the query cannot be read any more; null if it can."""

    id: int
    name: str
    query: str
    layout: str
    problem: str | None
    made_by: str
    created_at: Moment
    page: Url


class SavedViewList(msgspec.Struct, frozen=True):
    """The views of the team, by name."""

    views: tuple[SavedViewBody, ...]


class DeletedView(msgspec.Struct, frozen=True):
    """The id of the view that was deleted."""

    deleted: int


def saved_view(view: ViewEntry, team: str) -> SavedViewBody:
    return SavedViewBody(
        id=view.id,
        name=view.name,
        query=view.query,
        layout=view.layout,
        problem=view.problem or None,
        made_by=view.made_by,
        created_at=view.created_at,
        page=list_url(team, view.address),
    )
