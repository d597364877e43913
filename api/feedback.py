"""Tokens made and revoked, and the votes of a team listed, shown and triaged."""

from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError, not_found
from api.authentication import principal_of
from api.body import read_json
from api.lookup import require_inspected, uuid_of
from api.query_params import QueryParams, invalid_parameter, read_query_params
from api.responses import json_response, json_with_etag
from api.schemas.feedback import (
    RevokedTokens,
    TokenRequest,
    TriageRequest,
    TriageResult,
    new_token,
    vote_detail,
    vote_list,
)
from inspector.archive import vote_targets
from inspector.archive.listing.cursor import BadCursor
from inspector.database.portability import StatementTimeout, time_limit
from inspector.feedback import issue_tokens, queries
from inspector.feedback.conditions import parse_vote_conditions
from inspector.feedback.queries import MAX_PAGE_ROWS, PAGE_ROWS, VoteFilters, VotePage
from inspector.feedback.triage import triage_vote
from inspector.feedback.vote_fields import VOTE_FIELDS
from inspector.query.parsed_query import parameter_of
from inspector.teams.access import FEEDBACK

LIST_MILLISECONDS = 2_000
"""Filters that few votes match walk all of a team; then 422 `took_too_long`."""


class FeedbackTokenEndpoint(APIView):
    def post(self, request: Request, capture_id: str, choice: str) -> HttpResponse:
        capture_uuid, number = _require_choice(request, capture_id, choice)
        read_query_params(request)
        has_body = request.META.get("CONTENT_LENGTH") not in (None, "", "0")
        lifetime = read_json(request._request, TokenRequest) if has_body else TokenRequest()
        issued = issue_tokens.issue_token(
            principal_of(request), capture_uuid, number, lifetime.expires_in
        )
        if issued is None:
            raise not_found()
        return json_response(new_token(issued), 201)

    def delete(self, request: Request, capture_id: str, choice: str) -> HttpResponse:
        capture_uuid, number = _require_choice(request, capture_id, choice)
        token_id = read_query_params(request, once=("id",)).one("id")
        if token_id is not None and not _is_token_id(token_id):
            raise invalid_parameter("id", "is no id of a token")
        if not issue_tokens.revoke_tokens(principal_of(request), capture_uuid, number, token_id):
            raise not_found()
        return json_response(RevokedTokens(token_id or "all"))


class FeedbackListEndpoint(APIView):
    def get(self, request: Request) -> HttpResponseBase:
        params = read_query_params(
            request, once=("cursor", "limit", *VOTE_FIELDS.single()), many=VOTE_FIELDS.repeatable()
        )
        limit = min(params.number("limit", PAGE_ROWS), MAX_PAGE_ROWS)
        votes, filters = queries.for_principal(principal_of(request)), vote_filters_of(params)
        try:
            with time_limit(LIST_MILLISECONDS):
                found = votes.page(params.one("cursor"), limit, filters)
        except BadCursor as error:
            raise ApiError(422, "invalid_parameter", "this is no cursor of this list") from error
        except StatementTimeout as error:
            message = "too many votes would have to be looked at; narrow them by time"
            raise ApiError(422, "took_too_long", message) from error
        return json_with_etag(request, vote_list(found))


class FeedbackEndpoint(APIView):
    def get(self, request: Request, vote: str) -> HttpResponseBase:
        read_query_params(request)
        return json_with_etag(request, vote_detail(_page(request, vote)))

    def patch(self, request: Request, vote: str) -> HttpResponseBase:
        read_query_params(request)
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
    page = queries.for_principal(principal_of(request)).one(uuid_of(vote))
    if page is None:
        raise not_found()
    return page


def _require_choice(request: Request, capture_id: str, choice: str) -> tuple[UUID, int]:
    # Checked first: a caller who may not see the choice learns nothing from other errors.
    capture_uuid = uuid_of(capture_id)
    choices = vote_targets.votable_choices(principal_of(request).team_ids(FEEDBACK), capture_uuid)
    if choices is None:
        raise not_found()
    require_inspected(choices.state)
    numbers = {str(number): number for number in choices.numbers}
    if choice not in numbers:
        raise not_found()
    return capture_uuid, numbers[choice]


def _is_token_id(text: str) -> bool:
    return len(text) == 64 and all(sign in "0123456789abcdef" for sign in text)
