"""The description of the API: for programs, and as a page with nothing from another host."""

from __future__ import annotations

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt

from api.openapi.document import document
from api.responses import json_response
from inspector.teams.guards import open_to_all


@csrf_exempt
@open_to_all
def openapi_document(request: HttpRequest) -> HttpResponse:
    return json_response(document())


# The page's own signs are pictures inside its style sheet.
@csp_update({"img-src": ["data:"]})
@open_to_all
def docs_page(request: HttpRequest) -> HttpResponse:
    return render(request, "api/docs.html")
