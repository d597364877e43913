"""Shares of a team: listed, revoked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from inspector.archive import queries
from inspector.archive.listing.capture_values import CaptureRow
from inspector.sharing.models import ShareDocument, ShareMember, ShareView
from inspector.sharing.share_status import SharedView, ShareStatus, share_words, status_of
from inspector.sharing.visible_shares import find_share, told_shares, visible_shares
from inspector.teams.access import EXPORT, Principal
from inspector.teams.audit import Act, note

LISTED = 200
VIEWS_LISTED = 50


def for_principal(principal: Principal) -> Shares:
    return Shares(principal)


@dataclass(frozen=True, slots=True)
class Shares:
    """The shares that one principal may see. One of another team is treated as missing."""

    principal: Principal

    def one(self, number: int) -> ShareStatus | None:
        return find_share(self.principal, number)

    def of_capture(self, capture_id: UUID) -> tuple[ShareStatus, ...] | None:
        """Newest first; None where the principal may share no such capture."""
        if queries.for_principal(self.principal, EXPORT).is_recording(capture_id) is None:
            return None
        several = ShareMember.objects.filter(capture=capture_id).values("document")
        of_it = Q(capture=capture_id) | Q(pk__in=several)
        found = told_shares(self.principal).filter(of_it).order_by("-id")[:LISTED]
        return tuple(status_of(each) for each in found)

    def recent(self) -> tuple[ShareStatus, ...]:
        """Newest first, of all captures of the teams."""
        return tuple(
            status_of(each) for each in told_shares(self.principal).order_by("-id")[:LISTED]
        )

    def views(self, number: int) -> tuple[SharedView, ...]:
        """Who opened a share when, the last first."""
        rows = ShareView.objects.filter(share__in=visible_shares(self.principal).filter(pk=number))
        found = rows.order_by("-id").values_list("at", "network")[:VIEWS_LISTED]
        return tuple(SharedView(at, network) for at, network in found)

    def revoke(self, number: int) -> ShareStatus | None:
        """Ends a share at once, and deletes its document. None where the principal sees no such
        share.
        """
        with transaction.atomic():
            rows = visible_shares(self.principal).filter(pk=number)
            share = rows.first()
            if share is None:
                return None
            # Of two who revoke it at once only one changes a row, so the audit log has it once.
            if rows.filter(revoked_at=None).update(revoked_at=timezone.now()):
                ShareDocument.objects.filter(share=share).delete()
                note(self.principal, share.team_id, Act.SHARE_REVOKED, share_words(share))
        return self.one(number)

    def captures(self, shares: Collection[ShareStatus]) -> Mapping[UUID, CaptureRow]:
        """The rows of the captures of these shares."""
        ids = {share.capture for share in shares if share.capture}
        rows = queries.for_principal(self.principal, EXPORT).rows(ids)
        return {row.id: row for row in rows}
