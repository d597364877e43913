"""Bodies about votes, the tokens that allow them, and their triage."""

from collections.abc import Iterable
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from django.conf import settings
from msgspec import Meta

from inspector.archive.member_types import Moment, Url, codes
from inspector.core.same_fields import struct_of
from inspector.feedback.casting import CastVote
from inspector.feedback.issue_tokens import LONGEST_SECONDS, USUAL_SECONDS, IssuedToken
from inspector.feedback.models import (
    COMMENT_CHARACTERS,
    USER_CHARACTERS,
    FeedbackTokenKind,
    TriageState,
    VoteOutcome,
)
from inspector.feedback.queries import EarlierVote, TriageStep, VoteList, VotePage, VoteRow
from inspector.feedback.triage import NOTE_CHARACTERS

Outcome = Annotated[str, codes(VoteOutcome)]
TriageCode = Annotated[str, codes(TriageState)]


class VoteRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A vote by token. Without `user_id`, or with an empty one, it is the vote of no named user."""

    feedback_token: str
    outcome: Literal["positive", "negative"]
    comment: Annotated[str, Meta(max_length=COMMENT_CHARACTERS)] | None = None
    user_id: Annotated[str, Meta(max_length=USER_CHARACTERS)] | None = None


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


def stored_vote(cast: CastVote) -> StoredVote:
    return struct_of(StoredVote, cast, user_id=cast.user_id or None, verified=cast.is_verified)


def new_token(issued: IssuedToken) -> NewToken:
    return NewToken(
        feedback_token=issued.token,
        id=issued.id,
        expires_at=issued.expires_at,
        url=f"{settings.ORIGIN}/t/{issued.team_slug}/v1/feedback",
    )


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
