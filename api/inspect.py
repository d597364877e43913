"""An analysis for the asking: nothing is stored."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from api.answers import of_json
from api.arrival import arrival_of
from api.authentication import principal_of
from api.body import WAITED_FOR
from api.openapi.operations import captures as operations
from api.parameters import parameters
from inspector.archive.readers import on_demand, works


class Inspect(APIView):
    @operations.inspect
    def post(self, request: Request) -> HttpResponse:
        asked = parameters(request, once=("dialect",))
        arrival = arrival_of(request._request, asked, WAITED_FOR)
        asker, largest = principal_of(request).asker, settings.MAX_ANSWER_BYTES
        with on_demand.place(arrival.exchange):
            read, _ = on_demand.read(works.answer, arrival.exchange, asker, largest=largest)
        return of_json(read)
