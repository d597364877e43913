"""Finds argument fields that the tool's schema does not name. The reasoning reference warns that
"the model may hallucinate" them.
"""

from collections.abc import Iterator

from inspector.core.completion import SchemaRemark, SchemaRemarkKind
from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to, steps_of
from inspector.core.tool_calls.step_budget import take_step
from inspector.core.tool_calls.tool_definitions import ToolDefinition

MAX_REFERENCES = 8
"""References followed in a row."""

NAMING_MORE = frozenset(
    ("allOf", "anyOf", "oneOf", "if", "not", "patternProperties", "propertyNames")
    + ("dependentSchemas", "unevaluatedProperties", "$dynamicRef")
)
"""Keywords beside which ``properties`` does not list all fields."""

Path = tuple[str | int, ...]


def unnamed_fields(tool: ToolDefinition, value: Json) -> Iterator[SchemaRemark]:
    """Yield fields that the schema does not name: as forbidden if ``strict`` is set, otherwise as
    invented. Those that the schema itself forbids are left to the validator.

    Raises ``StepsExhausted`` if the reading has taken all its steps.
    """
    return _unnamed(tool, tool.schema, value, ())


def forbidden_field_remark(path: Path) -> SchemaRemark:
    message = f"the schema names all fields, and {_quoted_path(path)} is not among them"
    return SchemaRemark(SchemaRemarkKind.FORBIDDEN, pointer_to(path), message)


def invented_field_remark(path: Path) -> SchemaRemark:
    message = f"the schema does not name {_quoted_path(path)}"
    return SchemaRemark(SchemaRemarkKind.INVENTED, pointer_to(path), message)


def _unnamed(tool: ToolDefinition, schema: Json, value: Json, path: Path) -> Iterator[SchemaRemark]:
    schema = _resolve_reference(tool.schema, schema)
    if not isinstance(schema, dict):
        return
    take_step(value)
    if isinstance(value, dict):
        yield from _unnamed_of_object(tool, schema, value, path)
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _unnamed(tool, schema.get("items"), item, (*path, position))


def _unnamed_of_object(
    tool: ToolDefinition, schema: dict[str, Json], value: dict[str, Json], path: Path
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
            yield (forbidden_field_remark if tool.is_strict else invented_field_remark)(
                (*path, name)
            )


def _resolve_reference(root: Json, schema: Json) -> Json:
    """Follow local references; None for any other."""
    for _ in range(MAX_REFERENCES):
        if not isinstance(schema, dict) or "$ref" not in schema:
            return schema
        schema = _at(root, schema["$ref"])
    return None


def _at(root: Json, reference: Json) -> Json:
    if not isinstance(reference, str) or reference[:1] != "#":
        return None
    take_step(reference)
    for name in steps_of(reference[1:]):
        root = root.get(name) if isinstance(root, dict) else None
    return root


def _quoted_path(path: Path) -> str:
    name = str(path[-1])
    return repr(name if len(name) <= 60 else name[:60] + "…")
