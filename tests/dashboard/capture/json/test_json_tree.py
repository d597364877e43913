import json
from typing import Any

import pytest

from inspector.core.json.spans import JsonKind
from inspector.core.wire.exchange import Exchange
from inspector.dashboard.capture.json.json_search import (
    MAX_MATCHES,
    JsonMatch,
    JsonMatches,
    find_in_json,
)
from inspector.dashboard.capture.json.json_source import JsonSource, json_source_of
from inspector.dashboard.capture.json.json_tree import (
    LONG,
    MAX_LONG,
    MEMBERS,
    JsonTreeMembers,
    JsonTreeNode,
    json_tree_of,
    members_at,
)
from inspector.dashboard.capture.page.capture_view import CaptureView
from tests.core.frames import frame
from tests.dashboard.capture.samples import (
    TWO_CHOICES,
    chunk,
    delta,
    read_view,
    streamed,
    text_of,
    view,
    whole,
)


def source(text: bytes) -> JsonSource:
    return JsonSource(text, ((0, 0),))


def rows(node: JsonTreeNode) -> list[tuple[str, str]]:
    assert node.inside is not None
    return [(text_of(each.name), text_of(each.value)) for each in node.inside.nodes]


def spelt(shown: CaptureView, node: JsonTreeNode) -> bytes:
    return shown.body[node.start : node.end]


def test_members_are_shown_as_they_were_sent() -> None:
    text = b'{"n":9007199254740993,"d":0.00213300,"s":"a\\u00e9\\n","t":true,"z":null}'
    assert rows(json_tree_of(source(text)).root) == [
        ("n", "9007199254740993"),
        ("d", "0.00213300"),
        ("s", '"a\\u00e9\\n"'),
        ("t", "true"),
        ("z", "null"),
    ]


def test_both_of_two_equal_names_are_shown_and_marked() -> None:
    root = json_tree_of(source(b'{"a":1,"b":2,"a":[3]}')).root
    assert root.inside is not None
    assert [(text_of(n.name), n.is_twice, n.pointer) for n in root.inside.nodes] == [
        ("a", True, "/a"), ("b", False, "/b"), ("a", True, "/a"),
    ]  # fmt: skip
    assert [n.kind for n in root.inside.nodes] == [JsonKind.NUMBER, JsonKind.NUMBER, JsonKind.LIST]


def test_an_asked_value_is_found_with_the_way_to_it_open() -> None:
    text = json.dumps({"big": list(range(900)), "x/y": {"~": 1}}).encode()
    tree = json_tree_of(source(text), "/big/450")
    assert tree.is_found and tree.requested.pointer == "/big/450"
    big = tree.root.inside.nodes[0] if tree.root.inside else None
    assert big is not None and big.inside is not None
    assert (big.inside.start, big.inside.before, big.inside.after) == (400, 200, 600)
    assert [text_of(n.name) for n in big.inside.nodes if n.is_requested] == ["450"]
    assert text_of(json_tree_of(source(text), "/x~1y/~0").requested.value) == "1"


def test_a_pointer_to_nothing_shows_the_whole_and_says_so() -> None:
    tree = json_tree_of(source(b'{"a":1}'), "/b")
    assert not tree.is_found and tree.root.inside is not None


def test_large_members_wait_and_come_by_windows() -> None:
    text = json.dumps({"few": [1], "many": [[n] for n in range(2 * MEMBERS + 1)]}).encode()
    root = json_tree_of(source(text)).root
    assert root.inside is not None
    few, many = root.inside.nodes
    assert few.inside is not None and many.inside is None and many.size == 2 * MEMBERS + 1
    window = members_at(source(text), many.offset, 0)
    assert isinstance(window, JsonTreeMembers)
    assert (len(window.nodes), window.before, window.after) == (MEMBERS, None, MEMBERS)
    assert [node.inside for node in window.nodes] == [None] * MEMBERS
    last = members_at(source(text), many.offset, 2 * MEMBERS)
    assert last is not None
    assert ([node.pointer for node in last.nodes], last.after) == ([f"/many/{2 * MEMBERS}"], None)


@pytest.mark.parametrize("offset", [1, 3, 99])
def test_members_are_given_of_what_begins_at_the_offset_only(offset: int) -> None:
    assert members_at(source(b'{"abc":[1]}'), offset, 0) is None


def test_a_long_text_is_cut_and_counted() -> None:
    root = json_tree_of(source(json.dumps({"s": "é" * 500}, ensure_ascii=False).encode())).root
    assert root.inside is not None
    (node,) = root.inside.nodes
    assert (len(text_of(node.value)), node.rest_length, len(text_of(node.rest))) == (LONG, 302, 302)
    huge = json_tree_of(source(json.dumps({"s": "x" * (MAX_LONG * 5)}).encode())).root
    assert huge.inside is not None
    (node,) = huge.inside.nodes
    assert (node.rest_length, node.rest) == (MAX_LONG * 5 + 2 - LONG, ())


def test_what_the_text_cuts_off_is_said_not_to_be_closed() -> None:
    root = json_tree_of(source(b'{"a":[1,{"b":"Hel')).root
    assert root.inside is not None and not root.is_closed
    assert [node.is_closed for node in root.inside.nodes] == [False]


def test_what_is_nested_without_end_is_shown_from_a_few_levels_above() -> None:
    deep = b"[" * 600 + b"7" + b"]" * 600
    tree = json_tree_of(source(deep), "/0" * 600)
    assert tree.above == "/0" * 587 and text_of(tree.requested.value) == "7"
    node, levels = tree.root, 0
    while node.inside:
        (node,), levels = node.inside.nodes, levels + 1
    assert levels == 12
    assert json_tree_of(source(deep)).root.inside is not None


def test_the_bytes_of_a_node_are_those_of_the_body() -> None:
    shown = streamed(*TWO_CHOICES)
    found = json_source_of(shown, 3)
    assert found is not None
    asked = json_tree_of(found, "/choices/0/delta/content").requested
    assert spelt(shown, asked) == b'"Ship from "'


def test_the_first_event_with_data_stands_for_a_stream() -> None:
    found = json_source_of(streamed(*TWO_CHOICES))
    assert found is not None and found.event == 1
    assert json_source_of(streamed(*TWO_CHOICES), 999) is None


def test_data_of_several_lines_is_one_text_whose_bytes_are_found_again() -> None:
    event = 'data: {"object":"chat.completion.chunk",\n: no\ndata: "choices":[],"x":\ndata:12}\n\n'
    shown = streamed((1, chunk(delta(content="a")) + event))
    found = json_source_of(shown, 2)
    assert found is not None and found.is_json
    asked = json_tree_of(found, "/x").requested
    assert spelt(shown, asked) == b"12"
    for byte in range(asked.start, asked.end):
        offset = found.offset(byte)
        assert offset is not None and found.body_byte(offset) == byte
    assert found.offset(shown.body.index(b": no")) is None


def searched(document: Any, sought: str) -> list[tuple[str, bool]]:
    found = find_in_json(whole(document), sought)
    assert found.is_all
    return [(match.pointer, match.is_name) for match in found.found]


BODY = {
    "object": "chat.completion",
    "choices": [
        {"index": 0, "message": {"content": 'a "quoted" Café\n'}, "note/x": 17.50},
        {"index": 1, "message": {"content": "another"}},
    ],
}


def test_names_and_values_are_found_with_their_pointers() -> None:
    assert searched(BODY, "CONTENT") == [
        ("/choices/0/message/content", True),
        ("/choices/1/message/content", True),
    ]
    assert searched(BODY, "17.5") == [("/choices/0/note~1x", False)]
    assert searched(BODY, "note/x") == [("/choices/0/note~1x", True)]


@pytest.mark.parametrize("sought", ['"quoted"', "Café", "caf\u00e9", "quoted", "\n"])
def test_text_is_found_however_it_was_escaped(sought: str) -> None:
    assert searched(BODY, sought)[0] == ("/choices/0/message/content", False)


def test_what_stands_between_values_is_no_match() -> None:
    assert searched(BODY, "[{") == searched(BODY, ": ") == []


def test_a_match_is_told_once_with_what_stands_around_it() -> None:
    found = find_in_json(whole({"object": "chat.completion", "choices": [], "s": "abcabc"}), "bc")
    (match,) = found.found
    assert isinstance(match, JsonMatch)
    assert [text_of(part) for part in (match.before, match.sought, match.after)] == [
        '"a', "bc", 'abc"',
    ]  # fmt: skip


def test_events_of_a_stream_are_searched_too() -> None:
    shown = streamed(*TWO_CHOICES)
    found = find_in_json(shown, "Rotter")
    assert [(match.pointer, match.event) for match in found.found] == [
        ("/choices/0/delta/content", 5)
    ]
    assert shown.body[found.found[0].byte :].startswith(b"Rotterdam")
    assert find_in_json(shown, "keep-alive").found == ()


def test_a_search_ends_and_says_so() -> None:
    found = find_in_json(whole({"object": "chat.completion", "choices": ["x"] * 500}), "x")
    assert isinstance(found, JsonMatches)
    assert (len(found.found), found.is_all) == (MAX_MATCHES, False)


@pytest.mark.parametrize("body", [b"", b"no json", b'{"a":[1,{"b":"He', b"\xff{", b"[[[[["])
def test_any_body_can_be_searched_and_opened(body: bytes) -> None:
    shown = view(None, body)
    find_in_json(shown, "b")
    found = json_source_of(shown)
    assert found is not None
    json_tree_of(found, "/a")


def test_the_tree_of_a_binary_frame_is_that_of_its_payload() -> None:
    first = frame("messageStart", b'{"role":"assistant"}')
    body = first + frame("messageStop", b'{"stopReason":"end_turn"}')
    shown = read_view(Exchange.of_body(body))
    found = json_source_of(shown, 1)
    assert found is not None and found.is_json
    assert found.text == b'{"stopReason":"end_turn"}'
    assert found.body_byte(2) == body.index(b"stopReason")
