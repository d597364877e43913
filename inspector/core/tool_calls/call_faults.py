"""The calls of a choice, and in a sentence why one of them cannot be made."""

from collections.abc import Iterator
from typing import TypeAlias

from inspector.core.completion import (
    ArgumentsCause,
    ArgumentsState,
    Block,
    BlockKind,
    Choice,
    FunctionCall,
    ToolCall,
    known,
)
from inspector.core.findings import shorten
from inspector.core.tool_calls.arguments import STATE_WORDS

Call: TypeAlias = ToolCall | FunctionCall


def choice_calls(choice: Choice) -> Iterator[tuple[Call, str]]:
    """Each call with its JSON Pointer inside the choice."""
    for position, call in enumerate(choice.tool_calls):
        yield call, f"/message/tool_calls/{position}{_arguments_at(call)}"
    if choice.function_call is not None and not choice.function_call.is_empty:
        yield choice.function_call, "/message/function_call/arguments"


def unnamed_calls(choice: Choice) -> Iterator[Block]:
    """Yield calls without a tool's name on which the client has to act, such as commands."""
    for block in choice.blocks:
        if block.kind is BlockKind.TOOL_CALL and known(block.value):
            yield block


def _arguments_at(call: ToolCall) -> str:
    is_custom = call.arguments_state is ArgumentsState.FREE_TEXT
    return "/custom" if is_custom else "/function/arguments"


def call_name(call: Call) -> str:
    is_named = known(call.name) and bool(call.name)
    return shorten(call.name) if is_named else "a call without a name"


def call_fault(call: Call) -> str | None:
    """Return the first reason why the call cannot be made, None if it can."""
    if call.arguments_state is ArgumentsState.TRUNCATED:
        return truncated_arguments(call)
    if call.arguments_cause is not None:
        return invalid_arguments(call)
    if not (known(call.name) and call.name):
        return "A tool call has no name."
    if call.is_offered is False:
        return f"The request has no tool {call_name(call)!r}."
    return None


def truncated_arguments(call: Call) -> str:
    at_limit = call.arguments_cause is ArgumentsCause.LENGTH_LIMIT
    limit = ": the answer hit max_tokens" if at_limit else ""
    return f"The arguments of {call_name(call)} stop mid-JSON{limit}."


def invalid_arguments(call: Call) -> str:
    """Say where and why the arguments of a call cannot be used."""
    where = "" if call.invalid_at is None else f" break at character {call.invalid_at:,}"
    cause = STATE_WORDS[call.arguments_cause] if call.arguments_cause else ""
    return f"The arguments of {call_name(call)}{where or ' cannot be used'}: {cause}."
