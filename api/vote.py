"""Votes in the call shape of WorkflowAI's clients: no key, the token of a choice is the proof.

At the root for the default team, and below each team's own address. Browsers may vote from the
sites that the team listed; they are never asked for credentials. Which sites those are is told to
whoever has a token that is good for something: to all others every site is answered alike.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from rest_framework.request import Request
from rest_framework.views import APIView

from api.answers import answer, encode
from api.authentication import AsksNobody
from api.ballots import JSON, ballot_of, is_form, require_text
from api.middleware import FOR_A_PERSON
from api.openapi.operations import feedback as operations
from api.parameters import parameters
from api.rates import count_voted_on, count_voter, source_of
from api.refusal import Refusal
from inspector.feedback import sites
from inspector.feedback.casting import Address, Cast, Refused, cast, meaning_of, outcome_of
from inspector.feedback.waiting import COMMENT_CHARACTERS
from inspector.teams.accounts import default_team, find_team

Found = TypeVar("Found")

PREFLIGHT_SECONDS = 600
HTML = "text/html"
METHODS = "GET, POST, OPTIONS"
WHY = {
    "invalid_feedback_token": "This answer can no longer be voted on.",
    "deleted": "The answer that this vote is about was deleted.",
    "site_not_listed": "The site that you came from may not send votes here.",
    "too_many_requests": "Too many votes came at once. Please go back and try again in a minute.",
}
"""To somebody who pressed a button, by the code of the refusal."""
FAILED = "Something is wrong with what the page sent."


class Vote(APIView):
    authentication_classes = ()
    permission_classes = (AsksNobody,)

    address = Address(None)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """In the order of cost: nobody is looked for on behalf of who asks too often.

        A browser that asks whether it may vote is not counted: nothing is looked for.
        """
        super().initial(request, *args, **kwargs)
        if request.method == "OPTIONS":
            return
        count_voter(request._request)
        self.address = _address(kwargs.get("team"))
        count_voted_on(self.address.team_id)

    @operations.cast_vote
    def post(self, request: Request, team: str | None = None) -> HttpResponseBase:
        parameters(request)
        asked = request._request
        ballot = replace(ballot_of(asked), source=source_of(asked))
        _refuse_unlisted(asked, self.address, ballot.token)
        return _answered(asked, _allowed(cast(self.address, ballot)))

    @operations.show_vote
    def get(self, request: Request, team: str | None = None) -> HttpResponseBase:
        asked = parameters(request, once=("feedback_token", "user_id"))
        token, user_id = asked.one("feedback_token"), asked.one("user_id") or ""
        if token is None:
            raise Refusal(422, "invalid_parameter", "query parameter 'feedback_token' is missing")
        require_text(user_id)
        _refuse_unlisted(request._request, self.address, token)
        return answer({"outcome": _allowed(outcome_of(self.address, token, user_id))})

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Before a browser votes, it asks whether it may try."""
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
        return _page(found) if _is_for_a_person(request._request) else _with_status(found)


class TeamVote(Vote):
    options = Vote.options

    @operations.cast_team_vote
    def post(self, request: Request, team: str | None = None) -> HttpResponseBase:
        return super().post(request, team)

    @operations.show_team_vote
    def get(self, request: Request, team: str | None = None) -> HttpResponseBase:
        return super().get(request, team)


def _address(slug: str | None) -> Address:
    """A team that is not there has an address like any other, where no token is right."""
    if slug is not None and "\0" in slug:
        # No database can be asked for it.
        return Address(None)
    team = find_team(slug) if slug is not None else default_team()
    return Address(team.pk if team else None, takes_all=slug is None)


def _foreign_origin(request: HttpRequest) -> str | None:
    """Of the page that asks, where it is none of ours; programs have none."""
    origin = request.META.get("HTTP_ORIGIN")
    return None if origin is None or origin == settings.ORIGIN else str(origin)


def _refuse_unlisted(request: HttpRequest, address: Address, token: str) -> None:
    """The token goes first, and its team is asked: nobody learns by trying which sites it lists."""
    origin = _foreign_origin(request)
    if origin is None:
        return
    meant = _allowed(meaning_of(address, token))
    if not sites.is_listed(meant.team_id, origin):
        raise Refusal(403, "site_not_listed", "votes are not taken from pages of this site")


def _allowed(found: Found | Refused) -> Found:
    if found is Refused.DELETED:
        raise Refusal(404, "deleted", "the response that this token was for was deleted")
    if found is Refused.COMMENT:
        message = f"before its response is here, a vote has at most {COMMENT_CHARACTERS} characters"
        raise Refusal(422, "invalid_body", f"{message} of comment")
    if isinstance(found, Refused):
        raise Refusal(400, "invalid_feedback_token", "this feedback token is not valid")
    return found


def _answered(request: HttpRequest, cast: Cast) -> HttpResponse:
    if _is_for_a_person(request):
        return render(request, "api/voted.html", {"cast": cast})
    return answer(
        {
            "id": str(cast.id),
            "outcome": cast.outcome,
            "comment": cast.comment,
            "user_id": cast.user_id or None,
            "verified": cast.is_verified,
            "waiting": cast.is_waiting,
        }
    )


def _is_for_a_person(request: HttpRequest) -> bool:
    """A page that has no script sends its visitor here."""
    return is_form(request) and request.get_preferred_type([JSON, HTML]) == HTML


def _page(found: HttpResponse) -> HttpResponse:
    """A refusal in words."""
    told = json.loads(found.content)["error"]
    context = {"why": WHY.get(told["code"], FAILED), "request_id": told["request_id"]}
    found.content = render_to_string("api/not_voted.html", context).encode()
    found["Content-Type"] = f"{HTML}; charset=utf-8"
    setattr(found, FOR_A_PERSON, True)
    return found


def _with_status(response: HttpResponse) -> HttpResponse:
    """WorkflowAI's errors say their status inside, too."""
    told = json.loads(response.content)
    told["error"]["status_code"] = response.status_code
    response.content = encode(told)
    return response
