"""Prints captures as they come, each once and when it is inspected; ends with Ctrl-C."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from itertools import islice
from typing import Any

from inspector.operations.remote import client as remote
from inspector.operations.remote.capture_lines import capture_line, terminal_width
from inspector.operations.remote.client import (
    CAPTURES_PATH,
    Client,
    Row,
    add_client_options,
    client_of,
)

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
"""Watching goes on behind an upgrade of the server."""


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
    add_client_options(parser, PATIENCE_SECONDS)


def run(options: Namespace) -> int:
    width = terminal_width()
    most = None if options.count is None else max(options.count, 0)
    rows = CaptureWatch(client_of(options), options.query).rows(options.interval)
    try:
        for row in islice(rows, most):
            print(json.dumps(row) if options.json else capture_line(row, width), flush=True)
    except KeyboardInterrupt:
        pass
    return 0


class CaptureWatch:
    def __init__(self, client: Client, query: str = "") -> None:
        self._client = client
        self._query = query
        self._open = dict[str, Row]()
        self._cursor: str | None = None

    def rows(self, interval_seconds: float = INTERVAL_SECONDS) -> Iterator[Row]:
        """Never ends by itself."""
        self._cursor = self._page({"limit": 1})["latest_cursor"]
        while True:
            yield from self._settled()
            yield from self._arrived()
            remote.pause(interval_seconds)

    def _arrived(self) -> Iterator[Row]:
        while len(self._open) < MOST_OPEN:
            rows = self._next_rows() if self._cursor else self._first_rows()
            for row in rows:
                if row["state"] in OPEN_STATES:
                    self._open[row["id"]] = row
                elif self._matches(row):
                    yield row
            if len(rows) < MOST_ROWS:
                return

    def _next_rows(self) -> list[Row]:
        """Those that came next after the cursor, oldest first."""
        page = self._page({"limit": MOST_ROWS, "after": self._cursor})
        self._cursor = page["latest_cursor"] or self._cursor
        rows: list[Row] = page["captures"]
        return rows[::-1]

    def _first_rows(self) -> list[Row]:
        """All there are, oldest first: the archive was empty when watching began, and only rows
        have a cursor that later ones come after.
        """
        page = self._page({"limit": MOST_ROWS})
        rows: list[Row] = page["captures"]
        self._cursor = page["latest_cursor"]
        while page["next_cursor"]:
            page = self._page({"limit": MOST_ROWS, "cursor": page["next_cursor"]})
            rows += page["captures"]
        return rows[::-1]

    def _settled(self) -> Iterator[Row]:
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

    def _matches(self, row: Row) -> bool:
        if not self._query:
            return True
        query = f"({self._query}) id:{row['id']}"
        return bool(self._page({"q": query, "limit": 1})["captures"])

    def _page(self, query: dict[str, Any]) -> Row:
        page: Row = self._client.value(CAPTURES_PATH, query)
        return page
