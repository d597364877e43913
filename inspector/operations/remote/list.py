"""Lists captures that match a query, newest first."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from inspector.operations.remote.capture_lines import capture_line, terminal_width
from inspector.operations.remote.connection import RemoteError, ServerConnection
from inspector.operations.remote.target_options import add_target_options, target_of

EXAMPLES = (
    ("list", "the newest captures"),
    ("list 'result:empty,truncated since:24h'", "a query, as the archive's page takes it"),
    ("list 'model:gpt-4*' --sort=-first_token --limit 5", "the slowest first tokens"),
    ("list vendor:openai --limit 1000 --json | jq .id", "for programs"),
)
CAPTURES_PATH = "/api/v1/captures/"
MOST_ROWS = 100
"""Of one question."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("query", nargs="?", default="", metavar="QUERY")
    parser.add_argument(
        "--limit", type=int, default=20, metavar="N", help="captures at most; default: %(default)s"
    )
    parser.add_argument("--sort", help="such as first_token, -cost; default: -arrival")
    parser.add_argument("--json", action="store_true", help="one JSON line for each capture")
    add_target_options(parser)


def run(options: Namespace) -> int:
    width = terminal_width()
    with ServerConnection(target_of(options)) as connection:
        for row in found_rows(connection, options.query, options.sort, options.limit):
            print(json.dumps(row) if options.json else capture_line(row, width))
    return 0


def found_rows(
    connection: ServerConnection, query: str, sort: str | None, limit: int
) -> Iterator[dict[str, Any]]:
    """Raises ``RemoteError``."""
    asked: dict[str, Any] = {"q": query} if query else {}
    if sort:
        asked["sort"] = sort
    while limit > 0:
        answer = connection.get(CAPTURES_PATH, {**asked, "limit": min(limit, MOST_ROWS)})
        if not answer.is_good:
            raise RemoteError(answer.reason())
        page = answer.value()
        yield from page["captures"]
        limit -= len(page["captures"])
        if page["next_cursor"] is None:
            return
        asked["before"] = page["next_cursor"]
