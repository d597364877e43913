"""One operation of the API, and the endpoint that it belongs to: path, method, scope and the
description in the OpenAPI document are declared here and nowhere else.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from api.schemas.addresses import V1
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
class Parameter:
    """Value that an address, its query or a header carries."""

    name: str
    description: str
    location: Literal["query", "header", "path"] = "query"
    schema: Mapping[str, Any] | None = None
    """None of a text, or of several."""
    enum: tuple[str, ...] | None = None
    is_repeatable: bool = False
    is_required: bool = False


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
    parameters: tuple[Parameter, ...] = ()
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
    """Requirements of further methods that are not in the OpenAPI document."""

    @property
    def row(self) -> AuthorisationRow:
        needs = {each.method: each.scope for each in self.operations}
        return AuthorisationRow(self.route, self.auth, {**needs, **self.undescribed})

    @property
    def name(self) -> str:
        return self.route.partition(":")[2]


# -- parameters -----------------------------------------------------------------------------------


def header(name: str, description: str) -> Parameter:
    return Parameter(name, description, "header")


def in_path(name: str, description: str, **schema: str) -> Parameter:
    return Parameter(name, description, "path", {"type": "string", **schema})


def limit(most: int) -> Parameter:
    description = f"number of rows, at most {most}"
    return Parameter("limit", description, schema={"type": "integer", "minimum": 1})


def single(name: str, description: str, allowed: Iterable[object] | None) -> Parameter:
    return Parameter(name, description, enum=_texts(allowed))


def repeatable(name: str, allowed: Iterable[object] | None) -> Parameter:
    matches = "all of the values" if name == "tag" else "any of the values"
    description = f"can be repeated; matches {matches}"
    return Parameter(name, description, enum=_texts(allowed), is_repeatable=True)


def _texts(allowed: Iterable[object] | None) -> tuple[str, ...] | None:
    return None if allowed is None else tuple(map(str, allowed))


CAPTURE_ID = in_path("capture_id", "id of the capture", format="uuid")
IF_NONE_MATCH = header(
    "If-None-Match", "ETags of responses that the client has; 304 if one of them is current"
)
UNCHANGED = ResponseBody("not changed")


# -- endpoints ------------------------------------------------------------------------------------


def v1(name: str, path: str, tag: str, *operations: Operation) -> Endpoint:
    """Return an endpoint for keys, below the root of the first version."""
    return Endpoint(f"api:{name}", f"{V1}{path}", tag, operations)


def get(
    name: str,
    scope: str,
    summary: str,
    body: ResponseBody,
    *parameters: Parameter,
    errors: tuple[int, ...] = (),
) -> Operation:
    """Return a GET that has an ETag: a client that has the current one is sent nothing again."""
    responses = {200: body, 304: UNCHANGED}
    every = (*parameters, IF_NONE_MATCH)
    return Operation("GET", name, scope, summary, responses, errors, parameters=every)
