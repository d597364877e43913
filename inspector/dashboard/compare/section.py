"""A section of the comparison: one sentence if nothing differs, else a table or texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import TextSegment, exact_segments

MAX_ROWS = 200
VALUE_CHARACTERS = 200

Words = tuple[TextSegment, ...]


@dataclass(frozen=True, slots=True)
class ComparisonSection:
    """``sentence`` introduces the content, or stands alone if ``content`` is None.

    ``clauses`` are parts of the headline, one per side after the first; empty if none.
    """

    slug: str
    title: str
    sentence: str
    content: Any = None
    count: str = "same"
    """Count shown in the navigation."""
    clauses: tuple[str, ...] = ()
    form: str = "table"
    """Name of the content's template."""
    is_known: bool = True
    """False if the compared analysis does not contain the data."""

    @property
    def template(self) -> str:
        return f"dashboard/compare/{self.form}.html"


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


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One value on every side."""

    name: Words
    cells: tuple[ComparisonCell, ...]
    depth: int = 0
    is_muted: bool = False
    """True for values that differ between any two responses (ids, times): shown, but not
    counted.
    """
    is_code: bool = False
    severity: str = ""
    aside: Words = ()

    @property
    def is_same(self) -> bool:
        return all(cell.is_as(self.cells[0]) for cell in self.cells)

    @property
    def differs(self) -> bool:
        return not self.is_muted and not self.is_same

    def differs_on(self, position: int) -> bool:
        return not self.is_muted and not self.cells[position].is_as(self.cells[0])


@dataclass(frozen=True, slots=True)
class SideColumn:
    """``model`` is empty where no side has another one, or none is known."""

    ordinal: str
    model: Words = ()


@dataclass(frozen=True, slots=True)
class ComparisonTable:
    label: str
    heads: tuple[SideColumn, ...]
    rows: tuple[ComparisonRow, ...]
    left_out: int = 0


def comparison_table(
    label: str, heads: tuple[SideColumn, ...], rows: Iterable[ComparisonRow]
) -> ComparisonTable:
    every = tuple(rows)
    return ComparisonTable(label, heads, every[:MAX_ROWS], max(0, len(every) - MAX_ROWS))


def row_clauses(rows: Iterable[ComparisonRow], sides: int, one: str, many: str) -> tuple[str, ...]:
    """Headline clauses with the number of rows that differ; ``one`` and ``many`` are noun forms."""
    every = list(rows)
    numbers = [sum(row.differs_on(n) for row in every) for n in range(1, sides)]
    return tuple(
        "" if not number else (one if number == 1 else many).format(f"{number:,}")
        for number in numbers
    )
