"""Arguments compared with the schema that the request gave for their tool."""

import json
import subprocess
import sys
from typing import Any

import pytest

from inspector.core.analysis import Analysis
from inspector.core.completion import SchemaRemarkKind, ToolCall
from inspector.core.tool_calls.schema_check import MAX_REMARKS
from inspector.core.tool_calls.tool_definitions import read_tool_definitions
from inspector.core.wire.exchange import Request
from tests.core.bodies import analysis, choice, codes, completion

BROKEN, INVENTED, FORBIDDEN = SchemaRemarkKind

PARCEL = {
    "type": "object",
    "properties": {"order": {"type": "string"}, "weight": {"type": "number"}},
    "required": ["order"],
}


def asked(*tools: Any, **body: Any) -> Request:
    return Request(body=json.dumps({"model": "m", "tools": list(tools), **body}).encode())


def tool(schema: Any, name: str = "f", **more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": schema, **more}}


def answer(arguments: Any, name: str = "f") -> bytes:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = {"id": "a", "type": "function", "function": {"name": name, "arguments": text}}
    message = b'"role":"assistant","tool_calls":[%s]' % json.dumps(call).encode()
    return completion(choice(message, b'"finish_reason":"tool_calls"'))


def read(schema: Any, arguments: Any, **more: Any) -> ToolCall:
    result: Analysis = analysis(answer(arguments), request=asked(tool(schema, **more)))
    return result.choices[0].tool_calls[0]


def remarks(schema: Any, arguments: Any, **more: Any) -> list[tuple[SchemaRemarkKind, str]]:
    return [(each.kind, each.pointer) for each in read(schema, arguments, **more).schema_remarks]


def test_arguments_that_keep_to_the_schema_have_no_remark() -> None:
    assert remarks(PARCEL, {"order": "48213", "weight": 1.5}) == []


def test_a_missing_required_field_is_named() -> None:
    (remark,) = read(PARCEL, {"weight": 2}).schema_remarks
    assert (remark.kind, remark.pointer) == (BROKEN, "/order")
    assert remark.message == "the field is required, but missing"


def test_a_value_of_a_wrong_type_is_placed() -> None:
    (remark,) = read(PARCEL, {"order": 48213}).schema_remarks
    assert (remark.pointer, remark.message) == ("/order", "48213 is not of type string")


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"type": "object"}, None, "null is not of type object"),
        ({"type": ["string", "null"]}, 1.5, "1.5 is not of type string or null"),
        ({"type": "array"}, {"a": 1}, "an object is not of type array"),
        ({"type": "integer"}, True, "true is not of type integer"),
        ({"enum": ["celsius", "kelvin"]}, "rankine", '"rankine" is not one of "celsius" and "kelvin"'),
        ({"enum": list(range(7))}, "7", '"7" is not one of 0, 1, 2, 3, 4 and 2 more'),
        ({"const": None}, [], "an empty list is not null"),
        ({"minimum": 2}, 1, "1 is less than the minimum 2"),
        ({"maximum": 2}, 2.5, "2.5 is more than the maximum 2"),
        ({"exclusiveMinimum": 2}, 2, "2 is not more than 2"),
        ({"exclusiveMaximum": 2}, 2, "2 is not less than 2"),
        ({"multipleOf": 2}, 3, "3 is not a multiple of 2"),
        ({"minLength": 2}, "a", "it has 1 character, at least 2 are required"),
        ({"maxLength": 0}, "ab", "it has 2 characters, at most 0 are allowed"),
        ({"minItems": 1}, [], "it has 0 items, at least 1 are required"),
        ({"maxItems": 1}, [1, 2], "it has 2 items, at most 1 are allowed"),
        ({"minProperties": 1}, {}, "it has 0 fields, at least 1 are required"),
        ({"maxProperties": 0}, {"b": 1}, "it has 1 field, at most 0 are allowed"),
        ({"uniqueItems": True}, [1, 1], "it has equal items"),
        ({"contains": {"const": 1}}, [2], "no item is one that the schema requires"),
        ({"contains": {"const": 1}, "minContains": 2}, [1], "fewer than 2 items are of the required kind"),
        ({"contains": {"const": 1}, "maxContains": 1}, [1, 1], "more than 1 items are of the limited kind"),
        ({"prefixItems": [{}], "items": False}, [1, 2], "it has more items than the schema names"),
        ({"dependentRequired": {"b": ["c"]}}, {"b": 1}, "a field that another one requires is missing"),
        ({"not": {"type": "string"}}, "a", '"a" is what the schema excludes'),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, "1 matches no alternative of the schema"),
        ({"oneOf": [{"type": "string"}, {"type": "null"}]}, 1, "1 matches no alternative of the schema"),
        ({"oneOf": [{"type": "number"}, {"const": 1}]}, 1, "1 matches more than one alternative of the schema"),
    ],
)  # fmt: skip
def test_a_broken_schema_is_told_in_words_of_json(schema: Any, value: Any, message: str) -> None:
    told = read({"properties": {"a": schema}}, {"a": value}).schema_remarks
    assert [(each.kind, each.pointer, each.message) for each in told] == [(BROKEN, "/a", message)]


def test_a_schema_that_allows_nothing_says_so() -> None:
    (remark,) = read({"properties": {"a": False}}, {"a": None}).schema_remarks
    assert remark.message == "the schema allows no value here, and null was sent"


NESTED = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/Item"}}},
    "$defs": {"Item": {"type": "object", "properties": {"a/b": {"type": "integer"}}}},
}


def test_an_invented_field_is_marked_where_it_stands() -> None:
    assert remarks(PARCEL, {"order": "1", "colour": "red"}) == [(INVENTED, "/colour")]
    assert remarks(NESTED, {"items": [{"a/b": 1}, {"c~d": 2}]}) == [(INVENTED, "/items/1/c~0d")]
    assert remarks(NESTED, {"items": [{"a/b": "x"}]}) == [(BROKEN, "/items/0/a~1b")]


def test_an_invented_field_that_the_schema_or_strict_mode_forbids_is_told_apart() -> None:
    closed = PARCEL | {"additionalProperties": False}
    said = {"order": "1", "colour": "red"}
    assert remarks(closed, said) == [(FORBIDDEN, "/colour")]
    assert remarks(PARCEL, said, strict=True) == [(FORBIDDEN, "/colour")]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {},
        True,
        PARCEL | {"additionalProperties": {"type": "string"}},
        PARCEL | {"patternProperties": {"^c": {}}},
        PARCEL | {"patternProperties": {"^c": {}}, "additionalProperties": False},
        PARCEL | {"allOf": [{"properties": {"colour": {}}}]},
        {"anyOf": [PARCEL, {"type": "object"}]},
        {"$ref": "#/$defs/other"},
    ],
)
def test_nothing_is_called_invented_where_the_schema_leaves_it_open(schema: Any) -> None:
    assert remarks(schema, {"order": "1", "colour": "red"}) == []


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ({"properties": {"a": {"type": "string", "nullable": True}}}, {"a": None}),
        ({"properties": {"a": {"type": "string", "pattern": "^b"}}}, {"a": "c"}),
        ({"properties": {"a": {"type": "string", "format": "date"}}}, {"a": "c"}),
        ({"properties": {"a": {"exclusiveMinimum": True}}}, {"a": 0}),
        ({"properties": {"a": {"items": [{"type": "string"}]}}}, {"a": [1]}),
        ({"properties": {"a": {"$ref": "https://example.com/schema"}}}, {"a": 1}),
        ({"properties": {"a": {"$ref": "http://json-schema.org/draft-07/schema#"}}}, {"a": 1}),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"pattern": "^b"}}}, {"a": "c"}),
        ({"properties": {"a": {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "^b"}}}, {"a": "c"}),
        ({"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}, {"a": 1}),
        ({"required": 7}, {"a": 1}),
        ({"properties": [1]}, {"a": 1}),
        ({"properties": {"a": {"multipleOf": 0}}}, {"a": 1}),
        ({"properties": {"a": {"type": {}}}}, {"a": 1}),
        ({"$ref": "#"}, {"a": 1}),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}, {"a": 1}),
        ({"properties": {"a": {"$id": "http://[", "$ref": "#/x"}}}, {"a": 1}),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_has_no_remark(schema: Any, arguments: Any) -> None:
    assert remarks(schema, arguments) == []


@pytest.mark.parametrize("arguments", ["", "{", "{'order':1}", json.dumps('{"order":1}')])
def test_arguments_that_cannot_be_used_are_not_compared(arguments: str) -> None:
    assert remarks(PARCEL, arguments) == []


WIDE = {"anyOf": [{"required": [f"r{n}", "s"]} for n in range(3_000)]}
HOSTILE: dict[str, tuple[Any, Any]] = {
    "a pattern that backtracks": ({"pattern": "^(a+)+$", "patternProperties": {"^(a+)+$": False}}, {"a" * 60 + "!": 1}),
    "a pattern behind another draft": ({"properties": {"a": {"$schema": "http://json-schema.org/draft-04/schema#", "pattern": "^(a+)+$"}}}, {"a": "a" * 60 + "!"}),
    "references that multiply": ({"$ref": "#/$defs/0", "$defs": {str(n): {"allOf": [{"$ref": f"#/$defs/{n + 1}"}] * 2} for n in range(40)}}, {"a": 1}),
    "branches times items": ({"additionalProperties": {"items": WIDE}}, {"a": [{"x": n} for n in range(5_000)]}),
    "long names in many sentences": ({"anyOf": [{"additionalProperties": False}] * 5_000}, {"k" * 200_000: 1}),
    "long values in many sentences": ({"anyOf": [{"type": "string"}] * 5_000}, {"k": "v" * 200_000}),
    "many types in one sentence": ({"properties": {"a": {"type": ["string"] * 20_000}}}, {"a": 1}),
    "many equal items": ({"properties": {"a": {"uniqueItems": True}}}, {"a": [{"x": 1}] * 20_000}),
    "many things against it": ({"items": {"type": "string"}}, list(range(20_000))),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_schemas_and_arguments_get_few_and_short_remarks(name: str) -> None:
    schema, arguments = HOSTILE[name]
    call = read(schema, arguments)
    assert len(call.schema_remarks) <= MAX_REMARKS
    assert all(len(remark.message) < 500 for remark in call.schema_remarks)


def test_all_calls_of_a_reading_share_its_steps() -> None:
    wide = tool({"additionalProperties": {"items": WIDE}}, "wide")
    tools = asked(wide, tool(PARCEL))
    takes_all = ("wide", {"a": [{"x": n} for n in range(100)]})
    breaks: tuple[str, Any] = ("f", {})

    def remarked(*calls: tuple[str, Any]) -> int:
        sent = [
            {"id": f"c{n}", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for n, (name, arguments) in enumerate(calls)
        ]
        message = b'"role":"assistant","tool_calls":%s' % json.dumps(sent).encode()
        result: Analysis = analysis(completion(choice(message)), request=tools)
        return len(result.choices[0].tool_calls[-1].schema_remarks)

    assert remarked(breaks) == 1
    assert remarked(takes_all, breaks) == 0, "the last one is not compared any more"


def test_a_call_of_a_tool_that_was_not_offered_is_a_finding() -> None:
    assert "tool.unknown-name" in codes(analysis(answer({}, "g"), request=asked(tool({}))))
    assert "tool.unknown-name" not in codes(analysis(answer({}), request=asked(tool({}))))


@pytest.mark.parametrize(
    "request_",
    [
        None,
        Request(),
        Request(body=b"{"),
        Request(body=b"[]"),
        Request(body=b'{"model":"m"}'),
        Request(body=b'{"tools":[]}'),
        Request(
            body=b'{"tools":[{"type":"web_search"},{"type":"function","function":{"name":"f"}}]}'
        ),
        Request(body=b'{"tools":[7]}'),
    ],
)
def test_no_name_is_unknown_where_the_offer_is_not_known(request_: Request | None) -> None:
    assert "tool.unknown-name" not in codes(analysis(answer({}, "g"), request=request_))


@pytest.mark.parametrize(
    "body",
    [
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": PARCEL}}]},
        {"functions": [{"name": "f", "parameters": PARCEL}]},
        {"tools": [{"name": "f", "input_schema": PARCEL}]},
        {"tools": [{"type": "function", "name": "f", "parameters": PARCEL}]},
        {"tools": [{"functionDeclarations": [{"name": "f", "parameters": PARCEL}]}]},
        {"tools": [{"function_declarations": [{"name": "f", "parametersJsonSchema": PARCEL}]}]},
        {"toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": PARCEL}}}]}},
    ],
)
def test_tools_are_read_in_every_shape_that_requests_have(body: Any) -> None:
    tools = read_tool_definitions(body)
    assert tools is not None and tools.is_closed
    assert tools.by_name["f"].schema == PARCEL


def test_a_tool_that_lists_functions_offers_each_and_one_without_names_leaves_the_list_open() -> (
    None
):
    declared = [{"name": "f"}, {"name": "g"}]
    tools = read_tool_definitions({"tools": [{"functionDeclarations": declared}]})
    assert tools is not None and tools.is_closed and list(tools.by_name) == ["f", "g"]
    searched = [{"functionDeclarations": declared}, {"googleSearch": {}}, "odd"]
    tools = read_tool_definitions({"tools": searched})
    assert tools is not None and not tools.is_closed and list(tools.by_name) == ["f", "g"]
    assert read_tool_definitions({"tools": [{"functionDeclarations": []}], "toolConfig": 7}) is None


def test_a_custom_tool_is_offered_by_its_name() -> None:
    request = asked({"type": "custom", "custom": {"name": "shell"}})
    entry = b'{"id":"a","type":"custom","custom":{"name":"%s","input":"ls"}}'
    for name, is_unknown in ((b"shell", False), (b"exec", True)):
        body = completion(choice(b'"role":"assistant","tool_calls":[%s]' % (entry % name)))
        assert ("tool.unknown-name" in codes(analysis(body, request=request))) == is_unknown


def test_the_legacy_call_is_compared_too() -> None:
    message = b'"role":"assistant","function_call":{"name":"f","arguments":"{}"}'
    body = completion(choice(message, b'"finish_reason":"function_call"'))
    request = Request(
        body=json.dumps({"functions": [{"name": "f", "parameters": PARCEL}]}).encode()
    )
    result = analysis(body, request=request)
    assert codes(result) == {
        "message.content-missing",
        "message.legacy-function-call",
        "tool.arguments-against-schema",
    }
    legacy = result.choices[0].function_call
    assert legacy is not None and len(legacy.schema_remarks) == 1


def test_the_library_is_loaded_only_when_there_is_something_to_compare() -> None:
    program = "import sys, inspector.core.reading; print('jsonschema' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout == "False\n"


NATIVE: dict[str, tuple[bytes, bytes]] = {
    "anthropic": (
        b'{"tools":[{"name":"f","input_schema":{"type":"object","required":["x"]}}]}',
        b'{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"a","name":"%s","input":{}}],"stop_reason":"tool_use"}',
    ),
    "responses": (
        b'{"tools":[{"type":"function","name":"f","parameters":{"type":"object","required":["x"]}}]}',
        b'{"object":"response","status":"completed","output":[{"type":"function_call","call_id":"a","name":"%s","arguments":"{}"}]}',
    ),
    "gemini": (
        b'{"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT","required":["x"]}}]}]}',
        b'{"candidates":[{"content":{"parts":[{"functionCall":{"name":"%s","args":{}}}]},"finishReason":"STOP"}]}',
    ),
    "ollama": (
        b'{"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","required":["x"]}}}]}',
        b'{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"%s","arguments":{}}}]},"done":true,"done_reason":"stop"}',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NATIVE)
def test_calls_of_every_format_are_compared_with_the_tools_of_their_request(name: str) -> None:
    offers, answered = NATIVE[name]
    (call,) = analysis(answered % b"f", request=Request(body=offers)).choices[0].tool_calls
    assert call.is_offered
    assert [remark.kind for remark in call.schema_remarks] == [SchemaRemarkKind.BROKEN]
    (other,) = analysis(answered % b"g", request=Request(body=offers)).choices[0].tool_calls
    assert other.is_offered is False


def test_the_text_of_every_format_is_compared_with_the_schema_of_the_answer() -> None:
    wish = b'{"output_format":{"type":"json_schema","schema":{"type":"object","required":["x"]}}}'
    body = b'{"type":"message","role":"assistant","content":[{"type":"text","text":"{}"}],"stop_reason":"end_turn"}'
    result = analysis(body, request=Request(body=wish))
    (found,) = (one for one in result.findings if one.code == "message.schema-broken")
    assert found.where.pointer == "/content/0"
