"""JSON Schema in short."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
STRINGS: Schema = {"type": "array", "items": STRING}
COUNT: Schema = {"type": "integer", "minimum": 0}
ID: Schema = {"type": "string", "format": "uuid"}
TIME: Schema = {"type": "string", "format": "date-time"}
URL: Schema = {"type": "string", "format": "uri"}
BOOLEAN: Schema = {"type": "boolean"}
ANY_OBJECT: Schema = {"type": "object", "additionalProperties": True}
DAY: Schema = {"type": "string", "format": "date"}
COUNTS: Schema = {"type": "object", "additionalProperties": COUNT}


def one_of(codes: Iterable[str]) -> Schema:
    return {"type": "string", "enum": list(codes)}


def counts_by(codes: Iterable[str]) -> Schema:
    return {**COUNTS, "propertyNames": one_of(codes)}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def object_of(optional: tuple[str, ...] = (), **members: Schema) -> Schema:
    required = [name for name in members if name not in optional]
    return {"type": "object", "properties": members, "required": required}


def array_of(name: str) -> Schema:
    return {"type": "array", "items": ref(name)}


def or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}
