"""JSON that a client may keep and ask again for: its own hash is a strong ETag."""

from __future__ import annotations

import hashlib

from django.http.response import HttpResponseBase
from rest_framework.request import Request

from api.answers import encode, of_json
from inspector.caching import unless_known


def kept(request: Request, value: object) -> HttpResponseBase:
    body = encode(value)
    return unless_known(request._request, etag_of(body), lambda: of_json(body))


def etag_of(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'
