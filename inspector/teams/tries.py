"""How often passwords may be tried, so that nobody guesses one and nobody is locked out.

Counted per name and per address. A browser that signed in before is counted on its own, so that
a stranger who tries an owner's name does not shut out the owner; and links that sign in need no
password. Names and addresses are hashed into a fixed number of slots: no amount of tries makes
the table grow, and an answer is the same whether a name exists or not.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from inspector.peers import network_of
from inspector.teams.models import Tries

WINDOW = timedelta(minutes=15)
SLOTS = 8192
PER_NAME = 10
PER_ADDRESS = 50
PER_BROWSER = 10


@dataclass(frozen=True, slots=True)
class Count:
    slot: int
    limit: int


@dataclass(frozen=True, slots=True)
class Asker:
    """Whose tries are counted together. ``own`` is forgiven at the first right password."""

    own: Count
    shared: Count | None = None

    @property
    def counts(self) -> list[Count]:
        both = [self.own, self.shared] if self.shared else [self.own]
        return sorted(both, key=lambda count: count.slot)


def asker(name: str, address: str, browser: str | None = None) -> Asker:
    """``browser``: what tells a browser that signed in by this name before from all others."""
    if browser is not None:
        return Asker(_count(2, browser, PER_BROWSER))
    return Asker(
        _count(0, one_spelling(name), PER_NAME), _count(1, network_of(address), PER_ADDRESS)
    )


def begin(who: Asker) -> int | None:
    """Counts a try before it is made, for many may come at once.

    None: go on. Else the seconds to wait; what is refused is not counted, so a wait ends.
    """
    now = timezone.now()
    with transaction.atomic():
        rows = [(count, _row(count, now)) for count in who.counts]
        waits = [_wait(row, now) for count, row in rows if row.count >= count.limit]
        if not waits:
            for _, row in rows:
                row.count += 1
                row.save()
    return max(waits, default=None)


def was_right(who: Asker) -> None:
    Tries.objects.filter(slot=who.own.slot).update(count=0)
    if who.shared:
        # Not forgiven: an account of one's own must not buy tries at those of others.
        with transaction.atomic():
            row = _row(who.shared, timezone.now())
            row.count = max(0, row.count - 1)
            row.save()


def one_spelling(name: str) -> str:
    """The form undoes spaces and odd letters before it looks for a name."""
    spelled = unicodedata.normalize("NFKC", name).strip().casefold()
    return spelled.encode("utf-8", "replace").decode()


def _count(kind: int, value: str, limit: int) -> Count:
    # Keyed, so that nobody can look for a name that shares a slot with another.
    digest = salted_hmac("inspector.teams.tries", f"{kind}:{value}").digest()
    return Count(kind * SLOTS + int.from_bytes(digest[:8], "big") % SLOTS, limit)


def _row(count: Count, now: datetime) -> Tries:
    row, _ = Tries.objects.select_for_update().get_or_create(
        slot=count.slot, defaults={"since": now}
    )
    if row.since <= now - WINDOW:
        row.since, row.count = now, 0
    return row


def _wait(row: Tries, now: datetime) -> int:
    return max(1, int((row.since + WINDOW - now).total_seconds()) + 1)
