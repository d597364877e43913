"""API keys: made, shown once, revoked."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from inspector.teams.access import (
    CAPTURE,
    INGEST,
    KEY_SCOPES,
    NOBODY,
    READ,
    Principal,
    TeamAccess,
    is_alive,
)
from inspector.teams.audit import Act, note
from inspector.teams.models import ApiKey, Team
from inspector.teams.names import actor_name, name_of_key
from inspector.teams.secret import hash_of, new_secret
from inspector.web.site_origin import origin_of

PREFIX = "ri_"
SHOWN_CHARACTERS = 10
""""ri_" and 7 of 43: enough to tell keys apart, and 216 bits stay secret."""
MAX_ORIGINS = 20
"""Every use of the key loads them; who has more sites makes a key for each."""


def create_api_key(
    team: Team,
    name: str,
    scopes: Iterable[str] = (INGEST, READ),
    expires_at: datetime | None = None,
    by: Principal = NOBODY,
    session: str = "",
    origins: Iterable[str] = (),
) -> str:
    """Return the plain key, only now; nobody's is a command's. Raises ``ValueError``."""
    wanted = list(dict.fromkeys(scopes))
    if unknown := [scope for scope in wanted if scope not in KEY_SCOPES]:
        raise ValueError(f"unknown scope {unknown[0]!r}; there are {', '.join(KEY_SCOPES)}")
    if CAPTURE in wanted and len(wanted) > 1:
        raise ValueError(f"a key with the scope {CAPTURE} does nothing else")
    pages = list(dict.fromkeys(map(origin_of, origins)))
    if pages and wanted != [INGEST]:
        raise ValueError(f"a key of pages has the scope {INGEST} and no other")
    if len(pages) > MAX_ORIGINS:
        raise ValueError(f"a key is for at most {MAX_ORIGINS} origins")
    plain = new_secret(PREFIX)
    key = ApiKey(
        team=team,
        name=name,
        prefix=plain[:SHOWN_CHARACTERS],
        sha256=hash_of(plain),
        scopes=wanted,
        made_by=actor_name(by),
        maker_id=by.user_id,
        expires_at=expires_at,
        session=session,
        origins=pages,
    )
    with transaction.atomic():
        key.save()
        note(by, team.pk, Act.KEY_MADE, f"{name_of_key(key)}: {', '.join([*wanted, *pages])}")
    return plain


def new_key(
    principal: Principal,
    actor: TeamAccess,
    name: str,
    scopes: Iterable[str],
    expires_at: datetime | None,
    origins: Iterable[str] = (),
) -> str:
    team = Team.objects.get(pk=actor.id)
    return create_api_key(team, name, scopes, expires_at, principal, origins=origins)


def id_of(plain: str) -> int:
    """Return the number of a key that exists."""
    return ApiKey.objects.values_list("pk", flat=True).get(sha256=hash_of(plain))


def keys_where(condition: Q) -> QuerySet[ApiKey, tuple[int, int]]:
    """(Team id, key id) of matching keys, for background work; ``OuterRef("pk")`` is the key."""
    return ApiKey.objects.filter(condition).order_by("pk").values_list("team_id", "pk")


def revoke_by_id(principal: Principal, actor: TeamAccess, key_id: int) -> bool:
    """Return False where the team has no such key; a key that is revoked already stays so."""
    key = ApiKey.objects.filter(pk=key_id, team=actor.id).first()
    if key is not None:
        revoke(key, principal)
    return key is not None


def pause_by_id(principal: Principal, actor: TeamAccess, key_id: int, is_paused: bool) -> bool:
    """Let the key's calls pass unrecorded, or end that. False where no such key works."""
    with transaction.atomic():
        key = _proxy_key(actor, key_id)
        if key is not None and (key.paused_at is not None) is not is_paused:
            key.paused_at = timezone.now() if is_paused else None
            key.save(update_fields=["paused_at"])
            act = Act.KEY_PAUSED if is_paused else Act.KEY_RESUMED
            note(principal, actor.id, act, name_of_key(key))
    return key is not None


def limit_streams_by_id(
    principal: Principal, actor: TeamAccess, key_id: int, max_streams: int
) -> bool:
    """Limits the key's open calls. False where the team has no such key that works."""
    with transaction.atomic():
        key = _proxy_key(actor, key_id)
        if key is not None and key.max_streams != max_streams:
            key.max_streams = max_streams
            key.save(update_fields=["max_streams"])
            note(principal, actor.id, Act.KEY_LIMITED, f"{name_of_key(key)}: {max_streams}")
    return key is not None


def _proxy_key(actor: TeamAccess, key_id: int) -> ApiKey | None:
    """Return a key of the team that works and may capture, held until the transaction ends."""
    theirs = ApiKey.objects.filter(is_alive(timezone.now()), pk=key_id, team=actor.id)
    # Of two changes at once the second sees the first: each is noted in the audit log once.
    key = theirs.select_for_update().first()
    return key if key is not None and CAPTURE in key.scopes else None


def revoke(key: ApiKey, by: Principal = NOBODY) -> None:
    alive = ApiKey.objects.filter(pk=key.pk, revoked_at=None)
    with transaction.atomic():
        if alive.update(revoked_at=timezone.now()):
            note(by, key.team_id, Act.KEY_REVOKED, name_of_key(key))
