"""Arguments compared with the JSON schema that the request gave for their tool."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, TypeVar

import msgspec

from inspector.core import json_text
from inspector.core.completion import (
    ArgumentsState,
    Choice,
    FunctionCall,
    Json,
    SchemaRemark,
    SchemaRemarkKind,
    ToolCall,
)
from inspector.core.pointer import pointer_to
from inspector.core.tool_calls import schema_library
from inspector.core.tool_calls.invention import forbidden, unnamed_fields
from inspector.core.tool_calls.offered import Tool, Tools
from inspector.core.tool_calls.schema_steps import counted_steps

MAX_CHARACTERS = 262_144
"""Of one argument text; a longer one is not compared."""
MAX_REMARKS = 20
"""Of one call."""

MAX_MESSAGE = 300
"""Characters of one sentence; the library lists all types and fields in it."""

Call = TypeVar("Call", ToolCall, FunctionCall)


def checked(choices: tuple[Choice, ...], tools: Tools) -> tuple[Choice, ...]:
    """The same choices; each call says whether it was offered, and what its schema says of it."""
    with counted_steps():
        comparison = _Comparison(tools)
        return tuple(comparison.choice(choice) for choice in choices)


class _Comparison:
    """All calls of one reading; each tool's schema is made ready once."""

    def __init__(self, tools: Tools) -> None:
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

    def _remarks_of(self, tool: Tool, call: ToolCall | FunctionCall) -> tuple[SchemaRemark, ...]:
        if not tool.schema or not _is_comparable(call):
            return ()
        value = json_text.parse(call.arguments_text.encode(errors="replace")).value
        return tuple(islice(self._remarks(tool, value), MAX_REMARKS))

    def _remarks(self, tool: Tool, value: Json) -> Iterator[SchemaRemark]:
        try:
            yield from _errors(self._validator(tool), value)
            yield from unnamed_fields(tool, value)
        except Exception:
            # A schema from outside may have any shape and break the library in any place, or take
            # all steps: what was remarked until then holds, and nothing is said of the rest.
            return

    def _validator(self, tool: Tool) -> Any:
        if tool.name not in self._validators:
            self._validators[tool.name] = schema_library.validator_of(tool.schema)
        return self._validators[tool.name]


def _is_comparable(call: ToolCall | FunctionCall) -> bool:
    is_usable = call.arguments_state is ArgumentsState.VALID and call.arguments_cause is None
    return is_usable and len(call.arguments_text) <= MAX_CHARACTERS


def _errors(validator: Any, value: Json) -> Iterator[SchemaRemark]:
    for error in schema_library.errors(validator, value):
        path = tuple(error.absolute_path)
        if error.validator == "additionalProperties" and error.validator_value is False:
            named = error.schema.get("properties", {})
            yield from (forbidden((*path, name)) for name in error.instance if name not in named)
        else:
            message = error.message[:MAX_MESSAGE]
            yield SchemaRemark(SchemaRemarkKind.BROKEN, pointer_to(path), message)
