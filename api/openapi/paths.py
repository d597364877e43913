"""The paths of the OpenAPI document, from the operations above the methods of views."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter, itemgetter
from typing import Any

from api.openapi.components import Schema, schema_of
from api.openapi.parameters import filter_parameters, path_parameter
from api.operation import OPERATION, BodyType, Operation, Parameter, ResponseBody
from api.urls import app_name, urlpatterns
from inspector.teams.authorisation import TABLE, AuthMethod
from inspector.teams.route_check import Route, routes

ERRORS = {
    400: "the request is malformed, incomplete or empty",
    401: "the API key is missing or not valid",
    403: "the API key lacks the required scope",
    404: "not found, or not visible to the caller",
    408: "the request body did not arrive in time",
    409: "conflict with the current state; with Retry-After if waiting helps",
    410: "the body is deleted",
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


@dataclass(frozen=True, slots=True)
class DescribedMethod:
    """One method of an address, and its operation."""

    route: Route
    method: str
    operation: Operation

    @property
    def path(self) -> str:
        return "/" + re.sub(r"<\w+:(\w+)>", r"{\1}", self.route.address)

    @property
    def is_open(self) -> bool:
        return TABLE[self.route.name].auth_method is AuthMethod.OPEN


def described_methods() -> Iterator[DescribedMethod]:
    """Import all views of the API, and yield what each declares, by address."""
    for route in sorted(routes(urlpatterns, f"{app_name}:"), key=attrgetter("address")):
        for method in TABLE[route.name].needs:
            view = route.view_class or route.view
            declared = getattr(getattr(view, method.lower(), view), OPERATION, None)
            if declared is not None:
                yield DescribedMethod(route, method, declared)


def paths(found: Iterable[DescribedMethod]) -> dict[str, Any]:
    described: dict[str, dict[str, Schema]] = {}
    for each in found:
        described.setdefault(each.path, {})[each.method.lower()] = _operation(each)
    return described


def _operation(each: DescribedMethod) -> Schema:
    declared = each.operation
    every: Schema = {
        "operationId": declared.name,
        "summary": declared.summary,
        "parameters": sorted(map(_parameter, _parameters(each)), key=itemgetter("name")),
        "tags": [declared.subject],
        "requestBody": {"content": _content(declared.reads)} if declared.reads else None,
        "security": [{} if each.is_open else {"key": []}],
        "responses": {str(body.status): _response(body) for body in _responses(each)},
    }
    return {name: value for name, value in every.items() if value}


def _parameters(each: DescribedMethod) -> Iterator[Parameter]:
    yield from map(path_parameter, each.route.arguments)
    yield from each.operation.parameters
    if each.operation.filters is not None:
        yield from filter_parameters(each.operation.filters)


def _parameter(parameter: Parameter) -> Schema:
    described: Schema = {
        "in": parameter.location,
        "name": parameter.name,
        "schema": parameter.schema,
        "description": parameter.description,
    }
    return described | ({"required": True} if parameter.is_required else {})


def _responses(each: DescribedMethod) -> list[ResponseBody]:
    declared = each.operation
    # A view that is none of the framework has no errors but its responses.
    statuses = _errors(each) if each.route.view_class else ()
    errors = (
        replace(declared.error, status=status, description=ERRORS[status]) for status in statuses
    )
    return sorted([*declared.responses, *errors], key=attrgetter("status"))


def _errors(each: DescribedMethod) -> set[int]:
    declared = each.operation
    common = {*COMMON_ERRORS, *declared.errors, *(BODY_ERRORS if declared.reads else ())}
    missing = {404} if each.route.arguments else set()
    return (common | missing) - ({401} if each.is_open else set())


def _response(body: ResponseBody) -> Schema:
    if body.content is None:
        return {"description": body.description}
    content = _content(dict.fromkeys(body.media_types, body.content))
    return {"description": body.description, "content": content}


def _content(bodies: Mapping[str, BodyType]) -> Schema:
    return {name: {"schema": schema_of(body, name)} for name, body in bodies.items()}
