import pytest

from inspector.archive.text import clean, clean_json, clean_or_none


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
    assert clean(text, limit if cleaned.endswith("…") else 100) == cleaned


def test_names_inside_json_are_cleaned_too() -> None:
    odd = {"a\0": ["\ud800", {"b": "\0"}, 1, None, True]}
    assert clean_json(odd, 100) == {"a\\u0000": ["\\ud800", {"b": "\\u0000"}, 1, None, True]}


@pytest.mark.parametrize("value", [None, 1, ["text"], {}])
def test_what_is_no_text_is_none(value: object) -> None:
    assert clean_or_none(value, 10) is None
