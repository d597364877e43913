"""Shares of a team: made, listed, revoked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

import msgspec
from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, F, Max, Q, QuerySet
from django.utils import timezone

from inspector.archive import queries
from inspector.archive.listing.capture_values import CaptureRow
from inspector.archive.member_types import Count, Moment, codes
from inspector.archive.models import State
from inspector.archive.opened import OpenedCapture
from inspector.archive.queries import BodyState
from inspector.archive.storage.compression import compressed
from inspector.formatting.humanize import plural
from inspector.sharing.document.collection import RenderedCollection, render_collection
from inspector.sharing.document.document import RenderedDocument, render_document
from inspector.sharing.models import (
    Share,
    ShareDocument,
    ShareLayout,
    ShareMember,
    ShareView,
)
from inspector.sharing.terms import ShareTerms
from inspector.teams.access import EXPORT, Principal, holds_scope
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name
from inspector.teams.secret import hash_of, new_secret

MAX_LIVE_SHARES = 20
"""Of one capture: each has a document of its own."""
MAX_LIVE_COLLECTIONS = 100
"""Of one team."""
MAX_CAPTURES = 50
"""In one document."""
COMPARED = range(2, 5)
"""How many captures can be compared."""
LISTED = 200
VIEWS_LISTED = 50


class ShareState(StrEnum):
    """Whether a share can be opened, or the first reason why not, in this order."""

    REVOKED = "revoked"
    EXPIRED = "expired"
    USED_UP = "used-up"
    MAKER_GONE = "maker-gone"
    """Whoever made it may share nothing in the team any more."""
    LIVE = "live"


class ShareStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A share without its token, which nobody has but who was given it."""

    id: int
    layout: Annotated[str, codes(ShareLayout)]
    capture: UUID | None
    """None where it is of several."""
    captures: Count
    """How many it showed when it was made."""
    state: Annotated[str, codes(ShareState)]
    made_by: str
    created_at: Moment
    expires_at: Moment
    revoked_at: Moment | None
    max_views: Count
    views: Count
    last_viewed_at: Moment | None
    without_prompt: bool
    without_texts: bool
    masked_passages: Count
    analysis_version: int

    @property
    def is_live(self) -> bool:
        return self.state == ShareState.LIVE

    @property
    def is_revocable(self) -> bool:
        """One whose maker lost the right to share would open again if they got it back."""
        return self.state in (ShareState.LIVE, ShareState.MAKER_GONE)


@dataclass(frozen=True, slots=True)
class NewShare:
    """``path``, such as ``/shared/<token>/``, is told this once."""

    status: ShareStatus
    path: str


class NoShare(StrEnum):
    """Why a capture that is there was not shared."""

    NOT_INSPECTED = "not-inspected"
    """There is no reading of it that could be frozen; of several: of none of them, or of one that
    was to be compared.
    """
    TOO_MANY = "too-many"
    OTHER_NUMBER = "other-number"
    """More captures than one document has, or fewer or more than are compared."""
    SEVERAL_TEAMS = "several-teams"
    PASSAGE_NOT_FOUND = "passage-not-found"
    """One that was to be masked stands nowhere in the document: spelled otherwise, it would show
    there.
    """


class SharedView(msgspec.Struct, frozen=True):
    """One line of a share's access log: when it was opened, and from which network."""

    at: Moment
    network: str


def for_principal(principal: Principal) -> Shares:
    return Shares(principal)


@dataclass(frozen=True, slots=True)
class Shares:
    """The shares that one principal may see. One of another team is treated as missing."""

    principal: Principal

    def make(self, capture_id: UUID, terms: ShareTerms) -> NewShare | NoShare | None:
        """Freezes a capture as it is read now, behind a new link. None where the principal may
        share no such capture. Raises ``ReadingError``.
        """
        captures = queries.for_principal(self.principal, EXPORT)
        opened = captures.opened(capture_id, with_evidence=True)
        if opened is None or not self.principal.is_authenticated:
            return None
        expires_at = timezone.now() + terms.life
        # Before the transaction: a large answer takes seconds to read and to draw, and for as long
        # nobody else could write to SQLite.
        document = render_document(opened, terms.withheld, self.principal.asker, expires_at)
        if document is None:
            return NoShare.NOT_INSPECTED
        if document.unfound:
            return NoShare.PASSAGE_NOT_FOUND
        token = new_secret()
        with transaction.atomic():
            # Whoever deletes or redacts it meanwhile waits here, and then finds its share; of two
            # who make the last share that may be, one waits for the other.
            if not captures.lock({capture_id: BodyState.of(opened.row)}):
                return None
            if self._live(capture_id).count() >= MAX_LIVE_SHARES:
                return NoShare.TOO_MANY
            made = self._store(opened, terms, expires_at, hash_of(token), document)
            note(self.principal, made.team_id, Act.SHARE_MADE, _named(made))
        # The token is told here and stored nowhere: who reads the database opens no link.
        status = self.one(made.pk)
        return NewShare(status, f"/shared/{token}/") if status else None

    def make_list(
        self, captures: Sequence[UUID], terms: ShareTerms, beyond: int = 0
    ) -> NewShare | NoShare | None:
        """Freezes a list of captures in their order, behind a new link; those without a reading are
        left out. ``beyond``: how many more there were. As ``make_comparison`` otherwise.
        """
        if not 1 <= len(captures) <= MAX_CAPTURES:
            return NoShare.OTHER_NUMBER
        return self._make_collection(ShareLayout.LIST, captures, terms, beyond)

    def make_comparison(
        self, captures: Sequence[UUID], terms: ShareTerms
    ) -> NewShare | NoShare | None:
        """Freezes captures beside each other. None where the principal may not share one of them.
        Raises ``ReadingError``.
        """
        if len(captures) not in COMPARED:
            return NoShare.OTHER_NUMBER
        return self._make_collection(ShareLayout.COMPARISON, captures, terms)

    def _make_collection(
        self, layout: ShareLayout, ids: Sequence[UUID], terms: ShareTerms, beyond: int = 0
    ) -> NewShare | NoShare | None:
        captures = queries.for_principal(self.principal, EXPORT)
        rows = captures.rows_by_id(ids)
        if len(rows) != len(set(ids)) or not self.principal.is_authenticated:
            return None
        readable = [each for each in ids if is_readable(rows[each])]
        if not readable or (layout == ShareLayout.COMPARISON and len(readable) < len(ids)):
            return NoShare.NOT_INSPECTED
        teams = captures.teams_of(readable)
        if len(teams) != 1:
            return NoShare.SEVERAL_TEAMS
        [team_id] = teams
        expires_at = timezone.now() + terms.life
        # Opened one after the other, so that there is the memory of one.
        document = render_collection(
            filter(None, (captures.opened(each, with_evidence=True) for each in readable)),
            len(readable),
            terms.withheld,
            self.principal.asker,
            expires_at,
            is_comparison=layout == ShareLayout.COMPARISON,
            beyond=beyond_words(beyond, len(ids) - len(readable)),
        )
        if document is None:
            return NoShare.NOT_INSPECTED
        if document.unfound:
            return NoShare.PASSAGE_NOT_FOUND
        token = new_secret()
        with transaction.atomic():
            if not captures.lock(_body_states(document, rows)):
                return None
            made = self._keep_collection(team_id, layout, terms, expires_at, token, document)
        if isinstance(made, NoShare):
            return made
        status = self.one(made.pk)
        return NewShare(status, f"/shared/{token}/") if status else None

    def _keep_collection(
        self,
        team_id: int,
        layout: ShareLayout,
        terms: ShareTerms,
        expires_at: datetime,
        token: str,
        document: RenderedCollection,
    ) -> Share | NoShare:
        """Inside the transaction that keeps its captures from being deleted."""
        live = self._rows().filter(is_open(), team=team_id, capture=None)
        if live.count() >= MAX_LIVE_COLLECTIONS:
            return NoShare.TOO_MANY
        made = self._store_share(
            team_id,
            terms,
            expires_at,
            hash_of(token),
            document.analysis_version,
            layout=layout,
            captures=len(document.members),
        )
        _store_members(made, document)
        note(self.principal, team_id, Act.SHARE_MADE, _named(made))
        return made

    def one(self, number: int) -> ShareStatus | None:
        found = self._told().filter(pk=number).first()
        return status_of(found) if found else None

    def of_capture(self, capture_id: UUID) -> tuple[ShareStatus, ...] | None:
        """Newest first; None where the principal may share no such capture."""
        if queries.for_principal(self.principal, EXPORT).is_recording(capture_id) is None:
            return None
        several = ShareMember.objects.filter(capture=capture_id).values("document")
        of_it = Q(capture=capture_id) | Q(pk__in=several)
        found = self._told().filter(of_it).order_by("-id")[:LISTED]
        return tuple(status_of(each) for each in found)

    def recent(self) -> tuple[ShareStatus, ...]:
        """Newest first, of all captures of the teams."""
        return tuple(status_of(each) for each in self._told().order_by("-id")[:LISTED])

    def views(self, number: int) -> tuple[SharedView, ...]:
        """Who opened a share when, the last first."""
        rows = ShareView.objects.filter(share__in=self._rows().filter(pk=number))
        found = rows.order_by("-id").values_list("at", "network")[:VIEWS_LISTED]
        return tuple(SharedView(at, network) for at, network in found)

    def revoke(self, number: int) -> ShareStatus | None:
        """Ends a share at once, and deletes its document. None where the principal sees no such
        share.
        """
        with transaction.atomic():
            rows = self._rows().filter(pk=number)
            share = rows.first()
            if share is None:
                return None
            # Of two who revoke it at once only one changes a row, so the audit log has it once.
            if rows.filter(revoked_at=None).update(revoked_at=timezone.now()):
                ShareDocument.objects.filter(share=share).delete()
                note(self.principal, share.team_id, Act.SHARE_REVOKED, _named(share))
        return self.one(number)

    def captures(self, shares: Collection[ShareStatus]) -> Mapping[UUID, CaptureRow]:
        """The rows of the captures of these shares."""
        ids = {share.capture for share in shares if share.capture}
        rows = queries.for_principal(self.principal, EXPORT).rows(ids)
        return {row.id: row for row in rows}

    def _store(
        self,
        opened: OpenedCapture,
        terms: ShareTerms,
        expires_at: Moment,
        sha256: str,
        document: RenderedDocument,
    ) -> Share:
        team = self.principal.team(opened.team_slug)
        assert team is not None, "a capture of it was opened"
        share = self._store_share(
            team.id,
            terms,
            expires_at,
            sha256,
            document.analysis_version,
            capture_id=opened.row.id,
        )
        content = compressed(document.html)
        ShareDocument.objects.create(share=share, content=content, policy=document.policy)
        return share

    def _store_share(
        self,
        team_id: int,
        terms: ShareTerms,
        expires_at: Moment,
        sha256: str,
        analysis_version: int,
        **shown: Any,
    ) -> Share:
        return Share.objects.create(
            team_id=team_id,
            sha256=sha256,
            maker_id=self.principal.user_id,
            key_id=self.principal.key_id,
            made_by=actor_name(self.principal)[:200],
            created_at=timezone.now(),
            expires_at=expires_at,
            max_views=terms.max_views,
            without_prompt=terms.withheld.prompt,
            without_texts=terms.withheld.texts,
            masked_passages=len(terms.withheld.passages),
            analysis_version=analysis_version,
            **shown,
        )

    def _live(self, capture_id: UUID) -> QuerySet[Share]:
        return self._rows().filter(is_open(), capture=capture_id)

    def _told(self) -> QuerySet[Share]:
        """With what a status tells beside the columns."""
        held = ExpressionWrapper(holds_scope(EXPORT), output_field=BooleanField())
        return self._rows().annotate(last_viewed_at=Max("view_log__at")).annotate(is_held=held)

    def _rows(self) -> QuerySet[Share]:
        return Share.objects.filter(team__in=self.principal.team_ids(EXPORT))


def is_open() -> Q:
    """Selects shares that are neither revoked, expired nor used up."""
    return Q(revoked_at=None, expires_at__gt=timezone.now(), views__lt=F("max_views"))


def delete_with(capture_ids: Collection[UUID]) -> Mapping[str, int]:
    """Deletes the shares of captures, and takes these out of those of several, within the
    transaction that deletes them. Counts all that led to one.
    """
    members = ShareMember.objects.filter(capture__in=capture_ids)
    several = set(members.values_list("document", flat=True))
    members.delete()
    shares = Share.objects.filter(capture__in=capture_ids)
    count = shares.count()
    if count:
        shares.delete()
    if several:
        empty = Share.objects.filter(pk__in=several, document__members=None)
        empty.delete()
    return {"shares": count + len(several)}


def is_readable(row: CaptureRow) -> bool:
    return row.state == State.INSPECTED and row.body_deleted_at is None


def beyond_words(beyond: int, unread: int) -> str:
    """What of a list is not in its document; empty where all is."""
    parts = []
    if beyond:
        parts.append(f"{plural(beyond, 'capture')} of the list beyond the first {MAX_CAPTURES}")
    if unread:
        parts.append(f"{plural(unread, 'capture')} without a reading")
    return f"{' and '.join(parts)}." if parts else ""


def _body_states(
    document: RenderedCollection, rows: Mapping[UUID, CaptureRow]
) -> dict[UUID, BodyState]:
    return {each.capture: BodyState.of(rows[each.capture]) for each in document.members}


def _store_members(share: Share, collection: RenderedCollection) -> None:
    document = ShareDocument.objects.create(
        share=share, content=compressed(collection.html), policy=collection.policy
    )
    ShareMember.objects.bulk_create(
        ShareMember(
            document=document,
            capture_id=each.capture,
            position=position,
            row=compressed(each.row),
            content=compressed(each.content),
        )
        for position, each in enumerate(collection.members)
    )


def status_of(share: Share) -> ShareStatus:
    return ShareStatus(
        id=share.pk,
        layout=share.layout,
        capture=share.capture_id,
        captures=share.captures,
        state=_state_of(share),
        made_by=share.made_by,
        created_at=share.created_at,
        expires_at=share.expires_at,
        revoked_at=share.revoked_at,
        max_views=share.max_views,
        views=share.views,
        last_viewed_at=getattr(share, "last_viewed_at", None),
        without_prompt=share.without_prompt,
        without_texts=share.without_texts,
        masked_passages=share.masked_passages,
        analysis_version=share.analysis_version,
    )


def _state_of(share: Share) -> ShareState:
    if share.revoked_at is not None:
        return ShareState.REVOKED
    if share.expires_at <= timezone.now():
        return ShareState.EXPIRED
    if share.views >= share.max_views:
        return ShareState.USED_UP
    return ShareState.LIVE if getattr(share, "is_held", True) else ShareState.MAKER_GONE


def _named(share: Share) -> str:
    if share.capture_id is None:
        return f"link {share.pk} to {plural(share.captures, 'capture')}"
    return f"link {share.pk} to capture {share.capture_id}"
