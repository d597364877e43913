"""Casting votes: the holder of a choice's token may vote on it once.

A later vote of the same user by the same token supersedes the earlier one, which is kept as
history. Locks are taken in one order (capture, votes, sums), here and where captures are inspected
or deleted.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from inspector.archive import vote_targets
from inspector.archive.vote_targets import VoteTarget
from inspector.database import lock_wait
from inspector.database.column_text import clean_text
from inspector.feedback import issue_tokens, signed_token, signing_keys, sums
from inspector.feedback.feedback_token import (
    MAX_CHARACTERS,
    DecodedFeedbackToken,
    read_token,
)
from inspector.feedback.models import LIVE, FeedbackTokenKind, TokenPlace, Vote
from inspector.feedback.signed_token import TokenClaims
from inspector.teams.access import Principal
from inspector.teams.names import actor_name
from inspector.teams.secret import hash_of

MAX_OF_A_TOKEN = 10_000
"""Votes by one token, live and superseded."""
# Bytes of the comments in them.
MAX_BYTES_OF_A_TOKEN = 8_000_000
# A vote begins anew where its user casts another one in that moment.
TRIES = 5
PART_CHARACTERS, MAX_PARTS = 200, 8
"""Length and number of a token's parts in clear: they are shown, and came from anybody."""

NO_CAPTURE = UUID(int=0)


@dataclass(frozen=True, slots=True)
class VoteAddress:
    """The address a vote is sent to. ``team_id`` None: no such team, every token is refused."""

    team_id: int | None
    takes_all: bool = False
    """Our own tokens of every team, for they say whose they are; others mean ``team_id``."""


@dataclass(frozen=True, slots=True)
class Ballot:
    token: str
    outcome: str
    comment: str | None = None
    user_id: str = ""


@dataclass(frozen=True, slots=True)
class CastVote:
    """The result of a vote. ``is_new``: False where the user's live vote already said the same."""

    id: UUID
    outcome: str
    comment: str | None
    user_id: str
    is_verified: bool
    """The token has our signature; a foreign token proves only that it was sent."""
    is_new: bool


class VoteRefusal(Enum):
    # One reason for every fault of a token: a sender is not told which.
    TOKEN = auto()
    DELETED = auto()
    """The capture that it was for was deleted."""


@dataclass(frozen=True, slots=True)
class TokenTarget:
    """The choice that a token names."""

    team_id: int
    sha256: str
    kind: FeedbackTokenKind
    choice: tuple[UUID, int]
    parts: dict[str, str]


def cast_vote(address: VoteAddress, ballot: Ballot) -> CastVote | VoteRefusal:
    target = resolve_token(address, ballot.token)
    return target if isinstance(target, VoteRefusal) else _cast(target, ballot)


def cast_by_hand(
    principal: Principal, capture_id: UUID, choice: int, outcome: str, comment: str | None
) -> CastVote | VoteRefusal:
    """Cast the vote of a person who reads the capture, one for each choice."""
    team_id = issue_tokens.team_of(principal, capture_id, choice)
    if team_id is None:
        return VoteRefusal.TOKEN
    # In place of a token: what the votes of all persons on this choice have in common.
    common = hash_of(f"by hand {capture_id} {choice}")
    target = TokenTarget(team_id, common, FeedbackTokenKind.OWN, (capture_id, choice), {})
    return _cast(target, Ballot("", outcome, comment, actor_name(principal)))


def _cast(target: TokenTarget, ballot: Ballot) -> CastVote | VoteRefusal:
    for _ in range(TRIES - 1):
        try:
            return _store_vote(target, ballot)
        except IntegrityError:
            # Another vote of this user by this token was there in the same moment.
            continue
    return _store_vote(target, ballot)


def outcome_of(address: VoteAddress, token: str, user_id: str) -> str | None | VoteRefusal:
    """Return the outcome of the user's live vote; None where there is none."""
    target = resolve_token(address, token)
    if isinstance(target, VoteRefusal):
        return target
    return _live(target, user_id).values_list("outcome", flat=True).first()


def resolve_token(address: VoteAddress, token: str) -> TokenTarget | VoteRefusal:
    return (
        _resolve_own(address, token)
        if signed_token.has_own_prefix(token)
        else _resolve_foreign(address, token)
    )


# -- our own tokens -------------------------------------------------------------------------------

# Of no team, so nothing is found for them.
_NO_CLAIMS = TokenClaims(team_id=0, capture_id=NO_CAPTURE, choice=0, made_at_us=0, expires_at=0)


def _resolve_own(address: VoteAddress, token: str) -> TokenTarget | VoteRefusal:
    # The same queries and hashes for every token, valid or not, so that the time a refusal takes
    # does not tell why it was refused.
    parts, sha256 = signed_token.split_token(token), hash_of(token[: signed_token.CHARACTERS])
    verified = signed_token.verify(parts, signing_keys.secret_of(parts.key_id))
    claims = verified if verified and _holds(verified, address) else _NO_CLAIMS
    if issue_tokens.is_revoked(claims, sha256):
        claims = _NO_CLAIMS
    subject = vote_targets.vote_target(claims.team_id, claims.capture_id, claims.choice)
    if subject is VoteTarget.UNKNOWN:
        return VoteRefusal.TOKEN
    if subject is VoteTarget.GONE:
        return VoteRefusal.DELETED
    choice = claims.capture_id, claims.choice
    return TokenTarget(claims.team_id, sha256, FeedbackTokenKind.OWN, choice, {})


def _holds(claims: TokenClaims, address: VoteAddress) -> bool:
    """Now, and at this address."""
    is_here = address.takes_all or claims.team_id == address.team_id
    return is_here and claims.expires_at > timezone.now().timestamp()


# -- tokens of others -----------------------------------------------------------------------------


def _resolve_foreign(address: VoteAddress, token: str) -> TokenTarget | VoteRefusal:
    # A foreign token is not verified: it names the choice that carries it, within this team only.
    # One that no response here carries is refused, for anybody can write one.
    if address.team_id is None or not 0 < len(token) <= MAX_CHARACTERS:
        return VoteRefusal.TOKEN
    sha256, read = hash_of(token), read_token(token)
    place = token_place_of(address.team_id, sha256)
    if place is None:
        was_deleted = vote_targets.was_deleted(address.team_id, sha256)
        return VoteRefusal.DELETED if was_deleted else VoteRefusal.TOKEN
    return TokenTarget(
        address.team_id, sha256, FeedbackTokenKind(read.shape), place, _token_parts_of(read)
    )


def token_place_of(team_id: int, sha256: str) -> tuple[UUID, int] | None:
    """Return the choice that carries this token; of a resent response's several the first."""
    found = TokenPlace.objects.filter(team=team_id, sha256=sha256)
    return found.order_by("called_at", "capture").values_list("capture", "choice").first()


def _token_parts_of(read: DecodedFeedbackToken) -> dict[str, str]:
    parts = read.parts[:MAX_PARTS]
    return {
        clean_text(p.name, PART_CHARACTERS): clean_text(p.value, PART_CHARACTERS) for p in parts
    }


# -- keeping it -----------------------------------------------------------------------------------


@lock_wait.intake_lock_wait()
def _store_vote(target: TokenTarget, ballot: Ballot) -> CastVote | VoteRefusal:
    with transaction.atomic():
        subject = vote_targets.lock_vote_target(target.team_id, *target.choice)
        if subject is not VoteTarget.THERE:
            return VoteRefusal.DELETED if subject is VoteTarget.GONE else VoteRefusal.TOKEN
        # Two votes of one user on one token wait for each other here: one of them is superseded.
        live = _live(target, ballot.user_id).select_for_update(no_key=True).first()
        if live is not None and (live.outcome, live.comment) == (ballot.outcome, ballot.comment):
            return _cast_vote_of(live, is_new=False)
        if _is_too_much(target, ballot):
            return VoteRefusal.TOKEN
        return _cast_vote_of(_replace_live(target, ballot, live), is_new=True)


def _is_too_much(target: TokenTarget, ballot: Ballot) -> bool:
    length = _byte_length(target, ballot)
    of_token = Vote.objects.filter(team=target.team_id, token_sha256=target.sha256).order_by()
    totals = of_token.aggregate(votes=Count("*"), bytes=Coalesce(Sum("byte_length"), 0))
    bytes_then: int = totals["bytes"] + length
    return totals["votes"] >= MAX_OF_A_TOKEN or bytes_then > MAX_BYTES_OF_A_TOKEN


def _byte_length(target: TokenTarget, ballot: Ballot) -> int:
    texts = (ballot.comment or "", ballot.user_id, *target.parts, *target.parts.values())
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


def _replace_live(target: TokenTarget, ballot: Ballot, live: Vote | None) -> Vote:
    now = datetime.now(UTC)
    if live is not None:
        Vote.objects.filter(pk=live.pk).update(superseded_at=now)
    capture_id, choice = target.choice
    vote = Vote.objects.create(
        team_id=target.team_id,
        created_at=now,
        capture_id=capture_id,
        choice=choice,
        token_kind=target.kind,
        token_sha256=target.sha256,
        token_parts=target.parts,
        user_id=ballot.user_id,
        outcome=ballot.outcome,
        comment=ballot.comment,
        byte_length=_byte_length(target, ballot),
    )
    sums.move_votes([live] if live else [], [vote])
    return vote


def _live(target: TokenTarget, user_id: str) -> QuerySet[Vote]:
    return Vote.objects.filter(
        LIVE, team=target.team_id, token_sha256=target.sha256, user_id=user_id
    )


def _cast_vote_of(vote: Vote, *, is_new: bool) -> CastVote:
    return CastVote(
        id=vote.pk,
        outcome=vote.outcome,
        comment=vote.comment,
        user_id=vote.user_id,
        is_verified=vote.token_kind == FeedbackTokenKind.OWN,
        is_new=is_new,
    )
