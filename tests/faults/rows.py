"""The rows: each breaks one thing, once, while captures come in. They are found by their folder."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.faults.stacks import Stack

Break = Callable[[Stack], None]


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    stacks: tuple[str, ...]
    """The first alone in the short form."""
    strike: Break
    """Breaks, asserts what clients see meanwhile, and mends what does not mend itself."""


ROWS: list[Row] = []


def row(name: str, *stacks: str) -> Callable[[Break], Break]:
    def entered(strike: Break) -> Break:
        ROWS.append(Row(name, stacks, strike))
        return strike

    return entered
