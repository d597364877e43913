"""A response analysed without being stored."""

import msgspec
from django.conf import settings
from django.http import HttpResponse
from rest_framework.request import Request

from api.arrival import CONTENT_ENCODING, DIALECT, EXCHANGE, read_arrival
from api.authentication import principal_of
from api.body import WAIT_LIMIT
from api.endpoint import Endpoint
from api.operation import ResponseBody, number, operation
from api.query_params import invalid_parameter
from api.responses import json_bytes_response
from inspector.archive.readers import on_demand
from inspector.archive.readers.on_demand import Asker
from inspector.archive.readers.response_json import SubmittedAnalysis, response_json
from inspector.core.pasted.responses import NoSuchPart, part_of, pasted_responses
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.exchange import Exchange


class InspectEndpoint(Endpoint):
    @operation(
        "inspect",
        "analyse a response without storing it",
        ResponseBody("the analysis", SubmittedAnalysis),
        DIALECT,
        number("part", "of a text with several responses read this one, from 1"),
        CONTENT_ENCODING,
        reads=EXCHANGE,
    )
    def post(self, request: Request) -> HttpResponse:
        params = self.params
        principal = principal_of(request)
        exchange = read_arrival(request._request, principal, params, WAIT_LIMIT).exchange
        asker, largest = principal.asker, settings.MAX_ANSWER_BYTES
        if part := params.number("part", 0):
            exchange = part_of_text(exchange, part, asker)
        with on_demand.reserve_reader(exchange):
            read, _ = on_demand.read(response_json, exchange, asker, largest=largest)
        return json_bytes_response(read)


def part_of_text(exchange: Exchange, part: int, asker: Asker) -> Exchange:
    """Return the response with this number of a text that holds several."""
    body = decompressed(exchange).body
    with on_demand.reserve_reader(body):
        found, _ = on_demand.read(pasted_responses, body, asker)
    try:
        text = part_of(body, found, part)
    except NoSuchPart as error:
        raise invalid_parameter("part", f"names none: {error}") from error
    return msgspec.structs.replace(Exchange.of_body(text), dialect=exchange.dialect)
