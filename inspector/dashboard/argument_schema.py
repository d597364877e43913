"""A call's arguments beside the schema that the request gave for their tool, field by field."""

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
from inspector.core.pointer import escaped
from inspector.core.tool_calls.offered import Tool
from inspector.dashboard.argument_tree import Names
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.wire import json_text

MOST_FIELDS = 40
MOST_EXPECTED = 80
KINDS = {
    SchemaRemarkKind.BROKEN: ("against the schema", "cross"),
    SchemaRemarkKind.FORBIDDEN: ("forbidden field", "cross"),
    SchemaRemarkKind.INVENTED: ("invented field", "soft"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """``tone``: tick, cross, or soft where the schema has nothing against it."""

    place: tuple[Segment, ...]
    expected: tuple[Segment, ...]
    outcome: str
    tone: str


@dataclass(frozen=True, slots=True)
class SchemaCheck:
    rows: tuple[Row, ...]
    left_out: int
    """Fields that are not shown."""
    is_of_repair: bool
    """The arguments are no JSON: which fields they have is told of the proposed repair."""


def schema_check(
    call: ToolCall | FunctionCall, tool: Tool | None, value: Any, *, is_repaired: bool
) -> SchemaCheck | None:
    """None where there is no schema, or no object to hold against it."""
    properties = tool.schema.get("properties") if tool and tool.schema else None
    if not isinstance(properties, dict) or not isinstance(value, Names):
        return None
    assert tool is not None
    required = tool.schema.get("required")
    names = {name for name, _ in value}
    fields = [
        field_row(call, str(name), schema, is_required=is_in(name, required), names=names)
        for name, schema in list(properties.items())[:MOST_FIELDS]
    ]
    missing = {f"{str(name)!r} is a required property" for name in list(properties)[:MOST_FIELDS]}
    others = [
        other_row(remark)
        for remark in call.schema_remarks
        if remark.pointer or remark.message not in missing
    ]
    left_out = max(len(properties) - MOST_FIELDS, 0)
    return SchemaCheck((*fields, *others), left_out, is_repaired)


def is_in(name: object, names: Any) -> bool:
    return isinstance(names, list) and name in names


def field_row(
    call: ToolCall | FunctionCall,
    name: str,
    schema: Any,
    *,
    is_required: bool,
    names: Collection[str],
) -> Row:
    if any(remark.pointer == f"/{escaped(name)}" for remark in call.schema_remarks):
        outcome, tone = "against the schema", "cross"
    elif name in names:
        outcome, tone = "present", "tick"
    elif is_required:
        is_cut = call.arguments_state is ArgumentsState.TRUNCATED
        outcome, tone = "missing, cut off" if is_cut else "missing", "cross"
    else:
        outcome, tone = "not sent", "soft"
    return Row(exact(name), exact(expected(schema, is_required=is_required)), outcome, tone)


def expected(schema: Any, *, is_required: bool) -> str:
    """``required, string, one of 3``."""
    return ", ".join((["required"] if is_required else []) + list(demands(schema)))[:MOST_EXPECTED]


def demands(schema: Any) -> Iterator[str]:
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


def other_row(remark: SchemaRemark) -> Row:
    outcome, tone = KINDS[remark.kind]
    return Row(exact(remark.pointer or "all of it"), exact(remark.message), outcome, tone)
