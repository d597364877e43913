"""Differences between two JSON texts."""

import pytest
from msgspec import UNSET

from inspector.core.json.diff import JsonPair, json_pairs


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ('{"a": 1, "b": 2}', '{"b": 2,"a":1}', []),
        ('{"a": 1}', '{"a": 2}', [("/a", "1", "2")]),
        ('{"a": 1}', '{"a": 1.0}', [("/a", "1", "1.0")]),
        ('{"a": 12345678901234567890}', '{"a": 12345678901234567891}',
         [("/a", "12345678901234567890", "12345678901234567891")]),
        ('{"a": 1}', '{"a": true}', [("/a", "1", True)]),
        ('{"a": "1"}', '{"a": 1}', [("/a", "1", "1")]),
        ('{"a": null}', "{}", [("/a", None, UNSET)]),
        ("{}", '{"a": null}', [("/a", UNSET, None)]),
        ('{"a/b": {"~": 1}}', '{"a/b": {"~": 2}}', [("/a~1b/~0", "1", "2")]),
        ("[1, 2, 3]", "[2, 3]", [("/0", "1", UNSET)]),
        ("[1, 2, 3]", "[1, 5, 2, 3]", [("/1", UNSET, "5")]),
        ('[{"a": 1}, 7]', '[{"a": 2}, 7]', [("/0/a", "1", "2")]),
        ("[1]", '{"0": 1}', [("", ["1"], {"0": "1"})]),
        ('"a"', '"b"', [("", "a", "b")]),
    ],
)  # fmt: skip
def test_values_are_held_against_each_other_by_their_places(
    before: str, after: str, found: list[tuple[str, object, object]]
) -> None:
    pairs = json_pairs(before, after)
    assert pairs is not None
    assert [each for each in pairs if not each.is_equal] == [JsonPair(*each) for each in found]


def test_what_is_equal_stands_in_its_place_as_a_whole() -> None:
    before, after = '{"a": [1, {"b": 2}], "c": 3}', '{"c": 4, "a": [1, {"b":2}]}'
    whole = ["1", {"b": "2"}]
    assert json_pairs(before, after) == (JsonPair("/a", whole, whole), JsonPair("/c", "3", "4"))
    assert json_pairs("[1, 2]", "[0, 2]") == (JsonPair("/0", "1", "0"), JsonPair("/1", "2", "2"))


@pytest.mark.parametrize("text", ["", "{", "{'a': 1}", "[1] x", "[" * 65 + "]" * 65])
def test_what_is_no_json_or_nests_too_deep_is_not_compared(text: str) -> None:
    assert json_pairs(text, "{}") is None
    assert json_pairs("{}", text) is None


def test_the_deepest_that_is_read_is_compared() -> None:
    before, after = ("[" * 64 + number + "]" * 64 for number in "12")
    assert json_pairs(before, after) == (JsonPair("/0" * 64, "1", "2"),)


def test_half_a_surrogate_pair_is_a_text_like_another() -> None:
    assert json_pairs('"\ud800"', '"\ud801"') == (JsonPair("", "\ud800", "\ud801"),)
