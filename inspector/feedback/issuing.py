"""Making tokens for choices, and taking them back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from inspector.archive import subjects
from inspector.archive.subjects import Subject
from inspector.feedback import tokens
from inspector.feedback.keys import signer_of
from inspector.feedback.models import Revocation
from inspector.feedback.tokens import Claims
from inspector.teams.access import FEEDBACK, Principal
from inspector.teams.naming import name_of
from inspector.teams.secret import hash_of

USUAL_SECONDS = 30 * 86_400
LONGEST_SECONDS = 400 * 86_400

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Issued:
    """``id`` names the token without being one: whoever revokes it later need not keep it."""

    token: str
    id: str
    team_slug: str
    expires_at: datetime
    key_id: int


def issue(
    principal: Principal, capture_id: UUID, choice: int, expires_in: int = USUAL_SECONDS
) -> Issued | None:
    """None where the asker has no such capture, or none that is inspected, or it no such choice.

    ``expires_in``: seconds, 1 to ``LONGEST_SECONDS``.
    """
    assert 0 < expires_in <= LONGEST_SECONDS, "whoever asks for more is told so before"
    subject = _subject(principal, capture_id, choice)
    if subject is None:
        return None
    signer = signer_of(subject.team_id)
    expires_at = signer.now.replace(microsecond=0) + timedelta(seconds=expires_in)
    claims = Claims(
        team_id=subject.team_id,
        capture_id=capture_id,
        choice=choice,
        made_at_us=microseconds(signer.now),
        expires_at=int(expires_at.timestamp()),
    )
    token = tokens.sign(signer.key_id, signer.secret, claims)
    slug = next(team.slug for team in principal.teams if team.id == subject.team_id)
    return Issued(token, hash_of(token), slug, expires_at, signer.key_id)


def revoke(
    principal: Principal, capture_id: UUID, choice: int, token_id: str | None = None
) -> bool:
    """One token, by its id or all that were made for the choice up to now.

    False where the asker has no such choice. Whether there ever was such a token is not known:
    only those that are refused are kept.
    """
    subject = _subject(principal, capture_id, choice)
    if subject is None:
        return False
    Revocation.objects.create(
        team_id=subject.team_id,
        capture_id=capture_id,
        choice=choice,
        sha256=token_id,
        revoked_by=name_of(principal)[:200],
    )
    return True


def is_revoked(claims: Claims, token_sha256: str) -> bool:
    """The same work whatever becomes of it."""
    found = Revocation.objects.filter(capture=claims.capture_id, choice=claims.choice)
    return any(
        sha256 == token_sha256 or (sha256 is None and claims.made_at_us <= microseconds(at))
        for sha256, at in found.values_list("sha256", "revoked_at")
    )


def microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _subject(principal: Principal, capture_id: UUID, choice: int) -> Subject | None:
    for team_id in principal.team_ids(FEEDBACK):
        found = subjects.subject_of(team_id, capture_id, choice)
        if isinstance(found, Subject):
            return found
    return None
