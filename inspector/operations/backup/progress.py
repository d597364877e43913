"""Progress bar of a long command at a terminal; silent when output is redirected."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from inspector.operations.backup.packing import Advance

STEP = 500
"""Rows per update of the bar, since an update costs more than a row."""

Row = TypeVar("Row")
Watch = Callable[[str, int], AbstractContextManager[Advance]]
"""Takes a label and a total; the context gives a function to call with every step."""


def watch(console: Console) -> Watch:
    return lambda what, total: _bar(console, what, total)


@contextmanager
def unwatched(what: str, total: int) -> Iterator[Advance]:
    yield lambda _: None


def counted(rows: Iterable[Row], advance: Advance) -> Iterator[Row]:
    number = 0
    for number, row in enumerate(rows, 1):
        yield row
        if number % STEP == 0:
            advance(STEP)
    advance(number % STEP)


@contextmanager
def _bar(console: Console, what: str, total: int) -> Iterator[Advance]:
    columns = (TextColumn(what), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        yield lambda step: progress.advance(task, step)
