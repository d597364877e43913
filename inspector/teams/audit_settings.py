"""What a team has its audit log do: how long it keeps entries, and whether it notes who reads."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from inspector.teams.access import OWN, Principal
from inspector.teams.audit import Act, note
from inspector.teams.models import AUDIT_DAYS, Team

MIN_DAYS, MAX_DAYS = 90, 3650
"""Not less than a quarter: whoever may change it cannot make traces of last week go."""


@dataclass(frozen=True, slots=True)
class AuditSettings:
    notes_reads: bool = False
    """Who reads a capture stands in the log, once an hour."""
    days: int = AUDIT_DAYS


def settings_of(principal: Principal, slug: str) -> AuditSettings | None:
    """None where the principal is no owner of such a team."""
    team = Team.objects.filter(pk__in=_owned(principal, slug)).first()
    return AuditSettings(team.notes_reads, team.audit_days) if team else None


def change_settings(principal: Principal, slug: str, wanted: AuditSettings) -> bool:
    """False where the principal is no owner of such a team."""
    if not MIN_DAYS <= wanted.days <= MAX_DAYS:
        raise ValueError(f"the audit log keeps {MIN_DAYS} to {MAX_DAYS} days")
    with transaction.atomic():
        team = Team.objects.select_for_update().filter(pk__in=_owned(principal, slug)).first()
        if team is None:
            return False
        if AuditSettings(team.notes_reads, team.audit_days) != wanted:
            team.notes_reads, team.audit_days = wanted.notes_reads, wanted.days
            team.save(update_fields=["notes_reads", "audit_days"])
            note(principal, team.pk, Act.AUDIT_CHANGED, _words(wanted))
    return True


def _owned(principal: Principal, slug: str) -> list[int]:
    within = principal.within(slug)
    return within.team_ids(OWN) if within else []


def _words(settings: AuditSettings) -> str:
    reads = "with" if settings.notes_reads else "without"
    return f"{settings.days} days, {reads} who reads a capture"
