"""Rate limits: per API key, and per address for failed keys and for votes.

Counted in each web process on its own and in bounded memory: no database query is needed, and no
limit depends on what another process counted. What is over its limit raises ``ApiError`` 429. A
valid key is never refused because of failures from the same address.
"""

import math

from django.conf import settings
from django.http import HttpRequest

from api.api_error import ApiError
from inspector.web.client_address import client_network_of
from inspector.web.token_buckets import TokenBuckets

# A bucket that was not used for this long is full.
BURST_SECONDS = 2.0
FAILURES_BURST_SECONDS = 30.0
"""A deployment with a wrong key fails from many processes at once."""
VOTES_BURST_SECONDS = 30.0
"""People behind one address vote at the same time."""
_keys = TokenBuckets(BURST_SECONDS)
_voters = TokenBuckets(VOTES_BURST_SECONDS)
_team_votes = TokenBuckets(BURST_SECONDS)
_failures = TokenBuckets(FAILURES_BURST_SECONDS)


def limit_key_rate(key_id: int | None) -> None:
    if settings.REQUESTS_PER_SECOND is not None:
        _refuse(_keys.wait(key_id, settings.REQUESTS_PER_SECOND), "this key asks")


def limit_failure_rate(request: HttpRequest) -> None:
    if settings.FAILED_KEYS_PER_SECOND is not None:
        wait = _failures.wait(client_network_of(request), settings.FAILED_KEYS_PER_SECOND)
        _refuse(wait, "this address asks without a key that is in use")


def limit_voter_rate(request: HttpRequest) -> None:
    if settings.VOTES_PER_SECOND is not None:
        wait = _voters.wait(client_network_of(request), settings.VOTES_PER_SECOND)
        _refuse(wait, "this address votes or asks")


def limit_team_vote_rate(team_id: int | None) -> None:
    """Count all votes sent to one team by anybody; those to unknown teams together."""
    if settings.TEAM_VOTES_PER_SECOND is not None:
        wait = _team_votes.wait(team_id, settings.TEAM_VOTES_PER_SECOND)
        _refuse(wait, "this team is voted on")


def _refuse(wait: float, who: str) -> None:
    if wait:
        message = f"{who} more often than it may; Retry-After says when to go on"
        raise ApiError(429, "too_many_requests", message, math.ceil(wait))
