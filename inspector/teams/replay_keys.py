"""Keys that have stored answers replayed: what one of them may do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from inspector.teams import access
from inspector.teams.access import REPLAY, Principal
from inspector.teams.models import ApiKey, Upstream


class ReplayKeyRefusal(StrEnum):
    """Why a key may replay nothing."""

    UNKNOWN_KEY = "unknown_key"
    KEY_MAY_NOT_REPLAY = "key_may_not_replay"


@dataclass(frozen=True, slots=True)
class ReplayGrant:
    """The right of a key to have captures of its team replayed."""

    principal: Principal
    key_id: int
    max_streams: int
    """Replays of this key that may be open at once."""


def find_replay_grant(key_sha256: str) -> ReplayGrant | ReplayKeyRefusal:
    """Looked up anew each time, so that a revocation holds at once."""
    principal = access.for_key_sha256(key_sha256)
    if principal is None or principal.key_id is None:
        return ReplayKeyRefusal.UNKNOWN_KEY
    if not principal.may(REPLAY):
        return ReplayKeyRefusal.KEY_MAY_NOT_REPLAY
    found = ApiKey.objects.filter(pk=principal.key_id).values_list("max_streams", flat=True)
    return ReplayGrant(principal, principal.key_id, found.get())


def may_read(grant: ReplayGrant, origin: str) -> bool:
    """True for a page of a site that may call an upstream of the team: it may read answers, too."""
    listed = Upstream.objects.filter(team__in=grant.principal.team_ids(REPLAY)).exclude(sites=[])
    return any(origin in sites for sites in listed.values_list("sites", flat=True))
