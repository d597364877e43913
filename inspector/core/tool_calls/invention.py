"""Fields of arguments that their tool's schema does not name: "the model may hallucinate" (002)."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.completion import Json, SchemaRemark, SchemaRemarkKind
from inspector.core.pointer import pointer_to, steps_of
from inspector.core.tool_calls.offered import Tool
from inspector.core.tool_calls.schema_steps import step

MAX_REFERENCES = 8
"""Followed one after the other before an object of the arguments is looked at."""

NAMING_MORE = frozenset(
    ("allOf", "anyOf", "oneOf", "if", "not", "patternProperties", "propertyNames")
    + ("dependentSchemas", "unevaluatedProperties", "$dynamicRef")
)
"""Beside one of these, ``properties`` alone does not tell which fields there are."""

Path = tuple[str | int, ...]


def unnamed_fields(tool: Tool, value: Json) -> Iterator[SchemaRemark]:
    """Fields that the schema neither names nor forbids; those that only ``strict`` forbids.

    Raises:
        StepsExhausted: the reading has taken all its steps.
    """
    return _unnamed(tool, tool.schema, value, ())


def forbidden(path: Path) -> SchemaRemark:
    message = f"the schema names all fields, and {_shown(path)} is not among them"
    return SchemaRemark(SchemaRemarkKind.FORBIDDEN, pointer_to(path), message)


def invented(path: Path) -> SchemaRemark:
    message = f"the schema does not name {_shown(path)}"
    return SchemaRemark(SchemaRemarkKind.INVENTED, pointer_to(path), message)


def _unnamed(tool: Tool, schema: Json, value: Json, path: Path) -> Iterator[SchemaRemark]:
    schema = _resolved(tool.schema, schema)
    if not isinstance(schema, dict):
        return
    step(value)
    if isinstance(value, dict):
        yield from _unnamed_of_object(tool, schema, value, path)
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _unnamed(tool, schema.get("items"), item, (*path, position))


def _unnamed_of_object(
    tool: Tool, schema: dict[str, Json], value: dict[str, Json], path: Path
) -> Iterator[SchemaRemark]:
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return
    names_all = NAMING_MORE.isdisjoint(schema)
    others = schema.get("additionalProperties")
    for name, item in value.items():
        if name in properties:
            yield from _unnamed(tool, properties[name], item, (*path, name))
        elif names_all and others in (None, True):
            yield (forbidden if tool.is_strict else invented)((*path, name))


def _resolved(root: Json, schema: Json) -> Json:
    """The schema that a local reference names; a reference elsewhere names nothing here."""
    for _ in range(MAX_REFERENCES):
        if not isinstance(schema, dict) or "$ref" not in schema:
            return schema
        schema = _at(root, schema["$ref"])
    return None


def _at(root: Json, reference: Json) -> Json:
    if not isinstance(reference, str) or reference[:1] != "#":
        return None
    step(reference)
    for name in steps_of(reference[1:]):
        root = root.get(name) if isinstance(root, dict) else None
    return root


def _shown(path: Path) -> str:
    name = str(path[-1])
    return repr(name if len(name) <= 60 else name[:60] + "…")
