"""JSON responses, their ETags, and the one shape of errors."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.metadata import BaseMetadata
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from api.schemas.service import ErrorBody, ErrorDetail
from inspector.core.json.encoding import encode_json
from inspector.logs.json_log import REFUSAL, REQUEST_ID
from inspector.web.cache_headers import unless_known

if TYPE_CHECKING:
    # The framework's views import this module by its name in the settings.
    from rest_framework.views import APIView

__all__ = ["json_response", "encode_json", "error_response", "json_bytes_response"]


class AlwaysJSON(BaseContentNegotiation):
    """Content negotiation: the API always answers in JSON, whatever ``Accept`` says."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> None:
        """Returns None: bodies are read by ``api.body``, never by a parser of the framework."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class MethodsOnly(BaseMetadata):
    """Answers OPTIONS: what the address takes, as ``Allow`` says."""

    def determine_metadata(self, request: Request, view: APIView) -> dict[str, list[str]]:
        return {"methods": view.allowed_methods}


def json_response(body: msgspec.Struct | dict[str, Any], status: int = 200) -> HttpResponse:
    return json_bytes_response(encode_json(body), status)


def json_bytes_response(body: bytes, status: int = 200) -> HttpResponse:
    return HttpResponse(body, status=status, content_type="application/json")


def json_with_etag(request: Request, body: msgspec.Struct) -> HttpResponseBase:
    encoded = encode_json(body)
    return unless_known(request._request, etag_of(encoded), lambda: json_bytes_response(encoded))


def etag_of(body: bytes) -> str:
    """A strong ETag: the body's own hash."""
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'


def error_response(
    request: HttpRequest, status: int, code: str, message: str, retry_after: int | None = None
) -> HttpResponse:
    request.META[REFUSAL] = code
    detail = ErrorDetail(code=code, message=message, request_id=request.META.get(REQUEST_ID, ""))
    response = json_response(ErrorBody(detail), status)
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response
