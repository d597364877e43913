"""The keys that sign tokens: made with a team's first, rotated while older ones hold, revoked."""

from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import timezone

from inspector.feedback import signed_token
from inspector.feedback.models import SigningKey
from inspector.teams.access import MANAGE, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name

MADE_BY_FIRST_TOKEN = "first token"
"""The maker of a key that was created for a team's first token."""


@dataclass(frozen=True, slots=True)
class SigningKeyInfo:
    """A signing key without its secret."""

    id: int
    made_at: datetime
    made_by: str
    retired_at: datetime | None
    revoked_at: datetime | None
    revoked_by: str | None

    @property
    def signs(self) -> bool:
        return self.retired_at is None and self.revoked_at is None


@dataclass(frozen=True, slots=True)
class Signer:
    """The team's signing key. ``now`` is the database's time, which all hosts share."""

    key_id: int
    secret: bytes
    now: datetime


def list_signing_keys(principal: Principal) -> tuple[SigningKeyInfo, ...]:
    """Return the keys of the teams that the principal manages, newest first."""
    found = SigningKey.objects.filter(team__in=principal.team_ids(MANAGE)).order_by("-pk")
    return tuple(map(_key, found))


def secret_of(key_id: int) -> bytes | None:
    """Return None if the key does not exist or was revoked."""
    found = SigningKey.objects.filter(pk=key_id, revoked_at=None)
    secret = found.values_list("secret", flat=True).first()
    return None if secret is None else bytes(secret)


def signer_of(team_id: int) -> Signer:
    """Return the key by which a team's tokens are signed now; made where the team has none."""
    found = _signing(team_id)
    if found is None:
        # Of two first tokens at once one makes the key, and both are signed by it.
        SigningKey.objects.bulk_create([_new(team_id, MADE_BY_FIRST_TOKEN)], ignore_conflicts=True)
        found = _signing(team_id)
    assert found is not None, "a key was revoked in the moment it was made"
    return Signer(*found)


def rotate_key(principal: Principal) -> SigningKeyInfo | None:
    """Replace the signing key; tokens signed before stay valid until they expire.

    Returns None where the principal does not manage the team, or another rotation came first.
    """
    return _replace(principal, revoke=False)


def revoke_keys(principal: Principal) -> SigningKeyInfo | None:
    """Replace the signing key and revokes all earlier ones: every token the team has issued is
    refused from now on. Returns None as ``rotate_key`` does.
    """
    return _replace(principal, revoke=True)


def _replace(principal: Principal, *, revoke: bool) -> SigningKeyInfo | None:
    managed = principal.team_ids(MANAGE)
    if len(managed) != 1:
        return None
    (team_id,), by, now = managed, actor_name(principal), timezone.now()
    act = Act.FEEDBACK_KEYS_REVOKED if revoke else Act.FEEDBACK_KEY_REPLACED
    older = SigningKey.objects.filter(team=team_id, revoked_at=None)
    try:
        with transaction.atomic():
            older.filter(retired_at=None).update(retired_at=now)
            if revoke:
                older.update(revoked_at=now, revoked_by=by)
            made = _new(team_id, by)
            made.save(force_insert=True)
            note(principal, team_id, act)
    except IntegrityError:
        return None
    made.refresh_from_db()
    return _key(made)


def _signing(team_id: int) -> tuple[int, bytes, datetime] | None:
    signing = SigningKey.objects.filter(team=team_id, retired_at=None, revoked_at=None)
    found = signing.values_list("pk", "secret", Now()).first()
    return (found[0], bytes(found[1]), found[2]) if found else None


def _new(team_id: int, by: str) -> SigningKey:
    return SigningKey(team_id=team_id, secret=signed_token.new_secret(), made_by=by)


def _key(row: SigningKey) -> SigningKeyInfo:
    return SigningKeyInfo(
        row.pk, row.made_at, row.made_by, row.retired_at, row.revoked_at, row.revoked_by
    )
