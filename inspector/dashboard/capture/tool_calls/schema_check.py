"""Compares a call's arguments with the tool's JSON schema from the request, field by field."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
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

MAX_FIELDS = 40
"""Rows of one call; `left_out` counts the others."""
MAX_EXPECTED = 80
"""Long enough for a type and some values of an `enum`."""
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
    is_of_repair: bool = False
    """True if the arguments are invalid JSON and the proposed repair was checked instead."""

    @property
    def is_matched(self) -> bool:
        return all(row.tone != "cross" for row in self.rows)


def check_against_schema(
    call: ToolCall | FunctionCall, tool: ToolDefinition | None, value: Any, *, is_repaired: bool
) -> SchemaCheckDisplay | None:
    """Compare them; None without a schema, without an
    object to compare, and where a schema without fields has nothing to remark.
    """
    is_cut = call.arguments_state is ArgumentsState.TRUNCATED
    schema = tool.schema if tool else None
    rows = schema_check(call.schema_remarks, schema, value, is_cut=is_cut)
    return replace(rows, is_of_repair=is_repaired) if rows else None


def schema_check(
    remarks: Sequence[SchemaRemark], schema: Any, value: Any, *, is_cut: bool = False
) -> SchemaCheckDisplay | None:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict) or not isinstance(value, ObjectPairs):
        return None
    if not properties and not remarks:
        return None
    required = schema.get("required")
    names = {name for name, _ in value}
    pointers = {remark.pointer for remark in remarks}
    fields = [
        field_row(
            str(name), each, pointers, names,
            is_required=isinstance(required, list) and name in required, is_cut=is_cut,
        )
        for name, each in list(properties.items())[:MAX_FIELDS]
    ]  # fmt: skip
    missing = {f"/{escape_step(str(name))}" for name in list(properties)[:MAX_FIELDS]} - {
        f"/{escape_step(name)}" for name in names
    }
    others = [remark_row(each) for each in remarks if each.pointer not in missing]
    left_out = max(len(properties) - MAX_FIELDS, 0)
    return SchemaCheckDisplay((*fields, *others), left_out)


def field_row(
    name: str,
    schema: Any,
    pointers: Collection[str],
    names: Collection[str],
    *,
    is_required: bool,
    is_cut: bool,
) -> SchemaCheckRow:
    if name in names:
        is_broken = f"/{escape_step(name)}" in pointers
        outcome, tone = ("against the schema", "cross") if is_broken else ("present", "tick")
    elif is_required:
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
    """Format a schema like ``required, string, one of 3``."""
    return ", ".join((["required"] if is_required else []) + list(constraint_words(schema)))[
        :MAX_EXPECTED
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
