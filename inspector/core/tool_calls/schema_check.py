"""Compares arguments with the JSON schema that the request gave for their tool."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, TypeVar

import msgspec

from inspector.core.completion import (
    ArgumentsState,
    Choice,
    FunctionCall,
    Json,
    SchemaRemark,
    SchemaRemarkKind,
    ToolCall,
)
from inspector.core.json import parser
from inspector.core.json.pointer import pointer_to
from inspector.core.tool_calls import schema_validator
from inspector.core.tool_calls.invented_fields import forbidden_field_remark, unnamed_fields
from inspector.core.tool_calls.schema_words import broken_schema_message
from inspector.core.tool_calls.step_budget import counted_steps
from inspector.core.tool_calls.tool_definitions import ToolDefinition, ToolDefinitions

MAX_CHARACTERS = 262_144
"""Longer argument texts are not compared."""
MAX_REMARKS = 20
"""Per call."""

MAX_MESSAGE = 300
"""Characters of one message."""

Call = TypeVar("Call", ToolCall, FunctionCall)


def check_calls(choices: tuple[Choice, ...], tools: ToolDefinitions) -> tuple[Choice, ...]:
    """Return the choices with ``is_offered`` and ``schema_remarks`` set on their calls."""
    with counted_steps():
        comparison = _Comparison(tools)
        return tuple(comparison.choice(choice) for choice in choices)


class _Comparison:
    """Compares all calls of one reading. Each tool's validator is made once."""

    def __init__(self, tools: ToolDefinitions) -> None:
        self._tools = tools
        self._validators: dict[str, Any] = {}

    def choice(self, choice: Choice) -> Choice:
        legacy = choice.function_call
        return msgspec.structs.replace(
            choice,
            tool_calls=tuple(self._call(call) for call in choice.tool_calls),
            function_call=self._call(legacy) if legacy else None,
        )

    def _call(self, call: Call) -> Call:
        if not isinstance(call.name, str) or not call.name:
            return call
        tool = self._tools.by_name.get(call.name)
        if tool is None:
            is_offered = False if self._tools.is_closed else None
            return msgspec.structs.replace(call, is_offered=is_offered)
        remarks = self._remarks_of(tool, call)
        return msgspec.structs.replace(call, is_offered=True, schema_remarks=remarks)

    def _remarks_of(
        self, tool: ToolDefinition, call: ToolCall | FunctionCall
    ) -> tuple[SchemaRemark, ...]:
        if not tool.schema or not _is_comparable(call):
            return ()
        value = parser.parse_json(call.arguments_text.encode(errors="replace")).value
        return tuple(islice(self._remarks(tool, value), MAX_REMARKS))

    def _remarks(self, tool: ToolDefinition, value: Json) -> Iterator[SchemaRemark]:
        try:
            yield from _errors(self._validator(tool), value)
            yield from unnamed_fields(tool, value)
        except Exception:
            # A schema from outside may have any shape and break the library anywhere, or use up all
            # steps. Remarks made until then are kept, the rest of the arguments is not checked.
            return

    def _validator(self, tool: ToolDefinition) -> Any:
        if tool.name not in self._validators:
            self._validators[tool.name] = schema_validator.validator_of(tool.schema)
        return self._validators[tool.name]


def _is_comparable(call: ToolCall | FunctionCall) -> bool:
    is_usable = call.arguments_state is ArgumentsState.VALID and call.arguments_cause is None
    return is_usable and len(call.arguments_text) <= MAX_CHARACTERS


def _errors(validator: Any, value: Json) -> Iterator[SchemaRemark]:
    for error in schema_validator.validation_errors(validator, value):
        path = tuple(error.absolute_path)
        if error.validator == "additionalProperties" and error.validator_value is False:
            named = error.schema.get("properties", {})
            yield from (
                forbidden_field_remark((*path, name))
                for name in error.instance
                if name not in named
            )
        else:
            message = broken_schema_message(error)[:MAX_MESSAGE]
            yield SchemaRemark(SchemaRemarkKind.BROKEN, pointer_to(path), message)
