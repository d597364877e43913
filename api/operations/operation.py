"""One operation of the API, and the endpoint that it belongs to: path, method, scope and the
description in the OpenAPI document are declared here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
from drf_spectacular.utils import OpenApiParameter

from api.schemas.service import ErrorBody
from inspector.teams.authorisation import AuthMethod, AuthorisationRow

JSON = "application/json"
NDJSON = "application/x-ndjson"
FORM = "application/x-www-form-urlencoded"
TEXT, OCTETS = "text/plain", "application/octet-stream"

BodyType = type[msgspec.Struct] | type[bytes] | type[dict[str, Any]]
"""A Struct, bytes as they are, or an object whose members nobody here decides."""


@dataclass(frozen=True, slots=True)
class ResponseBody:
    """A body with its media types; ``content`` is None where there is none."""

    description: str
    content: BodyType | None = None
    media_types: tuple[str, ...] = (JSON,)


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of an endpoint, and the scope that it requires."""

    method: str
    name: str
    """The operation id: unique, and what a generated client calls its function."""
    scope: str
    summary: str
    responses: Mapping[int, ResponseBody]
    errors: tuple[int, ...] = ()
    """Status of its own errors. Those of every operation are added."""
    error: ResponseBody = ResponseBody("an error", ErrorBody)
    """The body of each."""
    parameters: tuple[OpenApiParameter, ...] = ()
    body: Mapping[str, BodyType] = field(default_factory=dict)
    """By media type; empty where none is read."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One path with all its methods, as a row of the authorisation table.

    ``route`` is its name in URLs with the namespace, ``path`` a pattern of Django.
    """

    route: str
    path: str
    tag: str = ""
    operations: tuple[Operation, ...] = ()
    auth: AuthMethod = AuthMethod.KEY
    undescribed: Mapping[str, str] = field(default_factory=dict)
    """What further methods require that are not in the OpenAPI document."""

    @property
    def row(self) -> AuthorisationRow:
        needs = {each.method: each.scope for each in self.operations}
        return AuthorisationRow(self.route, self.auth, {**needs, **self.undescribed})

    @property
    def name(self) -> str:
        return self.route.partition(":")[2]


# -- parameters -----------------------------------------------------------------------------------


def parameter(name: str, description: str, **more: Any) -> OpenApiParameter:
    return OpenApiParameter(name, description=description, **more)


def header(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, location=OpenApiParameter.HEADER, description=description)


def in_path(name: str, description: str, **schema: str) -> OpenApiParameter:
    return OpenApiParameter(
        name, {"type": "string", **schema}, OpenApiParameter.PATH, description=description
    )


def limit(most: int) -> OpenApiParameter:
    description = f"number of rows, at most {most}"
    return parameter("limit", description, type={"type": "integer", "minimum": 1})


def single(name: str, description: str, allowed: Iterable[object] | None) -> OpenApiParameter:
    return parameter(name, description, enum=_texts(allowed))


def repeatable(name: str, allowed: Iterable[object] | None) -> OpenApiParameter:
    matches = "all of the values" if name == "tag" else "any of the values"
    description = f"can be repeated; matches {matches}"
    return parameter(name, description, many=True, enum=_texts(allowed))


def _texts(allowed: Iterable[object] | None) -> list[str] | None:
    return None if allowed is None else [str(value) for value in allowed]


CAPTURE_ID = in_path("capture_id", "id of the capture", format="uuid")
IF_NONE_MATCH = header(
    "If-None-Match", "ETags of responses that the client has; 304 if one of them is current"
)
UNCHANGED = ResponseBody("not changed")
