"""Who did what in a team and from where: written with what was done, and shown to owners.

An entry names people, keys, roles, sites, models and captures. No secret stands in it, nothing that
was sent to be kept, and no name that was tried and is nobody's: it may be a password in the wrong
box.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import timedelta
from enum import StrEnum

from django.utils import timezone

from inspector.teams.access import Principal
from inspector.teams.models import FAILED_SIGN_IN, AuditEntry, Membership, User
from inspector.teams.naming import COMMAND, name_of, name_of_user

KEPT = timedelta(days=400)
MOST_FAILED = 10_000
"""Of what anybody can have written down, by trying passwords from many addresses."""
EVERY_SECONDS = 3600.0
NOBODY_KNOWN = "a name that is nobody's"

_due_at = 0.0


class Act(StrEnum):
    """As owners read it, between who did it and what it was done to."""

    SIGNED_IN = "signed in"
    SIGN_IN_FAILED = FAILED_SIGN_IN
    PASSWORD_SET = "set a password"
    SESSIONS_ENDED = "signed out everywhere"
    NAME_CHANGED = "took another name"
    LINK_MADE = "made a sign-in link"
    OWNER_MADE = "made an owner"
    INVITED = "invited somebody"
    INVITATION_WITHDRAWN = "withdrew an invitation"
    JOINED = "joined"
    ROLE_CHANGED = "changed a role"
    MEMBER_REMOVED = "removed a member"
    LEFT = "left"
    TEAM_RENAMED = "renamed the team"
    KEY_MADE = "made a key"
    KEY_REVOKED = "revoked a key"
    CAPTURE_DELETED = "deleted a capture"
    SITE_LISTED = "listed a site"
    SITE_REMOVED = "removed a site"
    FEEDBACK_KEY_REPLACED = "let another feedback key sign"
    FEEDBACK_KEYS_REVOKED = "revoked all feedback keys"
    ROOM_OPENED = "began to keep votes that wait"
    ROOM_CLOSED = "ended keeping votes that wait"
    VOTES_FORGOTTEN = "forgot votes that waited"
    PRICE_SET = "set a price"
    PRICE_ENDED = "ended a price"


def note(by: Principal, team_id: int, act: Act, on: str = "") -> None:
    """In the transaction of the act, so that neither is there without the other."""
    _write([team_id], name_of(by), act, on, by.network)


def note_person(user: User, act: Act, on: str = "", network: str | None = None) -> None:
    """What is of no single team stands in each that they belong to."""
    _write(_teams_of(user.username), name_of_user(user), act, on, network)


def note_command(team_ids: Iterable[int], act: Act, on: str) -> None:
    _write(team_ids, COMMAND, act, on, None)


def note_link(user: User) -> None:
    note_command(_teams_of(user.username), Act.LINK_MADE, name_of_user(user))


def note_failure(name: str, network: str) -> None:
    """Costs the same whether there is somebody of this name or not."""
    teams = _teams_of(name)
    by = f"user {name}" if teams else NOBODY_KNOWN
    _write(teams, by, Act.SIGN_IN_FAILED, "", network)


def forget_old() -> None:
    """Once in an hour, however often it is asked."""
    global _due_at
    if time.monotonic() >= _due_at:
        AuditEntry.objects.filter(at__lt=timezone.now() - KEPT).delete()
        _forget_failures()
        _due_at = time.monotonic() + EVERY_SECONDS


def _forget_failures() -> None:
    failures = AuditEntry.objects.filter(act=FAILED_SIGN_IN).order_by("-pk")
    beyond = failures.values_list("pk", flat=True)[MOST_FAILED : MOST_FAILED + 1].first()
    if beyond is not None:
        failures.filter(pk__lte=beyond).delete()


def _teams_of(name: str) -> list[int]:
    found = Membership.objects.filter(user__username=name)
    return list(found.values_list("team", flat=True))


def _write(team_ids: Iterable[int], by: str, act: Act, on: str, network: str | None) -> None:
    # What happens in no team is written, too: an answer must not take longer for a member's name.
    teams: list[int | None] = [*team_ids] or [None]
    AuditEntry.objects.bulk_create(
        AuditEntry(team_id=team_id, by=by[:200], act=act, on=on[:200], network=network)
        for team_id in teams
    )
