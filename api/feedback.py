"""Tokens made and revoked, and the votes of a team listed, shown and triaged."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, TypeVar
from uuid import UUID

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError, not_found
from api.authentication import principal_of
from api.body import read_json
from api.conditional_get import json_with_etag
from api.envelope import STATUSES
from api.lookup import require_inspected, uuid_of
from api.openapi.operations import feedback as operations
from api.query_params import QueryParams, invalid_parameter, read_query_params
from api.responses import json_response
from api.schemas import archive
from inspector.archive import vote_targets
from inspector.archive.listing.cursor import BadCursor
from inspector.database.portability import StatementTimeout, time_limit
from inspector.feedback import issue_tokens, queries
from inspector.feedback.conditions import MANY, NAMES, ONCE, parse_vote_conditions
from inspector.feedback.issue_tokens import LONGEST_SECONDS, USUAL_SECONDS, IssuedToken
from inspector.feedback.models import TriageState
from inspector.feedback.queries import (
    MAX_PAGE_ROWS,
    PAGE_ROWS,
    TriageStep,
    VoteFilters,
    VotePage,
    VoteRow,
)
from inspector.feedback.triage import NOTE_CHARACTERS, triage_vote
from inspector.teams.access import FEEDBACK
from inspector.transfer.json_document import BadDocument, strict_value

LIST_MILLISECONDS = 2_000

Body = TypeVar("Body", bound=msgspec.Struct)


class _TokenRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    expires_in: Annotated[int, Meta(ge=1, le=LONGEST_SECONDS)] = USUAL_SECONDS


class _TriageRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    state: TriageState
    note: Annotated[str, Meta(max_length=NOTE_CHARACTERS)] = ""


class FeedbackTokenEndpoint(APIView):
    @operations.create_feedback_token
    def post(self, request: Request, capture_id: str, choice: str) -> HttpResponse:
        capture_uuid, number = _require_choice(request, capture_id, choice)
        read_query_params(request)
        wanted = (
            _body_of(request._request, _TokenRequest) if _has_body(request) else _TokenRequest()
        )
        issued = issue_tokens.issue_token(
            principal_of(request), capture_uuid, number, wanted.expires_in
        )
        if issued is None:
            raise not_found()
        return json_response(_issued_token(issued), 201)

    @operations.revoke_feedback_token
    def delete(self, request: Request, capture_id: str, choice: str) -> HttpResponse:
        capture_uuid, number = _require_choice(request, capture_id, choice)
        token_id = read_query_params(request, once=("id",)).one("id")
        if token_id is not None and not _is_token_id(token_id):
            raise invalid_parameter("id", "is no id of a token")
        if not issue_tokens.revoke_tokens(principal_of(request), capture_uuid, number, token_id):
            raise not_found()
        return json_response({"revoked": token_id or "all"})


class VoteCollection(APIView):
    @operations.list_feedback
    def get(self, request: Request) -> HttpResponseBase:
        asked = read_query_params(request, once=("before", "limit", *ONCE), many=MANY)
        limit = min(asked.number("limit", PAGE_ROWS), MAX_PAGE_ROWS)
        votes, filters = queries.for_principal(principal_of(request)), vote_filters_of(asked)
        try:
            with time_limit(LIST_MILLISECONDS):
                found = votes.page(asked.one("before"), limit, filters)
        except BadCursor as error:
            raise ApiError(422, "invalid_parameter", "this is no cursor of this list") from error
        except StatementTimeout as error:
            message = "too many votes would have to be looked at; narrow them by time"
            raise ApiError(422, "took_too_long", message) from error
        return json_with_etag(
            request, {"feedback": [vote_row(row) for row in found.rows], "older": found.older}
        )


class VoteDetail(APIView):
    @operations.show_feedback
    def get(self, request: Request, vote: str) -> HttpResponseBase:
        read_query_params(request)
        return json_with_etag(request, vote_page(_page(request, vote)))

    @operations.triage_feedback
    def patch(self, request: Request, vote: str) -> HttpResponseBase:
        read_query_params(request)
        vote_id = uuid_of(vote)
        step = _body_of(request._request, _TriageRequest)
        if not triage_vote(principal_of(request), vote_id, step.state, step.note):
            raise not_found()
        return json_response({"id": str(vote_id), "state": step.state})


def vote_filters_of(asked: QueryParams) -> VoteFilters:
    found = parse_vote_conditions({name: asked.many(name) for name in NAMES}, timezone.now())
    for mistake in found.mistakes:
        raise invalid_parameter(mistake.name, mistake.what)
    return found.filters


def _page(request: Request, vote: str) -> VotePage:
    page = queries.for_principal(principal_of(request)).one(uuid_of(vote))
    if page is None:
        raise not_found()
    return page


# -- path, query and body of a request -----------------------------------------------------------


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


def _has_body(request: Request) -> bool:
    return request.META.get("CONTENT_LENGTH") not in (None, "", "0")


def _body_of(request: HttpRequest, body_type: type[Body]) -> Body:
    try:
        return msgspec.convert(strict_value(read_json(request), "body"), body_type)
    except BadDocument as error:
        raise ApiError(STATUSES[error.code], error.code, error.message) from error
    except msgspec.ValidationError as error:
        raise ApiError(422, "invalid_body", str(error)[:500]) from error


def _is_token_id(text: str) -> bool:
    return len(text) == 64 and all(sign in "0123456789abcdef" for sign in text)


# -- what is said ---------------------------------------------------------------------------------


def _issued_token(issued: IssuedToken) -> dict[str, Any]:
    return {
        "feedback_token": issued.token,
        "id": issued.id,
        "expires_at": archive.timestamp(issued.expires_at),
        "url": f"{settings.ORIGIN}/t/{issued.team_slug}/v1/feedback",
    }


def vote_row(row: VoteRow) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "created_at": archive.timestamp(row.created_at),
        "outcome": row.outcome,
        "comment": row.comment,
        "user_id": row.user_id or None,
        "state": row.state,
        "capture": str(row.capture_id) if row.capture_id else None,
        "choice": row.choice,
        "model": row.model,
        "vendor": row.vendor,
        "verdict": row.verdict,
        "verified": row.is_verified,
        "waiting": row.capture_id is None,
        "token": {"kind": row.token_kind, "says": dict(row.token_parts)},
    }


def vote_page(page: VotePage) -> dict[str, Any]:
    earlier = [
        {
            "id": str(each.row.id),
            "created_at": archive.timestamp(each.row.created_at),
            "superseded_at": _timestamp_or_none(each.row.superseded_at),
            "outcome": each.row.outcome,
            "comment": each.row.comment,
            "triage": triage_steps(each.steps),
        }
        for each in page.history
    ]
    is_live = page.row.superseded_at is None
    return {
        **vote_row(page.row),
        "team": page.team_slug,
        "superseded_at": _timestamp_or_none(page.row.superseded_at),
        "superseded_by": None if is_live or page.live_id is None else str(page.live_id),
        "earlier": earlier,
        "triage": triage_steps(page.steps),
    }


def triage_steps(steps: Iterable[TriageStep]) -> list[dict[str, Any]]:
    return [
        {"state": step.state, "note": step.note, "at": archive.timestamp(step.at), "by": step.by}
        for step in steps
    ]


def _timestamp_or_none(moment: datetime | None) -> str | None:
    return archive.timestamp(moment) if moment else None
