"""Analyses a body without storing it."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from api.arrival import read_arrival
from api.authentication import principal_of
from api.body import WAIT_LIMIT
from api.query_params import read_query_params
from api.responses import json_bytes_response
from inspector.archive.readers import on_demand
from inspector.archive.readers import operations as works


class InspectEndpoint(APIView):
    def post(self, request: Request) -> HttpResponse:
        params = read_query_params(request, once=("dialect",))
        arrival = read_arrival(request._request, params, WAIT_LIMIT)
        asker, largest = principal_of(request).asker, settings.MAX_ANSWER_BYTES
        with on_demand.reserve_reader(arrival.exchange):
            read, _ = on_demand.read(works.response_json, arrival.exchange, asker, largest=largest)
        return json_bytes_response(read)
