"""Upstreams of a team: where the proxy may call for it, and what a key may do there.

Presets are upstreams of every team. A row of the same name changes one, and without a base URL of
its own keeps the preset's.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from django.utils import timezone

from inspector.teams.access import CAPTURE, LAST_USED_GRAIN, is_alive, note_use
from inspector.teams.models import ApiKey, Upstream
from inspector.teams.upstream_presets import PRESETS

# What begins an address of the proxy is either this or a key, which begins with "ri_".
UPSTREAM_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?", re.ASCII)


class CaptureRefusal(StrEnum):
    """Why a key may not call an upstream; the same codes that the proxy answers with."""

    UNKNOWN_KEY = "unknown_key"
    KEY_MAY_NOT_CAPTURE = "key_may_not_capture"
    UNKNOWN_UPSTREAM = "unknown_upstream"


@dataclass(frozen=True, slots=True)
class CaptureGrant:
    """The rights of a key at an upstream."""

    team_id: int
    key_id: int
    upstream: str
    base_url: str
    """Scheme, host and path that every call goes below, without a slash at its end."""
    is_local: bool
    """The owner of the machine added it and so allows a loopback or private address."""
    sites: tuple[str, ...]
    """Origins of pages that may call from a browser."""
    sample_percent: int
    """How many of a hundred calls are kept; errors always are."""
    keeps_other: bool
    """Calls that ask for no completion are captured, too."""
    is_paused: bool
    """Calls pass and are not recorded."""
    max_streams: int
    """Calls of this key that may be open at once."""
    session: str
    """Session of what is recorded; empty for none."""


def find_grant(key_sha256: str, upstream: str) -> CaptureGrant | CaptureRefusal:
    """Return the rights of the key with this hash at an upstream; another team's is unknown."""
    now = timezone.now()
    key = ApiKey.objects.filter(is_alive(now), sha256=key_sha256).first()
    if key is None:
        return CaptureRefusal.UNKNOWN_KEY
    if CAPTURE not in key.scopes:
        return CaptureRefusal.KEY_MAY_NOT_CAPTURE
    found = _find_upstream(key.team_id, upstream)
    if found is None or found.is_disabled:
        return CaptureRefusal.UNKNOWN_UPSTREAM
    if key.last_used_at is None or key.last_used_at <= now - LAST_USED_GRAIN:
        note_use(key.pk)
    return _grant(key, found)


def _find_upstream(team_id: int, name: str) -> Upstream | None:
    """Return the team's own row, or one made of the preset; it is saved nowhere."""
    if not UPSTREAM_NAME.fullmatch(name):
        return None
    found = Upstream.objects.filter(team=team_id, name=name).first()
    if found is None and name in PRESETS:
        return Upstream(team_id=team_id, name=name)
    return found


def _grant(key: ApiKey, upstream: Upstream) -> CaptureGrant | CaptureRefusal:
    base_url = base_url_of(upstream)
    if not base_url:
        # A preset of a later release, changed there.
        return CaptureRefusal.UNKNOWN_UPSTREAM
    return CaptureGrant(
        team_id=key.team_id,
        key_id=key.pk,
        upstream=upstream.name,
        base_url=base_url,
        is_local=upstream.is_local,
        sites=tuple(upstream.sites),
        sample_percent=upstream.sample_percent,
        keeps_other=upstream.keeps_other,
        is_paused=key.paused_at is not None,
        max_streams=key.max_streams,
        session=key.session,
    )


def base_url_of(upstream: Upstream) -> str:
    """Empty for a row about a preset that there is not."""
    preset = PRESETS.get(upstream.name)
    return upstream.base_url or (preset.base_url if preset else "")
