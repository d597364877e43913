"""Drift events of a period, each with its statistical test."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from api.authentication import principal_of
from api.openapi.operations import usage as operations
from api.query_params import read_query_params
from api.responses import json_response
from api.schemas import archive
from api.usage import period_of
from inspector.usage.drift.event_list import DriftEventRow, drift_events
from inspector.usage.rollup.tables import period_as_json

MAX_EVENTS = 200


class DriftEndpoint(APIView):
    @operations.show_drift
    def get(self, request: Request) -> HttpResponse:
        asked = read_query_params(request, once=("range", "since", "until"))
        period = period_of(asked)
        found = drift_events(principal_of(request), period, MAX_EVENTS + 1)
        return json_response(
            {
                **period_as_json(period),
                "marks": [drift_event(mark) for mark in found[:MAX_EVENTS]],
                "more": len(found) > MAX_EVENTS,
            }
        )


def drift_event(mark: DriftEventRow) -> dict[str, Any]:
    return {
        "at": archive.timestamp(mark.at),
        "hour": archive.timestamp(mark.start),
        "subject": mark.subject,
        "direction": mark.direction,
        "vendor": mark.vendor,
        "model": mark.model,
        "what": mark.what,
        "is_switch": mark.is_switch,
        "replaces": mark.replaces,
        "streamed": mark.streamed,
        "before": mark.before._asdict(),
        "since": mark.since._asdict(),
        "test": mark.test,
        "captures": [
            {
                "id": str(capture_id),
                "url": archive.capture_url(capture_id),
                "page": archive.page_url(capture_id),
            }
            for capture_id in mark.captures
        ],
    }
