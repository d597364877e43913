"""JSON as a tree that keeps what was sent: duplicate names, and numbers in their original spelling.

Members are loaded in windows; only the first levels are expanded initially.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass

from inspector.core.json.pointer import escape_step
from inspector.core.json.spans import JsonKind, JsonSpans, MemberSpan, ValueSpan
from inspector.dashboard.capture.json.json_source import JsonSource
from inspector.formatting.invisible_characters import TextSegment, exact_segments

MEMBERS = 200
"""Members per window."""
OPEN_AT_ONCE = 80
"""Rows, two screens; what is deeper opens by a click."""
OPEN_DEPTH = 5
MAX_OPENED_MEMBERS = 30
"""A longer object stays closed, or it alone would take the room."""
MAX_ANCESTORS = 12
"""Steps of the path above a part: further ones are counted."""
LONG = 200
MAX_LONG = 20_000
"""Characters of a long text included in the page; the rest is only in the bytes view."""


@dataclass(frozen=True, slots=True)
class JsonTreeNode:
    """One member: ``start`` and ``end`` are body offsets, ``offset`` is in the JSON text."""

    name: tuple[TextSegment, ...]
    pointer: str
    kind: JsonKind
    value: tuple[TextSegment, ...]
    rest: tuple[TextSegment, ...]
    rest_length: int
    """Number of characters after ``value``, including those left out of ``rest``."""
    size: int
    """Number of members, capped at the counting limit."""
    has_more: bool
    offset: int
    start: int
    end: int
    is_closed: bool
    is_twice: bool
    """True if another member of the object has the same name."""
    is_requested: bool
    inside: JsonTreeMembers | None = None

    @property
    def holds_members(self) -> bool:
        return self.kind in (JsonKind.OBJECT, JsonKind.LIST)


@dataclass(frozen=True, slots=True)
class JsonTreeMembers:
    """A window of the members of one object or array."""

    nodes: tuple[JsonTreeNode, ...]
    offset: int
    """Offset of the object or array."""
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
        """Number of members in the next window."""
        return min(MEMBERS, self.total - (self.after or 0))


@dataclass(frozen=True, slots=True)
class JsonTree:
    """``above`` is the pointer of the parent if the value is shown as root for its depth."""

    root: JsonTreeNode
    requested: JsonTreeNode
    above: str
    is_found: bool
    """False if the requested pointer does not exist."""


@dataclass(frozen=True)
class JsonTreeOpening:
    """The nodes that are expanded initially, by offset."""

    source: JsonSource
    opened: frozenset[int]
    requested_start: int | None
    windows: dict[int, int]
    """First member to show in each object on the path to the requested value."""

    @property
    def outline(self) -> JsonSpans:
        return self.source.outline

    def node(
        self, place: MemberSpan, name: str, pointer: str, is_twice: bool = False
    ) -> JsonTreeNode:
        outline, start, end = self.outline, place.start, place.end
        kind = outline.kind(start)
        is_nested = kind in (JsonKind.OBJECT, JsonKind.LIST)
        value, rest, rest_length = (
            ((), (), 0) if is_nested else shorten_value(outline.text[start:end])
        )
        return JsonTreeNode(
            name=exact_segments(name),
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
            is_requested=start == self.requested_start,
            inside=self.members(start, end, pointer)
            if is_nested and start in self.opened
            else None,
        )

    def members(self, start: int, end: int, pointer: str) -> JsonTreeMembers:
        found = self.outline.members(start, end)
        first = self.windows.get(start, 0)
        window = found[first : first + MEMBERS]
        names = [self.name(member) for member in window]
        times = Counter(names)
        nodes = [
            self.node(member, name, f"{pointer}/{escape_step(name)}", times[name] > 1)
            for member, name in zip(window, names, strict=True)
        ]
        return JsonTreeMembers(tuple(nodes), start, first, len(found))

    def name(self, member: MemberSpan) -> str:
        return str(member.position) if member.name_start is None else self.outline.name(member)


def json_tree_of(source: JsonSource, pointer: str = "") -> JsonTree:
    """Build the tree, expanded down to the value at ``pointer``."""
    outline = source.outline
    found = outline.find(pointer)
    way = found or ValueSpan((), outline.start, outline.end)
    path = (MemberSpan(outline.start, outline.end, 0), *way.path)
    left_out = max(0, len(path) - 1 - MAX_ANCESTORS)
    opening = JsonTreeOpening(
        source,
        opened=frozenset({*initially_open(outline, path[left_out]), *(m.start for m in path)}),
        requested_start=path[-1].start if pointer else None,
        windows={
            outer.start: inner.position // MEMBERS * MEMBERS
            for outer, inner in zip(path, path[1:], strict=False)
        },
    )
    pointers = pointers_along(opening, path)
    name = opening.name(path[left_out]) if left_out else ""
    return JsonTree(
        root=opening.node(path[left_out], name, pointers[left_out]),
        requested=JsonTreeOpening(source, frozenset(), None, {}).node(path[-1], "", pointers[-1]),
        above=pointers[left_out - 1] if left_out else "",
        is_found=found is not None,
    )


def members_at(source: JsonSource, offset: int, first: int) -> JsonTreeMembers | None:
    """Return a window of members; None if no object or array starts at the offset."""
    found = source.outline.at(offset)
    if found is None or found.start != offset:
        return None
    opening = JsonTreeOpening(source, frozenset(), None, {offset: max(0, first)})
    pointer = pointers_along(opening, (MemberSpan(0, 0, 0), *found.path))[-1]
    return opening.members(found.start, found.end, pointer)


def initially_open(outline: JsonSpans, root: MemberSpan) -> set[int]:
    """Return the outermost objects and arrays, up to what fits on a page."""
    opened: set[int] = set()
    waiting, room = deque([(root, 0)]), OPEN_AT_ONCE
    while waiting:
        place, depth = waiting.popleft()
        members = outline.members(place.start, place.end)
        if depth and (len(members) > min(room, MAX_OPENED_MEMBERS) or depth > OPEN_DEPTH):
            continue
        opened.add(place.start)
        room -= len(members)
        waiting += [(member, depth + 1) for member in members[:MEMBERS]]
    return opened


def pointers_along(opening: JsonTreeOpening, path: tuple[MemberSpan, ...]) -> list[str]:
    pointers = [""]
    for member in path[1:]:
        pointers.append(f"{pointers[-1]}/{escape_step(opening.name(member))}")
    return pointers


def shorten_value(spelt: bytes) -> tuple[tuple[TextSegment, ...], tuple[TextSegment, ...], int]:
    """Split a value's spelling into the visible text, the rest, and the length of the rest."""
    text = spelt[: MAX_LONG * 4].decode("utf-8", "surrogateescape")
    if len(text) <= LONG:
        return exact_segments(text), (), 0
    whole = len(spelt.decode("utf-8", "surrogateescape"))
    rest = exact_segments(text[LONG:]) if whole - LONG <= MAX_LONG else ()
    return exact_segments(text[:LONG]), rest, whole - LONG
