"""The description of the API: for programs, and as a page with nothing from another host."""

from functools import cache
from typing import Any

from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt

from api.openapi.components import components
from api.openapi.paths import described_methods, paths
from api.responses import json_response
from inspector.teams.guards import open_to_all

SUBJECTS = {
    "captures": "Store, list and read captures",
    "inspection": "Analyse a response without storing it",
    "exports": "A query's captures as one file",
    "feedback": "Votes on choices, and the tokens that allow them",
    "receipts": "What is kept of deleted captures",
    "redaction": "What is overwritten as it arrives or afterwards",
    "retention": "What is deleted by itself and when",
    "service": "The installation: limits, versions, health",
    "sessions": "Calls that belong together, turn by turn",
    "shares": "Links to captures for readers without an account",
    "telemetry": "Spans of OpenTelemetry, which tell of responses",
    "usage": "Sums over captures, drift and prices",
    "views": "Saved views: lists of captures under a name",
}


@cache
def document() -> dict[str, Any]:
    methods = list(described_methods())
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "Response Inspector",
            "version": "v1",
            "description": (
                "Keeps LLM completion responses byte for byte, takes them apart, checks them."
            ),
        },
        "paths": paths(methods),
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            "schemas": components(each.operation for each in methods),
        },
        "servers": [{"url": settings.ORIGIN}],
        "tags": [{"name": name, "description": text} for name, text in SUBJECTS.items()],
    }


@csrf_exempt
@open_to_all
def openapi_document(request: HttpRequest) -> HttpResponse:
    return json_response(document())


# The page's own signs are pictures inside its style sheet.
@csp_update({"img-src": ["data:"]})
@open_to_all
def docs_page(request: HttpRequest) -> HttpResponse:
    return render(request, "api/docs.html")
