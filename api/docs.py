"""The description of the API: for programs, and as a page with nothing from another host."""

from __future__ import annotations

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt

from api.answers import answer
from api.openapi.document import document
from inspector.teams.doors import open_to_all


@csrf_exempt
@open_to_all
def schema(request: HttpRequest) -> HttpResponse:
    return answer(document())


# The page's own signs are pictures inside its style sheet.
@csp_update({"img-src": ["data:"]})
@open_to_all
def docs(request: HttpRequest) -> HttpResponse:
    return render(request, "api/docs.html")
