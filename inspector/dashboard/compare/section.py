"""What a section of the comparison says: one line where nothing differs, else a table or texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.templatetags.formats import plural

MOST_ROWS = 200
VALUE_CHARACTERS = 200

Words = tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """``sentence`` stands alone where ``content`` is None, and above it else.

    ``clauses`` are what the headline says of each side after the first; empty where nothing.
    """

    slug: str
    title: str
    sentence: str
    content: Any = None
    count: str = "same"
    """Stands in the rail."""
    clauses: tuple[str, ...] = ()
    form: str = "table"
    """The template that draws the content."""
    is_known: bool = True
    """False where the reading that is compared does not keep it."""

    @property
    def template(self) -> str:
        return f"dashboard/compare/{self.form}.html"


@dataclass(frozen=True, slots=True)
class Cell:
    """What one side has; ``aside`` is how far it is from the first.

    A word that stands in place of a value is ``faint``.
    """

    said: str
    aside: str = ""
    tone: str = ""

    @property
    def text(self) -> Words:
        """A long value is cut, and says how long it is."""
        if len(self.said) <= VALUE_CHARACTERS:
            return exact(self.said)
        return exact(f"{self.said[:VALUE_CHARACTERS]}… ({plural(len(self.said), 'character')})")

    def is_as(self, other: Cell) -> bool:
        return (self.said, self.tone) == (other.said, other.tone)


@dataclass(frozen=True, slots=True)
class Row:
    """One value on every side."""

    name: Words
    cells: tuple[Cell, ...]
    depth: int = 0
    is_muted: bool = False
    """It differs from one response to the next whatever is asked: shown, and not counted."""
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
class Table:
    """``ordinals`` head the columns."""

    label: str
    ordinals: tuple[str, ...]
    rows: tuple[Row, ...]
    left_out: int = 0


def table(label: str, ordinals: tuple[str, ...], rows: Iterable[Row]) -> Table:
    every = tuple(rows)
    return Table(label, ordinals, every[:MOST_ROWS], max(0, len(every) - MOST_ROWS))


def clauses_of(rows: Iterable[Row], sides: int, one: str, many: str) -> tuple[str, ...]:
    """``one`` and ``many`` say how many rows of a side differ from the first."""
    every = list(rows)
    numbers = [sum(row.differs_on(n) for row in every) for n in range(1, sides)]
    return tuple(
        "" if not number else (one if number == 1 else many).format(f"{number:,}")
        for number in numbers
    )
