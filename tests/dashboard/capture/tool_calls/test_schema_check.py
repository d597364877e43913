from typing import Any

from inspector.core.completion import ArgumentsState, SchemaRemark, SchemaRemarkKind, ToolCall
from inspector.core.tool_calls.tool_definitions import ToolDefinition
from inspector.dashboard.capture.tool_calls.argument_tree import parse_arguments
from inspector.dashboard.capture.tool_calls.schema_check import (
    MAX_FIELDS,
    SchemaCheckDisplay,
    check_against_schema,
)

ORDER = {
    "required": ["order", "legs"],
    "properties": {
        "order": {"type": "string"},
        "legs": {"type": ["array", "null"]},
        "carrier": {"type": "string", "enum": ["dhl", "dpd"]},
    },
}


def checked(
    text: str, schema: Any = ORDER, *remarks: SchemaRemark, **more: Any
) -> SchemaCheckDisplay:
    call = ToolCall(index=0, name="f", schema_remarks=remarks, **more)
    found = check_against_schema(
        call, ToolDefinition("f", schema), parse_arguments(text), is_repaired=False
    )
    assert found is not None
    return found


def test_a_schema_without_fields_is_no_table_of_its_own() -> None:
    call = ToolCall(index=0, name="f")
    empty = ToolDefinition("f", {"type": "object", "properties": {}})
    assert check_against_schema(call, empty, parse_arguments("{}"), is_repaired=False) is None
    broken = SchemaRemark(SchemaRemarkKind.FORBIDDEN, "/x", "is not allowed")
    assert len(checked('{"x":1}', {"properties": {}}, broken).rows) == 1


def told(check: SchemaCheckDisplay) -> list[tuple[str, str, str, str]]:
    return [
        ("".join(part.text for part in row.place), "".join(part.text for part in row.expected),
         row.outcome, row.tone)
        for row in check.rows
    ]  # fmt: skip


def test_every_field_of_the_schema_says_whether_it_came() -> None:
    assert told(checked('{"order":"1"}')) == [
        ("order", "required, string", "present", "tick"),
        ("legs", "required, array or null", "missing", "cross"),
        ("carrier", "string, one of 2", "not sent", "soft"),
    ]


def test_what_is_missing_from_a_text_that_was_cut_was_cut_off() -> None:
    rows = told(checked("{}", arguments_state=ArgumentsState.TRUNCATED))
    assert [row[2] for row in rows] == ["missing, cut off", "missing, cut off", "not sent"]


def test_remarks_stand_below_the_fields_and_a_missing_one_is_said_once() -> None:
    broken = SchemaRemark(SchemaRemarkKind.BROKEN, "/order", "1 is not of type string")
    missing = SchemaRemark(SchemaRemarkKind.BROKEN, "/legs", "the field is required, but missing")
    invented = SchemaRemark(SchemaRemarkKind.INVENTED, "/colour", "the schema does not name it")
    whole = SchemaRemark(SchemaRemarkKind.BROKEN, "", "[] is too short")
    rows = told(checked('{"order":1,"colour":2}', ORDER, broken, missing, invented, whole))
    assert rows[0] == ("order", "required, string", "against the schema", "cross")
    assert rows[3:] == [
        ("/order", "1 is not of type string", "against the schema", "cross"),
        ("/colour", "the schema does not name it", "invented field", "soft"),
        ("all of it", "[] is too short", "against the schema", "cross"),
    ]


def test_there_is_nothing_to_check_without_a_schema_that_names_fields_or_an_object() -> None:
    call, value = ToolCall(index=0, name="f"), parse_arguments("{}")
    assert check_against_schema(call, None, value, is_repaired=False) is None
    for schema in (None, {}, {"properties": []}):
        assert (
            check_against_schema(call, ToolDefinition("f", schema), value, is_repaired=False)
            is None
        )
    assert (
        check_against_schema(
            call, ToolDefinition("f", ORDER), parse_arguments("[1]"), is_repaired=False
        )
        is None
    )
    assert check_against_schema(call, ToolDefinition("f", ORDER), ..., is_repaired=False) is None


def test_a_schema_of_any_shape_raises_nothing() -> None:
    odd = {
        "required": "x",
        "properties": {"a": True, "b": {"type": 5, "enum": 1}, "c": {"const": 1}},
    }
    assert [row[:3] for row in told(checked("{}", odd))] == [
        ("a", "", "not sent"), ("b", "", "not sent"), ("c", "only 1", "not sent"),
    ]  # fmt: skip


def test_very_many_fields_are_counted_and_not_all_shown() -> None:
    check = checked("{}", {"properties": {str(n): {} for n in range(MAX_FIELDS + 5)}})
    assert (len(check.rows), check.left_out) == (MAX_FIELDS, 5)
