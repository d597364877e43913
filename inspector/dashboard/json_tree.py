"""A JSON text as a tree of what was sent: both of two equal names, every number as it was spelt.

Objects and lists are opened a window of members at a time; only the first levels are open at once.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass

from inspector.core.outline import Found, Kind, Member, Outline
from inspector.core.pointer import escaped
from inspector.dashboard.json_source import JsonSource
from inspector.dashboard.marks import Segment, exact

MEMBERS = 200
"""So many members of one object or list are shown at once."""
OPEN_AT_ONCE = 80
OPEN_DEPTH = 5
MOST_OPENED_MEMBERS = 30
MOST_ANCESTORS = 12
LONG = 200
MOST_LONG = 20_000
"""Of a longer text the rest is not sent to the page: its bytes are a link away."""


@dataclass(frozen=True, slots=True)
class Node:
    """One member. ``start`` and ``end`` are bytes of the body; ``offset`` is in the JSON text."""

    name: tuple[Segment, ...]
    pointer: str
    kind: Kind
    value: tuple[Segment, ...]
    rest: tuple[Segment, ...]
    rest_length: int
    """Characters of a text beyond ``value``; more than ``rest`` holds where that is empty."""
    size: int
    """How many members it has, or the most that are told of one object or list."""
    has_more: bool
    offset: int
    start: int
    end: int
    is_closed: bool
    is_twice: bool
    """Another member of the same object has this name."""
    is_asked: bool
    inside: Members | None = None

    @property
    def holds_members(self) -> bool:
        return self.kind in (Kind.OBJECT, Kind.LIST)


@dataclass(frozen=True, slots=True)
class Members:
    """A window of the members of one object or list."""

    nodes: tuple[Node, ...]
    offset: int
    """Of the object or list itself."""
    start: int
    total: int

    @property
    def before(self) -> int | None:
        return max(0, self.start - MEMBERS) if self.start else None

    @property
    def after(self) -> int | None:
        end = self.start + len(self.nodes)
        return end if end < self.total else None

    @property
    def coming(self) -> int:
        """How many the next window holds."""
        return min(MEMBERS, self.total - (self.after or 0))


@dataclass(frozen=True, slots=True)
class Tree:
    """``above``: the pointer of what the shown root stands in, where that is too deep to show."""

    root: Node
    asked: Node
    above: str
    is_found: bool
    """False where nothing stands at the pointer that was asked for."""


@dataclass(frozen=True)
class Opening:
    """What is open when a tree is first shown, by the offsets of objects and lists."""

    source: JsonSource
    opened: frozenset[int]
    asked: int | None
    windows: dict[int, int]
    """The first member to show of those that the way to the asked one leads through."""

    @property
    def outline(self) -> Outline:
        return self.source.outline

    def node(self, place: Member, name: str, pointer: str, is_twice: bool = False) -> Node:
        outline, start, end = self.outline, place.start, place.end
        kind = outline.kind(start)
        is_nested = kind in (Kind.OBJECT, Kind.LIST)
        value, rest, rest_length = ((), (), 0) if is_nested else shortened(outline.text[start:end])
        return Node(
            name=exact(name),
            pointer=pointer,
            kind=kind,
            value=value,
            rest=rest,
            rest_length=rest_length,
            size=len(outline.members(start, end)),
            has_more=outline.has_more(start, end),
            offset=start,
            start=self.source.body_byte(start),
            end=self.source.body_byte(end - 1) + 1,
            is_closed=outline.is_closed(start, end),
            is_twice=is_twice,
            is_asked=start == self.asked,
            inside=self.members(start, end, pointer)
            if is_nested and start in self.opened
            else None,
        )

    def members(self, start: int, end: int, pointer: str) -> Members:
        found = self.outline.members(start, end)
        first = self.windows.get(start, 0)
        shown = found[first : first + MEMBERS]
        names = [self.name(member) for member in shown]
        times = Counter(names)
        nodes = [
            self.node(member, name, f"{pointer}/{escaped(name)}", times[name] > 1)
            for member, name in zip(shown, names, strict=True)
        ]
        return Members(tuple(nodes), start, first, len(found))

    def name(self, member: Member) -> str:
        return str(member.position) if member.name_start is None else self.outline.name(member)


def tree_of(source: JsonSource, pointer: str = "") -> Tree:
    """The tree with the way to one value open."""
    outline = source.outline
    found = outline.find(pointer)
    way = found or Found((), outline.start, outline.end)
    path = (Member(outline.start, outline.end, 0), *way.path)
    left_out = max(0, len(path) - 1 - MOST_ANCESTORS)
    opening = Opening(
        source,
        opened=frozenset({*opened_at_once(outline, path[left_out]), *(m.start for m in path)}),
        asked=path[-1].start if pointer else None,
        windows={
            outer.start: inner.position // MEMBERS * MEMBERS
            for outer, inner in zip(path, path[1:], strict=False)
        },
    )
    pointers = pointers_along(opening, path)
    name = opening.name(path[left_out]) if left_out else ""
    return Tree(
        root=opening.node(path[left_out], name, pointers[left_out]),
        asked=Opening(source, frozenset(), None, {}).node(path[-1], "", pointers[-1]),
        above=pointers[left_out - 1] if left_out else "",
        is_found=found is not None,
    )


def members_at(source: JsonSource, offset: int, first: int) -> Members | None:
    """A window of the members of what begins at an offset; None where no object or list does."""
    found = source.outline.at(offset)
    if found is None or found.start != offset:
        return None
    opening = Opening(source, frozenset(), None, {offset: max(0, first)})
    pointer = pointers_along(opening, (Member(0, 0, 0), *found.path))[-1]
    return opening.members(found.start, found.end, pointer)


def opened_at_once(outline: Outline, root: Member) -> set[int]:
    """The outermost objects and lists, as many as a page shows well."""
    opened: set[int] = set()
    waiting, room = deque([(root, 0)]), OPEN_AT_ONCE
    while waiting:
        place, depth = waiting.popleft()
        members = outline.members(place.start, place.end)
        if depth and (len(members) > min(room, MOST_OPENED_MEMBERS) or depth > OPEN_DEPTH):
            continue
        opened.add(place.start)
        room -= len(members)
        waiting += [(member, depth + 1) for member in members[:MEMBERS]]
    return opened


def pointers_along(opening: Opening, path: tuple[Member, ...]) -> list[str]:
    pointers = [""]
    for member in path[1:]:
        pointers.append(f"{pointers[-1]}/{escaped(opening.name(member))}")
    return pointers


def shortened(spelt: bytes) -> tuple[tuple[Segment, ...], tuple[Segment, ...], int]:
    """What is shown of a value's spelling, the rest, and how many characters that is."""
    text = spelt[: MOST_LONG * 4].decode("utf-8", "surrogateescape")
    if len(text) <= LONG:
        return exact(text), (), 0
    whole = len(spelt.decode("utf-8", "surrogateescape"))
    rest = exact(text[LONG:]) if whole - LONG <= MOST_LONG else ()
    return exact(text[:LONG]), rest, whole - LONG
