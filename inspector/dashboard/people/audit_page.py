"""The audit log of a team: one line per action."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from inspector.teams.audit import Act
from inspector.teams.queries import AuditRow

ACT_WORDS: Mapping[str, str] = {
    Act.SIGNED_IN: "signed in",
    Act.SIGN_IN_FAILED: "tried a wrong password",
    Act.PASSWORD_SET: "set a password",
    Act.SESSIONS_ENDED: "signed out everywhere",
    Act.NAME_CHANGED: "took another name",
    Act.LINK_MADE: "made a sign-in link",
    Act.OWNER_MADE: "made an owner",
    Act.INVITED: "invited somebody",
    Act.INVITATION_WITHDRAWN: "withdrew an invitation",
    Act.JOINED: "joined",
    Act.ROLE_CHANGED: "changed a role",
    Act.MEMBER_REMOVED: "removed a member",
    Act.LEFT: "left",
    Act.TEAM_RENAMED: "renamed the team",
    Act.KEY_MADE: "made a key",
    Act.KEY_REVOKED: "revoked a key",
    Act.CAPTURE_DELETED: "deleted a capture",
    Act.SITE_LISTED: "listed a site",
    Act.SITE_REMOVED: "removed a site",
    Act.FEEDBACK_KEY_REPLACED: "let another feedback key sign",
    Act.FEEDBACK_KEYS_REVOKED: "revoked all feedback keys",
    Act.ROOM_OPENED: "began to keep votes that wait",
    Act.ROOM_CLOSED: "ended keeping votes that wait",
    Act.VOTES_FORGOTTEN: "forgot votes that waited",
    Act.PRICE_SET: "set a price",
    Act.PRICE_ENDED: "ended a price",
}
"""Words between the actor and the object of the action."""


@dataclass(frozen=True, slots=True)
class AuditLine:
    """``network`` is None for a command run on this machine."""

    at: datetime
    by: str
    act: str
    on: str
    network: str | None


def audit_line(row: AuditRow) -> AuditLine:
    return AuditLine(row.at, row.by, ACT_WORDS.get(row.act, row.act), row.on, row.network)
