"""Refuses what a sender uploads while its other uploads have half of what a process can do."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from api.middleware import GetResponse, refusal_in_time
from inspector.web.turns import OVER_SHARE

SENTENCE = (
    "other uploads of this sender are still worked on; Retry-After says when to send it again"
)
RETRY_SECONDS = 1


def refuse_over_share(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponse:
        if OVER_SHARE not in request.META:
            return get_response(request)
        return refusal_in_time(request, 429, "too_many_uploads", SENTENCE, RETRY_SECONDS)

    return middleware
