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

from api import shapes
from api.answers import answer
from api.authentication import principal_of
from api.body import read_json
from api.conditional import kept
from api.envelope import STATUSES
from api.openapi.operations import feedback as operations
from api.parameters import Parameters, parameters, wrong
from api.refusal import Refusal, not_found
from api.seen import require_inspected, uuid_of
from inspector.archive import subjects
from inspector.archive.cursor import BadCursor
from inspector.archive.database import TookTooLong, time_limit
from inspector.feedback import issuing, queries
from inspector.feedback.conditions import MANY, NAMES, ONCE, conditions_of
from inspector.feedback.issuing import LONGEST_SECONDS, USUAL_SECONDS, Issued
from inspector.feedback.models import TriageState
from inspector.feedback.queries import (
    MAX_PAGE_ROWS,
    PAGE_ROWS,
    TriageStep,
    VoteFilters,
    VotePage,
    VoteRow,
)
from inspector.feedback.triage import NOTE_CHARACTERS, triage
from inspector.teams.access import FEEDBACK
from inspector.transfer.document import BadDocument, strict_value

LIST_MILLISECONDS = 2_000

Body = TypeVar("Body", bound=msgspec.Struct)


class _Wanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    expires_in: Annotated[int, Meta(ge=1, le=LONGEST_SECONDS)] = USUAL_SECONDS


class _Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    state: TriageState
    note: Annotated[str, Meta(max_length=NOTE_CHARACTERS)] = ""


class FeedbackToken(APIView):
    @operations.create_feedback_token
    def post(self, request: Request, id: str, choice: str) -> HttpResponse:
        capture_id, number = _require_choice(request, id, choice)
        parameters(request)
        wanted = _body_of(request._request, _Wanted) if _has_body(request) else _Wanted()
        issued = issuing.issue(principal_of(request), capture_id, number, wanted.expires_in)
        if issued is None:
            raise not_found()
        return answer(_of_issued(issued), 201)

    @operations.revoke_feedback_token
    def delete(self, request: Request, id: str, choice: str) -> HttpResponse:
        capture_id, number = _require_choice(request, id, choice)
        token_id = parameters(request, once=("id",)).one("id")
        if token_id is not None and not _is_token_id(token_id):
            raise wrong("id", "is no id of a token")
        if not issuing.revoke(principal_of(request), capture_id, number, token_id):
            raise not_found()
        return answer({"revoked": token_id or "all"})


class VoteCollection(APIView):
    @operations.list_feedback
    def get(self, request: Request) -> HttpResponseBase:
        asked = parameters(request, once=("before", "limit", *ONCE), many=MANY)
        limit = min(asked.number("limit", PAGE_ROWS), MAX_PAGE_ROWS)
        votes, filters = queries.for_principal(principal_of(request)), filters_of(asked)
        try:
            with time_limit(LIST_MILLISECONDS):
                found = votes.page(asked.one("before"), limit, filters)
        except BadCursor as error:
            raise Refusal(422, "invalid_parameter", "this is no cursor of this list") from error
        except TookTooLong as error:
            message = "too many votes would have to be looked at; narrow them by time"
            raise Refusal(422, "took_too_long", message) from error
        return kept(
            request, {"feedback": [of_row(row) for row in found.rows], "older": found.older}
        )


class VoteDetail(APIView):
    @operations.show_feedback
    def get(self, request: Request, vote: str) -> HttpResponseBase:
        parameters(request)
        return kept(request, of_page(_page(request, vote)))

    @operations.triage_feedback
    def patch(self, request: Request, vote: str) -> HttpResponseBase:
        parameters(request)
        id = uuid_of(vote)
        step = _body_of(request._request, _Step)
        if not triage(principal_of(request), id, step.state, step.note):
            raise not_found()
        return answer({"id": str(id), "state": step.state})


def filters_of(asked: Parameters) -> VoteFilters:
    found = conditions_of({name: asked.many(name) for name in NAMES}, timezone.now())
    for mistake in found.mistakes:
        raise wrong(mistake.name, mistake.what)
    return found.filters


def _page(request: Request, vote: str) -> VotePage:
    page = queries.for_principal(principal_of(request)).one(uuid_of(vote))
    if page is None:
        raise not_found()
    return page


# -- what is asked for ----------------------------------------------------------------------------


def _require_choice(request: Request, id: str, choice: str) -> tuple[UUID, int]:
    """First of all: whatever else is wrong, what is not theirs is missing."""
    capture_id = uuid_of(id)
    choices = subjects.choices_of(principal_of(request).team_ids(FEEDBACK), capture_id)
    if choices is None:
        raise not_found()
    require_inspected(choices.state)
    numbers = {str(number): number for number in choices.numbers}
    if choice not in numbers:
        raise not_found()
    return capture_id, numbers[choice]


def _has_body(request: Request) -> bool:
    return request.META.get("CONTENT_LENGTH") not in (None, "", "0")


def _body_of(request: HttpRequest, type: type[Body]) -> Body:
    try:
        return msgspec.convert(strict_value(read_json(request), "body"), type)
    except BadDocument as error:
        raise Refusal(STATUSES[error.code], error.code, error.message) from error
    except msgspec.ValidationError as error:
        raise Refusal(422, "invalid_body", str(error)[:500]) from error


def _is_token_id(text: str) -> bool:
    return len(text) == 64 and all(sign in "0123456789abcdef" for sign in text)


# -- what is said ---------------------------------------------------------------------------------


def _of_issued(issued: Issued) -> dict[str, Any]:
    return {
        "feedback_token": issued.token,
        "id": issued.id,
        "expires_at": shapes.of_time(issued.expires_at),
        "url": f"{settings.ORIGIN}/t/{issued.team_slug}/v1/feedback",
    }


def of_row(row: VoteRow) -> dict[str, Any]:
    return {
        "id": str(row.id),
        "created_at": shapes.of_time(row.created_at),
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


def of_page(page: VotePage) -> dict[str, Any]:
    earlier = [
        {
            "id": str(each.row.id),
            "created_at": shapes.of_time(each.row.created_at),
            "superseded_at": _of_time(each.row.superseded_at),
            "outcome": each.row.outcome,
            "comment": each.row.comment,
            "triage": of_steps(each.steps),
        }
        for each in page.history
    ]
    is_live = page.row.superseded_at is None
    return {
        **of_row(page.row),
        "team": page.team_slug,
        "superseded_at": _of_time(page.row.superseded_at),
        "superseded_by": None if is_live or page.live_id is None else str(page.live_id),
        "earlier": earlier,
        "triage": of_steps(page.steps),
    }


def of_steps(steps: Iterable[TriageStep]) -> list[dict[str, Any]]:
    return [
        {"state": step.state, "note": step.note, "at": shapes.of_time(step.at), "by": step.by}
        for step in steps
    ]


def _of_time(moment: datetime | None) -> str | None:
    return shapes.of_time(moment) if moment else None
