"""How fast one asker may go: per key; per address for keys that are none, and for votes.

Counted in each web process on its own and in bounded memory: nothing is asked of a database for
it, and nobody is stopped because another process forgot. A key that is in use is never refused for
the failures of its neighbours at the same address.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from django.conf import settings
from django.http import HttpRequest

from api.refusal import Refusal
from inspector.teams.tries import network_of

BURST_SECONDS = 2.0
"""What was not used for so long may be used at once."""
REMEMBERED = 10_000
FAILURES_BURST_SECONDS = 30.0
VOTES_BURST_SECONDS = 30.0


@dataclass(slots=True)
class Buckets:
    """A bucket of tokens per asker, filled at a steady rate; the longest unused is forgotten."""

    burst_seconds: float
    clock: Callable[[], float] = time.monotonic
    _filled: OrderedDict[object, tuple[float, float]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def wait(self, who: object, per_second: float) -> float:
        """Takes a token. 0: go on; else the seconds until there is one."""
        full = max(1.0, per_second * self.burst_seconds)
        with self._lock:
            now = self.clock()
            tokens, at = self._filled.pop(who, (full, now))
            tokens = min(full, tokens + (now - at) * per_second)
            wait = 0.0 if tokens >= 1 else (1 - tokens) / per_second
            self._filled[who] = (tokens - 1 if wait == 0 else tokens, now)
            if len(self._filled) > REMEMBERED:
                self._filled.popitem(last=False)
        return wait


_keys = Buckets(BURST_SECONDS)
_voters = Buckets(VOTES_BURST_SECONDS)
_voted_on = Buckets(BURST_SECONDS)
_failures = Buckets(FAILURES_BURST_SECONDS)


def count_key(key_id: int | None) -> None:
    if settings.REQUESTS_PER_SECOND is not None:
        _refuse(_keys.wait(key_id, settings.REQUESTS_PER_SECOND), "this key asks")


def count_failure(request: HttpRequest) -> None:
    if settings.FAILED_KEYS_PER_SECOND is not None:
        wait = _failures.wait(_address(request), settings.FAILED_KEYS_PER_SECOND)
        _refuse(wait, "this address asks without a key that is in use")


def count_voter(request: HttpRequest) -> None:
    """Whoever has one address of IPv6 has all of its network."""
    if settings.VOTES_PER_SECOND is not None:
        wait = _voters.wait(network_of(_address(request)), settings.VOTES_PER_SECOND)
        _refuse(wait, "this address votes or asks")


def count_voted_on(team_id: int | None) -> None:
    """All that is sent to one team, whoever sends it; what names no team is counted together."""
    if settings.TEAM_VOTES_PER_SECOND is not None:
        wait = _voted_on.wait(team_id, settings.TEAM_VOTES_PER_SECOND)
        _refuse(wait, "this team is voted on")


def _refuse(wait: float, who: str) -> None:
    if wait:
        message = f"{who} more often than it may; Retry-After says when to go on"
        raise Refusal(429, "too_many_requests", message, math.ceil(wait))


def _address(request: HttpRequest) -> str:
    """Behind nginx, which overwrites what a client says of itself, its header is the address."""
    own = str(request.META.get("REMOTE_ADDR", ""))
    return own if settings.IS_EMBEDDED else str(request.META.get("HTTP_X_REAL_IP", own))
