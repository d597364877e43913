"""The whole description: made by drf-spectacular from the views, once per process."""

from __future__ import annotations

from functools import cache
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator

from api.openapi.components import components
from api.openapi.schema import Schema, ref


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
    """Adds the health routes, which are no views of the framework, and the schemas."""
    result["paths"] |= {
        "/livez": {"get": _health("is_alive", "the process answers", "Alive")},
        "/readyz": {"get": _health("is_ready", "a capture could be accepted now", "Ready", 503)},
    }
    result["components"]["schemas"] = components()
    return result


def _health(name: str, summary: str, schema: str, *more: int) -> Schema:
    says = {"description": summary, "content": {"application/json": {"schema": ref(schema)}}}
    responses = {str(status): says for status in (200, *more)}
    return {
        "operationId": name,
        "summary": summary,
        "tags": ["service"],
        "security": [{}],
        "responses": responses,
    }
