"""An analysis for the asking: nothing is stored."""

from __future__ import annotations

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from api import shapes
from api.answers import answer
from api.arrival import arrival_of
from api.openapi.operations import captures as operations
from api.parameters import parameters
from inspector.core.reading import analyze


class Inspect(APIView):
    @operations.inspect
    def post(self, request: Request) -> HttpResponse:
        arrival = arrival_of(request._request, parameters(request, once=("dialect",)))
        return answer(shapes.of_read(analyze(arrival.exchange)))
