"""The whole description: made by drf-spectacular from the views, once per process."""

from __future__ import annotations

from functools import cache
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator

from api.openapi.components import Schema, components
from api.openapi.view_schema import plain_operation
from api.operations import captures, feedback, service, usage

TAGS = {
    captures.TAG: "Store, list and read captures",
    captures.INSPECTION_TAG: "Analyse a response without storing it",
    feedback.TAG: "Votes on choices, and the tokens that allow them",
    usage.TAG: "Sums over captures, drift and prices",
    service.TAG: "The installation: limits, versions, health",
}


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "api.authentication.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> Schema:
        return {"type": "http", "scheme": "bearer"}


@cache
def document() -> dict[str, Any]:
    found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return found


def complete(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Adds the health routes, which are no views of the framework, the schemas and the tags."""
    for endpoint in (service.LIVEZ, service.READYZ):
        described = {
            each.method.lower(): plain_operation(endpoint, each) for each in endpoint.operations
        }
        result["paths"][f"/{endpoint.path}"] = described
    result["components"]["schemas"] = components()
    result["tags"] = [{"name": name, "description": text} for name, text in TAGS.items()]
    return result
