"""Compares all fields that have no section of their own."""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from msgspec import UNSET

from inspector.core.analysis import Analysis
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
from inspector.core.json import Json
from inspector.core.json.pointer import escape_step
from inspector.dashboard.capture.page.answer_pointers import answer_pointer, positions_of
from inspector.dashboard.compare.section import (
    ComparisonCell,
    ComparisonRow,
    ComparisonSection,
    comparison_table,
    count_words,
    merged_order,
    rows_clause,
)
from inspector.dashboard.compare.side import ComparedSide, Sides, those_without
from inspector.dashboard.compare.volatile import is_volatile
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import exact_segments
from inspector.formatting.lanes import TEXT_KINDS
from inspector.formatting.wire_values import join_names, json_text, wire_word

MAX_VALUES = 20_000
"""Values examined per completion, breadth first."""
IN_CHAT_ELSEWHERE = re.compile(
    r"/usage|/model"
    r"|/choices/[^/]+/(?:index|finish_reason|logprobs|message/(?:tool_calls|function_call))"
).fullmatch
"""Matches what other sections compare of chat completions."""
# As in "/choices/0/message/content".
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
"""Effects at the places that other sections compare, in formats with a table of their own."""
LIKE_ANOTHER = re.compile(r"-?[0-9.eE+-]+|true|false|null|not sent|empty string").fullmatch
"""Matches texts that look like another JSON value; these are shown in quotes."""


def compare_fields(sides: Sides) -> ComparisonSection:
    """Compare every value of the completions that no other section compares."""
    if why := why_not_comparable(sides):
        return ComparisonSection("fields", "Other fields", why, count="–", is_known=False)
    is_single = all(len(side.choices) == 1 for side in sides)
    before, after = (
        dict(islice(leaves(side, compared_elsewhere(side), is_single=is_single), MAX_VALUES))
        for side in sides
    )
    is_cut = MAX_VALUES in (len(before), len(after))
    for pointer in [each for each in (*before, *after) if is_compared_as_text(each, before, after)]:
        before.pop(pointer, None)
        after.pop(pointer, None)
    more = f" Of each side {MAX_VALUES:,} values are compared." if is_cut else ""
    return compare_values("fields", "Other fields", sides, (before, after), "other field", more)


def compare_values(
    slug: str,
    title: str,
    sides: Sides,
    found: tuple[Mapping[str, Json], Mapping[str, Json]],
    noun: str,
    more: str = "",
) -> ComparisonSection:
    """Compare values by name. ``noun``: what they are called in the headline; empty if they are
    not counted there. ``more`` is a further sentence.
    """
    before, after = found
    rows = [
        field_row(name, before.get(name, UNSET), after.get(name, UNSET))
        for name in merged_order(before, after)
    ]
    visible = [row for row in rows if not row.is_same]
    # Those that differ before muted ones.
    visible.sort(key=lambda row: row.is_muted)
    same = f"{plural(len(rows) - len(visible), 'field')} with the same value on both."
    return ComparisonSection(
        slug=slug,
        title=title,
        sentence=f"{'Not listed: ' if visible else ''}{same}{more}",
        content=comparison_table(f"{title} on each side", sides, visible) if visible else None,
        count=count_words(sum(row.differs for row in visible)),
        clause=rows_clause(rows, f"{{}} {noun} differs", f"{{}} {noun}s differ") if noun else "",
    )


def why_not_comparable(sides: Sides) -> str:
    """Why the completions cannot be compared; empty if they can."""
    titles = dict.fromkeys(format_title(side) for side in sides if side.analysis is not None)
    if len(titles) > 1:
        return f"Not compared: {join_names(list(titles))} have fields of other names."
    if all(completion_of(side) is not None for side in sides):
        return ""
    whose = those_without(sides, completion_of)
    if any(side.cuts for side in sides):
        return f"Not compared: the completion of {whose} is too large to be kept."
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
    """Return True for texts, counts, the model and why the answer ended."""
    effect = effect_at(analysis.dialect, pointer.removeprefix(answer_pointer(analysis)))
    dialect = dialects().get(analysis.dialect or "")
    model = dialect.identity.get("model", "model") if dialect else "model"
    is_model = isinstance(effect, IdentityField) and pointer.rpartition("/")[2] == model
    return is_model or isinstance(effect, TOLD_ELSEWHERE)


def leaves(
    side: ComparedSide, is_elsewhere: IsElsewhere, *, is_single: bool
) -> Iterator[tuple[str, Json]]:
    """Yield pointers and scalar values that are not part of another section."""
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


def inside(
    pointer: str, value: dict[str, Json] | list[Json], *, folded: bool
) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        return ((f"{pointer}/{escape_step(name)}", each) for name, each in value.items())
    return ((f"{pointer}/{'*' if folded else n}", each) for n, each in enumerate(value))


def list_of_choices(side: ComparedSide) -> str:
    """Return the member of the completion that lists its choices; "" if the answer is the
    only one.
    """
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


def is_compared_as_text(pointer: str, *found: Mapping[str, Json]) -> bool:
    values = [each.get(pointer) for each in found]
    return bool(TEXT_POINTERS(pointer)) and any(isinstance(each, str) and each for each in values)


def field_row(pointer: str, before: Json, after: Json) -> ComparisonRow:
    cells = field_cell(before), field_cell(after)
    return ComparisonRow(
        exact_segments(pointer), cells, is_muted=is_volatile(pointer), is_code=True
    )


def field_cell(value: Json) -> ComparisonCell:
    if value is UNSET or value is None or value == "":
        return ComparisonCell(wire_word(value), tone="faint")
    is_like_another = isinstance(value, str) and LIKE_ANOTHER(value)
    return ComparisonCell(json_text(value) if is_like_another else wire_word(value))
