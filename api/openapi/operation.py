"""The description of an operation: its parameters, responses and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from api.openapi.schema import Schema, ref
from inspector.archive.listing.filter_params import allowed_values

AnyView = TypeVar("AnyView", bound=Callable[..., Any])

JSON = "application/json"
NDJSON = "application/x-ndjson"
FORM = "application/x-www-form-urlencoded"
TEXT, OCTETS = "text/plain", "application/octet-stream"
BYTES: Schema = {"type": "string", "format": "binary"}

ERRORS = {
    400: "malformed: cut short, empty, broken coding, invalid JSON",
    401: "no key, or one that is not in use",
    403: "the key lacks the scope",
    404: "not there, or not yours",
    408: "the body did not come in time",
    409: "in conflict with what is there; with Retry-After where waiting helps",
    411: "send a Content-Length",
    412: "changed since the If-Match",
    413: "over a limit",
    415: "a form, or a coding that is not understood",
    422: "an unknown name or value; the message names it",
    429: "too many requests; Retry-After says when to go on",
    503: "cannot be done now; Retry-After says when to send it again",
}
NO_KEY: Any = [{}]
COMMON_ERRORS = (401, 403, 422, 429, 503)
BODY_ERRORS = (400, 408, 411, 413, 415)


def parameter(name: str, description: str, **more: Any) -> OpenApiParameter:
    return OpenApiParameter(name, description=description, **more)


def header(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, location=OpenApiParameter.HEADER, description=description)


CAPTURE_ID = OpenApiParameter(
    "capture_id",
    {"type": "string", "format": "uuid"},
    OpenApiParameter.PATH,
    description="id of the capture",
)
IF_NONE_MATCH = header("If-None-Match", "ETags that the client has: 304 where one still holds")
DIALECT = parameter(
    "dialect",
    "read the body as this dialect instead of recognising it",
    enum=allowed_values("dialect"),
)


def operation(
    name: str,
    summary: str,
    answers: dict[int, tuple[str, Schema | None]],
    *,
    refuses: tuple[int, ...] = (),
    parameters: tuple[OpenApiParameter, ...] = (),
    takes: dict[str, Schema] | None = None,
    media_types: tuple[str, ...] = (JSON,),
    keyed: bool = True,
) -> Callable[[AnyView], AnyView]:
    """Describes one operation. ``answers``: description and schema by status."""
    told: dict[Any, OpenApiResponse] = {}
    for status, (description, schema) in answers.items():
        for place in [(status, each) for each in media_types] if schema else [status]:
            told[place] = OpenApiResponse(schema, description)
    always = COMMON_ERRORS if keyed else tuple(status for status in COMMON_ERRORS if status != 401)
    for status in sorted({*always, *refuses, *(BODY_ERRORS if takes else ())}):
        told[status, JSON] = OpenApiResponse(ref("Error"), ERRORS[status])
    decorate: Callable[[AnyView], AnyView] = extend_schema(
        operation_id=name,
        summary=summary,
        parameters=[*parameters],
        request=takes,
        responses=told,
        tags=[_tag_of(name)],
        auth=None if keyed else NO_KEY,
    )
    return decorate


def _tag_of(name: str) -> str:
    words = {"capture": "captures", "vote": "feedback", "feedback": "feedback"}
    return next((tag for word, tag in words.items() if word in name), "service")


def read_operation(
    name: str,
    summary: str,
    schema: Schema,
    media_types: tuple[str, ...] = (JSON,),
    inspected: bool = True,
) -> Callable[[AnyView], AnyView]:
    """A GET of one capture or a part of it."""
    return operation(
        name,
        summary,
        {200: (summary, schema), 304: ("not changed", None)},
        refuses=(404, 409, 413) if inspected else (404,),
        parameters=(CAPTURE_ID, IF_NONE_MATCH),
        media_types=media_types,
    )
