"""JSON over several lines: what fits a line stays in one, and only white space changes."""

import json

import pytest

from inspector.core.json.layout import INDENT, MAX_DEPTH, lay_out, lay_out_line


def test_what_fits_a_line_stays_in_one() -> None:
    assert lay_out('{"type":"object","required":["a"],"n":{}}') == (
        '{"type": "object", "required": ["a"], "n": {}}'
    )


def test_what_does_not_fit_has_a_line_for_each_member() -> None:
    sent = {"properties": {"city": {"type": "string"}, "note": {"description": "x" * 70}}, "of": []}
    assert lay_out(json.dumps(sent)) == "\n".join((
        "{",
        '  "properties": {',
        '    "city": {"type": "string"},',
        '    "note": {',
        f'      "description": "{"x" * 70}"',
        "    }",
        "  },",
        '  "of": []',
        "}",
    ))  # fmt: skip


def test_numbers_escapes_and_repeated_names_are_spelled_as_they_were_sent() -> None:
    assert (
        lay_out('[1.10,1e999,-0,"\\u00e9 \\"{[,","é"]')
        == '[1.10, 1e999, -0, "\\u00e9 \\"{[,", "é"]'
    )
    assert lay_out('{"a":1,"a":2}') == '{"a": 1, "a": 2}'


@pytest.mark.parametrize(
    "sent", ["", "null", '"{}"', "12", "{", '{"a":1', '{"a":1} and more', '["\ud800"]', "[" * 5_000]
)
def test_what_is_no_whole_object_or_array_has_no_layout(sent: str) -> None:
    assert lay_out(sent) is None


def test_what_is_nested_very_deep_does_not_grow_by_its_indents() -> None:
    depth = 900
    layout = lay_out("[" * depth + "]" * depth) or ""
    assert layout.startswith("[\n" + INDENT + "[\n")
    assert len(layout) < 2 * depth + 2 * MAX_DEPTH * (len(INDENT) * MAX_DEPTH + 1)


def test_only_a_long_line_that_was_sent_is_laid_out() -> None:
    long = json.dumps({"description": "x" * 80})
    assert lay_out_line(long) == lay_out(long)
    assert lay_out_line('{"n":1}') is None
    assert lay_out_line(json.dumps({"description": "x" * 80}, indent=1)) is None
    assert lay_out_line("x" * 80) is None
