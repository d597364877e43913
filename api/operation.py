"""What a method of the API is called, takes and returns, declared above it with ``operation``: of
this the OpenAPI document is made. Its address and scopes stand in ``api.urls``.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import msgspec

from api.responses import ErrorBody
from inspector.query.fields import Registry

JSON = "application/json"
NDJSON = "application/x-ndjson"
FORM = "application/x-www-form-urlencoded"
TEXT, OCTETS = "text/plain", "application/octet-stream"

BodyType = type[msgspec.Struct] | type[bytes] | type[dict[str, Any]]
"""A Struct, bytes as they are, or an object whose members nobody here decides."""
View = TypeVar("View", bound=Callable[..., Any])

OPERATION = "operation"
"""The attribute of a method that holds it; others are not in the OpenAPI document."""


@dataclass(frozen=True, slots=True)
class ResponseBody:
    """A body with its media types; ``content`` is None where there is none."""

    description: str
    content: BodyType | None = None
    media_types: tuple[str, ...] = (JSON,)
    status: int = 200


ERROR = ResponseBody("an error", ErrorBody)


@dataclass(frozen=True, slots=True)
class Parameter:
    """Value that a query or a header carries. Those of addresses are known by their names."""

    name: str
    description: str
    location: Literal["query", "header", "path"] = "query"
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of an address."""

    name: str
    """The operation id: unique, and what a generated client calls its function."""
    summary: str
    responses: tuple[ResponseBody, ...]
    parameters: tuple[Parameter, ...]
    reads: Mapping[str, BodyType]
    """By media type; empty where no body is read."""
    filters: Registry | None
    """The fields by which it narrows a list, each of which is a parameter."""
    errors: tuple[int, ...]
    """Status of its own errors. Those of every operation are added."""
    error: ResponseBody
    """The body of each."""
    subject: str
    """The name of its module, or of the folder of its modules."""


def operation(
    name: str,
    summary: str,
    *parts: ResponseBody | Parameter,
    reads: type[msgspec.Struct] | Mapping[str, BodyType] | None = None,
    filters: Registry | None = None,
    errors: tuple[int, ...] = (),
    error: ResponseBody = ERROR,
) -> Callable[[View], View]:
    def declare(view: View) -> View:
        declared = Operation(
            name,
            summary,
            tuple(each for each in parts if isinstance(each, ResponseBody)),
            tuple(each for each in parts if isinstance(each, Parameter)),
            {JSON: reads} if isinstance(reads, type) else reads or {},
            filters,
            errors,
            error,
            view.__module__.split(".")[1],
        )
        setattr(view, OPERATION, declared)
        return view

    return declare


def conditional_get(
    name: str,
    summary: str,
    *parts: ResponseBody | Parameter,
    filters: Registry | None = None,
    errors: tuple[int, ...] = (),
) -> Callable[[View], View]:
    """Declare a GET that has an ETag: a client that has the current one is sent nothing again."""
    return operation(
        name, summary, *parts, UNCHANGED, IF_NONE_MATCH, filters=filters, errors=errors
    )


# -- parameters -----------------------------------------------------------------------------------


def header(name: str, description: str) -> Parameter:
    return Parameter(name, description, "header")


def number(name: str, description: str) -> Parameter:
    return Parameter(name, description, schema={"type": "integer", "minimum": 1})


def row_limit(most: int) -> Parameter:
    return number("limit", f"number of rows, at most {most}")


def choice(name: str, description: str, allowed: Iterable[object] | None) -> Parameter:
    """Return one of the values that are allowed; of any where that is None."""
    return Parameter(name, description, schema=one_of(allowed))


def several(name: str, description: str, allowed: Iterable[object] | None = None) -> Parameter:
    return Parameter(name, description, schema={"type": "array", "items": one_of(allowed)})


def one_of(allowed: Iterable[object] | None) -> dict[str, Any]:
    text: dict[str, Any] = {"type": "string"}
    return text if allowed is None else {**text, "enum": sorted(map(str, allowed))}


IF_NONE_MATCH = header(
    "If-None-Match", "ETags of responses that the client has; 304 if one of them is current"
)
UNCHANGED = ResponseBody("not changed", status=304)
