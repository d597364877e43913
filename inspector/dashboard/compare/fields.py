"""What stands beside the texts: the values of all other fields, and which keys there are at all."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from msgspec import UNSET

from inspector.core.completion import Json
from inspector.core.pointer import escaped
from inspector.dashboard.compare.counts import in_order, ordinals
from inspector.dashboard.compare.named import both, in_ordinals, only
from inspector.dashboard.compare.section import Cell, Row, Section, Table, clauses_of, table
from inspector.dashboard.compare.side import Side
from inspector.dashboard.compare.volatile import is_volatile
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.wire import NOT_SENT, json_text, wire_word

Keyed = dict[str, None]

MOST_VALUES = 20_000
"""Of one completion that are looked through, those nearest to its root first."""
MOST_KEYS = 300
"""That are listed of those on all sides."""
THERE = "sent"
ELSEWHERE = re.compile(
    r"/usage|/model"
    r"|/choices/[^/]+/(?:index|finish_reason|logprobs|message/(?:tool_calls|function_call))"
).fullmatch
TEXTS = re.compile(
    r"/choices/[^/]+/(?:text|message/(?:content|reasoning|reasoning_content|refusal))"
).fullmatch
LIKE_ANOTHER = re.compile(r"-?[0-9.eE+-]+|true|false|null|not sent|empty string").fullmatch
"""Texts that look as something else does which is no text: they stand in quotation marks."""


@dataclass(frozen=True, slots=True)
class Keys:
    differing: Table
    shared: tuple[tuple[Segment, ...], ...]
    more: int


def fields(sides: tuple[Side, ...]) -> Section:
    """Every value of the completions that no other section compares."""
    if why := unknown(sides):
        return Section("fields", "Other fields", why, count="–", is_known=False)
    is_single = all(len(side.choices) == 1 for side in sides)
    found = [dict(islice(leaves(side, is_single=is_single), MOST_VALUES)) for side in sides]
    rows = [
        field_row(pointer, [each.get(pointer, UNSET) for each in found])
        for pointer in in_order([list(each) for each in found])
        if not is_told_as_text(pointer, found)
    ]
    shown = [row for row in rows if not row.is_same]
    differing = sum(row.differs for row in shown)
    same = len(rows) - len(shown)
    sentence = f"{plural(same, 'field')} with the same value on {both(len(sides))}."
    if any(len(each) == MOST_VALUES for each in found):
        sentence += f" Of each side {MOST_VALUES:,} values are compared."
    return Section(
        slug="fields",
        title="Other fields",
        sentence=sentence,
        content=table("Other fields on each side", ordinals(sides), by_weight(shown))
        if shown
        else None,
        count=f"{differing}" if differing else "same",
        clauses=clauses_of(rows, len(sides), "{} other field differs", "{} other fields differ"),
    )


def keys(sides: tuple[Side, ...]) -> Section:
    """Which fields there are, whatever is in them: pointers with all items of a list as ``*``."""
    if why := unknown(sides):
        return Section("keys", "Fields present", why, count="–", is_known=False)
    found = [dict.fromkeys(islice(pointers(side), MOST_VALUES)) for side in sides]
    every = in_order([list(each) for each in found])
    shared = [pointer for pointer in every if all(pointer in each for each in found)]
    everywhere = set(shared)
    rows = [key_row(pointer, found) for pointer in every if pointer not in everywhere]
    told = f"{plural(len(shared), 'field')} on {both(len(sides))}"
    listed = tuple(exact(pointer) for pointer in shared[:MOST_KEYS])
    content = Keys(
        table("Fields that are not on all sides", ordinals(sides), rows),
        listed,
        len(shared) - len(listed),
    )
    return Section(
        slug="keys",
        title="Fields present",
        sentence=f"The same {told}." if not rows else f"{told}.",
        content=content,
        count=f"{len(rows)}" if rows else "same",
        clauses=tuple(
            key_clause(found[0], each, sides[0], side)
            for each, side in zip(found[1:], sides[1:], strict=True)
        ),
        form="keys",
    )


def unknown(sides: tuple[Side, ...]) -> str:
    """Why completions cannot be held against each other; empty where they can."""
    lacking = [side.position for side in sides if completion_of(side) is None]
    if not lacking:
        return ""
    whose = in_ordinals(lacking)
    stored = any(side.cuts or side.named.is_previous for side in sides)
    if stored:
        return f"Not compared: the stored analysis of {whose} has no completion object."
    return f"Not compared: {whose} has no completion."


def completion_of(side: Side) -> Mapping[str, Json] | None:
    found = side.analysis.completion if side.analysis else None
    return found if isinstance(found, dict) else None


# -- walking through a completion ------------------------------------------------------------------


def leaves(side: Side, *, is_single: bool) -> Iterator[tuple[str, Json]]:
    """Pointers and values of what holds no others and is told nowhere else."""
    queue = deque(tops(side))
    while queue:
        pointer, value = queue.popleft()
        if ELSEWHERE(pointer):
            continue
        if isinstance(value, dict | list) and value:
            folded = is_single and pointer == "/choices"
            queue.extend(islice(inside(pointer, value, folded=folded), MOST_VALUES))
        else:
            yield pointer, value


def pointers(side: Side) -> Iterator[str]:
    """Of every key, those of all items of a list under one."""
    queue = deque(tops(side))
    while queue:
        pointer, value = queue.popleft()
        yield pointer
        if isinstance(value, dict | list):
            queue.extend(islice(inside(pointer, value, folded=True), MOST_VALUES))


def inside(
    pointer: str, value: dict[str, Json] | list[Json], *, folded: bool
) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        return ((f"{pointer}/{escaped(name)}", each) for name, each in value.items())
    return ((f"{pointer}/{'*' if folded else n}", each) for n, each in enumerate(value))


def tops(side: Side) -> Iterator[tuple[str, Json]]:
    """The members of the completion; of its choices the one that is compared, where it is one."""
    for name, value in (completion_of(side) or {}).items():
        if name == "choices" and isinstance(value, list) and side.is_of_one_choice:
            at = position_of(side, value)
            yield "/choices", value[at : at + 1]
        else:
            yield f"/{escaped(name)}", value


def position_of(side: Side, sent: list[Any]) -> int:
    index = side.choices[0].index if side.choices else 0
    indexes = [each.get("index") if isinstance(each, dict) else None for each in sent]
    return indexes.index(index) if index in indexes else 0


# -- rows ------------------------------------------------------------------------------------------


def is_told_as_text(pointer: str, found: list[dict[str, Json]]) -> bool:
    values = [each.get(pointer) for each in found]
    return bool(TEXTS(pointer)) and any(isinstance(value, str) and value for value in values)


def field_row(pointer: str, values: list[Json]) -> Row:
    return Row(
        exact(pointer), tuple(map(field_cell, values)), is_muted=is_volatile(pointer), is_code=True
    )


def field_cell(value: Json) -> Cell:
    if value is UNSET or value is None or value == "":
        return Cell(wire_word(value), tone="faint")
    is_like_another = isinstance(value, str) and LIKE_ANOTHER(value)
    return Cell(json_text(value) if is_like_another else wire_word(value))


def by_weight(rows: list[Row]) -> list[Row]:
    """What differs first, then what is only shown."""
    return sorted(rows, key=lambda row: row.is_muted)


def key_row(pointer: str, found: list[Keyed]) -> Row:
    cells = tuple(
        Cell(THERE) if pointer in each else Cell(NOT_SENT, tone="faint") for each in found
    )
    return Row(exact(pointer), cells, is_code=True)


def key_clause(first: Keyed, other: Keyed, before: Side, after: Side) -> str:
    gone, new = len(first.keys() - other.keys()), len(other.keys() - first.keys())
    return only(gone, new, "key", before.position, after.position)
