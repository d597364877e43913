"""What two texts have in common, word by word: one alignment for whatever is compared.

The longest common subsequence, by rows of bits (Hyyrö 2004, "Bit-parallel LCS-length computation
revisited"): its cost is the product of both lengths whatever the texts hold, where searches for
matching blocks take the cube of them for texts that were made to.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import accumulate
from typing import NamedTuple

import msgspec

MOST_PAIRS = 100_000_000
"""Pairs of words (or lines) that are compared; each costs a bit."""

ALONE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Kana and ideographs: written without spaces, so each is compared by itself."""
SIGNS = "\u0300-\u036f\u0591-\u05c7\u0610-\u065f\u0900-\u0e4e\u200c\u200d"
"""Combining signs and joiners, which are no letters and still belong to a word."""

# Leading space belongs to its word: a word stays the same where the text after it ends.
WORD = re.compile(rf"\s*(?:[{ALONE}]|(?:[^\W{ALONE}][{SIGNS}]*)+|[!-~]|[^\w\s!-~]+)|\s+")


class RunKind(StrEnum):
    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


class Unit(StrEnum):
    WORD = "word"
    LINE = "line"


class Run(msgspec.Struct, frozen=True):
    """Adjoining words of one kind: in both texts, only in the first, only in the second."""

    kind: RunKind
    text: str


class Diff(msgspec.Struct, frozen=True):
    """Both texts: the first is all runs that were not added, the second all not removed."""

    unit: Unit
    runs: tuple[Run, ...]


class Block(NamedTuple):
    """``length`` items that are equal from ``before`` in the one and ``after`` in the other."""

    before: int
    after: int
    length: int


def diff(before: str, after: str) -> Diff | None:
    """Word by word, line by line where that is too much; None where that is too much as well."""
    for unit, cut in ((Unit.WORD, WORD.findall), (Unit.LINE, _lines)):
        olds, news = cut(before), cut(after)
        blocks = common_blocks(olds, news)
        if blocks is not None:
            telling = _telling(olds, news, blocks)
            return Diff(unit, tuple(_runs(_parts(olds, news, telling))))
    return None


def first_difference(before: str, after: str) -> int:
    """In characters; the length of the shorter where the longer goes on from it.

    Halving: comparing a slice is much faster than comparing its characters.
    """
    lengths = range(1, min(len(before), len(after)) + 1)
    return bisect_left(lengths, True, key=lambda length: before[:length] != after[:length])


def common_blocks(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Block] | None:
    """The longest common subsequence in its blocks; None over ``MOST_PAIRS``."""
    head = _shared(before, after)
    tail = _shared(before[head:][::-1], after[head:][::-1])
    old_end, new_end = len(before) - tail, len(after) - tail
    if (old_end - head) * (new_end - head) > MOST_PAIRS:
        return None
    middle = _matches(before[head:old_end], after[head:new_end])
    pairs = [(head + old, head + new) for old, new in middle]
    blocks = [Block(0, 0, head)] if head else []
    blocks += _joined(pairs)
    return [*blocks, Block(old_end, new_end, tail)] if tail else blocks


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _shared(before: Sequence[Hashable], after: Sequence[Hashable]) -> int:
    for at, (old, new) in enumerate(zip(before, after, strict=False)):
        if old != new:
            return at
    return min(len(before), len(after))


def _matches(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Positions of equal items, both rising, as many as there can be."""
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
    """One row of bits per item of ``after``, from none on: the bit of an item of ``before`` is 0
    where the common subsequence up to it is one longer than up to the item before it."""
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
    """Where each wanted item stands, as bits."""
    places: dict[Hashable, bytearray] = {}
    for at, item in enumerate(items):
        if item in wanted:
            bits = places.setdefault(item, bytearray())
            bits.extend(bytes(at // 8 + 1 - len(bits)))
            bits[at // 8] |= 1 << at % 8
    return {item: int.from_bytes(bits, "little") for item, bits in places.items()}


def _bit(row: bytes, at: int) -> int:
    return row[at // 8] >> at % 8 & 1


def _joined(pairs: list[tuple[int, int]]) -> list[Block]:
    blocks: list[Block] = []
    for old, new in pairs:
        last = blocks[-1] if blocks else None
        if last and (old, new) == (last.before + last.length, last.after + last.length):
            blocks[-1] = last._replace(length=last.length + 1)
        else:
            blocks.append(Block(old, new, 1))
    return blocks


def _telling(olds: list[str], news: list[str], blocks: list[Block]) -> list[Block]:
    """Without words that are equal by chance: what is shorter than the differences on both sides
    of it (after N. Fraser's semantic clean-up) says less than it splits."""
    old_ends, new_ends = _ends(olds), _ends(news)

    def gap(left: Block, right: Block) -> int:
        """Characters between two blocks, of the text that has more of them there."""
        old = old_ends[right.before] - old_ends[left.before + left.length]
        return max(old, new_ends[right.after] - new_ends[left.after + left.length])

    def is_chance(last: Block, following: Block) -> bool:
        length = old_ends[last.before + last.length] - old_ends[last.before]
        return length <= min(gap(kept[-2], last), gap(last, following))

    kept = [Block(0, 0, 0)]
    for block in [*blocks, Block(len(olds), len(news), 0)]:
        while len(kept) > 1 and is_chance(kept[-1], block):
            kept.pop()
        kept.append(block)
    return kept[1:-1]


def _ends(words: list[str]) -> list[int]:
    """Where each word begins, and where the last one ends, in characters."""
    return list(accumulate(map(len, words), initial=0))


def _parts(olds: list[str], news: list[str], blocks: list[Block]) -> Iterator[list[str]]:
    """What is removed, what is added, and what is the same after it, over and over."""
    old = new = 0
    for block in [*blocks, Block(len(olds), len(news), 0)]:
        end = block.before + block.length
        parts = olds[old : block.before], news[new : block.after], olds[block.before : end]
        yield ["".join(words) for words in parts]
        old, new = end, block.after + block.length


def _runs(parts: Iterable[list[str]]) -> Iterator[Run]:
    """The space in front of a difference is no difference where both sides have it, or where the
    text behind it begins with it too."""
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
                Run(kind, text)
                for kind, text in (
                    (RunKind.SAME, before),
                    (RunKind.REMOVED, removed),
                    (RunKind.ADDED, added),
                )
                if text
            )
            before = ""
        before += same
    if before:
        yield Run(RunKind.SAME, before)


def _space(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]
