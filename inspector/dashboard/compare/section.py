"""A section of the comparison: one sentence if nothing differs, else a table or texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from inspector.dashboard.compare.side import Sides
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.wire_values import NOT_SENT

MAX_ROWS = 200
"""Further differences are counted (`left_out`)."""
VALUE_CHARACTERS = 200
"""Two stand side by side; the panels of each capture have them whole."""
MODEL_CHARACTERS = 60
"""Names a side in each heading."""

Words = tuple[TextSegment, ...]


@dataclass(frozen=True, slots=True)
class ComparisonSection:
    """``sentence`` introduces the content, or stands alone if ``content`` is None; ``clause`` is
    its part of the headline, empty if none.
    """

    slug: str
    title: str
    sentence: str
    content: Any = None
    count: str = "same"
    """Count shown in the navigation."""
    clause: str = ""
    form: str = "table"
    """Name of the content's template."""
    is_known: bool = True
    """False if the compared analysis does not contain the data."""

    @property
    def template(self) -> str:
        return f"dashboard/compare/{self.form}.html"


def joined(slug: str, title: str, parts: list[ComparisonSection]) -> ComparisonSection:
    """Return sections as one: what is the same is said, what differs is shown."""
    shown = tuple(each for each in parts if each.content)
    said = [each.sentence for each in parts if each not in shown]
    numbers = [int(each.count) for each in parts if each.count.isdigit()]
    counts = [str(sum(numbers))] if numbers else [each.count for each in parts if each.count]
    return ComparisonSection(
        slug, title, " ".join(filter(None, said)), shown or None, (*counts, "")[0], form="parts"
    )


@dataclass(frozen=True, slots=True)
class ComparisonCell:
    """Value of one side; ``aside`` is its distance from the first side.

    ``faint`` marks a word in place of a value.
    """

    value: str
    aside: str = ""
    tone: str = ""

    @property
    def text(self) -> Words:
        """The value, with long ones truncated and their length stated."""
        if len(self.value) <= VALUE_CHARACTERS:
            return exact_segments(self.value)
        return exact_segments(
            f"{self.value[:VALUE_CHARACTERS]}… ({plural(len(self.value), 'character')})"
        )

    def is_as(self, other: ComparisonCell) -> bool:
        return (self.value, self.tone) == (other.value, other.tone)


ABSENT = ComparisonCell(NOT_SENT, tone="faint")


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One value on both sides."""

    name: Words
    cells: tuple[ComparisonCell, ComparisonCell]
    depth: int = 0
    is_muted: bool = False
    """True for values that differ between any two responses (ids, times): not counted."""
    is_code: bool = False
    severity: str = ""
    aside: Words = ()

    @property
    def is_same(self) -> bool:
        return self.cells[0].is_as(self.cells[1])

    @property
    def differs(self) -> bool:
        return not self.is_muted and not self.is_same


@dataclass(frozen=True, slots=True)
class SideColumn:
    """``model`` is empty where both sides have one, or none is known."""

    letter: str
    model: Words = ()


@dataclass(frozen=True, slots=True)
class ComparisonTable:
    label: str
    heads: tuple[SideColumn, ...]
    rows: tuple[ComparisonRow, ...]
    left_out: int = 0

    @property
    def unequal(self) -> tuple[ComparisonRow, ...]:
        return tuple(row for row in self.rows if not row.is_same)

    @property
    def equal(self) -> tuple[ComparisonRow, ...]:
        """These are folded."""
        return tuple(row for row in self.rows if row.is_same)


def column_heads(sides: Sides) -> tuple[SideColumn, ...]:
    if sides[0].model == sides[1].model:
        return tuple(SideColumn(side.letter) for side in sides)
    return tuple(SideColumn(side.letter, model_words(side.model)) for side in sides)


def model_words(model: str | None) -> Words:
    """Return the model in one line; empty if none is known."""
    name = model or ""
    is_long = len(name) > MODEL_CHARACTERS
    return exact_segments(f"{name[: MODEL_CHARACTERS - 1]}…" if is_long else name)


def comparison_table(label: str, sides: Sides, rows: Iterable[ComparisonRow]) -> ComparisonTable:
    every = tuple(rows)
    shown, left_out = every[:MAX_ROWS], max(0, len(every) - MAX_ROWS)
    return ComparisonTable(label, column_heads(sides), shown, left_out)


def rows_clause(rows: Iterable[ComparisonRow], one: str, many: str) -> str:
    """Return the number of rows that differ, for the headline; ``one`` and ``many`` are
    noun forms.
    """
    number = sum(row.differs for row in rows)
    return (one if number == 1 else many).format(f"{number:,}") if number else ""


def count_words(number: int) -> str:
    return f"{number}" if number else "same"


def merged_order(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """Return the names of both in one order, new ones after their predecessor."""
    followers: dict[str | None, str | None] = {None: None}
    for names in (before, after):
        last = None
        for name in names:
            if name not in followers:
                followers[name], followers[last] = followers[last], name
            last = name
    return list(_walk(followers))


def _walk(followers: Mapping[str | None, str | None]) -> Iterator[str]:
    name = followers[None]
    while name is not None:
        yield name
        name = followers[name]


def only_in_words(before: Mapping[str, object], after: Mapping[str, object], noun: str) -> str:
    """``1 key only in A, 2 only in B``."""
    gone, new = len(before.keys() - after.keys()), len(after.keys() - before.keys())
    return only_words(gone, new, noun)


def only_words(gone: int, new: int, noun: str) -> str:
    if not gone:
        return f"{plural(new, noun)} only in B" if new else ""
    also = f", {new:,} only in B" if new else ""
    return f"{plural(gone, noun)} only in A{also}"
