"""Limits password attempts, so that nobody can guess a password or lock somebody out.

Attempts are counted per name and per address. A browser that has signed in before is counted
separately, so that a stranger trying an owner's name does not lock the owner out; sign-in links
need no password at all. Names and addresses are hashed into a fixed number of slots: the table
cannot grow, and the response does not tell whether a name exists.
"""

import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from inspector.teams.models import Tries
from inspector.web.client_address import network_of

# Limits by name and by address: by name alone anybody could lock out the owner, by address alone
# whoever has many addresses has no limit.
WINDOW = timedelta(minutes=15)
SLOTS = 8192
"""Rows of three kinds; two names of one slot share their attempts."""
PER_NAME = 10
"""In `WINDOW`: a thousand guesses a day, at a password that is no common one."""
PER_ADDRESS = 50
"""A company signs in from one."""
PER_BROWSER = 10


@dataclass(frozen=True, slots=True)
class ThrottleSlot:
    slot: int
    limit: int


@dataclass(frozen=True, slots=True)
class LoginAttempt:
    """The slots that count one attempt. ``own`` is reset by the first right password."""

    own: ThrottleSlot
    shared: ThrottleSlot | None = None

    @property
    def counts(self) -> list[ThrottleSlot]:
        both = [self.own, self.shared] if self.shared else [self.own]
        return sorted(both, key=lambda count: count.slot)


def login_attempt(name: str, address: str, browser: str | None = None) -> LoginAttempt:
    """Return the slots of an attempt. ``browser``: one that signed in by this name before."""
    if browser is not None:
        return LoginAttempt(_throttle_slot(2, browser, PER_BROWSER))
    return LoginAttempt(
        _throttle_slot(0, normalized_name(name), PER_NAME),
        _throttle_slot(1, network_of(address), PER_ADDRESS),
    )


def count_attempt(who: LoginAttempt) -> int | None:
    """Count an attempt before the password is checked, because many may come at once. Returns None
    to go on, else the seconds to wait; refused attempts are not counted, so a wait ends.
    """
    now = timezone.now()
    with transaction.atomic():
        rows = [(count, _counted_row(count, now)) for count in who.counts]
        waits = [_seconds_to_wait(row, now) for count, row in rows if row.count >= count.limit]
        if not waits:
            for _, row in rows:
                row.count += 1
                row.save()
    return max(waits, default=None)


def forgive_attempts(who: LoginAttempt) -> None:
    Tries.objects.filter(slot=who.own.slot).update(count=0)
    if who.shared:
        # Not reset: signing in to one's own account must not allow more attempts at others'.
        with transaction.atomic():
            row = _counted_row(who.shared, timezone.now())
            row.count = max(0, row.count - 1)
            row.save()


def normalized_name(name: str) -> str:
    """Return the form undoes spaces and odd letters before it looks for a name."""
    spelled = unicodedata.normalize("NFKC", name).strip().casefold()
    return spelled.encode("utf-8", "replace").decode()


def _throttle_slot(kind: int, value: str, limit: int) -> ThrottleSlot:
    # Keyed, so that nobody can look for a name that shares a slot with another.
    digest = salted_hmac("inspector.teams.login_throttle", f"{kind}:{value}").digest()
    return ThrottleSlot(kind * SLOTS + int.from_bytes(digest[:8], "big") % SLOTS, limit)


def _counted_row(count: ThrottleSlot, now: datetime) -> Tries:
    # Held until the try is counted: tries that come at once would each find the count of before.
    row, _ = Tries.objects.select_for_update().get_or_create(
        slot=count.slot, defaults={"since": now}
    )
    if row.since <= now - WINDOW:
        row.since, row.count = now, 0
    return row


def _seconds_to_wait(row: Tries, now: datetime) -> int:
    return max(1, int((row.since + WINDOW - now).total_seconds()) + 1)
