"""Reads the tools that a request offered, in any of the known formats."""

import json
from collections.abc import Iterator, Mapping

import msgspec

from inspector.core.completion import list_or_empty
from inspector.core.json import Json

MAX_TOOLS = 2_000
"""Names that a call may be of; OpenAI takes 128."""
MAX_SCHEMA_CHARACTERS = 262_144
"""Longer schemas are ignored; only the tool's name is kept."""

_SCHEMA_NAMES = ("parameters", "input_schema", "parameters_json_schema", "parametersJsonSchema")
_DECLARATIONS = ("functionDeclarations", "function_declarations")


class ToolDefinition(msgspec.Struct, frozen=True):
    """A tool. ``schema`` is None if the request gave none; ``is_strict``: fields that it does not
    name are forbidden.
    """

    name: str
    schema: Json = None
    is_strict: bool = False


class ToolDefinitions(msgspec.Struct, frozen=True):
    """The tools of a request. ``is_closed``: all were read, so another name was not offered."""

    by_name: Mapping[str, ToolDefinition]
    is_closed: bool = True


def read_tool_definitions(body: Mapping[str, Json] | None) -> ToolDefinitions | None:
    """Return the tools of a request body, in linear time; None if it is unknown or offers none."""
    if body is None:
        return None
    entries = list(offered_tools(body))
    if not entries:
        return None
    tools = list(_read(entries[:MAX_TOOLS]))
    return ToolDefinitions(
        {tool.name: tool for tool in tools}, is_closed=len(tools) == len(entries)
    )


def offered_tools(body: Mapping[str, Json]) -> Iterator[Json]:
    """Yield the tools that a request offers, each as its format writes it."""
    config = body.get("toolConfig")
    of_bedrock = list_or_empty(config.get("tools")) if isinstance(config, dict) else []
    for entry in (
        *list_or_empty(body.get("tools")),
        *list_or_empty(body.get("functions")),
        *of_bedrock,
    ):
        yield from _one_by_one(entry)


def _one_by_one(entry: Json) -> Iterator[Json]:
    """Yield the tools of an entry that holds several: Gemini's declarations, a namespace."""
    if not isinstance(entry, dict):
        yield entry
        return
    name = next((name for name in _DECLARATIONS if isinstance(entry.get(name), list)), None)
    if name is not None:
        yield from (_of_gemini(each) for each in entry[name])
        # Beside them it may have tools of the provider, whose calls have no name.
    elif entry.get("type") == "namespace":
        yield from list_or_empty(entry.get("tools"))
    else:
        yield entry


def _read(entries: list[Json]) -> Iterator[ToolDefinition]:
    for entry in entries:
        tool = read_tool(entry) if isinstance(entry, dict) else None
        if tool is not None:
            yield tool


def read_tool(entry: dict[str, Json]) -> ToolDefinition | None:
    """Read ``{function: {name, parameters}}``, ``{custom: {name}}``, ``{toolSpec: {name,
    inputSchema: {json}}}``, or the same fields at the top level.
    """
    bodies = (entry.get(name) for name in ("function", "custom", "toolSpec"))
    body = next((body for body in bodies if isinstance(body, dict)), entry)
    name = body.get("name")
    if not isinstance(name, str) or not name:
        return None
    schema = next((body[key] for key in _SCHEMA_NAMES if isinstance(body.get(key), dict)), None)
    if isinstance(spelt := body.get("inputSchema"), dict):
        schema = spelt.get("json") if isinstance(spelt.get("json"), dict) else None
    is_long = schema is not None and len(json.dumps(schema)) > MAX_SCHEMA_CHARACTERS
    return ToolDefinition(name, None if is_long else schema, body.get("strict") is True)


def _of_gemini(declaration: Json) -> Json:
    """Return a declaration of Gemini's, with its schema as JSON Schema."""
    if not isinstance(declaration, dict) or not isinstance(declaration.get("parameters"), dict):
        return declaration
    return {**declaration, "parameters": as_json_schema(declaration["parameters"])}


def as_json_schema(schema: Json) -> Json:
    """Return a schema in Gemini's notation (``OBJECT``, ``nullable``) as JSON Schema."""
    if isinstance(schema, list):
        return [as_json_schema(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: as_json_schema(each) for name, each in schema.items()}
    kind = schema.get("type")
    if isinstance(kind, str):
        found["type"] = kind.lower()
        if found.pop("nullable", False) is True:
            found["type"] = [kind.lower(), "null"]
    return found
