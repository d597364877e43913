"""Prints captures as they come, each once and when it is inspected; ends with Ctrl-C."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from inspector.operations.remote import retries
from inspector.operations.remote.capture_lines import capture_line, terminal_width
from inspector.operations.remote.connection import RemoteError, ServerConnection
from inspector.operations.remote.list import CAPTURES_PATH
from inspector.operations.remote.retries import AGAIN, Patience
from inspector.operations.remote.target_options import add_target_options, target_of

EXAMPLES = (
    ("watch", "all that comes"),
    ("watch 'errors>0'", "what matches a query when it is inspected"),
    ("watch --count 1 --json", "the next capture, for a program that waits for it"),
)
INTERVAL_SECONDS = 2.0
MOST_ROWS = 100
OPEN_STATES = ("received", "processing", "recording")
MOST_OPEN = 500
"""Captures that are waited for; more are fetched when some of them are inspected."""
IDS_AT_ONCE = 20
"""Values that a query takes for one field."""
PATIENCE_SECONDS = 300.0


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("query", nargs="?", default="", metavar="QUERY")
    parser.add_argument("--count", type=int, metavar="N", help="end after so many captures")
    parser.add_argument("--json", action="store_true", help="one JSON line for each capture")
    parser.add_argument(
        "--interval",
        type=float,
        default=INTERVAL_SECONDS,
        metavar="SECONDS",
        help="between two questions; default: %(default)g",
    )
    add_target_options(parser)


def run(options: Namespace) -> int:
    width, left = terminal_width(), options.count
    try:
        with ServerConnection(target_of(options)) as connection:
            for row in CaptureWatch(connection, options.query).rows(options.interval):
                print(json.dumps(row) if options.json else capture_line(row, width), flush=True)
                left = None if left is None else left - 1
                if left is not None and left <= 0:
                    break
    except KeyboardInterrupt:
        pass
    return 0


class CaptureWatch:
    """Raises ``RemoteError`` where the server refuses, or stays away for five minutes."""

    def __init__(self, connection: ServerConnection, query: str = "") -> None:
        self._connection = connection
        self._query = query
        self._open = dict[str, dict[str, Any]]()
        self._cursor: str | None = None

    def rows(self, interval_seconds: float = INTERVAL_SECONDS) -> Iterator[dict[str, Any]]:
        """Never ends by itself."""
        self._cursor = self._page({"limit": 1})["latest_cursor"]
        while True:
            yield from self._settled()
            yield from self._arrived()
            retries.pause(interval_seconds)

    def _arrived(self) -> Iterator[dict[str, Any]]:
        while len(self._open) < MOST_OPEN:
            rows = self._next_rows() if self._cursor else self._first_rows()
            for row in rows:
                if row["state"] in OPEN_STATES:
                    self._open[row["id"]] = row
                elif self._matches(row):
                    yield row
            if len(rows) < MOST_ROWS:
                return

    def _next_rows(self) -> list[dict[str, Any]]:
        """Those that came next after the cursor, oldest first."""
        page = self._page({"limit": MOST_ROWS, "after": self._cursor})
        self._cursor = page["latest_cursor"] or self._cursor
        rows: list[dict[str, Any]] = page["captures"]
        return rows[::-1]

    def _first_rows(self) -> list[dict[str, Any]]:
        """All there are, oldest first: the archive was empty when watching began, and only rows
        have a cursor that later ones come after.
        """
        page = self._page({"limit": MOST_ROWS})
        rows: list[dict[str, Any]] = page["captures"]
        self._cursor = page["latest_cursor"]
        while page["next_cursor"]:
            page = self._page({"limit": MOST_ROWS, "before": page["next_cursor"]})
            rows += page["captures"]
        return rows[::-1]

    def _settled(self) -> Iterator[dict[str, Any]]:
        """Those of the captures that were waited for of which now everything is known."""
        waiting = list(self._open)
        for start in range(0, len(waiting), IDS_AT_ONCE):
            ids = waiting[start : start + IDS_AT_ONCE]
            page = self._page({"q": f"id:{','.join(ids)}", "limit": IDS_AT_ONCE})
            found = {row["id"]: row for row in page["captures"]}
            for capture_id in ids:
                row = found.get(capture_id)
                if row is not None and row["state"] in OPEN_STATES:
                    continue
                # One that is not found was deleted meanwhile.
                del self._open[capture_id]
                if row is not None and self._matches(row):
                    yield row

    def _matches(self, row: dict[str, Any]) -> bool:
        if not self._query:
            return True
        query = f"({self._query}) id:{row['id']}"
        return bool(self._page({"q": query, "limit": 1})["captures"])

    def _page(self, query: dict[str, Any]) -> dict[str, Any]:
        answer = Patience(PATIENCE_SECONDS).asked(
            lambda: self._connection.get(CAPTURES_PATH, query)
        )
        if answer.is_good:
            page: dict[str, Any] = answer.value()
            return page
        is_away = answer.status in AGAIN
        raise RemoteError(f"{answer.reason()}; gave up" if is_away else answer.reason())
