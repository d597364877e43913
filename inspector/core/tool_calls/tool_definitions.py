"""Reads the tools that a request offered, in any of the known formats."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import msgspec

from inspector.core.completion import Json, list_or_empty

MAX_TOOLS = 2_000
MAX_SCHEMA_CHARACTERS = 262_144
"""Longer schemas are ignored; only the tool's name is kept."""

_SCHEMA_NAMES = ("parameters", "input_schema", "parameters_json_schema")


class ToolDefinition(msgspec.Struct, frozen=True):
    """A tool. ``schema`` is None if the request gave none; ``is_strict``: fields that it does not
    name are forbidden.
    """

    name: str
    schema: Json = None
    is_strict: bool = False


class ToolDefinitions(msgspec.Struct, frozen=True):
    """The tools of a request. ``is_closed``: all of them were read, so a call of another name was
    not offered.
    """

    by_name: Mapping[str, ToolDefinition]
    is_closed: bool = True


def read_tool_definitions(body: Mapping[str, Json] | None) -> ToolDefinitions | None:
    """Read the tools of a request body; None if it is unknown or offers no tools. Linear in its
    length.
    """
    if body is None:
        return None
    entries = [*list_or_empty(body.get("tools")), *list_or_empty(body.get("functions"))]
    if not entries:
        return None
    tools = list(_read(entries[:MAX_TOOLS]))
    return ToolDefinitions(
        {tool.name: tool for tool in tools}, is_closed=len(tools) == len(entries)
    )


def _read(entries: list[Json]) -> Iterator[ToolDefinition]:
    for entry in entries:
        tool = _tool(entry) if isinstance(entry, dict) else None
        if tool is not None:
            yield tool


def _tool(entry: dict[str, Json]) -> ToolDefinition | None:
    """Read ``{function: {name, parameters}}``, ``{custom: {name}}``, or the same fields at the top
    level.
    """
    bodies = (entry.get(name) for name in ("function", "custom"))
    body = next((body for body in bodies if isinstance(body, dict)), entry)
    name = body.get("name")
    if not isinstance(name, str) or not name:
        return None
    schema = next((body[key] for key in _SCHEMA_NAMES if isinstance(body.get(key), dict)), None)
    is_long = schema is not None and len(json.dumps(schema)) > MAX_SCHEMA_CHARACTERS
    return ToolDefinition(name, None if is_long else schema, body.get("strict") is True)
