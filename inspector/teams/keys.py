"""API keys: made, shown once, revoked."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils import timezone

from inspector.teams.access import INGEST, READ, SCOPES
from inspector.teams.models import ApiKey, Team
from inspector.teams.secret import hash_of, new_secret

PREFIX = "ri_"
SHOWN_CHARACTERS = 10


def create_api_key(team: Team, name: str, scopes: Iterable[str] = (INGEST, READ)) -> str:
    """The plain key, for the only time anybody sees it."""
    wanted = list(dict.fromkeys(scopes))
    if unknown := [scope for scope in wanted if scope not in SCOPES]:
        raise ValueError(f"unknown scope {unknown[0]!r}; there are {', '.join(SCOPES)}")
    plain = new_secret(PREFIX)
    ApiKey.objects.create(
        team=team,
        name=name,
        prefix=plain[:SHOWN_CHARACTERS],
        sha256=hash_of(plain),
        scopes=wanted,
    )
    return plain


def revoke(key: ApiKey) -> None:
    ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=timezone.now())
