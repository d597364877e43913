"""The votes of a team: listed, shown and triaged."""

from collections.abc import Iterable
from typing import Annotated
from uuid import UUID

import msgspec
from django.http.response import HttpResponseBase
from django.utils import timezone
from msgspec import Meta
from rest_framework.request import Request

from api.api_error import ApiError, existing, not_found
from api.authentication import principal_of
from api.body import read_json
from api.endpoint import Endpoint
from api.feedback.vote import Outcome
from api.lookup import uuid_of
from api.operation import Parameter, ResponseBody, conditional_get, operation, row_limit
from api.query_params import QueryParams, invalid_parameter
from api.responses import json_response, json_with_etag
from inspector.archive.member_types import Moment, codes
from inspector.core.same_fields import struct_of
from inspector.database.portability import StatementTimeout, time_limit
from inspector.feedback import queries
from inspector.feedback.conditions import parse_vote_conditions
from inspector.feedback.models import FeedbackTokenKind, TriageState
from inspector.feedback.queries import (
    MAX_PAGE_ROWS,
    PAGE_ROWS,
    EarlierVote,
    TriageStep,
    VoteFilters,
    VoteList,
    VotePage,
    VoteRow,
)
from inspector.feedback.triage import NOTE_CHARACTERS, triage_vote
from inspector.feedback.vote_fields import VOTE_FIELDS
from inspector.query.parsed_query import parameter_of

LIST_MILLISECONDS = 2_000
"""Filters that few votes match walk all of a team; then 422 `took_too_long`."""
TriageCode = Annotated[str, codes(TriageState)]


class VoteToken(msgspec.Struct, frozen=True):
    """The kind of token that the vote came with. `says` holds unverified fields of a token that was
    not issued here.
    """

    kind: Annotated[str, codes(FeedbackTokenKind)]
    says: dict[str, str]


class VoteSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One vote in the list. `comment`, `user_id` and `token.says` are untrusted text."""

    id: UUID
    created_at: Moment
    outcome: Outcome
    comment: str | None
    user_id: str | None
    state: TriageCode
    capture: UUID
    choice: int
    model: str | None
    vendor: str | None
    verdict: str | None
    result: str | None
    verified: bool
    token: VoteToken


class VoteListBody(msgspec.Struct, frozen=True):
    """One page of votes, newest first. `next_cursor`, sent as `cursor`, leads to the next page."""

    feedback: tuple[VoteSummary, ...]
    next_cursor: str | None


class RecordedTriageStep(msgspec.Struct, frozen=True):
    """A step of triage, and who took it."""

    state: TriageCode
    note: str
    at: Moment
    by: str


class SupersededVote(msgspec.Struct, frozen=True, kw_only=True):
    """An earlier vote of the same user by the same token."""

    id: UUID
    created_at: Moment
    superseded_at: Moment | None
    outcome: Outcome
    comment: str | None
    triage: tuple[RecordedTriageStep, ...]


class VoteDetail(VoteSummary, frozen=True, kw_only=True):
    """A vote with its history and triage. `superseded_by` is the id of the user's live vote; null
    if it is this one.
    """

    team: str
    superseded_at: Moment | None
    superseded_by: UUID | None
    earlier: tuple[SupersededVote, ...]
    triage: tuple[RecordedTriageStep, ...]


class TriageRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The new triage state, with a note. `incorrect`: the vote is wrong, not the response."""

    state: Annotated[TriageState, codes(TriageState)]
    note: Annotated[str, Meta(max_length=NOTE_CHARACTERS)] = ""


class TriageResult(msgspec.Struct, frozen=True):
    """The triage state of the vote now."""

    id: UUID
    state: TriageCode


class FeedbackListEndpoint(Endpoint):
    @conditional_get(
        "list_feedback",
        "list live votes, newest first",
        ResponseBody("one page", VoteListBody),
        Parameter("cursor", "`next_cursor` of a page: votes older than this, newest first"),
        row_limit(MAX_PAGE_ROWS),
        filters=VOTE_FIELDS,
    )
    def get(self, request: Request) -> HttpResponseBase:
        params = self.params
        limit = min(params.number("limit", PAGE_ROWS), MAX_PAGE_ROWS)
        votes, filters = queries.for_principal(principal_of(request)), vote_filters_of(params)
        try:
            with time_limit(LIST_MILLISECONDS):
                found = votes.page(params.one("cursor"), limit, filters)
        except StatementTimeout as error:
            message = "too many votes would have to be looked at; narrow them by time"
            raise ApiError(422, "took_too_long", message) from error
        return json_with_etag(request, vote_list(found))


class FeedbackEndpoint(Endpoint):
    @conditional_get(
        "show_feedback",
        "get a vote, the earlier votes of the same user, and its triage",
        ResponseBody("the vote", VoteDetail),
    )
    def get(self, request: Request, vote: str) -> HttpResponseBase:
        return json_with_etag(request, vote_detail(_page(request, vote)))

    @operation(
        "triage_feedback",
        "record a step of triage",
        ResponseBody("the triage state now", TriageResult),
        reads=TriageRequest,
    )
    def patch(self, request: Request, vote: str) -> HttpResponseBase:
        vote_id = uuid_of(vote)
        step = read_json(request._request, TriageRequest)
        if not triage_vote(principal_of(request), vote_id, step.state, step.note):
            raise not_found()
        return json_response(TriageResult(vote_id, step.state))


def vote_filters_of(params: QueryParams) -> VoteFilters:
    values = {name: params.many(name) for name in VOTE_FIELDS.parameter_names()}
    found = parse_vote_conditions(values, timezone.now())
    for mistake in found.mistakes:
        raise invalid_parameter(*parameter_of(mistake, found.query))
    return found.filters


def _page(request: Request, vote: str) -> VotePage:
    return existing(queries.for_principal(principal_of(request)).one(uuid_of(vote)))


def vote_list(found: VoteList) -> VoteListBody:
    return VoteListBody(tuple(map(vote_summary, found.rows)), found.older)


def vote_summary(row: VoteRow) -> VoteSummary:
    return struct_of(
        VoteSummary,
        row,
        user_id=row.user_id or None,
        capture=row.capture_id,
        verified=row.is_verified,
        token=VoteToken(row.token_kind, dict(row.token_parts)),
    )


def vote_detail(page: VotePage) -> VoteDetail:
    is_live = page.row.superseded_at is None
    return VoteDetail(
        **msgspec.structs.asdict(vote_summary(page.row)),
        team=page.team_slug,
        superseded_at=page.row.superseded_at,
        superseded_by=None if is_live else page.live_id,
        earlier=tuple(map(_superseded, page.history)),
        triage=_triage(page.steps),
    )


def _superseded(vote: EarlierVote) -> SupersededVote:
    return struct_of(SupersededVote, vote.row, triage=_triage(vote.steps))


def _triage(steps: Iterable[TriageStep]) -> tuple[RecordedTriageStep, ...]:
    return tuple(struct_of(RecordedTriageStep, step) for step in steps)
