"""Drift events of a period, each with its statistical test."""

from __future__ import annotations

from dataclasses import asdict
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
from inspector.usage.drift.changes import DriftTest
from inspector.usage.drift.event_list import DriftEventRow, drift_events
from inspector.usage.rollup.tables import period_as_json

MAX_EVENTS = 200


class DriftEndpoint(APIView):
    @operations.show_drift
    def get(self, request: Request) -> HttpResponse:
        params = read_query_params(request, once=("range", "since", "until"))
        period = period_of(params)
        found = drift_events(principal_of(request), period, MAX_EVENTS + 1)
        return json_response(
            {
                **period_as_json(period),
                "events": [drift_event(event) for event in found[:MAX_EVENTS]],
                "more": len(found) > MAX_EVENTS,
            }
        )


def drift_event(event: DriftEventRow) -> dict[str, Any]:
    return {
        "at": archive.timestamp(event.at),
        "hour": archive.timestamp(event.start),
        "subject": event.subject,
        "direction": event.direction,
        "vendor": event.vendor,
        "model": event.model,
        "value": event.value,
        "replaces_value": event.replaces_value,
        "replaced_value": event.replaced_value,
        "streamed": event.streamed,
        "before": event.before._asdict(),
        "since": event.since._asdict(),
        "test": drift_test(event.test),
        "replaced_test": drift_test(event.replaced_test) if event.replaced_test else None,
        "captures": [
            {
                "id": str(capture_id),
                "url": archive.capture_url(capture_id),
                "page": archive.page_url(capture_id),
            }
            for capture_id in event.captures
        ],
    }


def drift_test(test: DriftTest) -> dict[str, Any]:
    return {**asdict(test), "before": test.before._asdict(), "since": test.since._asdict()}
