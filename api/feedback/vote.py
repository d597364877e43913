"""Votes in the call shape of WorkflowAI's clients: no API key, the token of a choice is the proof.

At the root for the default team, and below each team's own address. Browsers may vote from the
sites that the team allows, without credentials. Whether a site is allowed is revealed only with a
valid token: otherwise every site gets the same answer.
"""

import json
from collections.abc import Callable
from typing import Annotated, Any, TypeVar
from uuid import UUID

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from rest_framework.request import Request

from api.api_error import ApiError
from api.authentication import AllowAnyone
from api.endpoint import Endpoint
from api.feedback.ballot import VoteRequest, is_form, read_ballot, require_no_nul
from api.middleware import IS_FOR_A_PERSON
from api.operation import FORM, JSON, Parameter, ResponseBody, View, operation
from api.rate_limits import limit_team_vote_rate, limit_voter_rate
from api.responses import ErrorBody, ErrorDetail, json_response
from inspector.archive.member_types import codes
from inspector.core.decoded_types import built
from inspector.core.json.encoding import encode_json
from inspector.core.same_fields import struct_of
from inspector.feedback import allowed_sites
from inspector.feedback.casting import (
    CastVote,
    VoteAddress,
    VoteRefusal,
    cast_vote,
    outcome_of,
    resolve_token,
)
from inspector.feedback.models import VoteOutcome
from inspector.teams.accounts import default_team, find_team

Outcome = Annotated[str, codes(VoteOutcome)]


class StoredVote(msgspec.Struct, frozen=True, kw_only=True):
    """The live vote. `verified` is true if the token was signed here."""

    id: UUID
    outcome: Outcome
    comment: str | None
    user_id: str | None
    verified: bool


class LiveOutcome(msgspec.Struct, frozen=True):
    """The outcome of the user's live vote; null if there is none."""

    outcome: Outcome | None


Found = TypeVar("Found")
PREFLIGHT_SECONDS = 600
"""As long as WebKit keeps an answer at most; others would keep it longer."""
HTML = "text/html"
METHODS = "GET, POST, OPTIONS"
# Shown to a person who pressed a button, by the error's code.
REFUSAL_SENTENCES = {
    "invalid_feedback_token": "This answer can no longer be voted on.",
    "deleted": "The answer that this vote is about was deleted.",
    "site_not_listed": "The site that you came from may not send votes here.",
    "too_many_requests": "Too many votes came at once. Please go back and try again in a minute.",
}
FAILED = "Something is wrong with what the page sent."


def _shows(name: str) -> Callable[[View], View]:
    return operation(
        name,
        "get the outcome of the user's live vote by its token, without an API key",
        ResponseBody("the outcome; null if the user has not voted", LiveOutcome),
        Parameter("feedback_token", "token of a choice", is_required=True),
        Parameter("user_id", "user_id of the vote; without it, the vote of no user"),
        errors=(400, 404),
    )


def _casts(name: str) -> Callable[[View], View]:
    return operation(
        name,
        "vote on a choice by its token, without an API key",
        ResponseBody("the live vote; the same vote changes nothing", StoredVote),
        reads={JSON: VoteRequest, FORM: VoteRequest},
        errors=(404,),
    )


class VoteEndpoint(Endpoint):
    authentication_classes = ()
    permission_classes = (AllowAnyone,)

    address = VoteAddress(None)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        # Rate limits before any lookup, in the order of cost. A preflight is not counted: it looks
        # nothing up.
        super().initial(request, *args, **kwargs)
        if request.method == "OPTIONS":
            return
        limit_voter_rate(request._request)
        self.address = _address(kwargs.get("team"))
        limit_team_vote_rate(self.address.team_id)

    @_casts("cast_vote")
    def post(self, request: Request, team: str | None = None) -> HttpResponseBase:
        here = request._request
        ballot = read_ballot(here)
        _refuse_unlisted(here, self.address, ballot.token)
        return _cast_response(here, _raise_if_refused(cast_vote(self.address, ballot)))

    @_shows("show_vote")
    def get(self, request: Request, team: str | None = None) -> HttpResponseBase:
        params = self.params
        token, user_id = params.one("feedback_token"), params.one("user_id") or ""
        if token is None:
            raise ApiError(422, "invalid_parameter", "query parameter 'feedback_token' is missing")
        require_no_nul(user_id)
        _refuse_unlisted(request._request, self.address, token)
        outcome = _raise_if_refused(outcome_of(self.address, token, user_id))
        return json_response(LiveOutcome(outcome))

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the CORS preflight. Every foreign origin may try."""
        response = HttpResponse(status=204)
        if _foreign_origin(request._request) is not None:
            response["Access-Control-Allow-Methods"] = METHODS
            response["Access-Control-Allow-Headers"] = "Content-Type"
            response["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
        return response

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        found = super().finalize_response(request, response, *args, **kwargs)
        found["Cache-Control"] = "no-store"
        patch_vary_headers(found, ["Origin"])
        origin = _foreign_origin(request._request)
        if origin is not None:
            # What is refused says nothing of the site, and no page but a listed one gets further.
            is_kept = request.method != "OPTIONS" and found.status_code < 400
            found["Access-Control-Allow-Origin"] = origin if is_kept else "*"
            found["Access-Control-Expose-Headers"] = "Retry-After, X-Request-ID"
        if found.status_code < 400:
            return found
        return _refusal_page(found) if _is_for_a_person(request._request) else _with_status(found)


class TeamVoteEndpoint(VoteEndpoint):
    # A class of its own because its operations have names of their own: a client generated from
    # shared ones would lack a function.
    options = VoteEndpoint.options

    @_casts("cast_team_vote")
    def post(self, request: Request, team: str | None = None) -> HttpResponseBase:
        return super().post(request, team)

    @_shows("show_team_vote")
    def get(self, request: Request, team: str | None = None) -> HttpResponseBase:
        return super().get(request, team)


def _address(slug: str | None) -> VoteAddress:
    # An unknown team gets an address like any other, at which every token is refused.
    if slug is not None and "\0" in slug:
        # PostgreSQL takes no NUL in a value.
        return VoteAddress(None)
    team = find_team(slug) if slug is not None else default_team()
    return VoteAddress(team.pk if team else None, takes_all=slug is None)


def _foreign_origin(request: HttpRequest) -> str | None:
    """Return the ``Origin`` of a page that is not ours; None for our own pages and for programs."""
    origin = request.META.get("HTTP_ORIGIN")
    return None if origin is None or origin == settings.ORIGIN else str(origin)


def _refuse_unlisted(request: HttpRequest, address: VoteAddress, token: str) -> None:
    # The token is resolved before the origin is checked against its team: nobody learns by trying
    # which sites a team allows.
    origin = _foreign_origin(request)
    if origin is None:
        return
    target = _raise_if_refused(resolve_token(address, token))
    if not allowed_sites.is_allowed(target.team_id, origin):
        raise ApiError(403, "site_not_listed", "votes are not taken from pages of this site")


def _raise_if_refused(found: Found | VoteRefusal) -> Found:
    if found is VoteRefusal.DELETED:
        raise ApiError(404, "deleted", "the response that this token was for was deleted")
    if isinstance(found, VoteRefusal):
        raise ApiError(400, "invalid_feedback_token", "this feedback token is not valid")
    return found


def _cast_response(request: HttpRequest, cast: CastVote) -> HttpResponse:
    if _is_for_a_person(request):
        return render(request, "api/voted.html", {"cast": cast})
    return json_response(stored_vote(cast))


def _is_for_a_person(request: HttpRequest) -> bool:
    """Tell a person's visit: a page that has no script sends its visitor here."""
    return is_form(request) and request.get_preferred_type([JSON, HTML]) == HTML


def _refusal_page(found: HttpResponse) -> HttpResponse:
    """Return a refusal in words."""
    error = _error_of(found)
    context = {"why": REFUSAL_SENTENCES.get(error.code, FAILED), "request_id": error.request_id}
    found.content = render_to_string("api/not_voted.html", context).encode()
    found["Content-Type"] = f"{HTML}; charset=utf-8"
    setattr(found, IS_FOR_A_PERSON, True)
    return found


def _with_status(response: HttpResponse) -> HttpResponse:
    """WorkflowAI's errors say their status inside, too."""
    error = msgspec.structs.replace(_error_of(response), status_code=response.status_code)
    response.content = encode_json(ErrorBody(error))
    return response


def _error_of(response: HttpResponse) -> ErrorDetail:
    return msgspec.convert(json.loads(response.content), built(ErrorBody)).error


def stored_vote(cast: CastVote) -> StoredVote:
    return struct_of(StoredVote, cast, user_id=cast.user_id or None, verified=cast.is_verified)
