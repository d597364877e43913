"""Several captures frozen in one document, a list or a comparison, behind a new link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from inspector.archive import queries
from inspector.archive.listing.capture_values import CaptureRow
from inspector.archive.models import State
from inspector.archive.queries import BodyState
from inspector.archive.storage.compression import compressed
from inspector.formatting.humanize import plural
from inspector.sharing.document.collection import RenderedCollection, render_collection
from inspector.sharing.models import Share, ShareDocument, ShareLayout, ShareMember
from inspector.sharing.new_shares import NewShare, NoShare, store_share, tell_share
from inspector.sharing.share_status import share_words
from inspector.sharing.terms import ShareTerms
from inspector.sharing.visible_shares import is_open, visible_shares
from inspector.teams.access import EXPORT, Principal
from inspector.teams.audit import Act, note
from inspector.teams.secret import hash_of, new_secret

MAX_LIVE_COLLECTIONS = 100
"""Of one team."""
MAX_CAPTURES = 50
"""In one document."""
COMPARED = range(2, 5)
"""How many captures can be compared."""


def share_list(
    principal: Principal, captures: Sequence[UUID], terms: ShareTerms, beyond: int = 0
) -> NewShare | NoShare | None:
    """Freezes captures in their order; those without a reading are left out. ``beyond``: how many
    more there were. As ``share_comparison`` otherwise.
    """
    if not 1 <= len(captures) <= MAX_CAPTURES:
        return NoShare.OTHER_NUMBER
    return _share_several(principal, ShareLayout.LIST, captures, terms, beyond)


def share_comparison(
    principal: Principal, captures: Sequence[UUID], terms: ShareTerms
) -> NewShare | NoShare | None:
    """Freezes captures beside each other. None where the principal may not share one of them.
    Raises ``ReadingError``.
    """
    if len(captures) not in COMPARED:
        return NoShare.OTHER_NUMBER
    return _share_several(principal, ShareLayout.COMPARISON, captures, terms)


def _share_several(
    principal: Principal,
    layout: ShareLayout,
    ids: Sequence[UUID],
    terms: ShareTerms,
    beyond: int = 0,
) -> NewShare | NoShare | None:
    captures = queries.for_principal(principal, EXPORT)
    rows = captures.rows_by_id(ids)
    if len(rows) != len(set(ids)) or not principal.is_authenticated:
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
        principal.asker,
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
        made = _store(principal, team_id, layout, terms, expires_at, token, document)
    return made if isinstance(made, NoShare) else tell_share(principal, made, token)


def _store(
    principal: Principal,
    team_id: int,
    layout: ShareLayout,
    terms: ShareTerms,
    expires_at: datetime,
    token: str,
    document: RenderedCollection,
) -> Share | NoShare:
    """Inside the transaction that keeps its captures from being deleted."""
    live = visible_shares(principal).filter(is_open(), team=team_id, capture=None)
    if live.count() >= MAX_LIVE_COLLECTIONS:
        return NoShare.TOO_MANY
    made = store_share(
        principal,
        team_id,
        terms,
        expires_at,
        hash_of(token),
        document.analysis_version,
        layout=layout,
        captures=len(document.members),
    )
    _store_members(made, document)
    note(principal, team_id, Act.SHARE_MADE, share_words(made))
    return made


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
