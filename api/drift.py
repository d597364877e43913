"""What changed in what models answered, in a period; each change with its test."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from api import shapes
from api.answers import answer
from api.authentication import principal_of
from api.openapi.operations import usage as operations
from api.parameters import parameters
from api.usage import period_of
from inspector.usage import queries
from inspector.usage.marked import Marked
from inspector.usage.tables import bounds

MOST_MARKS = 200


class Drift(APIView):
    @operations.show_drift
    def get(self, request: Request) -> HttpResponse:
        asked = parameters(request, once=("range", "since", "until"))
        period = period_of(asked)
        found = queries.for_principal(principal_of(request)).marks(period, MOST_MARKS + 1)
        return answer(
            {
                **bounds(period),
                "marks": [of_mark(mark) for mark in found[:MOST_MARKS]],
                "more": len(found) > MOST_MARKS,
            }
        )


def of_mark(mark: Marked) -> dict[str, Any]:
    return {
        "at": shapes.of_time(mark.at),
        "hour": shapes.of_time(mark.start),
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
            {"id": str(id), "url": shapes.capture_url(id), "page": shapes.page_url(id)}
            for id in mark.captures
        ],
    }
