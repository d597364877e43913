"""Shares of a team: made, listed, revoked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from inspector.archive import queries
from inspector.archive.listing.capture_values import CaptureRow
from inspector.archive.listing.filter_params import FilterParams
from inspector.sharing.models import Share
from inspector.sharing.share_status import ShareStatus, share_words, status_of
from inspector.sharing.visible_shares import is_open, visible_shares
from inspector.teams import accounts
from inspector.teams.access import EXPORT, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name
from inspector.teams.secret import hash_of, new_secret

LISTED = 200
"""The newest; a team with more finds others on the page of each capture."""
LEAST_SECONDS, MOST_SECONDS = 60, 365 * 24 * 3600
"""A minute to a year: what is shared for ever is forgotten, and stays open."""
USUAL_DAYS = 7
USUAL_SECONDS = USUAL_DAYS * 24 * 3600
MAX_LIVE_SHARES = 20
"""Live shares of one capture: who was given it stays in sight."""
MAX_LIVE_LISTS = 100
"""Live shares of lists of one team."""


class NoShare(StrEnum):
    """Why no link was made."""

    MISSING = "missing"
    """The principal may share no such capture, or nothing in this team."""
    TOO_MANY = "too-many"


@dataclass(frozen=True, slots=True)
class ShareTerms:
    """For how long a link can be opened, and what it leaves out."""

    life: timedelta = timedelta(seconds=USUAL_SECONDS)
    without_prompt: bool = True


@dataclass(frozen=True, slots=True)
class NewShare:
    """``path``, such as ``/shared/<token>/``, is told this once."""

    status: ShareStatus
    path: str


def for_principal(principal: Principal) -> Shares:
    return Shares(principal)


@dataclass(frozen=True, slots=True)
class Shares:
    """The shares that one principal may see. One of another team is treated as missing."""

    principal: Principal

    def one(self, number: int) -> ShareStatus | None:
        found = visible_shares(self.principal).filter(pk=number).first()
        return status_of(found) if found else None

    def of_capture(self, capture_id: UUID) -> tuple[ShareStatus, ...] | None:
        """Newest first; None where the principal may share no such capture."""
        if queries.for_principal(self.principal, EXPORT).is_recording(capture_id) is None:
            return None
        found = visible_shares(self.principal).filter(capture=capture_id)
        return tuple(status_of(each) for each in found.order_by("-id")[:LISTED])

    def recent(self) -> tuple[ShareStatus, ...]:
        """Newest first, of all captures and lists of the teams."""
        found = visible_shares(self.principal).order_by("-id")[:LISTED]
        return tuple(status_of(each) for each in found)

    def captures(self, shares: Collection[ShareStatus]) -> Mapping[UUID, CaptureRow]:
        """Return the rows of the captures of these shares."""
        ids = {share.capture for share in shares if share.capture}
        return queries.for_principal(self.principal, EXPORT).rows_by_id(ids)

    def share_capture(self, capture_id: UUID, terms: ShareTerms) -> NewShare | NoShare:
        """Make a link to a capture, whatever its state: it shows what is there."""
        team_ids = queries.for_principal(self.principal, EXPORT).teams_of([capture_id])
        if not team_ids:
            return NoShare.MISSING
        return self._make(team_ids.pop(), MAX_LIVE_SHARES, terms, capture_id=capture_id)

    def share_list(self, conditions: FilterParams, terms: ShareTerms) -> NewShare | NoShare:
        """Make a link to a query's list as of now. The principal is in one team."""
        team_ids, query = self.principal.team_ids(EXPORT), conditions.text
        if len(team_ids) != 1:
            return NoShare.MISSING
        return self._make(team_ids[0], MAX_LIVE_LISTS, terms, capture_id=None, query=query)

    def revoke(self, number: int) -> ShareStatus | None:
        """End a share at once. None where the principal sees no such share."""
        with transaction.atomic():
            rows = visible_shares(self.principal).filter(pk=number)
            share = rows.first()
            if share is None:
                return None
            # Of two who revoke it at once only one changes a row, so the audit log has it once.
            if Share.objects.filter(pk=number, revoked_at=None).update(revoked_at=timezone.now()):
                note(self.principal, share.team_id, Act.SHARE_REVOKED, share_words(share))
        return self.one(number)

    def _make(self, team_id: int, most: int, terms: ShareTerms, **shown: Any) -> NewShare | NoShare:
        if not self.principal.is_authenticated:
            return NoShare.MISSING
        token, now = new_secret(), timezone.now()
        with transaction.atomic():
            # Of two who make the last share that may be, one waits for the other.
            accounts.lock_team(team_id)
            like = Share.objects.filter(is_open(), team=team_id, capture=shown["capture_id"])
            if like.count() >= most:
                return NoShare.TOO_MANY
            made = Share.objects.create(
                team_id=team_id,
                sha256=hash_of(token),
                maker_id=self.principal.user_id,
                key_id=self.principal.key_id,
                made_by=actor_name(self.principal),
                created_at=now,
                expires_at=now + terms.life,
                without_prompt=terms.without_prompt,
                **shown,
            )
            note(self.principal, team_id, Act.SHARE_MADE, share_words(made))
        # The token is told here and stored nowhere: who reads the database opens no link.
        return NewShare(status_of(made), f"/shared/{token}/")
