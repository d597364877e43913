"""Lists captures that match a query, newest first."""

import json
from argparse import ArgumentParser, Namespace

from inspector.operations.remote.capture_lines import capture_line, terminal_width
from inspector.operations.remote.client import add_client_options, client_of

EXAMPLES = (
    ("list", "the newest captures"),
    ("list 'result:empty,truncated since:24h'", "a query, as the archive's page takes it"),
    ("list 'model:gpt-4*' --sort=-first_token --limit 5", "the slowest first tokens"),
    ("list vendor:openai --limit 1000 --json | jq .id", "for programs"),
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("query", nargs="?", default="", metavar="QUERY")
    parser.add_argument(
        "--limit", type=int, default=20, metavar="N", help="captures at most; default: %(default)s"
    )
    parser.add_argument("--sort", help="such as first_token, -cost; default: -arrival")
    parser.add_argument("--json", action="store_true", help="one JSON line for each capture")
    add_client_options(parser)


def run(options: Namespace) -> int:
    width = terminal_width()
    for row in client_of(options).rows(options.query, options.limit, options.sort):
        print(json.dumps(row) if options.json else capture_line(row, width))
    return 0
