"""Casting a vote: whoever holds the token of a choice may say what they think of it, once.

A later word of the same user by the same token supersedes the earlier one, which stays as history.
Locks are taken in one order (capture, votes, sums), here and where captures are inspected or
deleted; only a vote that waits for its capture takes its team's turn before.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from inspector import lock_wait
from inspector.archive import subjects
from inspector.archive.database import take_turns
from inspector.archive.subjects import Missing, Subject
from inspector.archive.text import clean
from inspector.core.feedback_token import MOST_CHARACTERS, FeedbackToken, TokenShape, read_token
from inspector.feedback import issuing, keys, sums, tokens, waiting
from inspector.feedback.models import LIVE, TokenKind, TokenPlace, Vote
from inspector.feedback.series import series_id_of
from inspector.feedback.tokens import Claims
from inspector.teams.secret import hash_of

MOST_OF_A_TOKEN = 10_000
"""Votes by one token, live and superseded."""
MOST_BYTES_OF_A_TOKEN = 8_000_000
"""Of what was written in them."""
WAITING_TURNS = 2
"""Tells this use of PostgreSQL's advisory locks from others."""
TRIES = 5
PART_CHARACTERS, MOST_PARTS = 200, 8

NO_CAPTURE = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a vote is sent to. ``team_id`` None: of no team there is, where no token is right."""

    team_id: int | None
    takes_all: bool = False
    """Our own tokens of every team, for they say whose they are; others mean ``team_id``."""


@dataclass(frozen=True, slots=True)
class Ballot:
    token: str
    outcome: str
    comment: str | None = None
    user_id: str = ""
    source: str | None = None
    """Tells the network that it came from, by a keyed hash; None: from this machine."""


@dataclass(frozen=True, slots=True)
class Cast:
    """``is_new``: False where the same was said before, and stands."""

    id: UUID
    outcome: str
    comment: str | None
    user_id: str
    is_verified: bool
    """By our own signature; of a foreign token nobody can say more than that it was sent."""
    is_waiting: bool
    """No capture carries the token yet."""
    is_new: bool


class Refused(Enum):
    TOKEN = auto()
    """Whatever is wrong with it: nobody is told what."""
    DELETED = auto()
    """The capture that it was for was deleted."""
    COMMENT = auto()
    """Too long for a vote that waits."""


@dataclass(frozen=True, slots=True)
class Meant:
    """What a token means: a choice, or none yet."""

    team_id: int
    sha256: str
    kind: TokenKind
    choice: tuple[UUID, int] | None
    parts: dict[str, str]


def cast(address: Address, ballot: Ballot) -> Cast | Refused:
    meant = meaning_of(address, ballot.token)
    if isinstance(meant, Refused):
        return meant
    for _ in range(TRIES - 1):
        try:
            return _cast(meant, ballot)
        except IntegrityError:
            # Another vote of this user by this token was there in the same moment.
            continue
        except _CameMeanwhile as place:
            meant = place.meant
    return _cast(meant, ballot)


def outcome_of(address: Address, token: str, user_id: str) -> str | None | Refused:
    """What the user says now; None where they said nothing."""
    meant = meaning_of(address, token)
    if isinstance(meant, Refused):
        return meant
    return _live(meant, user_id).values_list("outcome", flat=True).first()


def meaning_of(address: Address, token: str) -> Meant | Refused:
    return _of_ours(address, token) if tokens.is_ours(token) else _of_foreign(address, token)


# -- our own tokens -------------------------------------------------------------------------------

# Of no team, so nothing is found for them.
_NO_CLAIMS = Claims(team_id=0, capture_id=NO_CAPTURE, choice=0, made_at_us=0, expires_at=0)


def _of_ours(address: Address, token: str) -> Meant | Refused:
    """The same questions are asked and the same sums done for every token, whatever is wrong with
    it, so that how long a refusal takes says nothing about it either.
    """
    parts, sha256 = tokens.parts_of(token), hash_of(token[: tokens.CHARACTERS])
    verified = tokens.verified(parts, keys.secret_of(parts.key_id))
    claims = verified if verified and _holds(verified, address) else _NO_CLAIMS
    if issuing.is_revoked(claims, sha256):
        claims = _NO_CLAIMS
    subject = subjects.subject_of(claims.team_id, claims.capture_id, claims.choice)
    if subject is Missing.UNKNOWN:
        return Refused.TOKEN
    if subject is Missing.GONE:
        return Refused.DELETED
    choice = claims.capture_id, claims.choice
    return Meant(claims.team_id, sha256, TokenKind.OWN, choice, {})


def _holds(claims: Claims, address: Address) -> bool:
    """Now, and at this address."""
    is_here = address.takes_all or claims.team_id == address.team_id
    return is_here and claims.expires_at > timezone.now().timestamp()


# -- tokens of others -----------------------------------------------------------------------------


def _of_foreign(address: Address, token: str) -> Meant | Refused:
    """Nothing of it is verified: it means the choice that carries it, in this team alone."""
    if address.team_id is None or not 0 < len(token) <= MOST_CHARACTERS:
        return Refused.TOKEN
    sha256, read = hash_of(token), read_token(token)
    place = place_of(address.team_id, sha256)
    if place is None and subjects.was_deleted(address.team_id, sha256):
        return Refused.DELETED
    # What waits must at least look like a token, or anything at all would wait.
    if place is None and (read.shape is TokenShape.UNKNOWN or not waiting.is_open(address.team_id)):
        return Refused.TOKEN
    return Meant(address.team_id, sha256, TokenKind(read.shape), place, _said(read))


def place_of(team_id: int, sha256: str) -> tuple[UUID, int] | None:
    """Of several captures with one token, as a resent response has it, the first that came."""
    found = TokenPlace.objects.filter(team=team_id, sha256=sha256)
    return found.order_by("received_at", "capture").values_list("capture", "choice").first()


def _said(read: FeedbackToken) -> dict[str, str]:
    parts = read.parts[:MOST_PARTS]
    return {clean(p.name, PART_CHARACTERS): clean(p.value, PART_CHARACTERS) for p in parts}


# -- keeping it -----------------------------------------------------------------------------------


class _CameMeanwhile(Exception):
    """The capture that a vote was about to wait for."""

    def __init__(self, meant: Meant) -> None:
        super().__init__()
        self.meant = meant


@lock_wait.brief_after_failure()
def _cast(meant: Meant, ballot: Ballot) -> Cast | Refused:
    with transaction.atomic():
        if meant.choice is None:
            _wait_for_turn(meant)
            subject = None
        else:
            held = subjects.hold(meant.team_id, *meant.choice)
            if isinstance(held, Missing):
                return Refused.DELETED if held is Missing.GONE else Refused.TOKEN
            subject = held
        live = _live(meant, ballot.user_id).select_for_update(no_key=True).first()
        if live is not None and (live.outcome, live.comment) == (ballot.outcome, ballot.comment):
            return _told(live, is_new=False)
        if refused := _is_too_much(meant, ballot):
            return refused
        return _told(_keep(meant, ballot, subject, live), is_new=True)


def _wait_for_turn(meant: Meant) -> None:
    """The capture may come in this moment: the inspection that brings it takes this turn, too."""
    take_turns(WAITING_TURNS, meant.team_id)
    place = place_of(meant.team_id, meant.sha256)
    if place is not None:
        raise _CameMeanwhile(Meant(meant.team_id, meant.sha256, meant.kind, place, meant.parts))


def _is_too_much(meant: Meant, ballot: Ballot) -> Refused | None:
    length = _byte_length(meant, ballot)
    of_token = Vote.objects.filter(team=meant.team_id, token_sha256=meant.sha256).order_by()
    held = of_token.aggregate(votes=Count("*"), bytes=Coalesce(Sum("byte_length"), 0))
    if held["votes"] >= MOST_OF_A_TOKEN or held["bytes"] + length > MOST_BYTES_OF_A_TOKEN:
        return Refused.TOKEN
    if meant.choice is not None:
        return None
    if len(ballot.comment or "") > waiting.COMMENT_CHARACTERS:
        return Refused.COMMENT
    return Refused.TOKEN if waiting.is_full(meant.team_id, ballot.source, length) else None


def _byte_length(meant: Meant, ballot: Ballot) -> int:
    texts = (ballot.comment or "", ballot.user_id, *meant.parts, *meant.parts.values())
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


def _keep(meant: Meant, ballot: Ballot, subject: Subject | None, live: Vote | None) -> Vote:
    now = datetime.now(UTC)
    if live is not None:
        Vote.objects.filter(pk=live.pk).update(superseded_at=now)
    capture_id, choice = meant.choice or (None, None)
    vote = Vote.objects.create(
        team_id=meant.team_id,
        created_at=now,
        capture_id=capture_id,
        choice=choice,
        series_id=series_id_of(subject) if subject else None,
        token_kind=meant.kind,
        token_sha256=meant.sha256,
        token_parts=meant.parts,
        user_id=ballot.user_id,
        outcome=ballot.outcome,
        comment=ballot.comment,
        byte_length=_byte_length(meant, ballot),
        source=ballot.source if meant.choice is None else None,
    )
    sums.move([live] if live else [], [vote])
    return vote


def _live(meant: Meant, user_id: str) -> QuerySet[Vote]:
    return Vote.objects.filter(LIVE, team=meant.team_id, token_sha256=meant.sha256, user_id=user_id)


def _told(vote: Vote, *, is_new: bool) -> Cast:
    return Cast(
        id=vote.pk,
        outcome=vote.outcome,
        comment=vote.comment,
        user_id=vote.user_id,
        is_verified=vote.token_kind == TokenKind.OWN,
        is_waiting=vote.capture_id is None,
        is_new=is_new,
    )
