import json
from typing import Any

import pytest

from inspector.dashboard.capture.tool_calls.argument_tree import (
    MAX_CHARACTERS,
    MAX_CHILDREN,
    MAX_LEVELS,
    MAX_NODES,
    MAX_TEXT,
    ArgumentNode,
    argument_tree_of,
    parse_arguments,
)


def root(text: str, **asked: Any) -> ArgumentNode:
    tree = argument_tree_of(parse_arguments(text), **asked)
    assert tree is not None
    return tree.root


def said(node: ArgumentNode) -> tuple[str, str, str]:
    name = "".join(part.text for part in node.name) if node.name is not None else ""
    return name, "".join(part.text for part in node.value), node.type


def count(node: ArgumentNode) -> int:
    return 1 + sum(map(count, node.children))


def test_every_value_stands_with_its_name_and_type() -> None:
    text = '{"t":"hi","e":"","n":1.10,"b":true,"z":null,"o":{},"l":[1,2]}'
    assert [said(node) for node in root(text).children] == [
        ("t", "hi", "text, 2 characters"),
        ("e", "", "text, empty"),
        ("n", "1.10", "number"),
        ("b", "true", "boolean"),
        ("z", "null", "null"),
        ("o", "", "object, 0 fields"),
        ("l", "", "list, 2 items"),
    ]


def test_items_of_a_list_stand_by_their_position() -> None:
    assert [node.position for node in root("[5,6]").children] == [0, 1]
    assert root("[5,6]").children[1].pointer == "/1"


@pytest.mark.parametrize(
    "number, is_remarked",
    [
        ("9007199254740992", False),
        ("9007199254740993", True),
        ("-12345678901234567890", True),
        ("1.5", False),
        ("1e400", False),
    ],
)
def test_numbers_are_shown_as_sent_and_large_ones_are_remarked(
    number: str, is_remarked: bool
) -> None:
    node = root(f"[{number}]").children[0]
    assert said(node)[1] == number
    assert bool(node.remark) is is_remarked


def test_a_name_that_stands_twice_is_shown_twice() -> None:
    children = root('{"a":1,"b":2,"a":3}').children
    assert [said(node)[:2] for node in children] == [("a", "1"), ("b", "2"), ("a", "3")]
    assert [node.remark for node in children] == [
        "sent 2 times, most parsers take the last", "", "sent 2 times, most parsers take the last",
    ]  # fmt: skip


def test_what_hides_in_names_and_values_is_marked() -> None:
    (node,) = root('{"a\\u202e":"b\\u0000"}').children
    assert said(node)[:2] == ("a[RLO]", "b[NUL]")


def test_more_children_than_fit_are_counted_and_lead_on() -> None:
    node = root(json.dumps({"l": list(range(MAX_CHILDREN + 7))})).children[0]
    assert (len(node.children), node.more, node.following) == (MAX_CHILDREN, 7, MAX_CHILDREN)
    rest = root(json.dumps({"l": list(range(MAX_CHILDREN + 7))}), at="/l", start=MAX_CHILDREN)
    assert [said(each)[1] for each in rest.children] == ["50", "51", "52", "53", "54", "55", "56"]
    assert rest.more == 0


def test_a_tree_holds_no_more_than_a_page_can() -> None:
    wide = root(json.dumps([[0] * 40 for _ in range(40)]))
    assert count(wide) <= MAX_NODES + 40
    deep = root("[" * 60 + "]" * 60)
    assert count(deep) == MAX_LEVELS + 1
    at = deep
    while at.children:
        at = at.children[0]
    assert (at.more, at.pointer) == (1, "/0" * MAX_LEVELS)


def test_a_long_text_is_cut_and_says_so() -> None:
    node = root(json.dumps(["x" * (MAX_TEXT + 9)])).children[0]
    assert (len(said(node)[1]), node.left_out) == (MAX_TEXT, 9)


def test_a_place_that_is_not_there_has_no_tree() -> None:
    value = parse_arguments('{"a":[1]}')
    for at in ("/b", "/a/1", "/a/x", "/a/0/0", "/a/-1", "/a/99999999999"):
        assert argument_tree_of(value, at) is None
    assert argument_tree_of(value, "/a/0") is not None


def test_of_a_repeated_name_the_last_is_led_to() -> None:
    assert said(root('{"a":1,"a":2}', at="/a"))[1] == "2"


@pytest.mark.parametrize(
    "text", ["{", "NaN", "[" * 65 + "]" * 65, '"' + "x" * MAX_CHARACTERS + '"'],
)  # fmt: skip
def test_what_is_no_json_or_over_a_limit_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_arguments(text)
