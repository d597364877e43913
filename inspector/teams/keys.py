"""API keys: made, shown once, revoked."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from inspector.teams.access import INGEST, NOBODY, READ, SCOPES, Principal, TeamAccess
from inspector.teams.audit import Act, note
from inspector.teams.models import ApiKey, Team
from inspector.teams.names import actor_name, name_of_key
from inspector.teams.secret import hash_of, new_secret

PREFIX = "ri_"
SHOWN_CHARACTERS = 10


def create_api_key(
    team: Team,
    name: str,
    scopes: Iterable[str] = (INGEST, READ),
    expires_at: datetime | None = None,
    by: Principal = NOBODY,
) -> str:
    """The plain key, for the only time anybody sees it. Nobody's is a command's."""
    wanted = list(dict.fromkeys(scopes))
    if unknown := [scope for scope in wanted if scope not in SCOPES]:
        raise ValueError(f"unknown scope {unknown[0]!r}; there are {', '.join(SCOPES)}")
    plain = new_secret(PREFIX)
    key = ApiKey(
        team=team,
        name=name,
        prefix=plain[:SHOWN_CHARACTERS],
        sha256=hash_of(plain),
        scopes=wanted,
        made_by=actor_name(by)[:200],
        maker_id=by.user_id,
        expires_at=expires_at,
    )
    with transaction.atomic():
        key.save()
        note(by, team.pk, Act.KEY_MADE, f"{name_of_key(key)}: {', '.join(wanted)}")
    return plain


def new_key(
    principal: Principal,
    actor: TeamAccess,
    name: str,
    scopes: Iterable[str],
    expires_at: datetime | None,
) -> str:
    team = Team.objects.get(pk=actor.id)
    return create_api_key(team, name, scopes, expires_at, principal)


def keys_where(condition: Q) -> tuple[tuple[int, int], ...]:
    """(Team id, key id) of the keys that match, for background work. ``OuterRef("pk")`` in the
    condition is the key.
    """
    found = ApiKey.objects.filter(condition).order_by("pk")
    return tuple(found.values_list("team_id", "pk"))


def revoke_by_id(principal: Principal, actor: TeamAccess, key_id: int) -> bool:
    """False where the team has no such key; a key that is revoked already stays so."""
    key = ApiKey.objects.filter(pk=key_id, team=actor.id).first()
    if key is not None:
        revoke(key, principal)
    return key is not None


def revoke(key: ApiKey, by: Principal = NOBODY) -> None:
    alive = ApiKey.objects.filter(pk=key.pk, revoked_at=None)
    with transaction.atomic():
        if alive.update(revoked_at=timezone.now()):
            note(by, key.team_id, Act.KEY_REVOKED, name_of_key(key))
