"""Deletes all captures of a query for good, once somebody has typed how many these are."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Any

from inspector.operations.remote import client as remote
from inspector.operations.remote.client import (
    CAPTURES_PATH,
    Client,
    RemoteError,
    add_client_options,
    client_of,
)

EXAMPLES = (
    ("delete 'tag:trial until:30d'", "tells how many match, and asks for that number"),
    ("delete 'tag:trial until:30d' --confirm-captures 42", "for programs: 42 or none"),
)
BULK_PATH = f"{CAPTURES_PATH}bulk/"
DELETION_PATH = f"{BULK_PATH}deletion/"
OTHER_COUNT = 409
NO_ARCHIVE = 2**53 - 1
"""More captures than any archive holds: asked so, the server tells the number and deletes none."""
FINISHED, OPEN = "finished", "open"
INTERVAL_SECONDS = 0.5
"""Between two looks: a small job is done at the first."""
PATIENCE_SECONDS = 300.0
"""An upgrade of the server takes less; the job goes on there meanwhile."""
DONE, FAILED = 0, 1

Job = Mapping[str, Any]


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY", help="'' for every capture of the team")
    parser.add_argument(
        "--confirm-captures",
        type=_number,
        metavar="N",
        help="delete if exactly so many match, and ask nobody",
    )
    parser.add_argument("--json", action="store_true", help="print the finished job as JSON")
    add_client_options(parser, PATIENCE_SECONDS)


def run(options: Namespace) -> int:
    client = client_of(options)
    confirmed = options.confirm_captures
    if confirmed is None:
        confirmed = _typed(_matching_words(client, options.query))
    done = _finished(client, _asked(client, options.query, confirmed))
    print(json.dumps(done) if options.json else _receipt_line(done))
    return DONE if done["state"] == FINISHED else FAILED


def _number(text: str) -> int:
    """Raise ``ValueError``; more digits than a count has are no number that somebody read."""
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise ValueError("no number")
    return int(text)


def _matching_words(client: Client, query: str) -> str:
    """How many match, in the server's words."""
    try:
        _asked(client, query, NO_ARCHIVE)
    except RemoteError as error:
        if error.status == OTHER_COUNT:
            return str(error).partition(", and")[0]
        raise
    raise RemoteError("the server does not tell how many match")


def _typed(words: str) -> int:
    if not sys.stdin.isatty():
        raise RemoteError(f"{words}: give that number with --confirm-captures")
    print(f"{words}. Deleted is for good.", file=sys.stderr)
    print("Number of captures to delete: ", end="", file=sys.stderr, flush=True)
    try:
        return _number(sys.stdin.readline().strip())
    except ValueError:
        raise RemoteError("that is no number; nothing was deleted") from None


def _asked(client: Client, query: str, confirmed: int) -> Job:
    told: Job = client.post(
        DELETION_PATH, {"confirm_captures": confirmed}, {"q": query} if query else {}
    )
    return told


def _finished(client: Client, job: Job) -> Job:
    path = f"{BULK_PATH}{job['id']}/"
    while job["state"] == OPEN:
        remote.pause(INTERVAL_SECONDS)
        try:
            job = client.value(path)
        except RemoteError as error:
            raise RemoteError(f"{error}; the deletion goes on there") from error
    return job


def _receipt_line(job: Job) -> str:
    receipt = job["receipt"] or {}
    stopped = "" if job["state"] == FINISHED else f"; {job['state']} ({job['error'] or 'by hand'})"
    return f"{job['changed']} captures deleted, {receipt.get('bytes', 0)} bytes{stopped}"
