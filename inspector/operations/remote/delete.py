"""Deletes all captures of a query for good, once somebody has typed how many these are."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Any

from inspector.operations.remote import retries
from inspector.operations.remote.connection import (
    JSON_TYPE,
    RemoteAnswer,
    RemoteError,
    ServerConnection,
)
from inspector.operations.remote.retries import Patience
from inspector.operations.remote.target_options import add_target_options, target_of

EXAMPLES = (
    ("delete 'tag:trial until:30d'", "tells how many match, and asks for that number"),
    ("delete 'tag:trial until:30d' --confirm-captures 42", "for programs: 42 or none"),
)
BULK_PATH = "/api/v1/captures/bulk/"
DELETION_PATH = f"{BULK_PATH}deletion/"
OTHER_COUNT = 409
NO_ARCHIVE = 2**53 - 1
"""More captures than any archive holds: asked so, the server tells the number and deletes none."""
FINISHED, OPEN = "finished", "open"
INTERVAL_SECONDS = 0.5
PATIENCE_SECONDS = 300.0
DONE, FAILED = 0, 1


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY", help="'' for every capture of the team")
    parser.add_argument(
        "--confirm-captures",
        type=_number,
        metavar="N",
        help="delete if exactly so many match, and ask nobody",
    )
    parser.add_argument("--json", action="store_true", help="print the finished job as JSON")
    add_target_options(parser)


def run(options: Namespace) -> int:
    with ServerConnection(target_of(options)) as connection:
        confirmed = options.confirm_captures
        if confirmed is None:
            confirmed = _typed(_matching_words(connection, options.query))
        answer = _asked(connection, options.query, confirmed)
        if not answer.is_good:
            raise RemoteError(answer.reason())
        done = _finished(connection, answer.value())
    print(json.dumps(done) if options.json else _receipt_line(done))
    return DONE if done["state"] == FINISHED else FAILED


def _number(text: str) -> int:
    """Raises ``ValueError``; more digits than a count has are no number that somebody read."""
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise ValueError("no number")
    return int(text)


def _matching_words(connection: ServerConnection, query: str) -> str:
    """How many match, in the server's words."""
    answer = _asked(connection, query, NO_ARCHIVE)
    if answer.status != OTHER_COUNT:
        raise RemoteError(answer.reason())
    return answer.reason().partition(", and")[0]


def _typed(words: str) -> int:
    if not sys.stdin.isatty():
        raise RemoteError(f"{words}: give that number with --confirm-captures")
    print(f"{words}. Deleted is for good.", file=sys.stderr)
    print("Number of captures to delete: ", end="", file=sys.stderr, flush=True)
    try:
        return _number(sys.stdin.readline().strip())
    except ValueError:
        raise RemoteError("that is no number; nothing was deleted") from None


def _asked(connection: ServerConnection, query: str, confirmed: int) -> RemoteAnswer:
    body = json.dumps({"confirm_captures": confirmed}).encode()
    # Asked once: where an answer was lost, the deletion may have begun.
    return connection.post(DELETION_PATH, body, JSON_TYPE, {"q": query} if query else {})


def _finished(connection: ServerConnection, job: Mapping[str, Any]) -> Mapping[str, Any]:
    patience, path = Patience(PATIENCE_SECONDS), f"{BULK_PATH}{job['id']}/"
    while job["state"] == OPEN:
        retries.pause(INTERVAL_SECONDS)
        answer = patience.asked(lambda: connection.get(path))
        if not answer.is_good:
            raise RemoteError(f"{answer.reason()}; the deletion goes on there")
        job = answer.value()
    return job


def _receipt_line(job: Mapping[str, Any]) -> str:
    receipt = job["receipt"] or {}
    stopped = "" if job["state"] == FINISHED else f"; {job['state']} ({job['error'] or 'by hand'})"
    return f"{job['changed']} captures deleted, {receipt.get('bytes', 0)} bytes{stopped}"
