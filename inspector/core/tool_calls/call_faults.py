"""Says in a sentence why a tool call cannot be made."""

from __future__ import annotations

from inspector.core.completion import (
    ArgumentsCause,
    ArgumentsState,
    FunctionCall,
    ToolCall,
    known,
)
from inspector.core.findings import shorten
from inspector.core.tool_calls.arguments import STATE_WORDS


def call_name(call: ToolCall | FunctionCall) -> str:
    return shorten(call.name) if known(call.name) else "a call without a name"


def call_fault(call: ToolCall | FunctionCall) -> str | None:
    """The first reason why the call cannot be made, None if it can."""
    if call.arguments_state is ArgumentsState.TRUNCATED:
        return truncated_arguments(call)
    if call.arguments_cause is not None:
        return invalid_arguments(call)
    if not (known(call.name) and call.name):
        return "A tool call has no name."
    if call.is_offered is False:
        return f"The request has no tool {call_name(call)!r}."
    return None


def truncated_arguments(call: ToolCall | FunctionCall) -> str:
    at_limit = call.arguments_cause is ArgumentsCause.LENGTH_LIMIT
    limit = f": {STATE_WORDS[ArgumentsCause.LENGTH_LIMIT]}" if at_limit else ""
    return f"The arguments of {call_name(call)} are truncated{limit}."


def invalid_arguments(call: ToolCall | FunctionCall) -> str:
    """``call`` has a cause."""
    where = "" if call.invalid_at is None else f" break at character {call.invalid_at:,}"
    cause = STATE_WORDS[call.arguments_cause] if call.arguments_cause else ""
    return f"The arguments of {call_name(call)}{where or ' cannot be used'}: {cause}."
