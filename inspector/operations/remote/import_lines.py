"""Stores the captures of an export (JSONL) in the team of a key; each once, however often."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import msgspec

from inspector.operations.remote.batches import BatchSender, LineFate, LineResult, NumberedLine
from inspector.operations.remote.connection import RemoteError, ServerConnection
from inspector.operations.remote.retries import Patience, add_patience_option
from inspector.operations.remote.target_options import add_target_options, target_of
from inspector.operations.reports.terminal_escape import escape_for_terminal

EXAMPLES = (
    ("import all.jsonl", "what export wrote"),
    ("import - < all.jsonl", "from standard input"),
)
STANDARD_INPUT = "-"
PATIENCE_SECONDS = 300.0
DONE, FAILED = 0, 1
CUT, NOT_EXPORTED = "the line has no end", "no export wrote this: it has no member archived"
WORDS = {
    LineFate.STORED: "imported",
    LineFate.DUPLICATE: "there before",
    LineFate.REFUSED: "refused",
}


class _ExportedLine(msgspec.Struct):
    """What tells a line of an export from any other envelope."""

    archived: dict[str, object]


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="- for the input")
    add_patience_option(parser, PATIENCE_SECONDS)
    add_target_options(parser)


def run(options: Namespace) -> int:
    counts = Counter[LineFate]()
    with _opened(options.file) as file, ServerConnection(target_of(options)) as connection:
        for result in imported(file, BatchSender(connection, Patience(options.patience))):
            counts[result.fate] += 1
            if result.fate is LineFate.REFUSED:
                reason = escape_for_terminal(result.reason)
                print(f"line {result.number}: {reason}", file=sys.stderr)
    print(", ".join(f"{counts[fate]} {words}" for fate, words in WORDS.items()))
    return FAILED if counts[LineFate.REFUSED] else DONE


def imported(file: IO[bytes], sender: BatchSender) -> Iterator[LineResult]:
    refused = list[LineResult]()
    for result in sender.sent(_lines(file, refused)):
        yield from refused
        refused.clear()
        yield result
    yield from refused


def _lines(file: IO[bytes], refused: list[LineResult]) -> Iterator[NumberedLine]:
    for number, text in enumerate(file, start=1):
        reason = _fault(text)
        if reason:
            refused.append(LineResult(number, LineFate.REFUSED, reason))
        else:
            yield NumberedLine(number, text)


def _fault(text: bytes) -> str:
    """The server says the rest; this much tells a file that is no export, or not all of one."""
    if not text.endswith(b"\n"):
        return CUT
    try:
        msgspec.json.decode(text, type=_ExportedLine)
    except msgspec.MsgspecError:
        return NOT_EXPORTED
    return ""


@contextmanager
def _opened(file: str) -> Iterator[IO[bytes]]:
    if file == STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    try:
        with open(file, "rb") as opened:
            yield opened
    except OSError as error:
        raise RemoteError(f"{file}: {error.strerror or error}") from error
