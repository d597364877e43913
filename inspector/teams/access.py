"""``Principal``: who makes a request and what they may do. Every query takes one."""

from __future__ import annotations

import hmac
import json
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db import OperationalError, connection
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from inspector.database import lock_wait, statements
from inspector.teams.models import ApiKey, Membership, Role, Team, User
from inspector.teams.secret import hash_of

INGEST = "ingest"
READ = "read"
FEEDBACK = "feedback"
DELETE = "delete"
EXPORT = "export"
TELEMETRY = "telemetry"
# Scopes of keys. A key that sends captures is deployed on every application server; it must not be
# able to delete what it sent.
SCOPES = (INGEST, READ, FEEDBACK, DELETE, EXPORT, TELEMETRY)
CAPTURE = "capture"
# Of keys that stand in addresses: the proxy takes them, nothing else does, so it is the only scope
# of its key.
KEY_SCOPES = (*SCOPES, CAPTURE)

MANAGE = "manage"
# Beyond the scopes of keys: managing keys and members, and the rights of owners.
OWN = "own"

ROLE_SCOPES: dict[str, frozenset[str]] = {
    Role.VIEWER: frozenset({READ}),
    Role.MEMBER: frozenset({INGEST, READ, FEEDBACK, EXPORT, TELEMETRY}),
    Role.ADMIN: frozenset({*SCOPES, MANAGE}),
    Role.OWNER: frozenset({*SCOPES, MANAGE, OWN}),
}
KEY_ROLE = "key"
# The time of a key's last use is coarse: a write for each request would be a commit.
LAST_USED_GRAIN = timedelta(minutes=1)

_KEY = """
    SELECT key.id, key.sha256, key.scopes, coalesce(key.last_used_at > %s, false),
           key.origins, team.id, team.slug, team.name, team.redacts
    FROM teams_apikey AS key JOIN teams_team AS team ON team.id = key.team_id
    WHERE key.sha256 = %s AND key.revoked_at IS NULL
          AND (key.expires_at IS NULL OR key.expires_at > %s)
"""
"""Asked by every request of a program, so it is not put together anew each time."""


@dataclass(frozen=True, slots=True)
class TeamAccess:
    """One team as one principal sees it. ``role`` is that of a membership, or "key"."""

    id: int
    slug: str
    name: str
    role: str
    scopes: frozenset[str]
    redacts: bool


@dataclass(frozen=True, slots=True)
class ShareAccess:
    """The things that one share shows to those who have its link: a capture, or else the list of a
    query as it was when the link was made.
    """

    id: int
    team_id: int
    capture: UUID | None
    query: str | None
    """Query of the list."""
    made_at: datetime
    expires_at: datetime
    has_prompt: bool


@dataclass(frozen=True, slots=True)
class Principal:
    """A person, a key, or whoever has the link of a share; the last is of no team, so that only
    what asks for ``share`` shows them anything.
    """

    teams: tuple[TeamAccess, ...] = ()
    user_id: int | None = None
    key_id: int | None = None
    share: ShareAccess | None = None
    origins: tuple[str, ...] = ()
    """Origins of the pages that the key is for; empty for every other key, and for people."""
    network: str | None = None
    """Network of the client; None for a command on this machine."""

    @property
    def is_authenticated(self) -> bool:
        return self.user_id is not None or self.key_id is not None

    @property
    def asker(self) -> tuple[str, int] | None:
        """Identifies whose requests share one rate limit; None for the owner of the machine."""
        if self.share is not None:
            return "share", self.share.id
        if self.key_id is not None:
            return "key", self.key_id
        return None if self.user_id is None else ("person", self.user_id)

    @property
    def owner_of_uploads(self) -> str:
        """Identifies whose uploads share one part of a web process: those of a team, whichever of
        its keys or members sends them; a person counts for the first of their teams.
        """
        return f"team {self.teams[0].id}" if self.teams else f"person {self.user_id}"

    def team_ids(self, scope: str) -> list[int]:
        return [team.id for team in self.teams if scope in team.scopes]

    def may(self, scope: str) -> bool:
        return bool(self.team_ids(scope))

    def team(self, slug: str) -> TeamAccess | None:
        return next((team for team in self.teams if team.slug == slug), None)

    def within(self, slug: str) -> Principal | None:
        """Return the principal restricted to one team; None where they do not belong to it."""
        team = self.team(slug)
        return replace(self, teams=(team,)) if team else None


NOBODY = Principal()


def for_user(user: User | AnonymousUser) -> Principal:
    if not isinstance(user, User) or not user.is_active:
        return NOBODY
    memberships = user.memberships_found
    if memberships is None:
        joined = Membership.objects.filter(user=user).select_related("team")
        memberships = tuple(joined.order_by("team__slug"))
    teams = tuple(_team_access(m.team, m.role, ROLE_SCOPES[m.role]) for m in memberships)
    return Principal(teams=teams, user_id=user.pk)


def for_key(plain: str) -> Principal | None:
    """Return the principal of a key that works, else None. Not cached: revoking works at once."""
    sha256, now = hash_of(plain), timezone.now()
    as_stored = connection.ops.adapt_datetimefield_value
    with statements.statement_cursor() as cursor:
        cursor.execute(_KEY, [as_stored(now - LAST_USED_GRAIN), sha256, as_stored(now)])
        found = cursor.fetchone()
    if found is None or not hmac.compare_digest(found[1], sha256):
        return None
    key_id, _, scopes, is_noted, origins, team_id, slug, name, redacts = found
    if not is_noted:
        note_use(key_id)
    granted = frozenset(json.loads(scopes))
    team = TeamAccess(team_id, slug, name, KEY_ROLE, granted, bool(redacts))
    return Principal(teams=(team,), key_id=key_id, origins=tuple(json.loads(origins)))


def for_team(slug: str) -> Principal | None:
    """Return the principal of a command run by the owner of the machine, acting in one team."""
    team = Team.objects.filter(slug=slug).first()
    return (
        Principal(teams=(_team_access(team, Role.OWNER, ROLE_SCOPES[Role.OWNER]),))
        if team
        else None
    )


def for_sender(team: Team, key_id: int | None, scope: str) -> Principal:
    """Return the sender of what is stored only now, with the one right that was needed."""
    return Principal((_team_access(team, KEY_ROLE, frozenset({scope})),), key_id=key_id)


def _team_access(team: Team, role: str, scopes: frozenset[str]) -> TeamAccess:
    return TeamAccess(team.pk, team.slug, team.name, role, scopes, team.redacts)


def is_alive(now: datetime) -> Q:
    """Select keys that are neither revoked nor expired."""
    return Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=now))


def holds_scope(scope: str) -> Q:
    """Select rows with ``team``, ``maker`` and ``key`` whose maker has a scope in the team now: a
    person by their role, a key as long as it works. The scopes of a key never change.
    """
    roles = [role for role, scopes in ROLE_SCOPES.items() if scope in scopes]
    members = Membership.objects.filter(role__in=roles, user__is_active=True)
    keys = ApiKey.objects.filter(is_alive(timezone.now()), team=OuterRef("team"))
    member = members.filter(user=OuterRef("maker"), team=OuterRef("team"))
    return Q(Exists(member)) | Q(Exists(keys.filter(pk=OuterRef("key"))))


def note_use(key_id: int) -> None:
    now = timezone.now()
    stale = Q(last_used_at=None) | Q(last_used_at__lte=now - LAST_USED_GRAIN)
    # A busy database must not turn a reader away for the sake of a courtesy, nor keep a sender.
    with suppress(OperationalError), lock_wait.brief_lock_wait():
        ApiKey.objects.filter(stale, pk=key_id).update(last_used_at=now)
