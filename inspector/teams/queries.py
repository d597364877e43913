"""The only access to a team's members, invitations and keys for reading."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from inspector.teams.access import CAPTURE, MANAGE, OWN, READ, Principal
from inspector.teams.audit_filters import AuditFilters
from inspector.teams.models import MAX_STREAMS, ApiKey, AuditEntry, Invitation, Membership

EVERYTHING = AuditFilters()
# Entries of the audit trail on one page.
ENTRIES = 50
HAS_MAKER_LEFT = Q(maker_id__isnull=False) & ~Exists(
    Membership.objects.filter(user=OuterRef("maker_id"), team=OuterRef("team"))
)


@dataclass(frozen=True, slots=True)
class TeamMember:
    id: int
    name: str
    role: str
    is_you: bool


@dataclass(frozen=True, slots=True)
class OpenInvitation:
    id: int
    role: str
    made_by: str
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class TeamApiKey:
    """A key as lists show it: its prefix, never the key."""

    id: int
    name: str
    prefix: str
    scopes: tuple[str, ...]
    created_at: datetime
    made_by: str | None
    has_maker_left: bool
    """Whether its maker is no member any more; it works all the same."""
    last_used_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None
    is_expired: bool
    paused_at: datetime | None
    """Since then its calls pass the proxy unrecorded."""
    max_streams: int
    origins: tuple[str, ...]
    """Origins of pages that send with it; empty for other keys."""

    @property
    def may_capture(self) -> bool:
        return CAPTURE in self.scopes

    @property
    def has_own_limit(self) -> bool:
        return self.may_capture and self.max_streams != MAX_STREAMS and not self.is_dead

    @property
    def is_dead(self) -> bool:
        return self.revoked_at is not None or self.is_expired


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One entry of the audit trail, with names as they were. ``network`` None: this machine."""

    by: str
    act: str
    """A code of ``audit.Act``, or of a later release."""
    on: str
    network: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class AuditPage:
    """A page of entries, the newest first; ``older`` leads to the next one."""

    entries: tuple[AuditRow, ...]
    older: int | None


def for_principal(principal: Principal) -> Teams:
    return Teams(principal)


@dataclass(frozen=True, slots=True)
class Teams:
    """The teams of one principal, as far as their roles reach; others' are missing."""

    principal: Principal

    def members(self, slug: str) -> tuple[TeamMember, ...]:
        found = Membership.objects.filter(team__in=self._ids(slug, READ))
        ordered = found.select_related("user").order_by("user__username")
        return tuple(map(self._member, ordered))

    def invitations(self, slug: str) -> tuple[OpenInvitation, ...]:
        found = Invitation.objects.filter(
            team__in=self._ids(slug, MANAGE),
            used_at=None,
            withdrawn_at=None,
            expires_at__gt=timezone.now(),
        )
        return tuple(map(_invitation, found.select_related("made_by").order_by("expires_at", "pk")))

    def keys(self, slug: str) -> tuple[TeamApiKey, ...]:
        """Return the keys of a team, active ones first."""
        found = ApiKey.objects.filter(team__in=self._ids(slug, MANAGE))
        found = found.annotate(has_maker_left=HAS_MAKER_LEFT).order_by("-pk")
        return tuple(sorted(map(_key, found), key=lambda key: key.is_dead))

    def trail(
        self, slug: str, before: int | None = None, filters: AuditFilters = EVERYTHING
    ) -> AuditPage:
        theirs = AuditEntry.objects.filter(team__in=self._ids(slug, OWN)).order_by("-pk")
        found = filters.narrow(theirs)
        if before is not None:
            found = found.filter(pk__lt=before)
        rows = list(found[: ENTRIES + 1])
        page = rows[:ENTRIES]
        entries = tuple(AuditRow(row.by, row.act, row.on, row.network, row.at) for row in page)
        return AuditPage(entries, page[-1].pk if len(rows) > ENTRIES else None)

    def _ids(self, slug: str, scope: str) -> list[int]:
        within = self.principal.within(slug)
        return within.team_ids(scope) if within else []

    def _member(self, membership: Membership) -> TeamMember:
        return TeamMember(
            id=membership.pk,
            name=membership.user.username,
            role=membership.role,
            is_you=membership.user_id == self.principal.user_id,
        )


def _invitation(invitation: Invitation) -> OpenInvitation:
    return OpenInvitation(
        id=invitation.pk,
        role=invitation.role,
        made_by=invitation.made_by.username,
        created_at=invitation.created_at,
        expires_at=invitation.expires_at,
    )


def _key(key: Any) -> TeamApiKey:
    return TeamApiKey(
        id=key.pk,
        name=key.name,
        prefix=key.prefix,
        scopes=tuple(key.scopes),
        created_at=key.created_at,
        made_by=key.made_by,
        has_maker_left=key.has_maker_left,
        last_used_at=key.last_used_at,
        expires_at=key.expires_at,
        revoked_at=key.revoked_at,
        is_expired=key.expires_at is not None and key.expires_at <= timezone.now(),
        paused_at=key.paused_at,
        max_streams=key.max_streams,
        origins=tuple(key.origins),
    )
