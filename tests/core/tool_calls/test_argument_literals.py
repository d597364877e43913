"""Which bytes of raw JSON spell one character of an argument text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.tool_calls.argument_literals import ArgumentLiterals


def spelt(raw: bytes, text: str, character: int) -> bytes | None:
    found = ArgumentLiterals(b"...." + raw, 100).bytes_of(text, character)
    return raw[found[0] - 104 : found[1] - 104] if found else None


@given(text=st.text(min_size=1), only_ascii=st.booleans(), data=st.data())
def test_every_character_is_found_where_it_is_spelt(
    text: str, only_ascii: bool, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    raw = json.dumps({"arguments": text}, ensure_ascii=only_ascii).encode()
    found = spelt(raw, text, at)
    assert found is not None
    assert json.loads(b'"%s"' % found) == text[at]


@pytest.mark.parametrize(
    ("raw", "character", "expected"),
    [
        (rb'{"arguments":"{x}"}', 1, b"x"),
        (rb'{"arguments":"\"\n"}', 1, rb"\n"),
        (rb'{"arguments":"\ud83d\ude00!"}', 0, rb"\ud83d\ude00"),
        (rb'{"arguments":"\ud83d\ude00!"}', 1, b"!"),
        ('{"arguments":"é!"}'.encode(), 0, "é".encode()),
        (rb'{"arguments" : "a"}', 0, b"a"),
    ],
)
def test_escapes_are_one_character(raw: bytes, character: int, expected: bytes) -> None:
    assert spelt(raw, json.loads(raw)["arguments"], character) == expected


@pytest.mark.parametrize(
    "raw",
    [
        b'{"arguments":"a"},{"arguments":"a"}',
        b'{"arguments":"b"}',
        b'{"arguments":"\\x"}',
        b'{"arguments":"\xff"}',
        b'{"arguments":"a',
        b'{"arguments":{"a":1}}',
        b"",
    ],
)
def test_what_stands_there_twice_or_not_at_all_has_no_bytes(raw: bytes) -> None:
    assert spelt(raw, "a", 0) is None


def test_a_place_behind_the_text_has_no_bytes() -> None:
    assert spelt(b'{"arguments":"a"}', "a", 1) is None


@pytest.mark.parametrize(
    "unit", [b'"arguments":"', b'"arguments":"\\"', b'\\"arguments":"', b'"arguments":"a",']
)
def test_many_openings_are_read_once(unit: bytes) -> None:
    # By the square of the length this would not end before the limit of every test.
    assert ArgumentLiterals(unit * 100_000, 0).bytes_of("no such text", 0) is None
