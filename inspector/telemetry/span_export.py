"""Sends the spans of captures to the collector, in the order in which they were inspected, each at
least once. A step posts once.

What waits is a row, added in the transaction of the first inspection: a cursor over arrivals would
pass captures that are inspected late, and a queue in memory is lost with its process. The ids of a
span are made of the capture's, so that a span that is sent twice is the same. The collector's
address is the installation's: a team that could name one could have our network asked.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F
from google.protobuf.message import DecodeError
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from inspector.archive.inspection.inspected_captures import inspected_captures
from inspector.logs.json_log import fields
from inspector.telemetry.capture_span import capture_span
from inspector.telemetry.export_turns import ExportTurn, end_turn, put_off, take_turn
from inspector.telemetry.models import OutboxSpan
from inspector.telemetry.otlp_http import OneTry, PostOutcome, PostResult, exporter_options

PATH = "/v1/traces"
SPANS_AT_ONCE = 100

_LOGGER = logging.getLogger(__name__)


def step(is_stopped: Callable[[], bool]) -> bool:
    """True if spans were taken, and more may wait."""
    if not settings.OTLP_ENDPOINT or is_stopped() or not OutboxSpan.objects.exists():
        return False
    turn = take_turn()
    return turn is not None and _send(turn)


def _send(turn: ExportTurn) -> bool:
    waiting = OutboxSpan.objects.order_by("pk").values_list("pk", "capture_id")
    rows = list(waiting[: 1 if turn.alone else SPANS_AT_ONCE])
    result = _exported([capture for _, capture in rows])
    if result.outcome is PostOutcome.LATER:
        _LOGGER.warning("the collector takes no spans: %s", result.reason)
        put_off(turn, result)
        return False
    if result.outcome is PostOutcome.REFUSED and len(rows) > 1:
        # One of them may be at fault, and costs no other.
        end_turn(turn, alone=len(rows))
        return True
    refused = len(rows) if result.outcome is PostOutcome.REFUSED else _rejected(result.answer)
    _finish(turn, rows, min(refused, len(rows)), result.reason)
    return True


def _exported(capture_ids: Sequence[UUID]) -> PostResult:
    """In their order; captures that are gone are left out."""
    found = {each.id: each for each in inspected_captures(capture_ids, settings.OTLP_WITH_TEXTS)}
    spans = [capture_span(found[each]) for each in capture_ids if each in found]
    with OneTry() as session:
        OTLPSpanExporter(**exporter_options(PATH, session)).export(spans)
        return session.result


def _rejected(answer: bytes) -> int:
    """Spans that the collector took note of and did not keep; it is not asked again."""
    try:
        told = ExportTraceServiceResponse.FromString(answer)
    except DecodeError:
        return 0
    return max(int(told.partial_success.rejected_spans), 0)


def _finish(turn: ExportTurn, rows: Sequence[tuple[int, UUID]], refused: int, reason: str) -> None:
    if refused:
        _LOGGER.warning("the collector refused spans", extra=fields(spans=refused, why=reason))
    with transaction.atomic():
        OutboxSpan.objects.filter(pk__in=[number for number, _ in rows]).delete()
        end_turn(
            turn,
            sent=F("sent") + len(rows) - refused,
            refused=F("refused") + refused,
            alone=max(turn.alone - 1, 0),
        )
