"""Compares arguments and answers with the JSON schemas that the request gave for them."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeVar

import msgspec

from inspector.core.completion import (
    ArgumentsState,
    Choice,
    FunctionCall,
    SchemaRemark,
    SchemaRemarkKind,
    ToolCall,
)
from inspector.core.fields.finish_reasons import is_model_end
from inspector.core.json import Json, parser
from inspector.core.json.pointer import pointer_to
from inspector.core.tool_calls import schema_validator
from inspector.core.tool_calls.invented_fields import forbidden_field_remark, unnamed_fields
from inspector.core.tool_calls.schema_words import broken_schema_message
from inspector.core.tool_calls.step_budget import counted_steps
from inspector.core.tool_calls.tool_definitions import ToolDefinition, ToolDefinitions

MAX_CHARACTERS = 262_144
"""Longer texts are not compared."""
MAX_REMARKS = 20
"""Remarks on one text: arguments of another schema would have one for each value."""

MAX_MESSAGE = 300
"""The library quotes the schema that was not met."""

Call = TypeVar("Call", ToolCall, FunctionCall)


def check_choices(
    choices: tuple[Choice, ...], tools: ToolDefinitions | None, answer_schema: Json
) -> tuple[Choice, ...]:
    """Return the choices with ``schema_remarks``, and ``is_offered`` of their calls. All schemas of
    a reading share its steps.
    """
    with counted_steps():
        if tools is not None:
            comparison = _Comparison(tools)
            choices = tuple(comparison.choice(choice) for choice in choices)
        if answer_schema is not None:
            choices = tuple(_check_contents(choices, answer_schema))
    return choices


def _check_contents(choices: tuple[Choice, ...], schema: Json) -> Iterator[Choice]:
    """Compare the content of every choice that ended by itself with the schema of the answer."""
    for choice in choices:
        remarks = tuple(islice(_content_remarks(choice, schema), MAX_REMARKS))
        yield msgspec.structs.replace(choice, schema_remarks=remarks) if remarks else choice


def _content_remarks(choice: Choice, schema: Json) -> Iterator[SchemaRemark]:
    content, is_other = choice.content, choice.refusal or choice.tool_calls
    if (
        not is_model_end(choice.finish_reason)
        or is_other
        or not isinstance(content, str)
        or not content
    ):
        return
    yield from _text_remarks(content, schema)


def text_remarks(text: str, schema: Json) -> tuple[SchemaRemark, ...]:
    """How a JSON text differs from a schema; empty for a text that is no JSON, or too long."""
    with counted_steps():
        return tuple(islice(_text_remarks(text, schema), MAX_REMARKS))


def _text_remarks(text: str, schema: Json) -> Iterator[SchemaRemark]:
    if len(text) > MAX_CHARACTERS:
        return
    parsed = parser.parse_json(text.encode(errors="replace"))
    if parsed.fatal is None:
        yield from _until_broken(
            lambda: _errors(schema_validator.validator_of(schema), parsed.value)
        )


def _until_broken(remarks: Callable[[], Iterator[SchemaRemark]]) -> Iterator[SchemaRemark]:
    """Yield remarks until something is raised: a schema from outside may have any shape and break
    the library anywhere, or use up all steps. The rest of the text is then not checked.
    """
    try:
        yield from remarks()
    except Exception:
        return


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
        remarks = _until_broken(lambda: self._remarks(tool, value))
        return tuple(islice(remarks, MAX_REMARKS))

    def _remarks(self, tool: ToolDefinition, value: Json) -> Iterator[SchemaRemark]:
        yield from _errors(self._validator(tool), value)
        yield from unnamed_fields(tool, value)

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
