"""How long a team has its audit log keep entries."""

from django.db import transaction

from inspector.teams.access import OWN, Principal
from inspector.teams.audit import Act, note
from inspector.teams.models import Team

MIN_DAYS, MAX_DAYS = 90, 3650
"""Not less than a quarter: whoever may change it cannot make traces of last week go."""


def audit_days_of(principal: Principal, slug: str) -> int | None:
    """None where the principal is no owner of such a team."""
    owned = Team.objects.filter(pk__in=_owned(principal, slug))
    return owned.values_list("audit_days", flat=True).first()


def change_audit_days(principal: Principal, slug: str, days: int) -> bool:
    """Return False where the principal is no owner of such a team."""
    if not MIN_DAYS <= days <= MAX_DAYS:
        raise ValueError(f"the audit log keeps {MIN_DAYS} to {MAX_DAYS} days")
    with transaction.atomic():
        # Of two owners who change it at once, the second is compared with what the first set.
        team = Team.objects.select_for_update().filter(pk__in=_owned(principal, slug)).first()
        if team is None:
            return False
        if team.audit_days != days:
            team.audit_days = days
            team.save(update_fields=["audit_days"])
            note(principal, team.pk, Act.AUDIT_CHANGED, f"{days} days")
    return True


def _owned(principal: Principal, slug: str) -> list[int]:
    within = principal.within(slug)
    return within.team_ids(OWN) if within else []
