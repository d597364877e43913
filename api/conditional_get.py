"""JSON that a client may keep and ask again for: its own hash is a strong ETag."""

from __future__ import annotations

import hashlib

from django.http.response import HttpResponseBase
from rest_framework.request import Request

from api.responses import encode_json, json_bytes_response
from inspector.web.cache_headers import unless_known


def json_with_etag(request: Request, value: object) -> HttpResponseBase:
    body = encode_json(value)
    return unless_known(request._request, etag_of(body), lambda: json_bytes_response(body))


def etag_of(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'
