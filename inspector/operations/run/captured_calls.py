"""Calls that a run has captured so far, in lines for a terminal."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from uuid import UUID

import msgspec

from inspector.archive import queries
from inspector.archive.listing.capture_values import CaptureRow
from inspector.archive.listing.filters import Filters
from inspector.archive.models import PENDING, State
from inspector.formatting.humanize import usd
from inspector.operations.remote.capture_lines import outcome_words, seconds, shown
from inspector.teams.access import Principal
from inspector.usage.rollup import queries as usage

MOST_ROWS = 200
"""As many as one page of the archive has; of more a "+" is told."""
LOOK_EVERY_SECONDS = 1.0
"""A query each, while a command of hours goes on."""
FIRST_CALL_SECONDS, INSPECTION_SECONDS = 2.0, 5.0
"""Waited after the end: until a call is stored at all, and until all are inspected."""
UNKNOWN_COST = "cost unknown"
NO_CALL = """\
No call was captured. Known reasons:
  - the program made no call that asks a model for something
  - it takes its address from its own settings or code, not from a variable (an env block in Claude
    Code's settings.json, a provider in Codex's config.toml, base_url= in code, a .env file)
  - it has no base URL at all (Cursor, Copilot), or signs requests for a host (Bedrock)
  - it is plain curl or fetch, which read no variable, or handed the work to a daemon that was there
docs/run.md has the variables that were set, and what reads them."""


@dataclass
class CapturedCalls:
    """The captures that came with the key of this name."""

    principal: Principal
    key: str
    _told: set[UUID] = field(default_factory=set)
    _next_look: float = 0.0

    def tell_new(self, say: Callable[[str], None], *, at_once: bool = False) -> None:
        """Return the lines of those that are inspected and were not told; looks once in a
        second.
        """
        if at_once or time.monotonic() >= self._next_look:
            for line in self._new_lines():
                say(line)
            self._next_look = time.monotonic() + LOOK_EVERY_SECONDS

    def settle(self, pause: Callable[[], None]) -> None:
        """Wait until what was called is inspected, within bounds."""
        began = time.monotonic()
        while (waited := time.monotonic() - began) < INSPECTION_SECONDS:
            rows = self._rows()
            if rows and not any(map(_is_open, rows)):
                return
            if not rows and waited > FIRST_CALL_SECONDS:
                return
            pause()

    def summary(self) -> str:
        rows = self._rows()
        if not rows:
            return NO_CALL
        models = sorted({row.model or row.request_model or "" for row in rows} - {""})
        counts = {
            "with errors": sum(row.error_count > 0 for row in rows),
            "not analysed yet": sum(map(_is_open, rows)),
        }
        number = f"{len(rows)}{'+' if len(rows) == MOST_ROWS else ''}"
        parts = [
            f"{number} {'call' if len(rows) == 1 else 'calls'} captured",
            *(f"{count} {words}" for words, count in counts.items() if count),
            *map(shown, models),
        ]
        return ", ".join(parts)

    def _new_lines(self) -> Iterator[str]:
        rows = [row for row in self._rows() if not _is_open(row) and row.id not in self._told]
        costs = usage.for_principal(self.principal).costs([row.id for row in rows])
        for row in reversed(rows):
            self._told.add(row.id)
            cost = costs.get(row.id)
            price = (
                usd(cost.computed_usd) if cost and cost.computed_usd is not None else UNKNOWN_COST
            )
            yield capture_line(row, price)

    def _rows(self) -> tuple[CaptureRow, ...]:
        captures = queries.for_principal(self.principal)
        return captures.page(limit=MOST_ROWS, filters=Filters.of(key=self.key)).rows


def capture_line(row: CaptureRow, cost: str) -> str:
    values = msgspec.structs.asdict(row)
    return "  ".join(
        [
            f"{shown(row.model or row.request_model)[:32]:<32}",
            f"{seconds(row.first_token_us):>8}",
            f"{outcome_words(values):<22}",
            cost,
        ]
    )


def _is_open(row: CaptureRow) -> bool:
    return row.state in (State.RECORDING, *PENDING)
