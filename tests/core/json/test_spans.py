"""Places of values in JSON texts, whole, broken and odd."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.json.pointer import pointer_to
from inspector.core.json.spans import DEEPEST, MAX_MEMBERS, JsonKind, JsonSpans, MemberSpan
from tests.steps import steps

JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def spelt(text: bytes, pointer: str) -> bytes | None:
    found = JsonSpans(text).find(pointer)
    return text[found.start : found.end] if found else None


def members(text: bytes, pointer: str = "") -> list[tuple[str | int, bytes]]:
    outline = JsonSpans(text)
    found = outline.find(pointer)
    assert found is not None
    return [
        (
            each.position if each.name_start is None else outline.name(each),
            text[each.start : each.end],
        )
        for each in outline.members(found.start, found.end)
    ]


def test_members_stand_where_they_were_sent() -> None:
    text = b' { "a" : [1, 2.50 ] ,\n"b":{"c":null}}\n'
    assert members(text) == [("a", b"[1, 2.50 ]"), ("b", b'{"c":null}')]
    assert members(text, "/a") == [(0, b"1"), (1, b"2.50")]
    assert spelt(text, "/b/c") == b"null"


def test_a_name_that_stands_twice_comes_twice_and_the_last_is_found() -> None:
    text = b'{"k":{"a":1,"k":2},"k":1234567,"k":1234567}'
    assert members(text) == [("k", b'{"a":1,"k":2}'), ("k", b"1234567"), ("k", b"1234567")]
    outline = JsonSpans(text)
    found = outline.find("/k")
    assert found is not None and found.path[0].position == 2


def test_a_name_is_found_by_what_it_means_and_by_both_escapings_of_pointers() -> None:
    text = b'{"a\\/b~":{"\\u00e9":7}}'
    assert spelt(text, "/a~1b~0/\u00e9") == b"7"


@pytest.mark.parametrize("pointer", ["/b", "/a/2", "/a/x", "/a/0/0", "/a/-1", "/a/99999999999999"])
def test_what_is_not_there_is_not_found(pointer: str) -> None:
    assert spelt(b'{"a":[1,2]}', pointer) is None


def test_a_text_that_is_cut_is_opened_as_far_as_it_goes() -> None:
    text = b'{"a":[1,{"b":"Hel'
    assert spelt(text, "/a/1/b") == b'"Hel'
    outline = JsonSpans(text)
    found = outline.find("/a/1/b")
    assert found is not None and not outline.is_closed(found.start, found.end)
    assert not outline.is_closed(outline.start, outline.end)


def test_a_text_that_breaks_is_opened_up_to_the_break() -> None:
    assert members(b'{"a":1,"b":nope,"c" 5,"d":6}') == [("a", b"1"), ("b", b"nope")]


def test_the_value_or_name_that_holds_a_byte_is_told() -> None:
    text = b'{"a":[10,{"bc":"de"}]}'
    outline = JsonSpans(text)

    def held(piece: bytes) -> tuple[int, bytes]:
        found = outline.at(text.index(piece))
        assert found is not None
        return len(found.path), text[found.start : found.end]

    assert held(b"10") == (2, b"10")
    assert held(b"bc") == held(b"de") == (3, b'"de"')
    assert held(b",{") == (1, b'[10,{"bc":"de"}]')
    assert outline.at(len(text)) is None


def test_kinds_are_told_by_their_first_byte() -> None:
    outline = JsonSpans(b'[{},[],"",-1,true]')
    kinds = [outline.kind(each.start) for each in outline.members(outline.start, outline.end)]
    assert kinds == [JsonKind.OBJECT, JsonKind.LIST, JsonKind.TEXT, JsonKind.NUMBER, JsonKind.WORD]


def test_what_is_nested_deeper_than_any_reader_goes_is_opened_too() -> None:
    text = b"[" * 5_000 + b"]" * 5_000
    outline = JsonSpans(text)
    assert outline.members(0, len(text)) == [MemberSpan(1, len(text) - 1, 0)]


@pytest.mark.parametrize("closing", [b"]", b""])
def test_the_way_to_a_value_ends_at_a_depth_that_nobody_looks_at(closing: bytes) -> None:
    outline = JsonSpans(b"[" * 20_000 + b"7" + closing * 20_000)
    found = outline.at(20_000)
    assert found is not None and len(found.path) == DEEPEST
    assert outline.find("/0" * DEEPEST) == found
    assert outline.find("/0" * (DEEPEST + 1)) is None


def test_of_a_list_that_would_fill_the_memory_the_first_members_are_told() -> None:
    outline = JsonSpans(b"[" + b"0," * MAX_MEMBERS + b"0]")
    found = outline.members(outline.start, outline.end)
    assert (len(found), found[-1].position) == (MAX_MEMBERS, MAX_MEMBERS - 1)
    assert outline.has_more(outline.start, outline.end)
    assert outline.find(f"/{MAX_MEMBERS}") is None


def test_a_few_members_with_much_inside_are_told_whole() -> None:
    outline = JsonSpans(b'{"a": [' + b"0," * MAX_MEMBERS + b'0], "b": 7}')
    assert len(outline.members(outline.start, outline.end)) == 2
    assert not outline.has_more(outline.start, outline.end)
    assert spelt(outline.text, "/b") == b"7"


@given(JSONS, st.sampled_from([None, 2]), st.booleans())
def test_every_value_is_found_where_the_reader_finds_it(
    value: Any, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode(errors="replace")
    meant = json.loads(text)
    outline = JsonSpans(text)

    def look(value: Any, path: tuple[str | int, ...]) -> None:
        found = outline.find(pointer_to(path))
        assert found is not None
        assert json.loads(text[found.start : found.end]) == value
        if isinstance(value, (dict, list)):
            inner = value.items() if isinstance(value, dict) else enumerate(value)
            for step, each in inner:
                look(each, (*path, step))

    look(meant, ())


@given(st.binary(max_size=60) | st.text('{}[]",:1a\\ ', max_size=60).map(str.encode))
def test_nothing_raises_and_members_stand_inside_one_after_the_other(text: bytes) -> None:
    outline = JsonSpans(text)
    waiting = [(outline.start, outline.end)]
    while waiting:
        start, end = waiting.pop()
        at = start
        for member in outline.members(start, end):
            assert at < member.start < member.end <= end
            at = member.end - 1
            waiting.append((member.start, member.end))
    for byte in range(len(text)):
        outline.at(byte)


def test_many_names_of_one_object_are_found_in_as_many_steps() -> None:
    def find(number: int) -> None:
        text = b"{%s}" % b",".join(b'"k%d":%d' % (each, each) for each in range(number))
        outline = JsonSpans(text)
        assert all(outline.find(f"/k{each}") for each in range(number))

    once, twice = steps(lambda: find(400)), steps(lambda: find(800))
    assert twice < once * 2.3
