"""Aligns two texts word by word.

Longest common subsequence by rows of bits (Hyyrö 2004, "Bit-parallel LCS-length computation
revisited"). Its cost is the product of both lengths for every input; searching for matching blocks,
as difflib does, is cubic for inputs made to be slow.

Its limit is a count of pairs and not a deadline: the same two texts always give the same answer.
"""

import re
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import accumulate
from typing import NamedTuple

import msgspec

MAX_PAIRS = 100_000_000
"""Limit on pairs of words (or lines) that are compared; each takes one bit."""

ALONE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Kana and ideographs are written without spaces, so each is a word of its own."""
SIGNS = "\u0300-\u036f\u0591-\u05c7\u0610-\u065f\u0900-\u0e4e\u200c\u200d"
"""Combining marks and joiners, which are not letters but belong to a word."""

# Leading space belongs to its word, so that a word is unchanged when the text after it is cut.
WORD = re.compile(rf"\s*(?:[{ALONE}]|(?:[^\W{ALONE}][{SIGNS}]*)+|[!-~]|[^\w\s!-~]+)|\s+")


class DiffRunKind(StrEnum):
    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


class DiffUnit(StrEnum):
    WORD = "word"
    LINE = "line"


class DiffRun(msgspec.Struct, frozen=True):
    """Consecutive words of one kind: in both texts, only in the first, or only in the second."""

    kind: DiffRunKind
    text: str


class TextDiff(msgspec.Struct, frozen=True):
    """Runs of both texts: the first without the added ones, the second without the removed ones."""

    unit: DiffUnit
    runs: tuple[DiffRun, ...]


class CommonBlock(NamedTuple):
    """``length`` equal items, from ``before`` of the first sequence and ``after`` of the second."""

    before: int
    after: int
    length: int


def diff_texts(before: str, after: str) -> TextDiff | None:
    """Compare by words, by lines if those are too many; None if the lines are too many as well."""
    for unit, cut in ((DiffUnit.WORD, WORD.findall), (DiffUnit.LINE, _lines)):
        olds, news = cut(before), cut(after)
        blocks = common_blocks(olds, news)
        if blocks is not None:
            telling = _without_chance_matches(olds, news, blocks)
            return TextDiff(unit, tuple(_runs(_parts(olds, news, telling))))
    return None


def first_difference(before: str, after: str) -> int:
    """Position of the first difference; the shorter length if one begins with the other."""
    # Bisection: comparing slices is much faster than comparing characters one by one.
    lengths = range(1, min(len(before), len(after)) + 1)
    return bisect_left(lengths, True, key=lambda length: before[:length] != after[:length])


def common_blocks(
    before: Sequence[Hashable], after: Sequence[Hashable]
) -> list[CommonBlock] | None:
    """Blocks of the longest common subsequence; None above ``MAX_PAIRS`` pairs."""
    head = _shared(before, after)
    tail = _shared(before[head:][::-1], after[head:][::-1])
    old_end, new_end = len(before) - tail, len(after) - tail
    if (old_end - head) * (new_end - head) > MAX_PAIRS:
        return None
    middle = _matches(before[head:old_end], after[head:new_end])
    pairs = [(head + old, head + new) for old, new in middle]
    blocks = [CommonBlock(0, 0, head)] if head else []
    blocks += _joined(pairs)
    return [*blocks, CommonBlock(old_end, new_end, tail)] if tail else blocks


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _shared(before: Sequence[Hashable], after: Sequence[Hashable]) -> int:
    for at, (old, new) in enumerate(zip(before, after, strict=False)):
        if old != new:
            return at
    return min(len(before), len(after))


def _matches(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Positions of equal items: the longest sequence of pairs that rises on both sides."""
    rows = _rows(before, after)
    pairs = []
    old, new = len(before) - 1, len(after) - 1
    while old >= 0 and new >= 0:
        if _bit(rows[new + 1], old):
            old -= 1
        elif _bit(rows[new], old):
            pairs.append((old, new))
            old, new = old - 1, new - 1
        else:
            new -= 1
    return pairs[::-1]


def _rows(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[bytes]:
    """One row of bits per item of ``after``, preceded by an initial row. The bit of an item of
    ``before`` is 0 if the common subsequence up to it is one longer than up to the item before.
    """
    places = _places(before, set(after))
    length = len(before) // 8 + 1
    mask = (1 << len(before)) - 1
    row = mask
    rows = [row.to_bytes(length, "little")]
    for item in after:
        matched = row & places.get(item, 0)
        row = ((row + matched) | (row - matched)) & mask
        rows.append(row.to_bytes(length, "little"))
    return rows


def _places(items: Sequence[Hashable], wanted: set[Hashable]) -> dict[Hashable, int]:
    """Bit mask of the positions of each wanted item."""
    places: dict[Hashable, bytearray] = {}
    for at, item in enumerate(items):
        if item in wanted:
            bits = places.setdefault(item, bytearray())
            bits.extend(bytes(at // 8 + 1 - len(bits)))
            bits[at // 8] |= 1 << at % 8
    return {item: int.from_bytes(bits, "little") for item, bits in places.items()}


def _bit(row: bytes, at: int) -> int:
    return row[at // 8] >> at % 8 & 1


def _joined(pairs: list[tuple[int, int]]) -> list[CommonBlock]:
    blocks: list[CommonBlock] = []
    for old, new in pairs:
        last = blocks[-1] if blocks else None
        if last and (old, new) == (last.before + last.length, last.after + last.length):
            blocks[-1] = last._replace(length=last.length + 1)
        else:
            blocks.append(CommonBlock(old, new, 1))
    return blocks


def _without_chance_matches(
    olds: list[str], news: list[str], blocks: list[CommonBlock]
) -> list[CommonBlock]:
    """Drop short blocks that are equal by chance (Neil Fraser's semantic clean-up)."""
    old_ends, new_ends = _ends(olds), _ends(news)

    def gap(left: CommonBlock, right: CommonBlock) -> int:
        """Characters between two blocks, in the text that has more of them there."""
        old = old_ends[right.before] - old_ends[left.before + left.length]
        return max(old, new_ends[right.after] - new_ends[left.after + left.length])

    def is_chance(last: CommonBlock, following: CommonBlock) -> bool:
        length = old_ends[last.before + last.length] - old_ends[last.before]
        return length <= min(gap(kept[-2], last), gap(last, following))

    kept = [CommonBlock(0, 0, 0)]
    for block in [*blocks, CommonBlock(len(olds), len(news), 0)]:
        while len(kept) > 1 and is_chance(kept[-1], block):
            kept.pop()
        kept.append(block)
    return kept[1:-1]


def _ends(words: list[str]) -> list[int]:
    """Character position at which each word begins, and at which the last one ends."""
    return list(accumulate(map(len, words), initial=0))


def _parts(olds: list[str], news: list[str], blocks: list[CommonBlock]) -> Iterator[list[str]]:
    """Yield words removed, words added, words in common, in turns."""
    old = new = 0
    for block in [*blocks, CommonBlock(len(olds), len(news), 0)]:
        end = block.before + block.length
        parts = olds[old : block.before], news[new : block.after], olds[block.before : end]
        yield ["".join(words) for words in parts]
        old, new = end, block.after + block.length


def _runs(parts: Iterable[list[str]]) -> Iterator[DiffRun]:
    """Merge parts into runs. Leading space is moved out of a difference if both sides have it or
    the following text begins with it.
    """
    before = ""
    for removed, added, same in parts:
        space = _space(removed or added)
        if removed and added and _space(added) == space:
            before, removed, added = before + space, removed[len(space) :], added[len(space) :]
        elif (removed or added) and not (removed and added) and same.startswith(space):
            before, same = before + space, same[len(space) :]
            removed, added = (text and text[len(space) :] + space for text in (removed, added))
        if removed or added:
            yield from (
                DiffRun(kind, text)
                for kind, text in (
                    (DiffRunKind.SAME, before),
                    (DiffRunKind.REMOVED, removed),
                    (DiffRunKind.ADDED, added),
                )
                if text
            )
            before = ""
        before += same
    if before:
        yield DiffRun(DiffRunKind.SAME, before)


def _space(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]
