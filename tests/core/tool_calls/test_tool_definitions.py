"""The tools that a request offers, as each format writes them."""

import json
from typing import Any

import pytest

from inspector.core.tool_calls.tool_definitions import ToolDefinition, read_tool_definitions

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


@pytest.mark.parametrize(
    ("body", "is_strict"),
    [
        ({"tools": [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}]}, False),
        ({"functions": [{"name": "f", "parameters": SCHEMA}]}, False),
        ({"tools": [{"name": "f", "description": "d", "input_schema": SCHEMA}]}, False),
        ({"tools": [{"type": "function", "name": "f", "parameters": SCHEMA, "strict": True}]}, True),
        ({"tools": [{"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "f", "parameters": SCHEMA}]}]}, False),
        ({"tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}}}]}]}, False),
        ({"tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": SCHEMA}]}]}, False),
        ({"toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": SCHEMA}}}]}}, False),
    ],
    ids=["chat", "deprecated", "anthropic", "responses", "namespace", "gemini", "gemini, JSON Schema", "bedrock"],
)  # fmt: skip
def test_the_tools_of_every_format_are_read(body: dict[str, Any], is_strict: bool) -> None:
    found = read_tool_definitions(body)
    assert found is not None and found.is_closed
    assert dict(found.by_name) == {"f": ToolDefinition("f", SCHEMA, is_strict)}


def test_a_tool_without_name_leaves_open_what_was_offered() -> None:
    found = read_tool_definitions(
        {"tools": [{"type": "web_search"}, {"type": "function", "name": "f"}]}
    )
    assert found is not None and not found.is_closed and list(found.by_name) == ["f"]


@pytest.mark.parametrize(
    "body",
    [
        {"tools": [{"functionDeclarations": 7}]},
        {"tools": [7, None, []]},
        {"tools": [{"type": "namespace", "tools": 7}, {}]},
        {"toolConfig": {"tools": [{"toolSpec": {"name": "", "inputSchema": 7}}]}},
        {"tools": [{"functionDeclarations": [7, {"name": ["f"]}]}]},
    ],
    ids=json.dumps,
)
def test_tools_of_odd_shapes_are_passed_over(body: dict[str, Any]) -> None:
    found = read_tool_definitions(body)
    assert found is not None and dict(found.by_name) == {} and not found.is_closed
