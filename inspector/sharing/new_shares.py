"""A capture frozen as it is read now, behind a new link."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from inspector.archive import queries
from inspector.archive.member_types import Moment
from inspector.archive.opened import OpenedCapture
from inspector.archive.queries import BodyState
from inspector.archive.storage.compression import compressed
from inspector.sharing.document.document import RenderedDocument, render_document
from inspector.sharing.models import Share, ShareDocument
from inspector.sharing.share_status import ShareStatus, share_words
from inspector.sharing.terms import ShareTerms
from inspector.sharing.visible_shares import find_share, is_open, visible_shares
from inspector.teams.access import EXPORT, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name
from inspector.teams.secret import hash_of, new_secret

MAX_LIVE_SHARES = 20
"""Of one capture: each has a document of its own."""


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


def share_capture(
    principal: Principal, capture_id: UUID, terms: ShareTerms
) -> NewShare | NoShare | None:
    """None where the principal may share no such capture. Raises ``ReadingError``."""
    captures = queries.for_principal(principal, EXPORT)
    opened = captures.opened(capture_id, with_evidence=True)
    if opened is None or not principal.is_authenticated:
        return None
    expires_at = timezone.now() + terms.life
    # Before the transaction: a large answer takes seconds to read and to draw, and for as long
    # nobody else could write to SQLite.
    document = render_document(opened, terms.withheld, principal.asker, expires_at)
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
        live = visible_shares(principal).filter(is_open(), capture=capture_id)
        if live.count() >= MAX_LIVE_SHARES:
            return NoShare.TOO_MANY
        made = _store(principal, opened, terms, expires_at, hash_of(token), document)
        note(principal, made.team_id, Act.SHARE_MADE, share_words(made))
    return tell_share(principal, made, token)


def tell_share(principal: Principal, made: Share, token: str) -> NewShare | None:
    # The token is told here and stored nowhere: who reads the database opens no link.
    status = find_share(principal, made.pk)
    return NewShare(status, f"/shared/{token}/") if status else None


def store_share(
    principal: Principal,
    team_id: int,
    terms: ShareTerms,
    expires_at: Moment,
    sha256: str,
    analysis_version: int,
    **shown: Any,
) -> Share:
    """``shown``: the columns that say what is in its document."""
    return Share.objects.create(
        team_id=team_id,
        sha256=sha256,
        maker_id=principal.user_id,
        key_id=principal.key_id,
        made_by=actor_name(principal)[:200],
        created_at=timezone.now(),
        expires_at=expires_at,
        max_views=terms.max_views,
        without_prompt=terms.withheld.prompt,
        without_texts=terms.withheld.texts,
        masked_passages=len(terms.withheld.passages),
        analysis_version=analysis_version,
        **shown,
    )


def _store(
    principal: Principal,
    opened: OpenedCapture,
    terms: ShareTerms,
    expires_at: Moment,
    sha256: str,
    document: RenderedDocument,
) -> Share:
    team = principal.team(opened.team_slug)
    assert team is not None, "a capture of it was opened"
    version = document.analysis_version
    share = store_share(
        principal, team.id, terms, expires_at, sha256, version, capture_id=opened.row.id
    )
    content = compressed(document.html)
    ShareDocument.objects.create(share=share, content=content, policy=document.policy)
    return share
