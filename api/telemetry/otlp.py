"""Shared parts of requests by OTLP over HTTP: encodings, partial success, errors as a Status."""

import json
from typing import Any

import msgspec
from django.http import HttpResponse
from rest_framework.request import Request

from api.api_error import ApiError
from api.body import media_type, read_body
from api.endpoint import Endpoint
from api.operation import ResponseBody
from inspector.transfer.telemetry import protobuf

JSON, PROTOBUF = "application/json", "application/x-protobuf"
CODES = {400: 3, 401: 16, 403: 7, 404: 5, 413: 8, 429: 8, 503: 14}
"""Codes of google.rpc for statuses of HTTP; 13 (internal) and 3 (invalid) for the others."""


class OtlpStatus(msgspec.Struct, frozen=True):
    """An error, with the code that gRPC has for it (Status of google.rpc, which OTLP asks for)."""

    code: int
    message: str


OTLP_ERROR = ResponseBody("an error as OTLP has it", OtlpStatus, (JSON, PROTOBUF))


class OtlpEndpoint(Endpoint):
    """Its errors are a Status in the encoding of the request."""

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        found = super().finalize_response(request, response, *args, **kwargs)
        if found.status_code >= 400:
            _write_status(found, media_type(request._request))
        return found


def read_otlp(request: Request) -> tuple[str, bytes]:
    """Return the encoding of a request, and its body."""
    kind = media_type(request._request)
    if kind not in (JSON, PROTOBUF):
        raise ApiError(415, "unknown_content_type", f"send {PROTOBUF} or {JSON}")
    return kind, read_body(request._request)


def otlp_answer(kind: str, member: str, rejected: int = 0, message: str = "") -> HttpResponse:
    """``member`` is what JSON calls the number of those that were rejected."""
    if kind == PROTOBUF:
        return HttpResponse(protobuf.answer_of(rejected, message), content_type=PROTOBUF)
    partial = {member: str(rejected), "errorMessage": message}
    told = {"partialSuccess": partial} if rejected else {}
    return HttpResponse(json.dumps(told), content_type=JSON)


def _write_status(response: HttpResponse, kind: str) -> None:
    error = json.loads(response.content)["error"]
    message = f"{error['message']} ({error['code']})"
    code = CODES.get(response.status_code, 13 if response.status_code >= 500 else 3)
    if kind == PROTOBUF:
        response.content, response["Content-Type"] = protobuf.status_of(code, message), PROTOBUF
    else:
        response.content = json.dumps({"code": code, "message": message})
