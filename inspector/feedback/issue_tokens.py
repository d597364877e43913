"""Issues and revokes feedback tokens for choices.

Tokens are not stored: hardly any is ever used. What is revoked is: one token by its SHA-256, all of
a choice up to a moment, or a key with all that it signed. Secrets are random and stand in the table
of keys: derived from ``INSPECTOR_SECRET_KEY`` they would die with it, while tokens are in the hands
of end users for months and must be good after a restore elsewhere.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from inspector.archive import vote_targets
from inspector.archive.vote_targets import VoteTarget
from inspector.feedback import signed_token
from inspector.feedback.models import Revocation
from inspector.feedback.signed_token import TokenClaims
from inspector.feedback.signing_keys import signer_of
from inspector.teams.access import FEEDBACK, Principal
from inspector.teams.names import actor_name
from inspector.teams.secret import hash_of

USUAL_SECONDS = 30 * 86_400
"""People vote within days of an answer."""
LONGEST_SECONDS = 400 * 86_400
"""Thirteen months: of what is shown for a year, too."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new feedback token. ``id`` identifies it for revocation without being usable as a token."""

    token: str
    id: str
    team_slug: str
    expires_at: datetime
    key_id: int


def issue_token(
    principal: Principal, capture_id: UUID, choice: int, expires_in: int = USUAL_SECONDS
) -> IssuedToken | None:
    """Issue a token for a choice.

    Returns None where the principal has no such inspected capture, or it has no such choice.
    ``expires_in``: seconds, 1 to ``LONGEST_SECONDS``.
    """
    assert 0 < expires_in <= LONGEST_SECONDS, "whoever asks for more is told so before"
    team_id = team_of(principal, capture_id, choice)
    if team_id is None:
        return None
    signer = signer_of(team_id)
    expires_at = signer.now.replace(microsecond=0) + timedelta(seconds=expires_in)
    claims = TokenClaims(
        team_id=team_id,
        capture_id=capture_id,
        choice=choice,
        made_at_us=microseconds(signer.now),
        expires_at=int(expires_at.timestamp()),
    )
    token = signed_token.sign(signer.key_id, signer.secret, claims)
    slug = next(team.slug for team in principal.teams if team.id == team_id)
    return IssuedToken(token, hash_of(token), slug, expires_at, signer.key_id)


def revoke_tokens(
    principal: Principal, capture_id: UUID, choice: int, token_id: str | None = None
) -> bool:
    """Revoke one token by its id, or all tokens issued for the choice up to now.

    Returns False where the principal has no such choice. An unknown id is accepted: issued tokens
    are not stored, only revoked ones.
    """
    team_id = team_of(principal, capture_id, choice)
    if team_id is None:
        return False
    Revocation.objects.create(
        team_id=team_id,
        capture_id=capture_id,
        choice=choice,
        sha256=token_id,
        revoked_by=actor_name(principal),
    )
    return True


def is_revoked(claims: TokenClaims, token_sha256: str) -> bool:
    # Takes the same time for every token, revoked or not.
    found = Revocation.objects.filter(capture=claims.capture_id, choice=claims.choice)
    return any(
        sha256 == token_sha256 or (sha256 is None and claims.made_at_us <= microseconds(at))
        for sha256, at in found.values_list("sha256", "revoked_at")
    )


def microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


def team_of(principal: Principal, capture_id: UUID, choice: int) -> int | None:
    """Return the team in which the principal may have votes cast on the choice."""
    for team_id in principal.team_ids(FEEDBACK):
        if vote_targets.vote_target(team_id, capture_id, choice) is VoteTarget.THERE:
            return team_id
    return None
