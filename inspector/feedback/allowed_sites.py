"""The sites from whose pages browsers may vote for a team's responses."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from inspector.feedback.models import Site
from inspector.teams.access import MANAGE, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name
from inspector.web.site_origin import ORIGIN_CHARACTERS, origin_of

# Sites of one team.
MOST = 100


@dataclass(frozen=True, slots=True)
class AllowedSite:
    id: int
    origin: str
    made_at: datetime
    made_by: str


def allowed_origins(principal: Principal) -> tuple[AllowedSite, ...]:
    """Return the sites of the teams that the principal manages."""
    found = Site.objects.filter(team__in=principal.team_ids(MANAGE)).order_by("origin")
    return tuple(AllowedSite(s.pk, s.origin, s.made_at, s.made_by) for s in found)


def is_allowed(team_id: int | None, origin: str) -> bool:
    if team_id is None or len(origin) > ORIGIN_CHARACTERS or not origin.isascii():
        return False
    return Site.objects.filter(team=team_id, origin=origin).exists()


def allow_site(principal: Principal, text: str) -> bool:
    """Allow votes from a site.

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
    made = Site(team_id=managed[0], origin=origin, made_by=actor_name(principal))
    with transaction.atomic():
        # Of two who list one site at once one makes the row; for the other it is listed, too.
        Site.objects.bulk_create([made], ignore_conflicts=True)
        note(principal, managed[0], Act.SITE_LISTED, origin)
    return True


def disallow_site(principal: Principal, site_id: int) -> bool:
    """Remove a site. Returns False where the principal manages no such site."""
    with transaction.atomic():
        theirs = Site.objects.filter(pk=site_id, team__in=principal.team_ids(MANAGE))
        # Held, so that of two who remove a site at once one notes it in the audit log.
        site = theirs.select_for_update().first()
        if site is not None:
            note(principal, site.team_id, Act.SITE_REMOVED, site.origin)
            site.delete()
    return site is not None
