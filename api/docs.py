"""The description of the API: for programs, and as a page with nothing from another host."""

from functools import cache
from typing import Any

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import get_resolver
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator

from api.openapi.components import Schema, components
from api.openapi.view_schema import describe, plain_operation
from api.operations import ENDPOINTS, TAG_TEXTS, service
from api.responses import json_response
from inspector.teams.guards import open_to_all
from inspector.teams.route_check import routes


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "api.authentication.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> Schema:
        return {"type": "http", "scheme": "bearer"}


@cache
def document() -> dict[str, Any]:
    found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return found


def describe_views(endpoints: Any) -> Any:
    """Import all views and say of each what its endpoint declares, before they are looked at."""
    declared = {endpoint.route: endpoint for endpoint in ENDPOINTS}
    for route in routes(get_resolver().url_patterns):
        if route.view_class is not None and route.name in declared:
            describe(declared[route.name], route.view_class)
    return endpoints


def complete(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add what no view of the framework answers, health, the schemas and the tags."""
    for endpoint in (service.LIVEZ, service.READYZ):
        result["paths"][f"/{endpoint.path}"] = {
            each.method.lower(): plain_operation(endpoint, each) for each in endpoint.operations
        }
    result["components"]["schemas"] = components()
    result["tags"] = [{"name": name, "description": text} for name, text in TAG_TEXTS.items()]
    return result


@csrf_exempt
@open_to_all
def openapi_document(request: HttpRequest) -> HttpResponse:
    return json_response(document())


# The page's own signs are pictures inside its style sheet.
@csp_update({"img-src": ["data:"]})
@open_to_all
def docs_page(request: HttpRequest) -> HttpResponse:
    return render(request, "api/docs.html")
