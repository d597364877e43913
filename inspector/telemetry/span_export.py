"""Sends the spans of captures to the collector, in the order in which they were inspected, each at
least once. A step posts once.

What waits is a row, added in the transaction of the first inspection: a cursor over arrivals would
pass captures that are inspected late, and a queue in memory is lost with its process. The ids of a
span are made of the capture's, so that a span that is sent twice is the same. The collector's
address is the installation's: a team that could name one could have our network asked.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from inspector.archive.inspection.inspected_captures import inspected_captures
from inspector.core.decoded_types import built
from inspector.logs.json_log import fields
from inspector.telemetry.models import OutboxSpan
from inspector.telemetry.post_result import PostOutcome, PostResult
from inspector.work import queries as work
from inspector.work.leases import Leased
from inspector.work.run import Kind

SPANS = "spans"
SPANS_AT_ONCE = 100
"""In one post: a collector takes 20 MiB, if not told otherwise."""
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 5, 300
"""Doubled with each failure: a collector that restarts is found soon, one that is gone seldom."""
MAX_DOUBLINGS = 10
"""Beyond the longest wait in any case; failures may be many, and so would the digits."""

_LOGGER = logging.getLogger(__name__)


class SpansResult(msgspec.Struct, frozen=True):
    """Spans so far; ``alone`` of the next go one by one, because all together were refused."""

    sent: int = 0
    refused: int = 0
    alone: int = 0
    failures: int = 0
    """Tries in a row that failed."""


def waiting() -> QuerySet[OutboxSpan]:
    return OutboxSpan.objects.order_by("pk")


def open_due() -> None:
    if settings.OTLP_ENDPOINT and waiting().exists():
        work.open_standing(SPANS, None)


def step(job: Leased) -> bool:
    """Post once; True where more may wait."""
    before = msgspec.convert(job.row.result, built(SpansResult))
    rows = list(waiting().values_list("pk", "capture_id")[: 1 if before.alone else SPANS_AT_ONCE])
    if not rows or not settings.OTLP_ENDPOINT:
        job.end()
        return False
    answer = _exported([capture for _, capture in rows])
    if answer.outcome is PostOutcome.LATER:
        _put_off(job, before, answer)
        return False
    is_refused = answer.outcome is PostOutcome.REFUSED
    if is_refused and len(rows) > 1:
        # One of them may be at fault, and costs no other.
        return job.advance(0, result=_stored(before, alone=len(rows), failures=0))
    refused = min(len(rows) if is_refused else answer.rejected, len(rows))
    if refused:
        extra = fields(spans=refused, why=answer.reason)
        _LOGGER.warning("the collector refused spans", extra=extra)
    return _finish(job, before, [number for number, _ in rows], refused)


def _put_off(job: Leased, before: SpansResult, answer: PostResult) -> None:
    _LOGGER.warning("the collector takes no spans: %s", answer.reason)
    wait = timedelta(seconds=max(wait_seconds(before.failures), answer.retry_after or 0))
    job.rest(wait, result=_stored(before, failures=before.failures + 1), error=answer.reason[:200])


def wait_seconds(failures: int) -> int:
    """After so many tries that failed before this one."""
    return int(min(FIRST_WAIT_SECONDS << min(failures, MAX_DOUBLINGS), LONGEST_WAIT_SECONDS))


def _stored(before: SpansResult, **changes: int) -> dict[str, int]:
    found: dict[str, int] = msgspec.to_builtins(msgspec.structs.replace(before, **changes))
    return found


def _exported(capture_ids: Sequence[UUID]) -> PostResult:
    """In their order; captures that are gone are left out."""
    # Most installations have no collector, and its exporter is 180 modules.
    from inspector.telemetry.capture_span import capture_span
    from inspector.telemetry.otlp_http import post_spans

    found = {each.id: each for each in inspected_captures(capture_ids, settings.OTLP_WITH_TEXTS)}
    return post_spans([capture_span(found[each]) for each in capture_ids if each in found])


def _finish(job: Leased, before: SpansResult, numbers: Sequence[int], refused: int) -> bool:
    result = _stored(
        before,
        sent=before.sent + len(numbers) - refused,
        refused=before.refused + refused,
        alone=max(before.alone - 1, 0),
        failures=0,
    )
    with transaction.atomic():
        if not job.advance(len(numbers), result=result):
            return False
        OutboxSpan.objects.filter(pk__in=numbers).delete()
    return True


KIND = Kind(SPANS, step, open_due=open_due)
