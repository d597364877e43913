"""The table at the end of the run, of whatever processes the rows were run in."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

PROPERTY = "fault"
"""Name of a run in a test's report, on the way from the process that ran it."""
COLUMNS = "{:<12}{:<12}{:>5}{:>14}{:>6}{:>9}{:>12}"
HEAD = ("row", "stack", "runs", "acknowledged", "lost", "doubled", "recovery s")


@dataclass(frozen=True, slots=True)
class Run:
    row: str
    stack: str
    acknowledged: int
    """While this row was run."""
    lost: int
    doubled: int
    """Duplicates among everything that was ever acknowledged there."""
    recovery_seconds: float
    """From the break until everything that came in by then was settled."""


class Report:
    """A plugin of pytest's."""

    def __init__(self) -> None:
        self._runs: dict[tuple[str, str], list[Run]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, said in report.user_properties if report.when == "call" else ():
            if name == PROPERTY and isinstance(said, dict):
                run = Run(**said)
                self._runs.setdefault((run.stack, run.row), []).append(run)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._runs:
            terminalreporter.section("faults")
            for line in self.lines():
                terminalreporter.write_line(line)

    def lines(self) -> Iterator[str]:
        """The longest recovery of each row's runs, and the worst that was found after one."""
        yield COLUMNS.format(*HEAD)
        for (stack, row), runs in sorted(self._runs.items()):
            yield COLUMNS.format(
                row,
                stack,
                len(runs),
                sum(run.acknowledged for run in runs),
                max(run.lost for run in runs),
                max(run.doubled for run in runs),
                f"{max(run.recovery_seconds for run in runs):.1f}",
            )
