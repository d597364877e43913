"""Values spelt as they were sent."""

import pytest

from inspector.core.json.raw_values import RawValues, with_raw_numbers
from inspector.core.wire.framing import BOM


@pytest.mark.parametrize(
    ("text", "path", "raw"),
    [
        (b'{"a": [1, 0.00102300 ]}', ("a", 1), b"0.00102300"),
        (b'{"a": {"b" : 1}}', ("a",), b'{"b" : 1}'),
        (BOM + b'{"a": 0.00001000}', ("a",), b"0.00001000"),
        (b'{"a": 1e400, "b": 0.10}', ("b",), b"0.10"),
        (b'{"a":1}', ("b",), None),
        (b'{"a":[1]}', ("a", 1), None),
        (b'{"a":1}', ("a", "b"), None),
        (b'{"a":1e400}', ("a", "b"), None),
        (b'{"a":', ("a",), None),
    ],
)
def test_a_value_has_the_spelling_of_the_wire(
    text: bytes, path: tuple[str | int, ...], raw: bytes | None
) -> None:
    assert RawValues(text).at(path) == raw


def test_a_value_has_the_spelling_beside_half_of_a_surrogate_pair() -> None:
    assert RawValues(b'{"a":"\\ud800","b":0.00001000}').at(("b",)) == b"0.00001000"


def test_numbers_inside_an_object_keep_their_spelling_beside_a_fault() -> None:
    text = b'{"a":"\\ud800","b":{"c":[0.00001000,1,true,null],"d":"\xc3\xa9"}}'
    assert RawValues(text).at(("b",)) == b'{"c":[0.00001000,1,true,null],"d":"\\u00e9"}'


def test_what_is_no_number_of_json_raises_nothing() -> None:
    assert RawValues(b'{"a":NaN}').at(("a",)) == b"NaN"


def test_the_values_of_a_list_are_opened_once_and_each_has_its_own_spelling() -> None:
    spelling = RawValues(b'{"a":[{"b":1.0},{"b":1.00}]}')
    assert [spelling.at(("a", number, "b")) for number in (0, 1, 2)] == [b"1.0", b"1.00", None]


def test_numbers_of_an_object_are_texts() -> None:
    assert with_raw_numbers(b'{"a":0.10,"b":[1]}') == {"a": "0.10", "b": ["1"]}
