import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.text.text_diff import (
    MAX_PAIRS,
    CommonBlock,
    DiffRunKind,
    DiffUnit,
    TextDiff,
    common_blocks,
    diff_texts,
)

SIGNS = {DiffRunKind.SAME: "", DiffRunKind.REMOVED: "-", DiffRunKind.ADDED: "+"}


def written(before: str, after: str) -> list[str]:
    """Each run with ``-`` or ``+`` before it, ``=`` where it is in both."""
    compared = diff_texts(before, after)
    assert compared is not None
    return [(SIGNS[run.kind] or "=") + run.text for run in compared.runs]


def side(compared: TextDiff, other: DiffRunKind) -> str:
    return "".join(run.text for run in compared.runs if run.kind is not other)


@pytest.mark.parametrize(
    "before, after, runs",
    [
        (
            "the quick brown fox",
            "the slow brown fox, too",
            ["=the ", "-quick", "+slow", "= brown fox", "+, too"],
        ),
        ("all of it", "all of it", ["=all of it"]),
        ("", "new", ["+new"]),
        ("old", "", ["-old"]),
        ("", "", []),
        ("Ship it", "Ship  it", ["=Ship", "- it", "+  it"]),
        ("one two three", "one three", ["=one ", "-two ", "=three"]),
        ("one three", "one two three", ["=one ", "+two ", "=three"]),
        ("订单从莱比锡发货", "订单从鹿特丹发货", ["=订单从", "-莱比锡", "+鹿特丹", "=发货"]),
        ("cafe\u0301 noir", "cafe noir", ["-cafe\u0301", "+cafe", "= noir"]),
        ("हिन्दी है", "हिन्दू है", ["-हिन्दी", "+हिन्दू", "= है"]),
    ],
)
def test_texts_are_compared_by_word(before: str, after: str, runs: list[str]) -> None:
    assert written(before, after) == runs


def test_words_that_are_equal_by_chance_do_not_split_what_is_different() -> None:
    runs = written("from Rotterdam, in one parcel", "from Leipzig, as two parcels")
    assert runs == ["=from ", "-Rotterdam, in one parcel", "+Leipzig, as two parcels"]
    long = " and both of its lines are in stock"
    assert written(f"one{long} here", f"two{long} there") == [
        "-one", "+two", f"={long} ", "-here", "+there",
    ]  # fmt: skip


@given(
    st.text(alphabet="ab c\n,é\u0301订\ud800", max_size=40),
    st.text(alphabet="ab c\n,订", max_size=40),
)
def test_both_texts_can_be_read_from_their_diff(before: str, after: str) -> None:
    compared = diff_texts(before, after)
    assert compared is not None
    assert side(compared, DiffRunKind.ADDED) == before
    assert side(compared, DiffRunKind.REMOVED) == after
    kinds = [run.kind for run in compared.runs]
    assert all(kind is not following for kind, following in zip(kinds, kinds[1:], strict=False))


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_no_common_subsequence_exceeds_the_blocks(before: list[str], after: list[str]) -> None:
    blocks = common_blocks(before, after)
    assert blocks is not None
    for at, other, length in blocks:
        assert before[at : at + length] == after[other : other + length]
    assert sum(block.length for block in blocks) == longest(before, after)


def longest(before: list[str], after: list[str]) -> int:
    """Straight from the definition."""
    row = [0] * (len(after) + 1)
    for old in before:
        last = row
        row = [0]
        for at, new in enumerate(after):
            row.append(last[at] + 1 if old == new else max(row[at], last[at + 1]))
    return row[-1]


def test_anything_that_can_be_told_apart_can_be_compared() -> None:
    assert common_blocks([1, 2, 3, 4], [0, 2, 3, 5]) == [CommonBlock(1, 1, 2)]
    assert common_blocks([("total", 3)], [("total", 3)]) == [CommonBlock(0, 0, 1)]


def test_what_is_too_much_by_word_is_compared_by_line() -> None:
    words = "a b c d e f g h i j"
    many = int(MAX_PAIRS**0.5) // 10 + 1
    olds, news = [f"{words} {n}\n" for n in range(many)], [f"{n} {words}\n" for n in range(many)]
    compared = diff_texts("same\n" + "".join(olds), "same\n" + "".join(news))
    assert compared is not None and compared.unit is DiffUnit.LINE
    assert [run.kind for run in compared.runs] == ["same", "removed", "added"]


def test_what_is_too_much_by_line_is_not_compared() -> None:
    many = int(MAX_PAIRS**0.5) + 1
    assert diff_texts("a\n" * many + "x", "x" + "b\n" * many) is None


def test_shared_ends_of_long_texts_cost_nothing() -> None:
    long = "one two three\n" * 50_000
    compared = diff_texts(f"{long}here{long}", f"{long}there{long}")
    assert compared is not None and compared.unit is DiffUnit.WORD
    assert [run.text for run in compared.runs][1:3] == ["hereone", "thereone"]
