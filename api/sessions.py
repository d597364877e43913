"""Sessions listed and shown."""

from typing import Annotated, Any
from uuid import UUID

import msgspec
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from api.api_error import existing
from api.authentication import principal_of
from api.endpoint import Endpoint
from api.lookup import uuid_of
from api.operation import Parameter, ResponseBody, conditional_get, row_limit
from api.responses import json_with_etag
from inspector.archive.member_types import Count, Moment, codes
from inspector.core.request.cache_miss import MissCause
from inspector.core.request.changes import ChangeKind, ItemChange, PromptChanges
from inspector.core.request.outline import Section
from inspector.core.request.threads import Bond
from inspector.core.same_fields import struct_of
from inspector.sessions import queries
from inspector.sessions.models import Grouping
from inspector.sessions.queries import (
    MAX_PAGE_ROWS,
    PAGE_ROWS,
    PAGE_TURNS,
    Miss,
    SessionList,
    SessionPage,
    SessionRow,
    TurnRow,
)
from inspector.usage.cost.money import usd_of

SectionCode = Annotated[str, codes(Section)]


class SessionSummary(msgspec.Struct, frozen=True, kw_only=True):
    """`grouping` is what the captures have in common: a stated session, a stated trace, or prompts
    that continue each other, which is inferred. `cost_usd` sums the known costs, null if none is;
    `cost_unknown` is the number of captures without. `errors` and `warnings` count captures with
    such a finding, `missed_caches` those that had no need to miss.
    """

    id: UUID
    grouping: Annotated[str, codes(Grouping)]
    value: str | None
    first_at: Moment
    last_at: Moment
    captures: Count
    lanes: Count
    cost_usd: str | None
    cost_unknown: Count
    errors: Count
    warnings: Count
    missed_caches: Count


class SessionListBody(msgspec.Struct, frozen=True):
    """One page of sessions, the latest first."""

    sessions: tuple[SessionSummary, ...]
    next_cursor: str | None


class ChangedItem(msgspec.Struct, frozen=True, kw_only=True):
    """A tool, an instruction or a message. `pointer` leads to it in the request, `before` in the
    request of the turn before; a dropped one has only that.
    """

    change: Annotated[str, codes(ChangeKind)]
    section: SectionCode
    role: str
    kind: str
    name: str
    bytes: Count
    characters: Count
    pointer: str | None
    before: str | None


class PromptDeparture(msgspec.Struct, frozen=True, kw_only=True):
    """Where the prompt ceases to equal the one before: within 1,024 bytes from `byte` on."""

    section: SectionCode
    pointer: str
    byte: Count


class TurnChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Changes against the parent's prompt. `departure` is null if the whole of that begins this
    one.
    """

    kept: Count
    counts: dict[Annotated[str, codes(ChangeKind)], Count]
    added_bytes: Count
    parameters: tuple[str, ...]
    departure: PromptDeparture | None
    items: tuple[ChangedItem, ...]


class TurnMiss(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of the prompt that the cache might have held. `due`: by the provider's documents it
    had to be missed, or no hit is promised.
    """

    cause: Annotated[str, codes(MissCause)]
    due: bool
    section: SectionCode | None
    missed_tokens: Count
    missed_usd: str | None


class TurnToolCall(msgspec.Struct, frozen=True):
    """A tool that the answer calls, and the capture whose prompt has the result."""

    id: str
    name: str
    result_in: UUID | None


class TurnFill(msgspec.Struct, frozen=True):
    """A part of the prompt. `tokens` are derived: the prompt's, apportioned by bytes."""

    bytes: Count
    characters: Count
    tokens: Count | None


class SessionTurn(msgspec.Struct, frozen=True, kw_only=True):
    """One capture. `lane` is the thread it belongs to, `parent` the capture that it goes on with;
    `attempt_of` is the first attempt at the same call, `hop_of` the first capture of the same
    answer. Times are microseconds from the request on.
    """

    capture: UUID
    number: Count
    called_at: Moment
    started_at: Moment
    start_stated: bool
    lane: Count
    parent: UUID | None
    bond: Annotated[str, codes(Bond)] | None
    attempt_of: UUID | None
    hop_of: UUID | None
    model: str | None
    verdict: str
    result: str
    first_byte_us: Count | None
    first_token_us: Count | None
    duration_us: Count | None
    prompt_tokens: Count | None
    completion_tokens: Count | None
    cached_tokens: Count | None
    cost_usd: str | None
    fill: dict[SectionCode, TurnFill]
    tool_calls: tuple[TurnToolCall, ...]
    changes: TurnChanges | None
    missed_cache: TurnMiss | None


class SessionDetail(SessionSummary, frozen=True, kw_only=True):
    """A session with its turns from number `first` on."""

    team: str
    first: Count
    turns: tuple[SessionTurn, ...]


class SessionListEndpoint(Endpoint):
    @conditional_get(
        "list_sessions",
        "list sessions, the latest first",
        ResponseBody("one page", SessionListBody),
        Parameter("cursor", "`next_cursor` of a page: sessions that ended before"),
        row_limit(MAX_PAGE_ROWS),
    )
    def get(self, request: Request) -> HttpResponseBase:
        params = self.params
        limit = min(params.number("limit", PAGE_ROWS), MAX_PAGE_ROWS)
        sessions = queries.for_principal(principal_of(request))
        found = sessions.page(params.one("cursor"), limit)
        return json_with_etag(request, session_list(found))


class SessionEndpoint(Endpoint):
    @conditional_get(
        "show_session",
        f"get a session with {PAGE_TURNS} of its turns",
        ResponseBody("the session", SessionDetail),
        Parameter("first", "number of the first turn; without it, 1"),
    )
    def get(self, request: Request, session: str) -> HttpResponseBase:
        params = self.params
        sessions = queries.for_principal(principal_of(request))
        page = existing(sessions.one(uuid_of(session), params.number("first", 1)))
        return json_with_etag(request, session_detail(page))


def session_list(found: SessionList) -> SessionListBody:
    return SessionListBody(tuple(map(session_summary, found.rows)), found.older)


def session_summary(row: SessionRow) -> SessionSummary:
    return struct_of(SessionSummary, row, **_sums(row))


def session_detail(page: SessionPage) -> SessionDetail:
    turns = tuple(_turn(each, page) for each in page.turns)
    told = {"team": page.team_slug, "first": page.first, "turns": turns}
    return struct_of(SessionDetail, page.row, **_sums(page.row), **told)


def _sums(row: SessionRow) -> dict[str, Any]:
    return {
        "captures": row.turns,
        "cost_usd": usd_of(row.cost.ticks),
        "cost_unknown": row.cost.unknown,
        "missed_caches": row.missed,
    }


def _turn(row: TurnRow, page: SessionPage) -> SessionTurn:
    return struct_of(
        SessionTurn,
        row,
        capture=row.id,
        start_stated=row.call.clock == "started",
        cost_usd=usd_of(row.cost_ticks),
        fill={each.section: struct_of(TurnFill, each) for each in row.fill},
        tool_calls=tuple(
            TurnToolCall(each.id, each.name, page.result_of(row, each)) for each in row.call.calls
        ),
        changes=_changes(row.changes) if row.changes else None,
        missed_cache=_miss(row.miss) if row.miss else None,
    )


def _miss(miss: Miss) -> TurnMiss:
    return TurnMiss(
        cause=miss.cause,
        due=miss.is_due,
        section=miss.section,
        missed_tokens=miss.tokens,
        missed_usd=usd_of(miss.ticks),
    )


def _changes(changes: PromptChanges) -> TurnChanges:
    at = changes.departure
    return struct_of(
        TurnChanges,
        changes,
        counts={str(kind): count for kind, count in changes.counts.items()},
        added_bytes=changes.added.bytes,
        departure=struct_of(PromptDeparture, at) if at else None,
        items=tuple(map(_item, changes.items)),
    )


def _item(item: ItemChange) -> ChangedItem:
    is_dropped = item.change is ChangeKind.DROPPED
    return struct_of(
        ChangedItem,
        item,
        bytes=item.size.bytes,
        characters=item.size.characters,
        pointer=None if is_dropped else item.pointer,
        before=item.pointer if is_dropped else item.before or None,
    )
