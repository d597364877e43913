"""The audit trail of a team: who did what from where, written in the transaction of the act and
shown to owners. An entry names people, keys, roles, sites, upstreams, models and captures. It holds
no secret, nothing from a payload, and no unknown user name from a failed sign-in: that may be a
password typed into the wrong field. The sweep seals entries into chains (``audit_chain``).
"""

import time
from collections.abc import Iterable
from enum import StrEnum

from inspector.teams import audit_chain
from inspector.teams.access import Principal
from inspector.teams.models import FAILED_SIGN_IN, AuditEntry, Membership, User
from inspector.teams.names import COMMAND, actor_name, name_of_user

EVERY_SECONDS = 3600.0
"""Entries are kept by days, and looking goes over the chains of all teams."""
NOBODY_KNOWN = "a name that is nobody's"

_due_at = 0.0


class Act(StrEnum):
    """An act of somebody, by the code that the audit log stores."""

    SIGNED_IN = "signed_in"
    SIGN_IN_FAILED = FAILED_SIGN_IN
    PASSWORD_SET = "password_set"
    SESSIONS_ENDED = "sessions_ended"
    NAME_CHANGED = "name_changed"
    LINK_MADE = "link_made"
    OWNER_MADE = "owner_made"
    INVITED = "invited"
    INVITATION_WITHDRAWN = "invitation_withdrawn"
    JOINED = "joined"
    ROLE_CHANGED = "role_changed"
    MEMBER_REMOVED = "member_removed"
    LEFT = "left"
    TEAM_RENAMED = "team_renamed"
    KEY_MADE = "key_made"
    KEY_REVOKED = "key_revoked"
    KEY_PAUSED = "key_paused"
    KEY_RESUMED = "key_resumed"
    KEY_LIMITED = "key_limited"
    UPSTREAM_ADDED = "upstream_added"
    UPSTREAM_CHANGED = "upstream_changed"
    UPSTREAM_TURNED_OFF = "upstream_turned_off"
    UPSTREAM_TURNED_ON = "upstream_turned_on"
    UPSTREAM_REMOVED = "upstream_removed"
    CAPTURE_DELETED = "capture_deleted"
    CAPTURES_DELETED = "captures_deleted"
    RETENTION_ADDED = "retention_added"
    RETENTION_ON = "retention_on"
    RETENTION_OFF = "retention_off"
    RETENTION_REMOVED = "retention_removed"
    RETENTION_DELETED = "retention_deleted"
    REDACTION_ADDED = "redaction_added"
    REDACTION_ON = "redaction_on"
    REDACTION_OFF = "redaction_off"
    REDACTION_REMOVED = "redaction_removed"
    CAPTURES_REDACTED = "captures_redacted"
    CREDENTIALS_CLEANED = "credentials_cleaned"
    EXPORT_REQUESTED = "export_requested"
    EXPORT_DOWNLOADED = "export_downloaded"
    EXPORT_DELETED = "export_deleted"
    SHARE_MADE = "share_made"
    SHARE_REVOKED = "share_revoked"
    SITE_LISTED = "site_listed"
    SITE_REMOVED = "site_removed"
    FEEDBACK_KEY_REPLACED = "feedback_key_replaced"
    FEEDBACK_KEYS_REVOKED = "feedback_keys_revoked"
    PRICE_SET = "price_set"
    PRICE_ENDED = "price_ended"
    AUDIT_CHANGED = "audit_changed"
    AUDIT_EXPORTED = "audit_exported"


def note(by: Principal, team_id: int, act: Act, on: str = "") -> None:
    """Record an act of a principal, in the transaction of the act."""
    _write([team_id], actor_name(by), act, on, by.network)


def note_person(user: User, act: Act, on: str = "", network: str | None = None) -> None:
    """Record an act about a person in each team that they belong to."""
    _write(_teams_of(user.username), name_of_user(user), act, on, network)


def note_command(team_ids: Iterable[int], act: Act, on: str) -> None:
    _write(team_ids, COMMAND, act, on, None)


def note_rule(team_id: int, rule: str, act: Act, on: str) -> None:
    """Record what the program did by a rule that people of the team made."""
    _write([team_id], rule, act, on, None)


def note_link(user: User) -> None:
    note_command(_teams_of(user.username), Act.LINK_MADE, name_of_user(user))


def note_failure(name: str, network: str) -> None:
    """Costs the same whether there is somebody of this name or not."""
    teams = _teams_of(name)
    by = f"user {name}" if teams else NOBODY_KNOWN
    _write(teams, by, Act.SIGN_IN_FAILED, "", network)


def forget_old() -> None:
    """Delete entries past their retention time; does nothing if called again within an hour."""
    global _due_at
    if time.monotonic() >= _due_at:
        audit_chain.forget_old()
        _due_at = time.monotonic() + EVERY_SECONDS


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
