"""The Content-Security-Policy of every answer."""

from __future__ import annotations

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.http import HttpRequest
from django.http.response import HttpResponseBase

ASKED = ("_csp_update", "_csp_replace", "_csp_config", "_csp_exempt")
"""How the library's decorators say on an answer that it needs a policy of its own."""


class BuiltOnce(CSPMiddleware):
    """The library builds the same header anew for each answer: a tenth of what accepting costs."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if any(hasattr(response, name) for name in ASKED):
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, _POLICY)
        return response


_POLICY = build_policy()
