"""One JSON text: its value, or the reason why it has none, and what two readers read differently."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.json.parser import (
    MAX_DEPTH,
    JsonFaultKind,
    depth_of,
    parse_json,
    parse_json_unexplained,
)

BOM = b"\xef\xbb\xbf"
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


def kinds(text: bytes) -> list[JsonFaultKind]:
    return [fault.kind for fault in parse_json(text).faults]


@given(VALUES)
def test_valid_json_is_its_value_and_has_no_fault(value: object) -> None:
    text = json.dumps(value)
    if "\\u0000" not in text:
        assert parse_json(text.encode()).value == value
        assert kinds(text.encode()) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b'{"a": -0}', {"a": 0}),
        (b"18446744073709551616", 18446744073709551616),
        (b"9" * 4300, int("9" * 4300)),
        (b"1e-16384", 0.0),
        (b'"\\ud83d\\ude00"', "\N{GRINNING FACE}"),
        (b" \t\r\n[1]\n", [1]),
        (BOM + b'{"a":1}', {"a": 1}),
        (b'"a \\" : b"', 'a " : b'),
        (b'{"a\\\\":1,"b\\"":2}', {"a\\": 1, 'b"': 2}),
        (b'{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}', {"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 2}]}),
    ],
)  # fmt: skip
def test_what_is_valid_though_unusual_has_no_fault(text: bytes, value: object) -> None:
    assert parse_json(text).value == value
    assert kinds(text) == []


@pytest.mark.parametrize(
    ("text", "line", "column", "byte"),
    [
        (b'{"a":1 "b"}', 1, 8, 7),
        (b'{"a":1}x', 1, 8, 7),
        (b'{\n  "a": 1\n"b"}', 3, 1, 11),
        ('{"é":1}x'.encode(), 1, 8, 8),
        (b"{'a':1}", 1, 2, 1),
        (b'{"a":NaN}', 1, 6, 5),
        (b'["NaN",-Infinity]', 1, 8, 7),
        (b'"\x1b"', 1, 2, 1),
        (b'"\\x41"', 1, 2, 1),
        (b'{"a" 1}', 1, 6, 5),
        (b"/* hi */ {}", 1, 1, 0),
        ("[1,\u00a02]".encode(), 1, 4, 3),
        (BOM + b'{"a":1}x', 1, 8, 10),
        (b'{"a":"\xff"}x', 1, 10, 9),
    ],
)
def test_what_is_no_json_is_invalid_there(text: bytes, line: int, column: int, byte: int) -> None:
    fatal = parse_json(text).fatal
    assert fatal is not None and fatal.kind is JsonFaultKind.INVALID
    assert (fatal.line, fatal.column, fatal.byte) == (line, column, byte)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b" ",
        b"{",
        b'{"a"',
        b'{"a":',
        b'{"a":"',
        b'{"a":tr',
        b'{"a":-',
        b'{"a":1.',
        b'{"a":1e+',
        b'{"a":1',
        b'{"a":1,',
        b'"\\',
        b'"\\u12',
        b'"\\ud83d\\',
        b'"\\ud83d\\u',
        b'"\\ud83d\\ude0',
        b'"\xf0\x9f\x98',
    ],
)
def test_what_ends_inside_a_value_is_truncated(text: bytes) -> None:
    assert [kind for kind in kinds(text) if kind is not JsonFaultKind.INVALID_UTF8] == [
        JsonFaultKind.TRUNCATED
    ]
    assert parse_json(text).value is None


@given(value=st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=3), data=st.data())
def test_every_beginning_of_an_object_is_truncated(value: object, data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans())).encode(errors="replace")
    beginning = text[: data.draw(st.integers(0, len(text) - 1))]
    fatal = parse_json(beginning).fatal
    assert fatal is not None and fatal.kind is JsonFaultKind.TRUNCATED


@pytest.mark.parametrize(
    "text",
    [
        b'{"a":1,"a":2}',
        b'{"a" :1,"b":2,"b":3}',
        b'{"a"\n:1,"b":2,"b":3}',
        b'{"a"\t:1,"b":2,"b":3}',
        b'{"a"\r:1,"b":2,"b":3}',
        b'{"a\\\\":1,"b":2,"b":3}',
        b'{"x":{"a":1,"\\u0061":2}}',
        b'[{"a":"\\":","a":"\\":"}]',
    ],
)
def test_a_name_that_stands_twice_is_found_whatever_stands_beside_it(text: bytes) -> None:
    assert kinds(text) == [JsonFaultKind.DUPLICATE_NAME]
    assert parse_json(text).value is not None


@given(
    names=st.lists(st.sampled_from(["a", "b", "c", "d\\", 'e"', "f :", '":']), max_size=5),
    separator=st.sampled_from([":", ": ", " :", "\t:", "\n : "]),
)
def test_names_stand_twice_exactly_where_that_is_said(names: list[str], separator: str) -> None:
    pairs = (json.dumps(name) + separator + json.dumps('":') for name in names)
    text = "{" + ",".join(pairs) + "}"
    twice = len(set(names)) < len(names)
    assert kinds(text.encode()) == ([JsonFaultKind.DUPLICATE_NAME] if twice else [])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (b'{"a":"x\\u0000y"}', JsonFaultKind.NUL),
        (b'{"x\\u0000":1}', JsonFaultKind.NUL),
        (b'"\\ud800"', JsonFaultKind.LONE_SURROGATE),
        (b'{"\\udfff":1}', JsonFaultKind.LONE_SURROGATE),
        (b'"\\ude00\\ud83d"', JsonFaultKind.LONE_SURROGATE),
        (b'"\xff"', JsonFaultKind.INVALID_UTF8),
        (b"[1e400]", JsonFaultKind.NUMBER_OUT_OF_RANGE),
        (b"[-1e400]", JsonFaultKind.NUMBER_OUT_OF_RANGE),
        (b"9" * 4301, JsonFaultKind.NUMBER_OUT_OF_RANGE),
    ],
)
def test_what_readers_read_differently_has_a_name(text: bytes, kind: JsonFaultKind) -> None:
    assert kinds(text) == [kind]
    assert parse_json(text).value is not None
    assert parse_json(text).fatal is None


def test_an_escaped_backslash_before_u0000_is_no_nul() -> None:
    assert kinds(b'"\\\\u0000"') == []


def test_a_number_out_of_range_keeps_its_digits() -> None:
    assert parse_json(b"[1e400," + b"7" * 4301 + b"]").value == ["1e400", "7" * 4301]


@pytest.mark.parametrize("brackets", [(b"[", b"]"), (b'{"a":', b"}")], ids=["lists", "objects"])
def test_depth_is_bounded_from_64_on(brackets: tuple[bytes, bytes]) -> None:
    opening, closing = brackets
    inner = b"1" if opening != b"[" else b""
    assert kinds(opening * MAX_DEPTH + inner + closing * MAX_DEPTH) == []
    assert kinds(opening * 65 + inner + closing * 65) == [JsonFaultKind.TOO_DEEP]
    assert kinds(opening * 100_000) == [JsonFaultKind.TOO_DEEP]


def test_brackets_inside_texts_are_no_depth() -> None:
    assert depth_of(b'["[[[[", "\\"[[", {"a": []}]') == 3
    assert kinds(b'["' + b"[" * 100 + b'"]') == []


@given(st.binary(max_size=60))
def test_no_bytes_make_it_raise(text: bytes) -> None:
    parsed = parse_json(text)
    assert parsed.fatal is None or parsed.value is None


@pytest.mark.parametrize(
    ("text", "kind", "line", "column", "byte"),
    [
        (b'{"a":1,\n"b":{"x":1},"a":2}', JsonFaultKind.DUPLICATE_NAME, 2, 13, 20),
        (b'{"a":1,"\\u0061":2}', JsonFaultKind.DUPLICATE_NAME, 1, 8, 7),
        (b'[{"a":1},{"a":["a","a"],"b":1,"b":2}]', JsonFaultKind.DUPLICATE_NAME, 1, 31, 30),
        ('{"é":"\\\\u0000\\u0000"}'.encode(), JsonFaultKind.NUL, 1, 14, 14),
        (b'["\\ud83d\\ude00","\\ud83d"]', JsonFaultKind.LONE_SURROGATE, 1, 18, 17),
        (b'["\\ude00\\ud83d"]', JsonFaultKind.LONE_SURROGATE, 1, 3, 2),
        (b'["a","\xff"]', JsonFaultKind.INVALID_UTF8, 1, 7, 6),
        (b"[1,\n1e999]", JsonFaultKind.NUMBER_OUT_OF_RANGE, 2, 1, 4),
        (b'{"a":"[[[",\n"b":' + b"[" * 70 + b"]" * 70 + b"}", JsonFaultKind.TOO_DEEP, 2, 68, 79),
        (BOM + b'{"a":"\\u0000"}', JsonFaultKind.NUL, 1, 7, 9),
    ],
)
def test_every_fault_has_its_place(
    text: bytes, kind: JsonFaultKind, line: int, column: int, byte: int
) -> None:
    (fault,) = (fault for fault in parse_json(text).faults if fault.kind is kind)
    assert (fault.line, fault.column, fault.byte) == (line, column, byte)


@pytest.mark.parametrize("text", [b'{"' + b'\\"' * 500_000, b'"\\' * 500_000 + b'"\\'])
def test_a_string_that_is_never_closed_is_sought_once(text: bytes) -> None:
    assert depth_of(text) <= 1
    assert parse_json(text).fatal is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"a": 1,}', "a trailing comma before a closing bracket"),
        (b"[1, ]", "a trailing comma before a closing bracket"),
        (b"{'a': 1}", "a single quote instead of a double quote"),
        (b"{\"a\": 'x'}", "a single quote instead of a double quote"),
    ],
)
def test_what_people_often_err_in_has_plain_words(text: bytes, message: str) -> None:
    fatal = parse_json(text).fatal
    assert fatal is not None
    assert fatal.message == message


@pytest.mark.parametrize(
    "text",
    [
        b'{"a":',
        b'{"a":"x',
        b'{"a":"x\\u12',
        b"{]",
        b'{"a":1}}',
        b"{'a':1}",
        b"[1 2]",
        b"[NaN]",
        b"",
        b"[" * 70,
        b"[" * 70 + b"]" * 70,
        b'["\xff"]',
        b'["\\ud800"]',
        b"[" + b"1" * 5000 + b"]",
        b"[1e999]",
        b'{"a":1,"a":2}',
        b'{"a":[1]}',
    ],
)
def test_without_explanation_the_value_and_what_is_fatal_stay_the_same(text: bytes) -> None:
    full, brief = parse_json(text), parse_json_unexplained(text)
    assert brief.value == full.value
    if full.fatal is None:
        assert brief == full
    else:
        assert brief.fatal is not None
        assert brief.fatal.kind is full.fatal.kind
