"""Tokens that allow votes on a choice: issued and revoked."""

from typing import Annotated
from uuid import UUID

import msgspec
from django.conf import settings
from django.http import HttpResponse
from msgspec import Meta
from rest_framework.request import Request

from api.api_error import existing, not_found
from api.authentication import principal_of
from api.body import read_json
from api.endpoint import Endpoint
from api.lookup import require_inspected, uuid_of
from api.operation import Parameter, ResponseBody, operation
from api.query_params import invalid_parameter
from api.responses import json_response
from inspector.archive import vote_targets
from inspector.archive.member_types import Moment, Url
from inspector.feedback import issue_tokens
from inspector.feedback.issue_tokens import LONGEST_SECONDS, USUAL_SECONDS, IssuedToken
from inspector.teams.access import FEEDBACK


class TokenRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lifetime of a new feedback token, in seconds."""

    expires_in: Annotated[int, Meta(ge=1, le=LONGEST_SECONDS)] = USUAL_SECONDS


class NewToken(msgspec.Struct, frozen=True, kw_only=True):
    """A feedback token, shown only once; `id` revokes it, `url` takes votes with it."""

    feedback_token: str
    id: str
    expires_at: Moment
    url: Url


class RevokedTokens(msgspec.Struct, frozen=True):
    """The id of the revoked token, or `all`."""

    revoked: str


class FeedbackTokenEndpoint(Endpoint):
    @operation(
        "create_feedback_token",
        "issue a signed token for one choice",
        ResponseBody("the token, which is shown only this once", NewToken, status=201),
        reads=TokenRequest,
        errors=(409,),
    )
    def post(self, request: Request, capture_id: str, choice: str) -> HttpResponse:
        capture_uuid, number = _require_choice(request, capture_id, choice)
        has_body = request.META.get("CONTENT_LENGTH") not in (None, "", "0")
        lifetime = read_json(request._request, TokenRequest) if has_body else TokenRequest()
        issued = existing(
            issue_tokens.issue_token(
                principal_of(request), capture_uuid, number, lifetime.expires_in
            )
        )
        return json_response(new_token(issued), 201)

    @operation(
        "revoke_feedback_token",
        "revoke one token, or all that were issued for the choice",
        ResponseBody("what was revoked", RevokedTokens),
        Parameter("id", "id of the token; without it, all tokens of the choice"),
        errors=(409,),
    )
    def delete(self, request: Request, capture_id: str, choice: str) -> HttpResponse:
        capture_uuid, number = _require_choice(request, capture_id, choice)
        token_id = self.params.one("id")
        if token_id is not None and not _is_token_id(token_id):
            raise invalid_parameter("id", "is no id of a token")
        if not issue_tokens.revoke_tokens(principal_of(request), capture_uuid, number, token_id):
            raise not_found()
        return json_response(RevokedTokens(token_id or "all"))


def _require_choice(request: Request, capture_id: str, choice: str) -> tuple[UUID, int]:
    # Checked first: a caller who may not see the choice learns nothing from other errors.
    capture_uuid = uuid_of(capture_id)
    choices = existing(
        vote_targets.votable_choices(principal_of(request).team_ids(FEEDBACK), capture_uuid)
    )
    require_inspected(choices.state)
    numbers = {str(number): number for number in choices.numbers}
    if choice not in numbers:
        raise not_found()
    return capture_uuid, numbers[choice]


def _is_token_id(text: str) -> bool:
    return len(text) == 64 and all(sign in "0123456789abcdef" for sign in text)


def new_token(issued: IssuedToken) -> NewToken:
    return NewToken(
        feedback_token=issued.token,
        id=issued.id,
        expires_at=issued.expires_at,
        url=f"{settings.ORIGIN}/t/{issued.team_slug}/v1/feedback",
    )
