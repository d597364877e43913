import pytest

from inspector.database.column_text import (
    clean_json,
    clean_name_or_none,
    clean_text,
    clean_text_or_none,
)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("plain", "plain"),
        ("a\0b", "a\\u0000b"),
        ("\ud800", "\\ud800"),
        ("half \udfff here", "half \\udfff here"),
        ("😀 é \n\t", "😀 é \n\t"),
        ("abcdefghijkl", "abcdefghi…"),
        ("\0\0\0", "\\u0000\\u0…"),
    ],
)
def test_what_no_column_takes_becomes_visible_and_short(text: str, cleaned: str) -> None:
    limit = 10 if len(cleaned) <= 10 else 100
    assert clean_text(text, limit if cleaned.endswith("…") else 100) == cleaned


def test_names_inside_json_are_cleaned_too() -> None:
    odd = {"a\0": ["\ud800", {"b": "\0"}, 1, None, True]}
    assert clean_json(odd, 100) == {"a\\u0000": ["\\ud800", {"b": "\\u0000"}, 1, None, True]}


def test_names_that_only_begin_alike_stay_two() -> None:
    one, other = clean_name_or_none("m" * 30 + "a", 20), clean_name_or_none("m" * 30 + "b", 20)
    assert one != other
    for name in (one, other):
        assert name is not None and name.startswith("m" * 11 + "…") and len(name) == 20
    assert clean_name_or_none("m" * 20, 20) == "m" * 20
    assert clean_name_or_none("a\0b", 20) == "a\\u0000b"
    odd = [clean_name_or_none("\ud800" * 9 + end, 20) for end in "ab"]
    assert odd[0] != odd[1] and all(name and len(name) == 20 for name in odd)


@pytest.mark.parametrize("value", [None, 1, ["text"], {}])
def test_what_is_no_text_is_none(value: object) -> None:
    assert clean_text_or_none(value, 10) is clean_name_or_none(value, 10) is None
