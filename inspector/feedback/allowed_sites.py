"""The sites from whose pages browsers may vote for a team's responses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from django.db import transaction

from inspector.feedback.models import ORIGIN_CHARACTERS, Site
from inspector.teams.access import MANAGE, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name

# Sites of one team.
MOST = 100

_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\]")
_USUAL_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class AllowedSite:
    id: int
    origin: str
    made_at: datetime
    made_by: str


class BadOrigin(ValueError):
    """Why a text is no origin, as a sentence."""


def allowed_origins(principal: Principal) -> tuple[AllowedSite, ...]:
    """The sites of the teams that the principal manages."""
    found = Site.objects.filter(team__in=principal.team_ids(MANAGE)).order_by("origin")
    return tuple(AllowedSite(s.pk, s.origin, s.made_at, s.made_by) for s in found)


def is_allowed(team_id: int | None, origin: str) -> bool:
    if team_id is None or len(origin) > ORIGIN_CHARACTERS or not origin.isascii():
        return False
    return Site.objects.filter(team=team_id, origin=origin).exists()


def allow_site(principal: Principal, text: str) -> bool:
    """Allows votes from a site.

    Returns False where the principal manages no team, or the team has ``MOST`` sites already; a
    site that is listed stays. Raises ``BadOrigin``.
    """
    origin, managed = origin_of(text), principal.team_ids(MANAGE)
    if len(managed) != 1:
        return False
    sites = Site.objects.filter(team=managed[0])
    if sites.filter(origin=origin).exists():
        return True
    if sites.count() >= MOST:
        return False
    made = Site(team_id=managed[0], origin=origin, made_by=actor_name(principal)[:200])
    with transaction.atomic():
        Site.objects.bulk_create([made], ignore_conflicts=True)
        note(principal, managed[0], Act.SITE_LISTED, origin)
    return True


def disallow_site(principal: Principal, site_id: int) -> bool:
    """Removes a site. Returns False where the principal manages no such site."""
    with transaction.atomic():
        theirs = Site.objects.filter(pk=site_id, team__in=principal.team_ids(MANAGE))
        site = theirs.select_for_update().first()
        if site is not None:
            note(principal, site.team_id, Act.SITE_REMOVED, site.origin)
            site.delete()
    return site is not None


def origin_of(text: str) -> str:
    """The origin as browsers send it (RFC 6454): scheme, host, and the port unless it is the
    default, in lower case. Raises ``BadOrigin``.
    """
    text = text.strip()
    # A reader of addresses would pass over line ends and tabs inside.
    if not text.isprintable():
        raise BadOrigin("This is no address of a site.")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise BadOrigin("This is no address of a site.") from error
    if port == 0:
        raise BadOrigin("No site is at port 0.")
    if parts.scheme not in _USUAL_PORTS:
        raise BadOrigin("A site begins with https:// or http://.")
    if parts.path not in ("", "/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise BadOrigin("A site is a scheme and a host, without a path.")
    host = parts.netloc.lower()
    if port is not None:
        host = host.rpartition(":")[0]
    if host.endswith(":") or len(text) > ORIGIN_CHARACTERS or not _HOST.fullmatch(host):
        raise BadOrigin("Write the host as it is: no pattern, international names as xn--…")
    return f"{parts.scheme}://{host}{_port(parts.scheme, port)}"


def _port(scheme: str, port: int | None) -> str:
    return "" if port in (None, _USUAL_PORTS[scheme]) else f":{port}"
