"""Changes of one prompt against the one before it, message by message, by their outlines."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from enum import StrEnum

import msgspec

from inspector.core.request.outline import (
    BLOCK_BYTES,
    BLOCK_WIDTH,
    DIGEST_BYTES,
    OutlineItem,
    PromptOutline,
    Section,
    Size,
)

MAX_LISTED = 60
"""Two screens of lines; the others are counted."""
MAX_MATCHED = 600
"""Longer stretches that differ are not matched: all of one was dropped, all of the other is new."""


class ChangeKind(StrEnum):
    APPENDED = "appended"
    """At the end, behind all that was kept."""
    INSERTED = "inserted"
    EDITED = "edited"
    MOVED = "moved"
    DROPPED = "dropped"


class ItemChange(msgspec.Struct, frozen=True, array_like=True):
    """``pointer`` leads into the later request's body, of a dropped item into the earlier one's."""

    change: ChangeKind
    section: Section
    role: str
    kind: str
    name: str
    size: Size
    pointer: str
    number: int | None = None
    """Position of a message in its prompt, from 0."""
    before: str = ""
    """Pointer in the earlier request, of an edited or moved item."""


class Departure(msgspec.Struct, frozen=True, array_like=True):
    """Where a prompt ceases to be equal to the one before it: an item of the later prompt, of the
    earlier where the later one ends there. ``byte`` counts the JSON of all items before it, and the
    equal blocks of 1,024 bytes in it. ``share`` of the earlier prompt's bytes are before it.
    """

    section: Section
    pointer: str
    byte: int
    share: float


class PromptChanges(msgspec.Struct, frozen=True, array_like=True):
    """``kept`` items are equal at the beginning of both. ``departure`` is None where the whole
    earlier prompt begins the later one.
    """

    kept: int
    departure: Departure | None
    counts: Mapping[ChangeKind, int]
    items: tuple[ItemChange, ...] = ()
    """The first ``MAX_LISTED``."""
    added: Size = Size()
    """Size of all that was appended, inserted and edited."""
    parameters: tuple[str, ...] = ()
    """Names of those that changed."""


def common_items(one: bytes, other: bytes, width: int = DIGEST_BYTES) -> int:
    """How many digests of ``width`` bytes are equal at the beginning of both."""
    low, high = 0, min(len(one), len(other)) // width
    while low < high:
        middle = (low + high + 1) // 2
        if one[: middle * width] == other[: middle * width]:
            low = middle
        else:
            high = middle - 1
    return low


def changes_between(before: PromptOutline, after: PromptOutline) -> PromptChanges:
    kept = common_items(before.digests, after.digests)
    changes = list(_changes(before, after))
    new = [each for each in changes if each.change not in (ChangeKind.DROPPED, ChangeKind.MOVED)]
    return PromptChanges(
        kept=kept,
        departure=_departure(before, after, kept),
        counts=dict(Counter(each.change for each in changes)),
        items=tuple(changes[:MAX_LISTED]),
        added=sum((each.size for each in new), Size()),
        parameters=tuple(_changed_parameters(before.parameters, after.parameters)),
    )


def _changed_parameters(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    names = sorted(before.keys() | after.keys())
    return (name for name in names if before.get(name) != after.get(name))


def _departure(before: PromptOutline, after: PromptOutline, kept: int) -> Departure | None:
    if kept == len(before.items):
        return None
    here = before.items[kept]
    there = after.items[kept] if kept < len(after.items) else here
    equal = common_items(here.blocks, there.blocks, BLOCK_WIDTH) if there is not here else 0
    at = sum(each.size.bytes for each in before.items[:kept]) + equal * BLOCK_BYTES
    whole = sum(each.size.bytes for each in before.items)
    both = (here.section, there.section)
    # Where a list ends in one of them, what differs is of the list, not what stands behind it.
    section = next((it for it in (Section.TOOLS, Section.SYSTEM) if it in both), there.section)
    return Departure(section, there.pointer, at, min(at / whole, 1.0) if whole else 0.0)


# -- items that differ -----------------------------------------------------------------------------


def _changes(before: PromptOutline, after: PromptOutline) -> Iterator[ItemChange]:
    """Tools, then instructions, then messages: what moves never leaves its own list."""
    for start in (_tools_of, _instructions_of, _messages_of):
        one, other = start(before), start(after)
        yield from _changes_in(_Items(before, one), _Items(after, other))


def _tools_of(outline: PromptOutline) -> range:
    tools = (at for at, each in enumerate(outline.items) if each.section is not Section.TOOLS)
    return range(next(tools, len(outline.items)))


def _instructions_of(outline: PromptOutline) -> range:
    return range(_tools_of(outline).stop, outline.head)


def _messages_of(outline: PromptOutline) -> range:
    return range(outline.head, len(outline.items))


class _Items:
    """A stretch of an outline."""

    def __init__(self, outline: PromptOutline, at: range) -> None:
        self.items = outline.items[at.start : at.stop]
        self.start = at.start - _tools_of(outline).stop
        data = outline.digests
        ends = range(at.start * DIGEST_BYTES, at.stop * DIGEST_BYTES, DIGEST_BYTES)
        self.digests = [data[end : end + DIGEST_BYTES] for end in ends]


def _changes_in(before: _Items, after: _Items) -> Iterator[ItemChange]:
    dropped, added, pairs = _matched(before.digests, after.digests)
    moved = dict(_moved(before, after, dropped, added))
    edited = {j: i for i, j in _edited(before, after, dropped, added, pairs, moved)}
    gone = set(dropped) - set(moved.values()) - set(edited.values())
    last_kept = max((j for j in range(len(after.items)) if j not in set(added)), default=-1)
    for j in added:
        item = after.items[j]
        if j in moved or j in edited:
            change = ChangeKind.MOVED if j in moved else ChangeKind.EDITED
            place = before.items[moved[j] if j in moved else edited[j]].pointer
            yield _change(change, item, after.start + j, place)
        else:
            is_behind = j > max((last_kept, *edited, *moved))
            change = ChangeKind.APPENDED if is_behind else ChangeKind.INSERTED
            yield _change(change, item, after.start + j)
    for i in sorted(gone):
        yield _change(ChangeKind.DROPPED, before.items[i], before.start + i)


def _change(change: ChangeKind, item: OutlineItem, number: int, before: str = "") -> ItemChange:
    return ItemChange(
        change=change,
        section=item.section,
        role=item.role,
        kind=item.kind,
        name=item.name,
        size=item.size,
        pointer=item.pointer,
        number=number if number >= 0 else None,
        before=before,
    )


Pairs = Mapping[int, int]


def _matched(one: Sequence[bytes], other: Sequence[bytes]) -> tuple[list[int], list[int], Pairs]:
    """Return what only the first has, what only the other has, and pairs at one place."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    left = range(start, len(one) - end)
    right = range(start, len(other) - end)
    if not left or not right or max(len(left), len(right)) > MAX_MATCHED:
        return list(left), list(right), dict(zip(right, left, strict=False))
    return _matched_within(one, other, left, right)


def _matched_within(
    one: Sequence[bytes], other: Sequence[bytes], left: range, right: range
) -> tuple[list[int], list[int], Pairs]:
    dropped: list[int] = []
    added: list[int] = []
    pairs: dict[int, int] = {}
    matcher = SequenceMatcher(
        None, [one[i] for i in left], [other[j] for j in right], autojunk=False
    )
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        gone, come = left[i1:i2], right[j1:j2]
        dropped += gone
        added += come
        pairs.update(zip(come, gone, strict=False))
    return dropped, added, pairs


def _moved(
    before: _Items, after: _Items, dropped: Sequence[int], added: Sequence[int]
) -> Iterator[tuple[int, int]]:
    places: dict[bytes, list[int]] = {}
    for i in reversed(dropped):
        places.setdefault(before.digests[i], []).append(i)
    for j in added:
        if found := places.get(after.digests[j]):
            yield j, found.pop()


def _edited(
    before: _Items,
    after: _Items,
    dropped: Sequence[int],
    added: Sequence[int],
    pairs: Pairs,
    moved: Mapping[int, int],
) -> Iterator[tuple[int, int]]:
    """Yield the edited items: another of the same role, or a tool of the same name, stood there."""
    by_name = {each.name: i for i in dropped if (each := before.items[i]).section is Section.TOOLS}
    taken = set(moved.values())
    for j in added:
        item = after.items[j]
        i = by_name.get(item.name) if item.section is Section.TOOLS else pairs.get(j)
        if i is None or i in taken or j in moved:
            continue
        if before.items[i].role == item.role:
            taken.add(i)
            yield i, j
