"""Opening a share by its token: whoever has it sees the one document behind it."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import F

from inspector.archive.storage.compression import decompressed
from inspector.sharing.document.collection import assembled
from inspector.sharing.models import Share, ShareDocument, ShareView
from inspector.sharing.visible_shares import is_open
from inspector.teams.access import EXPORT, holds_scope
from inspector.teams.secret import hash_of
from inspector.web.token_buckets import TokenBuckets

BURST_SECONDS = 30.0

_openers = TokenBuckets(BURST_SECONDS)


@dataclass(frozen=True, slots=True)
class OpenedShare:
    """The document, and the policy to send with it."""

    html: bytes
    policy: str


def seconds_to_wait(network: str) -> float:
    """Counts an attempt of a network, whatever it opens; 0 where it may go on."""
    if settings.SHARES_PER_SECOND is None:
        return 0.0
    return _openers.wait(network, settings.SHARES_PER_SECOND)


def open_share(token: str, network: str, is_counted: bool = True) -> OpenedShare | None:
    """Returns the document and counts a view. None for every token that opens nothing, whatever the
    reason: unknown, revoked, expired, used up, or its maker may share nothing any more.
    """
    # One look-up by the hash answers all of these alike, and most guesses take no lock of a writer.
    held = Share.objects.filter(is_open(), holds_scope(EXPORT), sha256=hash_of(token))
    share_id = held.values_list("pk", flat=True).first()
    if share_id is None:
        return None
    with transaction.atomic():
        if is_counted and not _count_view(share_id, network):
            return None
        document = ShareDocument.objects.filter(share=share_id).first()
        if document is None:
            # Revoked since the look-up: its view was not one.
            transaction.set_rollback(True)
            return None
        return OpenedShare(_html_of(document), document.policy)


def _html_of(document: ShareDocument) -> bytes:
    html = decompressed(document.content)
    pieces = document.members.order_by("position").values_list("row", "content")
    members = [(decompressed(row), decompressed(content)) for row, content in pieces]
    return assembled(html, members) if members else html


def _count_view(share_id: int, network: str) -> bool:
    # One conditional update: of several who take the last view together one changes the row.
    still_open = Share.objects.filter(is_open(), pk=share_id)
    if not still_open.update(views=F("views") + 1):
        return False
    ShareView.objects.create(share_id=share_id, network=network[:50])
    return True
