"""Opening a share by its token: whoever has it is a principal that sees what the share shows."""

from contextlib import suppress

from django.conf import settings
from django.db import OperationalError
from django.db.models import F
from django.utils import timezone

from inspector.database import lock_wait
from inspector.sharing.models import Share
from inspector.sharing.visible_shares import is_open
from inspector.teams.access import EXPORT, Principal, ShareAccess, holds_scope
from inspector.teams.secret import hash_of
from inspector.web.token_buckets import TokenBuckets

BURST_SECONDS = 30.0
"""A page asks for a dozen parts at once, and people open several."""

_openers = TokenBuckets(BURST_SECONDS)


def seconds_to_wait(network: str) -> float:
    """Count a page that a network opens, or a guess of its; 0 where it may go on."""
    if settings.SHARES_PER_SECOND is None:
        return 0.0
    return _openers.wait(network, settings.SHARES_PER_SECOND)


def open_share(token: str, network: str) -> Principal | None:
    """None for every token that opens nothing, whatever the reason."""
    # One look-up by the hash answers all of these alike.
    held = Share.objects.filter(is_open(), holds_scope(EXPORT), sha256=hash_of(token))
    found = held.first()
    if found is None:
        return None
    access = ShareAccess(
        id=found.pk,
        team_id=found.team_id,
        capture=found.capture_id,
        query=found.query,
        made_at=found.created_at,
        expires_at=found.expires_at,
        has_prompt=not found.without_prompt,
    )
    return Principal(share=access, network=network)


def count_view(share: ShareAccess) -> None:
    # A busy database must not turn a reader away for the sake of a count.
    now, opened = timezone.now(), Share.objects.filter(pk=share.id)
    with suppress(OperationalError), lock_wait.brief_lock_wait():
        opened.update(views=F("views") + 1, last_viewed_at=now)
