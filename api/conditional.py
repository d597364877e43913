"""Answers that a client may keep and ask again for: strong ETags, and 304 where nothing changed.

A client asks again every time (``no-cache``): what was deleted, or is no longer theirs, is gone at
once. An ETag is compared only after the capture was found for this asker.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework.request import Request

from api.answers import encode, of_json

CACHE_CONTROL = "private, no-cache"


def kept(request: Request, value: object) -> HttpResponseBase:
    """As JSON; its own hash is its ETag."""
    body = encode(value)
    return unless_known(request, etag_of(body), lambda: of_json(body))


def unless_known(request: Request, etag: str, make: Callable[[], HttpResponse]) -> HttpResponseBase:
    headers = {"ETag": etag, "Cache-Control": CACHE_CONTROL}
    bare = HttpResponse(headers=headers)
    found = get_conditional_response(request._request, etag, response=bare)
    if found is not None and found is not bare:
        return found
    response = make()
    for name, value in headers.items():
        response[name] = value
    return response


def etag_of(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'
