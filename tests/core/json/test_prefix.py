"""Whether a growing text can become JSON, compared with the standard library's reader."""

import json
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.json.prefix import ExpectedNext, JsonPrefix


def scan(*pieces: str) -> JsonPrefix:
    prefix = JsonPrefix()
    for piece in pieces:
        prefix.feed(piece)
    return prefix


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_no_constant)
    except ValueError:
        return False
    return True


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)  # fmt: skip
JSON_LIKE = st.text(
    alphabet="{}[],:\"\\/ \n\t0123456789.eE+-truefalsnbTNx'\u00e9\U0001f600\x01", max_size=40
)
JSON_TEXTS = st.builds(
    lambda value, only_ascii, indent: json.dumps(value, ensure_ascii=only_ascii, indent=indent),
    VALUES, st.booleans(), st.sampled_from([None, 1]),
)  # fmt: skip
ENDINGS = [
    "",
    "0",
    '"',
    "}",
    "]",
    "e",
    "ue",
    "rue",
    "l",
    "ll",
    "ull",
    "se",
    "lse",
    "alse",
    "0]",
    "0}",
    '":0',
    "n",
    ":0",
    '"":0',
    "0000",
    "000",
    "00",
]
"""Endings that a text may lack, before what is open is closed."""


def can_become_json(text: str) -> bool:
    """Tries every short ending together with every nesting that the text may have open."""
    return any(
        is_json(text + ending + closing) for ending in _endings() for closing in _closings(text)
    )


def _endings() -> set[str]:
    more = {first + second for first in ENDINGS for second in ("", '"', '":0', ":0", "0")}
    return more | {ending + '":0' for ending in more} | {"\\" + '"'}


def _closings(text: str) -> list[str]:
    """The brackets that are open, with and without those inside of what may be a string."""
    opened: list[str] = []
    in_string = escaped = False
    for character in text:
        if in_string:
            in_string = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            in_string = True
        elif character in "{[":
            opened.append("}" if character == "{" else "]")
        elif character in "}]" and opened:
            opened.pop()
    return ["", "".join(reversed(opened))]


@given(JSON_TEXTS)
def test_a_json_text_is_whole_and_never_breaks(text: str) -> None:
    assert scan(text).is_whole


@given(JSON_LIKE)
def test_a_text_is_whole_where_the_standard_reader_accepts_it(text: str) -> None:
    assert scan(text).is_whole == is_json(text)


@given(JSON_TEXTS, st.data())
def test_no_beginning_of_a_json_text_breaks(text: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(text)))
    assert scan(text[:cut]).broken_at is None


@given(JSON_TEXTS, st.data())
def test_what_breaks_cannot_be_continued_all_else_can(text: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(text)))
    spoilt = text[:cut] + data.draw(st.sampled_from("{}[],:\"\\ x0-.eEtn'\x01")) + text[cut:]
    broken_at = scan(spoilt).broken_at
    if broken_at is None:
        assert can_become_json(spoilt)
    else:
        assert can_become_json(spoilt[:broken_at])
        assert not can_become_json(spoilt[: broken_at + 1])


@given(JSON_LIKE, st.data())
def test_any_cutting_gives_the_same_result(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    whole, cut = scan(text), scan(*pieces)
    assert (cut.broken_at, cut.is_whole, cut.due) == (whole.broken_at, whole.is_whole, whole.due)


@pytest.mark.parametrize(
    ("text", "broken_at", "due"),
    [
        ("trUe", 2, ExpectedNext.REST),
        ("-x", 1, ExpectedNext.REST),
        ("01", 1, ExpectedNext.END),
        ("1.e", 2, ExpectedNext.REST),
        ('{"a":NaN}', 5, ExpectedNext.VALUE),
        ("{'a':1}", 1, ExpectedNext.NAME),
        ('{"a" 1}', 5, ExpectedNext.COLON),
        ('{"a":1,}', 7, ExpectedNext.NAME),
        ("[1,]", 3, ExpectedNext.VALUE),
        ("[1 2]", 3, ExpectedNext.SEPARATOR),
        ("[1}", 2, ExpectedNext.SEPARATOR),
        ('{"a":"b\nc"}', 7, ExpectedNext.TEXT),
        ('"\\x"', 2, ExpectedNext.REST),
        ('"\\u12g4"', 5, ExpectedNext.REST),
        ('{"é":1} {', 8, ExpectedNext.END),
        ("\ufeff{}", 0, ExpectedNext.VALUE),
        ("\u00a0{}", 0, ExpectedNext.VALUE),
        ("{}\x0b", 2, ExpectedNext.END),
    ],
)
def test_where_it_breaks_and_what_was_due(text: str, broken_at: int, due: ExpectedNext) -> None:
    prefix = scan(text)
    assert (prefix.broken_at, prefix.due) == (broken_at, due)


@pytest.mark.parametrize(
    "text", ["", " ", "-", "1.", "1e", "tru", '"a', '"\\u12', "[", '{"a":', "[1,"]
)
def test_a_beginning_is_neither_broken_nor_whole(text: str) -> None:
    prefix = scan(text)
    assert (prefix.broken_at, prefix.is_whole) == (None, False)


def test_half_of_a_surrogate_pair_may_stand_in_a_string_and_nowhere_else() -> None:
    assert scan('"\ud800"').is_whole
    assert scan("\ud800").broken_at == 0


def test_the_bracket_that_goes_too_deep_breaks() -> None:
    assert scan("[" * 64 + "]" * 64).is_whole
    prefix = scan("[" * 2_000)
    assert (prefix.broken_at, prefix.is_too_deep) == (64, True)
