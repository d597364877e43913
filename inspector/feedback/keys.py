"""The keys that sign: made at a team's first token, replaced without a token noticing, revoked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import timezone

from inspector.feedback import tokens
from inspector.feedback.models import SigningKey
from inspector.teams.access import MANAGE, Principal
from inspector.teams.audit import Act, note
from inspector.teams.naming import name_of

FIRST = "first token"
"""Who made a key that nobody asked for."""


@dataclass(frozen=True, slots=True)
class Key:
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
    """``now`` is by the database's clock, which all hosts share."""

    key_id: int
    secret: bytes
    now: datetime


def keys(principal: Principal) -> tuple[Key, ...]:
    """Of the teams that the asker manages, newest first."""
    found = SigningKey.objects.filter(team__in=principal.team_ids(MANAGE)).order_by("-pk")
    return tuple(map(_key, found))


def secret_of(key_id: int) -> bytes | None:
    """None where there is no such key, or it was revoked."""
    found = SigningKey.objects.filter(pk=key_id, revoked_at=None)
    secret = found.values_list("secret", flat=True).first()
    return None if secret is None else bytes(secret)


def signer_of(team_id: int) -> Signer:
    """The key that signs now."""
    found = _signing(team_id)
    if found is None:
        # Of two first tokens at once one makes the key, and both are signed by it.
        SigningKey.objects.bulk_create([_new(team_id, FIRST)], ignore_conflicts=True)
        found = _signing(team_id)
    assert found is not None, "a key was revoked in the moment it was made"
    return Signer(*found)


def rotate(principal: Principal) -> Key | None:
    """Another key signs from now on; what was signed before is good as long as it says.

    None where the asker does not manage the team, or somebody else rotated in this moment.
    """
    return _replace(principal, revoke=False)


def revoke(principal: Principal) -> Key | None:
    """The same, and everything that the team ever signed before is refused from now on."""
    return _replace(principal, revoke=True)


def _replace(principal: Principal, *, revoke: bool) -> Key | None:
    managed = principal.team_ids(MANAGE)
    if len(managed) != 1:
        return None
    (team_id,), by, now = managed, name_of(principal)[:200], timezone.now()
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
    return SigningKey(team_id=team_id, secret=tokens.new_secret(), made_by=by)


def _key(row: SigningKey) -> Key:
    return Key(row.pk, row.made_at, row.made_by, row.retired_at, row.revoked_at, row.revoked_by)
