"""The table at the end of the run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.faults.checking import Outcome

COLUMNS = "{:<12}{:<12}{:>5}{:>14}{:>6}{:>9}{:>12}"


@dataclass(frozen=True, slots=True)
class Run:
    row: str
    stack: str
    outcome: Outcome
    recovery_seconds: float
    """From the break until everything that came in by then was settled."""


class Report:
    def __init__(self) -> None:
        self._runs: dict[tuple[str, str], list[Run]] = {}

    def add(self, run: Run) -> None:
        self._runs.setdefault((run.row, run.stack), []).append(run)

    def lines(self) -> Iterator[str]:
        if self._runs:
            head = ("row", "stack", "runs", "acknowledged", "lost", "doubled", "recovery s")
            yield COLUMNS.format(*head)
        for (row, stack), runs in self._runs.items():
            yield COLUMNS.format(
                row,
                stack,
                len(runs),
                runs[-1].outcome.acknowledged,
                max(run.outcome.lost for run in runs),
                max(run.outcome.doubled for run in runs),
                f"{max(run.recovery_seconds for run in runs):.1f}",
            )
