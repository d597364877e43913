"""Compares all fields that have no section of their own, and the sets of keys."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Json
from inspector.core.formats import DEFAULT_FAMILY, dialects, family_of
from inspector.core.formats.grammar import (
    CandidateLogprobs,
    FieldBlock,
    FinishReason,
    FinishStatus,
    IdentityField,
    MergedUsage,
    PartText,
    TextLogprobs,
    TokenLogprobs,
    UsageCounts,
    UsageMember,
)
from inspector.core.formats.places import CHAT_CHOICE, effect_at, places_of
from inspector.core.json.pointer import escape_step
from inspector.dashboard.capture.page.answer_pointers import answer_pointer, positions_of
from inspector.dashboard.compare.column_heads import column_heads
from inspector.dashboard.compare.section import (
    ComparisonCell,
    ComparisonRow,
    ComparisonSection,
    ComparisonTable,
    comparison_table,
    row_clauses,
)
from inspector.dashboard.compare.side import ComparedSide
from inspector.dashboard.compare.usage_counts import merged_order
from inspector.dashboard.compare.volatile import is_volatile
from inspector.dashboard.compare_links import all_sides_words, only_in_words, ordinal_words
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.lanes import TEXT_KINDS
from inspector.formatting.wire_values import NOT_SENT, join_names, json_text, wire_word

PointerSet = dict[str, None]

MAX_VALUES = 20_000
"""Values examined per completion, breadth first."""
MAX_KEYS = 300
"""Keys listed of those that all sides have."""
SENT = "sent"
IN_CHAT_ELSEWHERE = re.compile(
    r"/usage|/model"
    r"|/choices/[^/]+/(?:index|finish_reason|logprobs|message/(?:tool_calls|function_call))"
).fullmatch
"""Matches what other sections compare of chat completions."""
TEXT_POINTERS = re.compile(
    r"/choices/[^/]+/(?:text|message/(?:content|reasoning|reasoning_content|refusal))"
).fullmatch
TOLD_ELSEWHERE = (
    CandidateLogprobs,
    FieldBlock,
    FinishReason,
    FinishStatus,
    MergedUsage,
    PartText,
    TextLogprobs,
    TokenLogprobs,
    UsageCounts,
    UsageMember,
)
"""What stands at the places that other sections compare, in formats with a table of their own."""
LIKE_ANOTHER = re.compile(r"-?[0-9.eE+-]+|true|false|null|not sent|empty string").fullmatch
"""Matches texts that look like another JSON value; these are shown in quotes."""


@dataclass(frozen=True, slots=True)
class KeyComparison:
    differing: ComparisonTable
    shared: tuple[tuple[TextSegment, ...], ...]
    more: int


def compare_fields(sides: tuple[ComparedSide, ...]) -> ComparisonSection:
    """Compares every value of the completions that no other section compares."""
    if why := why_not_comparable(sides):
        return ComparisonSection("fields", "Other fields", why, count="–", is_known=False)
    is_single = all(len(side.choices) == 1 for side in sides)
    found = [
        dict(islice(leaves(side, compared_elsewhere(side), is_single=is_single), MAX_VALUES))
        for side in sides
    ]
    rows = [
        field_row(pointer, [each.get(pointer, UNSET) for each in found])
        for pointer in merged_order([list(each) for each in found])
        if not is_compared_as_text(pointer, found)
    ]
    visible = [row for row in rows if not row.is_same]
    differing = sum(row.differs for row in visible)
    same = len(rows) - len(visible)
    sentence = f"{plural(same, 'field')} with the same value on {all_sides_words(len(sides))}."
    if any(len(each) == MAX_VALUES for each in found):
        sentence += f" Of each side {MAX_VALUES:,} values are compared."
    return ComparisonSection(
        slug="fields",
        title="Other fields",
        sentence=sentence,
        content=comparison_table(
            "Other fields on each side", column_heads(sides), by_weight(visible)
        )
        if visible
        else None,
        count=f"{differing}" if differing else "same",
        clauses=row_clauses(rows, len(sides), "{} other field differs", "{} other fields differ"),
    )


def compare_keys(sides: tuple[ComparedSide, ...]) -> ComparisonSection:
    """Compares which keys exist, whatever their values; array items are merged under ``*``."""
    if why := why_not_comparable(sides):
        return ComparisonSection("keys", "Fields present", why, count="–", is_known=False)
    found = [dict.fromkeys(islice(pointers(side), MAX_VALUES)) for side in sides]
    every = merged_order([list(each) for each in found])
    shared = [pointer for pointer in every if all(pointer in each for each in found)]
    everywhere = set(shared)
    rows = [key_row(pointer, found) for pointer in every if pointer not in everywhere]
    count_words = f"{plural(len(shared), 'field')} on {all_sides_words(len(sides))}"
    names = tuple(exact_segments(pointer) for pointer in shared[:MAX_KEYS])
    content = KeyComparison(
        comparison_table("Fields that are not on all sides", column_heads(sides), rows),
        names,
        len(shared) - len(names),
    )
    return ComparisonSection(
        slug="keys",
        title="Fields present",
        sentence=f"The same {count_words}." if not rows else f"{count_words}.",
        content=content,
        count=f"{len(rows)}" if rows else "same",
        clauses=tuple(
            key_clause(found[0], each, sides[0], side)
            for each, side in zip(found[1:], sides[1:], strict=True)
        ),
        form="keys",
    )


def why_not_comparable(sides: tuple[ComparedSide, ...]) -> str:
    """Why the completions cannot be compared; empty if they can."""
    titles = dict.fromkeys(format_title(side) for side in sides if side.analysis is not None)
    if len(titles) > 1:
        return f"Not compared: {join_names(list(titles))} have fields of other names."
    lacking = [side.position for side in sides if completion_of(side) is None]
    if not lacking:
        return ""
    whose = ordinal_words(lacking)
    stored = any(side.cuts or side.named.is_previous for side in sides)
    if stored:
        return f"Not compared: the stored analysis of {whose} has no completion object."
    return f"Not compared: {whose} has no completion."


def format_title(side: ComparedSide) -> str:
    """Title of the format whose fields a side has: that of its family."""
    slug = side.analysis.dialect if side.analysis else None
    dialect = dialects().get(slug or "")
    return dialects()[family_of(dialect) if dialect else DEFAULT_FAMILY].title


def completion_of(side: ComparedSide) -> Mapping[str, Json] | None:
    found = side.analysis.completion if side.analysis else None
    return found if isinstance(found, dict) else None


# -- walking through a completion ------------------------------------------------------------------


IsElsewhere = Callable[[str], bool]
"""Returns True for the pointer of a value that another section compares."""


def compared_elsewhere(side: ComparedSide) -> IsElsewhere:
    if side.analysis is None or places_of(side.analysis.dialect).choice == CHAT_CHOICE:
        return lambda pointer: IN_CHAT_ELSEWHERE(pointer) is not None
    analysis = side.analysis
    parts = {
        block.pointer
        for choice in analysis.choices
        for block in choice.blocks
        if block.kind not in TEXT_KINDS
    }
    return lambda pointer: pointer in parts or is_told_elsewhere(analysis, pointer)


def is_told_elsewhere(analysis: Analysis, pointer: str) -> bool:
    """True for texts, counts, the model and why the answer ended."""
    effect = effect_at(analysis.dialect, pointer.removeprefix(answer_pointer(analysis)))
    dialect = dialects().get(analysis.dialect or "")
    model = dialect.identity.get("model", "model") if dialect else "model"
    is_model = isinstance(effect, IdentityField) and pointer.rpartition("/")[2] == model
    return is_model or isinstance(effect, TOLD_ELSEWHERE)


def leaves(
    side: ComparedSide, is_elsewhere: IsElsewhere, *, is_single: bool
) -> Iterator[tuple[str, Json]]:
    """Yields pointers and scalar values that are not part of another section."""
    queue, listed = deque(top_members(side)), list_of_choices(side)
    while queue:
        pointer, value = queue.popleft()
        if is_elsewhere(pointer):
            continue
        if isinstance(value, dict | list) and value:
            folded = is_single and pointer == f"/{listed}"
            queue.extend(islice(inside(pointer, value, folded=folded), MAX_VALUES))
        else:
            yield pointer, value


def pointers(side: ComparedSide) -> Iterator[str]:
    """Yields the pointer of every key; items of an array share one."""
    queue = deque(top_members(side))
    while queue:
        pointer, value = queue.popleft()
        yield pointer
        if isinstance(value, dict | list):
            queue.extend(islice(inside(pointer, value, folded=True), MAX_VALUES))


def inside(
    pointer: str, value: dict[str, Json] | list[Json], *, folded: bool
) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        return ((f"{pointer}/{escape_step(name)}", each) for name, each in value.items())
    return ((f"{pointer}/{'*' if folded else n}", each) for n, each in enumerate(value))


def list_of_choices(side: ComparedSide) -> str:
    """The member of the completion that lists its choices; "" if the answer is the only one."""
    places = places_of(side.analysis.dialect if side.analysis else None)
    return places.choice.removesuffix("/*").removeprefix("/")


def top_members(side: ComparedSide) -> Iterator[tuple[str, Json]]:
    """Members of the completion; if a single choice is compared, only that one of its choices."""
    listed = list_of_choices(side)
    for name, value in (completion_of(side) or {}).items():
        if name == listed and isinstance(value, list) and side.is_of_one_choice:
            at = position_of_choice(side)
            yield f"/{listed}", value[at : at + 1]
        else:
            yield f"/{escape_step(name)}", value


def position_of_choice(side: ComparedSide) -> int:
    if side.analysis is None or not side.choices:
        return 0
    return positions_of(side.analysis).get(side.choices[0].index, 0)


# -- rows ------------------------------------------------------------------------------------------


def is_compared_as_text(pointer: str, found: list[dict[str, Json]]) -> bool:
    values = [each.get(pointer) for each in found]
    return bool(TEXT_POINTERS(pointer)) and any(
        isinstance(value, str) and value for value in values
    )


def field_row(pointer: str, values: list[Json]) -> ComparisonRow:
    return ComparisonRow(
        exact_segments(pointer),
        tuple(map(field_cell, values)),
        is_muted=is_volatile(pointer),
        is_code=True,
    )


def field_cell(value: Json) -> ComparisonCell:
    if value is UNSET or value is None or value == "":
        return ComparisonCell(wire_word(value), tone="faint")
    is_like_another = isinstance(value, str) and LIKE_ANOTHER(value)
    return ComparisonCell(json_text(value) if is_like_another else wire_word(value))


def by_weight(rows: list[ComparisonRow]) -> list[ComparisonRow]:
    """Sorts differing rows before equal and muted ones."""
    return sorted(rows, key=lambda row: row.is_muted)


def key_row(pointer: str, found: list[PointerSet]) -> ComparisonRow:
    cells = tuple(
        ComparisonCell(SENT) if pointer in each else ComparisonCell(NOT_SENT, tone="faint")
        for each in found
    )
    return ComparisonRow(exact_segments(pointer), cells, is_code=True)


def key_clause(
    first: PointerSet, other: PointerSet, before: ComparedSide, after: ComparedSide
) -> str:
    gone, new = len(first.keys() - other.keys()), len(other.keys() - first.keys())
    return only_in_words(gone, new, "key", before.position, after.position)
