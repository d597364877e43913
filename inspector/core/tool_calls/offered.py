"""The tools that a request offered, whatever shape it described them in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import msgspec

from inspector.core.completion import Json, listed

MAX_TOOLS = 2_000
MAX_SCHEMA_CHARACTERS = 262_144
"""A tool with a longer schema is known by its name alone."""

_SCHEMA_NAMES = ("parameters", "input_schema", "parameters_json_schema")


class Tool(msgspec.Struct, frozen=True):
    """``schema`` is None where none was given; ``is_strict``: nothing but it may be said."""

    name: str
    schema: Json = None
    is_strict: bool = False


class Tools(msgspec.Struct, frozen=True):
    """``is_closed``: every tool has a name here, so that a call of another one is unknown."""

    by_name: Mapping[str, Tool]
    is_closed: bool = True


def offered_tools(body: Mapping[str, Json] | None) -> Tools | None:
    """None where the request's body, or what it offers, is not known. Linear in it."""
    if body is None:
        return None
    entries = [*listed(body.get("tools")), *listed(body.get("functions"))]
    if not entries:
        return None
    tools = list(_read(entries[:MAX_TOOLS]))
    return Tools({tool.name: tool for tool in tools}, is_closed=len(tools) == len(entries))


def _read(entries: list[Json]) -> Iterator[Tool]:
    for entry in entries:
        tool = _tool(entry) if isinstance(entry, dict) else None
        if tool is not None:
            yield tool


def _tool(entry: dict[str, Json]) -> Tool | None:
    """``{function: {name, parameters}}``, ``{custom: {name}}`` or the same fields at the top."""
    bodies = (entry.get(name) for name in ("function", "custom"))
    body = next((body for body in bodies if isinstance(body, dict)), entry)
    name = body.get("name")
    if not isinstance(name, str) or not name:
        return None
    schema = next((body[key] for key in _SCHEMA_NAMES if isinstance(body.get(key), dict)), None)
    is_long = schema is not None and len(json.dumps(schema)) > MAX_SCHEMA_CHARACTERS
    return Tool(name, None if is_long else schema, body.get("strict") is True)
