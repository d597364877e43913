"""Streamable HTTP without sessions: a POST is one message, and its answer is the response.

Nothing is ever sent on its own, so there is no stream to open (GET) and no session to end (DELETE).
"""

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError
from api.authentication import principal_of
from api.body import media_type, read_within
from api.cross_origin import page_origin
from api.responses import json_bytes_response
from inspector.core.json.encoding import encode_json
from inspector.mcp.messages import RoutingHeaders, reply_to

MAX_MESSAGE_BYTES = 64 * 1024
"""One message, which is a question: a query, an id, a note of 4,000 characters."""


class McpEndpoint(APIView):
    # The protocol describes itself; it is no part of the OpenAPI document.
    schema = None

    def post(self, request: Request) -> HttpResponse:
        asked = request._request
        # A page of another origin that was led here by a name of its own (DNS rebinding).
        if page_origin(asked) is not None:
            raise ApiError(403, "origin_refused", "pages of other origins may not ask here")
        if media_type(asked) != "application/json":
            raise ApiError(415, "not_json", "send one JSON-RPC message as application/json")
        body = read_within(asked, MAX_MESSAGE_BYTES, _message_too_large)
        headers = RoutingHeaders(
            asked.headers.get("MCP-Protocol-Version"),
            asked.headers.get("Mcp-Method"),
            asked.headers.get("Mcp-Name"),
        )
        reply = reply_to(body, headers, principal_of(request))
        if reply.body is None:
            return HttpResponse(status=reply.status)
        return json_bytes_response(encode_json(reply.body), reply.status)


def _message_too_large() -> ApiError:
    return ApiError(413, "body_too_large", f"a message has up to {MAX_MESSAGE_BYTES} bytes")
