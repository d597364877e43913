"""Hands the operations of an endpoint to drf-spectacular, as the schema of its view."""

from typing import Any

from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_view,
)
from rest_framework.views import APIView

from api.openapi.components import Schema, schema_of
from api.operations.operation import Endpoint, Operation, Parameter
from inspector.teams.authorisation import AuthMethod

ERRORS = {
    400: "the request is malformed, incomplete or empty",
    401: "the API key is missing or not valid",
    403: "the API key lacks the required scope",
    404: "not found, or not visible to the caller",
    408: "the request body did not arrive in time",
    409: "conflict with the current state; with Retry-After if waiting helps",
    411: "Content-Length is missing",
    412: "changed since the ETag in If-Match",
    413: "a size limit is exceeded",
    415: "unsupported content type or Content-Encoding",
    416: "the file has no byte of the range; Content-Range tells its length",
    422: "unknown or invalid parameter or member; the message names it",
    429: "too many requests; retry after Retry-After",
    503: "temporarily unavailable; retry after Retry-After",
}
COMMON_ERRORS = (401, 403, 422, 429, 503)
BODY_ERRORS = (400, 408, 411, 413, 415)
NO_KEY: Any = [{}]


def describe(endpoint: Endpoint, view: type[APIView]) -> None:
    """Add to the methods of the view what the document says of them."""
    schemas = {each.method.lower(): _extension(endpoint, each) for each in endpoint.operations}
    extend_schema_view(**schemas)(view)


def plain_operation(endpoint: Endpoint, operation: Operation) -> Schema:
    """Return the same for a view that is no view of the framework, and has no errors but its
    responses.
    """
    responses = {
        str(status): {
            "description": body.description,
            "content": {
                name: {"schema": schema_of(body.content, name)} for name in body.media_types
            },
        }
        for status, body in operation.responses.items()
        if body.content
    }
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [endpoint.tag],
        "security": NO_KEY,
        "responses": responses,
    }


def _extension(endpoint: Endpoint, operation: Operation) -> Any:
    is_open = endpoint.auth is AuthMethod.OPEN
    return extend_schema(
        operation_id=operation.name,
        summary=operation.summary,
        parameters=[_parameter(each) for each in operation.parameters],
        request={name: schema_of(each, name) for name, each in operation.body.items()} or None,
        responses={**_responses(operation), **_errors(operation, is_open)},
        tags=[endpoint.tag],
        auth=NO_KEY if is_open else None,
    )


def _parameter(parameter: Parameter) -> OpenApiParameter:
    return OpenApiParameter(
        parameter.name,
        str if parameter.schema is None else {**parameter.schema},
        parameter.location,
        description=parameter.description,
        enum=parameter.enum,
        many=parameter.is_repeatable,
        required=parameter.is_required,
    )


def _responses(operation: Operation) -> dict[Any, OpenApiResponse]:
    found: dict[Any, OpenApiResponse] = {}
    for status, body in operation.responses.items():
        if body.content is None:
            found[status] = OpenApiResponse(None, body.description)
            continue
        found |= {
            (status, name): OpenApiResponse(schema_of(body.content, name), body.description)
            for name in body.media_types
        }
    return found


def _errors(operation: Operation, is_open: bool) -> dict[Any, OpenApiResponse]:
    common = [status for status in COMMON_ERRORS if not (is_open and status == 401)]
    every = {*common, *operation.errors, *(BODY_ERRORS if operation.body else ())}
    body = operation.error
    assert body.content is not None
    return {
        (status, name): OpenApiResponse(schema_of(body.content, name), ERRORS[status])
        for status in sorted(every)
        for name in body.media_types
    }
