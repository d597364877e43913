"""How fast one asker may go: per key; per address for keys that are none, and for votes.

Counted in each web process on its own and in bounded memory: nothing is asked of a database for
it, and nobody is stopped because another process forgot. A key that is in use is never refused for
the failures of its neighbours at the same address.
"""

from __future__ import annotations

import math

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from api.refusal import Refusal
from inspector.peers import asker_of
from inspector.teams.buckets import Buckets

BURST_SECONDS = 2.0
"""What was not used for so long may be used at once."""
FAILURES_BURST_SECONDS = 30.0
VOTES_BURST_SECONDS = 30.0


_keys = Buckets(BURST_SECONDS)
_voters = Buckets(VOTES_BURST_SECONDS)
_voted_on = Buckets(BURST_SECONDS)
_failures = Buckets(FAILURES_BURST_SECONDS)


def count_key(key_id: int | None) -> None:
    if settings.REQUESTS_PER_SECOND is not None:
        _refuse(_keys.wait(key_id, settings.REQUESTS_PER_SECOND), "this key asks")


def count_failure(request: HttpRequest) -> None:
    if settings.FAILED_KEYS_PER_SECOND is not None:
        wait = _failures.wait(asker_of(request), settings.FAILED_KEYS_PER_SECOND)
        _refuse(wait, "this address asks without a key that is in use")


def count_voter(request: HttpRequest) -> None:
    if settings.VOTES_PER_SECOND is not None:
        wait = _voters.wait(asker_of(request), settings.VOTES_PER_SECOND)
        _refuse(wait, "this address votes or asks")


def source_of(request: HttpRequest) -> str:
    """Whose votes are counted together where they wait, for a table: no address is kept in it."""
    return salted_hmac("api.rates.source", asker_of(request), algorithm="sha256").hexdigest()


def count_voted_on(team_id: int | None) -> None:
    """All that is sent to one team, whoever sends it; what names no team is counted together."""
    if settings.TEAM_VOTES_PER_SECOND is not None:
        wait = _voted_on.wait(team_id, settings.TEAM_VOTES_PER_SECOND)
        _refuse(wait, "this team is voted on")


def _refuse(wait: float, who: str) -> None:
    if wait:
        message = f"{who} more often than it may; Retry-After says when to go on"
        raise Refusal(429, "too_many_requests", message, math.ceil(wait))
