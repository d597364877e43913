"""Compares a call's arguments with the tool's JSON schema from the request, field by field."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from inspector.core.completion import (
    ArgumentsState,
    FunctionCall,
    SchemaRemark,
    SchemaRemarkKind,
    ToolCall,
)
from inspector.core.json.pointer import escape_step
from inspector.core.tool_calls.tool_definitions import ToolDefinition
from inspector.dashboard.capture.tool_calls.argument_tree import ObjectPairs
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.wire_values import json_text

MOST_FIELDS = 40
MOST_EXPECTED = 80
KINDS = {
    SchemaRemarkKind.BROKEN: ("against the schema", "cross"),
    SchemaRemarkKind.FORBIDDEN: ("forbidden field", "cross"),
    SchemaRemarkKind.INVENTED: ("invented field", "soft"),
}


@dataclass(frozen=True, slots=True)
class SchemaCheckRow:
    """``tone`` is a tick, a cross, or soft if the schema does not restrict the field."""

    place: tuple[TextSegment, ...]
    expected: tuple[TextSegment, ...]
    outcome: str
    tone: str


@dataclass(frozen=True, slots=True)
class SchemaCheckDisplay:
    rows: tuple[SchemaCheckRow, ...]
    left_out: int
    """Number of fields not shown."""
    is_of_repair: bool
    """True if the arguments are invalid JSON and the proposed repair was checked instead."""


def check_against_schema(
    call: ToolCall | FunctionCall, tool: ToolDefinition | None, value: Any, *, is_repaired: bool
) -> SchemaCheckDisplay | None:
    """Compares them; None without a schema, without an
    object to compare, and where a schema without fields has nothing to remark.
    """
    properties = tool.schema.get("properties") if tool and tool.schema else None
    if not isinstance(properties, dict) or not isinstance(value, ObjectPairs):
        return None
    if not properties and not call.schema_remarks:
        return None
    assert tool is not None
    required = tool.schema.get("required")
    names = {name for name, _ in value}
    fields = [
        field_row(call, str(name), schema, is_required=contains_name(name, required), names=names)
        for name, schema in list(properties.items())[:MOST_FIELDS]
    ]
    missing = {f"/{escape_step(str(name))}" for name in list(properties)[:MOST_FIELDS]} - {
        f"/{escape_step(name)}" for name in names
    }
    others = [remark_row(each) for each in call.schema_remarks if each.pointer not in missing]
    left_out = max(len(properties) - MOST_FIELDS, 0)
    return SchemaCheckDisplay((*fields, *others), left_out, is_repaired)


def contains_name(name: object, names: Any) -> bool:
    return isinstance(names, list) and name in names


def field_row(
    call: ToolCall | FunctionCall,
    name: str,
    schema: Any,
    *,
    is_required: bool,
    names: Collection[str],
) -> SchemaCheckRow:
    if name in names:
        pointers = {remark.pointer for remark in call.schema_remarks}
        is_broken = f"/{escape_step(name)}" in pointers
        outcome, tone = ("against the schema", "cross") if is_broken else ("present", "tick")
    elif is_required:
        is_cut = call.arguments_state is ArgumentsState.TRUNCATED
        outcome, tone = "missing, cut off" if is_cut else "missing", "cross"
    else:
        outcome, tone = "not sent", "soft"
    return SchemaCheckRow(
        exact_segments(name),
        exact_segments(expected_words(schema, is_required=is_required)),
        outcome,
        tone,
    )


def expected_words(schema: Any, *, is_required: bool) -> str:
    """Formats a schema like ``required, string, one of 3``."""
    return ", ".join((["required"] if is_required else []) + list(constraint_words(schema)))[
        :MOST_EXPECTED
    ]


def constraint_words(schema: Any) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    kind = schema.get("type")
    if isinstance(kind, str | list):
        yield " or ".join(map(str, kind)) if isinstance(kind, list) else kind
    if isinstance(schema.get("format"), str):
        yield schema["format"]
    if isinstance(schema.get("enum"), list):
        yield f"one of {len(schema['enum']):,}"
    if "const" in schema:
        yield f"only {json_text(schema['const'])}"


def remark_row(remark: SchemaRemark) -> SchemaCheckRow:
    outcome, tone = KINDS[remark.kind]
    return SchemaCheckRow(
        exact_segments(remark.pointer or "all of it"), exact_segments(remark.message), outcome, tone
    )
