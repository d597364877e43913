"""Links a recorded call to the failed one that it repeats: the same request of the same key, sent
again within a minute after that one ended.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.db.models import Q

from inspector.archive.models import Capture, Evidence
from inspector.archive.storage import evidence
from inspector.core.wire.exchange import Request, TransportOutcome

WITHIN = timedelta(seconds=60)
CLOCKS_APART = timedelta(hours=1)
"""How far the proxy's clock may be ahead of the database's."""
MAX_CANDIDATES = 10
"""Failed calls of one key and request that are looked at, newest first."""
FAILED_OUTCOMES = (
    TransportOutcome.CLIENT_CANCELLED,
    TransportOutcome.UPSTREAM_ERROR,
    TransportOutcome.UPSTREAM_TIMEOUT,
    TransportOutcome.RECORDER_STOPPED,
)
_FAILED = Q(status_code__gte=400) | Q(outcome__in=FAILED_OUTCOMES)


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call that failed, and when it began and ended."""

    id: UUID
    key_id: int | None
    request_sha256: str
    started_at: datetime
    ended_at: datetime


def request_digest(request: Request | None) -> str | None:
    """SHA-256 of method, path and body; None where they are not known, or the body not to its end.
    A URL that differs in its query alone is the same call.
    """
    if request is None or request.body is None or request.url is None:
        return None
    if request.total_bytes is not None:
        return None
    path = urlsplit(request.url).path
    head = f"{request.method} {path}\n".encode(errors="surrogateescape")
    return hashlib.sha256(head + request.body).hexdigest()


def link(team_id: int, new: Sequence[tuple[Capture, Evidence]]) -> None:
    """Set ``retry_of`` on rows that are about to be inserted; a call may repeat one of them."""
    captures = [capture for capture, _ in new if capture.request_sha256 is not None]
    if not captures:
        return
    failed = [*_stored(team_id, captures), *_among(new)]
    for capture in captures:
        capture.retry_of = _call_repeated(capture, failed)


def _call_repeated(capture: Capture, failed: Iterable[FailedCall]) -> UUID | None:
    """Return the failed call that a call repeats."""

    def is_repeated(call: FailedCall) -> bool:
        # A call that was still open then ran beside this one.
        return (
            (call.key_id, call.request_sha256) == (capture.key_id, capture.request_sha256)
            and call.id != capture.pk
            and call.started_at < _start(capture)
            and timedelta(0) <= _start(capture) - call.ended_at <= WITHIN
        )

    found = max(filter(is_repeated, failed), key=lambda call: call.ended_at, default=None)
    return found.id if found else None


def _stored(team_id: int, captures: Sequence[Capture]) -> Iterator[FailedCall]:
    starts = [_start(capture) for capture in captures]
    # ``finished_at`` is of the database's clock, all else of the proxy's. It only leaves out what
    # is long over; which call is repeated is decided by the proxy's clock alone.
    since = min(starts) - WITHIN - CLOCKS_APART
    ended = Capture.objects.filter(_FAILED, team=team_id, finished_at__gte=since)
    candidates = ended.filter(started_at__lt=max(starts))
    # Most calls repeat none: one statement for all of them says so.
    keys = {capture.key_id for capture in captures}
    digests = {str(capture.request_sha256) for capture in captures}
    found = candidates.filter(key__in=keys, request_sha256__in=digests).order_by()
    for key_id, digest in found.values_list("key", "request_sha256").distinct():
        newest = candidates.filter(key=key_id, request_sha256=digest).order_by("-started_at")
        yield from _failed_calls(newest[:MAX_CANDIDATES])


def _failed_calls(captures: Iterable[Capture]) -> Iterator[FailedCall]:
    calls = {capture.pk: capture for capture in captures}
    for packed in Evidence.objects.filter(pk__in=calls).defer("body"):
        yield _failed_call(calls[packed.pk], packed)


def _among(new: Collection[tuple[Capture, Evidence]]) -> Iterator[FailedCall]:
    for capture, packed in new:
        if capture.request_sha256 is not None and _has_failed(capture):
            yield _failed_call(capture, packed)


def _has_failed(capture: Capture) -> bool:
    return (capture.status_code or 0) >= 400 or capture.outcome in FAILED_OUTCOMES


def _failed_call(capture: Capture, packed: Evidence) -> FailedCall:
    ended_at_us = evidence.unpack_surroundings(packed.surroundings).ended_at_us
    if ended_at_us is None:
        # The recorder stopped before: the last read is the latest that is known.
        times = evidence.unpack_boundaries(packed.reads).at_us
        ended_at_us = times[-1] if times else 0
    lasted = timedelta(microseconds=ended_at_us or 0)
    return FailedCall(
        id=capture.pk,
        key_id=capture.key_id,
        request_sha256=str(capture.request_sha256),
        started_at=_start(capture),
        ended_at=_start(capture) + lasted,
    )


def _start(capture: Capture) -> datetime:
    started: Any = capture.started_at
    assert isinstance(started, datetime), "recorded calls have a start"
    return started
