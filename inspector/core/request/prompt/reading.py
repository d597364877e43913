"""Reads a request's body as a prompt: messages, tools, parameters. Bounded, whatever was sent."""

from collections.abc import Iterator, Mapping
from itertools import islice

import msgspec

from inspector.core.json import Json
from inspector.core.request.prompt.messages import placed_messages, read_message
from inspector.core.request.prompt.parts import (
    MEMBER_CHARACTERS,
    NAME_CHARACTERS,
    members_beside,
    text_of,
)
from inspector.core.request.prompt.prompt import (
    PromptMember,
    PromptReading,
    PromptTool,
    RequestState,
)
from inspector.core.request.prompt.request_body import ReadRequest, read_request_body
from inspector.core.request.prompt.request_fields import (
    CONTINUED,
    INSTRUCTIONS,
    MESSAGES,
    PLAIN,
    TOOLS,
    is_cache_point,
)
from inspector.core.tool_calls.tool_definitions import offered_tools, read_tool

WINDOW = 50
"""Messages that are read at once."""
MAX_TOOLS = 200
"""OpenAI takes 128; `tool_total` counts further ones."""
MAX_PARAMETERS = 200
SCHEMA_CHARACTERS = 20_000
"""Characters of the schema of a tool, and of a parameter, which may be the schema of the answer."""
NO_JSON_CHARACTERS = 20_000
"""As much as of a text; `length` tells how long it is."""

_NESTED = ("generationConfig", "generation_config", "options", "inferenceConfig", "parameters")
"""Members that hold parameters of their own."""
_TOOL_BODIES = ("function", "custom", "toolSpec")
_TOOL_MEMBERS = (
    "type", "name", "description", "strict", "parameters", "input_schema", "inputSchema",
    "parameters_json_schema", "parametersJsonSchema", *_TOOL_BODIES,
)  # fmt: skip


class PromptRequest(msgspec.Struct, frozen=True):
    """A body, and the messages of it that are wanted."""

    body: bytes
    start: int | None = 0
    """None: the last ones are wanted."""
    count: int = WINDOW


def first_shown(start: int | None, total: int, count: int = WINDOW) -> int:
    """Return the number of the first message of those that are wanted."""
    wanted = total - count if start is None else start
    return min(max(wanted, 0), max(total - 1, 0))


def read_prompt(given: PromptRequest) -> PromptReading:
    """Never raises."""
    found = read_request_body(given.body)
    if found.body is None:
        return _unread(found, given.body)
    return prompt_of(found, given.start, given.count)


def prompt_of(found: ReadRequest, start: int | None = 0, count: int = WINDOW) -> PromptReading:
    body = found.body or {}
    placed = list(placed_messages(body))
    start = first_shown(start, len(placed), count)
    offered, parameters = list(offered_tools(body)), list(_parameters(body))
    return PromptReading(
        state=found.state,
        steps=found.steps,
        broken_at=found.broken_at,
        is_cut=found.is_cut,
        is_limited=found.is_limited,
        messages=tuple(
            read_message(number, each, body)
            for number, each in islice(enumerate(placed), start, start + count)
        ),
        total=len(placed),
        tools=tuple(prompt_tool(each) for each in offered[:MAX_TOOLS]),
        tool_total=sum(not is_cache_point(each) for each in offered),
        parameters=tuple(
            PromptMember(name[:NAME_CHARACTERS], text_of(value, SCHEMA_CHARACTERS))
            for name, value in parameters[:MAX_PARAMETERS]
        ),
        parameter_total=len(parameters),
    )


def _unread(found: ReadRequest, sent: bytes) -> PromptReading:
    text = None
    if found.state is not RequestState.EMPTY:
        decoded = sent[: NO_JSON_CHARACTERS * 4].decode(errors="replace")
        text = msgspec.structs.replace(text_of(decoded, NO_JSON_CHARACTERS), length=len(sent))
    return PromptReading(state=found.state, broken_at=found.broken_at, text=text)


def _parameters(body: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    """Members that are neither prompt nor tool; those of objects of parameters one by one."""
    told = {*INSTRUCTIONS, *PLAIN, *MESSAGES, *TOOLS} - set(CONTINUED)
    for name, value in body.items():
        if name in told:
            continue
        if name in _NESTED and isinstance(value, dict) and value:
            yield from ((f"{name}.{inner}", each) for inner, each in value.items())
        elif name == "toolConfig" and isinstance(value, dict):
            rest = {inner: each for inner, each in value.items() if inner != "tools"}
            yield from ((f"{name}.{inner}", each) for inner, each in rest.items())
        else:
            yield name, value


def prompt_tool(offered: Json) -> PromptTool:
    """Return a tool as it is offered; the name of one that the provider runs is its type."""
    if not isinstance(offered, dict):
        return PromptTool(name="", extras=(PromptMember("", text_of(offered, MEMBER_CHARACTERS)),))
    told = next((offered[at] for at in _TOOL_BODIES if isinstance(offered.get(at), dict)), offered)
    known, sent_type = read_tool(offered), offered.get("type")
    kind = sent_type[:NAME_CHARACTERS] if isinstance(sent_type, str) else ""
    description = told.get("description")
    schema = known.schema if known else None
    properties = schema.get("properties") if isinstance(schema, dict) else None
    required = schema.get("required") if isinstance(schema, dict) else None
    extras = members_beside(offered, *_TOOL_MEMBERS)
    if told is not offered:
        extras += members_beside(told, *_TOOL_MEMBERS)
    return PromptTool(
        name=(known.name if known else kind or next(iter(offered), ""))[:NAME_CHARACTERS],
        type=kind,
        description=text_of(description) if isinstance(description, str) else None,
        schema=None if schema is None else text_of(schema, SCHEMA_CHARACTERS),
        properties=len(properties) if isinstance(properties, dict) else None,
        required=len(required) if isinstance(required, list) else 0,
        is_strict=bool(known and known.is_strict),
        is_cache_point=is_cache_point(offered),
        extras=extras,
    )
