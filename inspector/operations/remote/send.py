"""Sends files to an installation: responses, recordings, envelopes, and whatever is read of other
programs (docs/files.md). What is sent twice is stored once.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from inspector.operations.remote.batches import (
    DUPLICATE,
    STORED,
    BatchSender,
    LineResult,
    NumberedLine,
)
from inspector.operations.remote.client import RemoteError, add_client_options, client_of
from inspector.operations.reports.input_files import find_input_files
from inspector.operations.reports.terminal_escape import escape_for_terminal
from inspector.transfer.entries import PassedOver, UnreadableEntry
from inspector.transfer.files.envelope_lines import NoEnvelope, envelope_line
from inspector.transfer.files.registry import RecognisedFile, recognised
from inspector.transfer.source import opened_source

EXAMPLES = (
    ("send answer.sse", "one response"),
    ("send calls.har --tag checkout", "every call of a model in a HAR"),
    ("send batch_output.jsonl recordings/", "a batch's output, and all recordings of a folder"),
    ("send - < answers.jsonl", "from standard input"),
)
DONE, FAILED, UNUSABLE = 0, 1, 2
PATIENCE_SECONDS = 120.0
"""A restart of the server takes less; what was sent twice is stored once."""


@dataclass
class SentFile:
    """Outcomes of the entries of one file."""

    path: str
    is_dry: bool = False
    """Nothing was sent: what could be is counted as stored."""
    kind: str = ""
    unknown: str = ""
    stored: int = 0
    duplicates: int = 0
    refused: int = 0
    unreadable: int = 0
    passed_over: int = 0

    @property
    def is_whole(self) -> bool:
        return not self.refused and not self.unreadable

    def add(self, result: LineResult) -> None:
        if result.status == STORED:
            self.stored += 1
        elif result.status == DUPLICATE:
            self.duplicates += 1
        else:
            self.refused += 1
            self.tell_problem(result.number, result.reason or str(result.status))

    def tell_problem(self, number: int, reason: str) -> None:
        _complain(f"{self.path}, entry {number}: {reason}")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("path", nargs="+", metavar="PATH", help="file, folder, or -")
    parser.add_argument("--tag", action="append", default=[], help="of all captures; repeatable")
    parser.add_argument("--note", default="", help="of all captures")
    parser.add_argument("--json", action="store_true", help="one JSON line for each file")
    parser.add_argument(
        "--dry-run", action="store_true", help="read the files and send nothing; needs no server"
    )
    add_client_options(parser, PATIENCE_SECONDS)


def run(options: Namespace) -> int:
    if options.dry_run:
        return _sent_files(options, None)
    query = {"tag": options.tag, **({"note": options.note} if options.note else {})}
    return _sent_files(options, BatchSender(client_of(options), query))


def _sent_files(options: Namespace, sender: BatchSender | None) -> int:
    code = DONE
    for path in find_input_files(options.path):
        sent = SentFile(path, is_dry=sender is None)
        try:
            _send_file(sent, sender)
        except OSError as error:
            code = UNUSABLE
            _complain(f"{path}: {error.strerror or error}")
            continue
        except RemoteError as error:
            _tell(sent, options.json)
            raise RemoteError(f"{path}: {error}") from error
        code = max(code, DONE if sent.is_whole else FAILED)
        _tell(sent, options.json)
    return code


def _send_file(sent: SentFile, sender: BatchSender | None) -> None:
    with opened_source(sent.path) as source:
        file = recognised(source)
        sent.kind, sent.unknown = str(file.kind.name), file.kind.unknown
        lines = _lines(sent, file)
        for result in sender.sent(lines) if sender else map(_not_sent, lines):
            sent.add(result)


def _lines(sent: SentFile, file: RecognisedFile) -> Iterator[NumberedLine]:
    for entry in file.entries():
        content = entry.content
        if isinstance(content, PassedOver):
            sent.passed_over += 1
            continue
        if not isinstance(content, UnreadableEntry):
            try:
                yield NumberedLine(entry.number, envelope_line(content, file.kind))
                continue
            except NoEnvelope as error:
                content = UnreadableEntry(str(error))
        sent.unreadable += 1
        sent.tell_problem(entry.number, content.reason)


def _not_sent(line: NumberedLine) -> LineResult:
    return LineResult(line.number, STORED)


def _complain(message: str) -> None:
    print(escape_for_terminal(message), file=sys.stderr)


def _tell(sent: SentFile, as_json: bool) -> None:
    if as_json:
        print(json.dumps(asdict(sent)), flush=True)
        return
    counts = {
        "readable" if sent.is_dry else "stored": sent.stored,
        "stored before": sent.duplicates,
        "refused": sent.refused,
        "unreadable": sent.unreadable,
        "passed over": sent.passed_over,
    }
    words = [f"{count:,} {name}" for name, count in counts.items() if count]
    line = f"{sent.path}: {sent.kind}, {', '.join(words) or 'nothing ' + next(iter(counts))}"
    print(escape_for_terminal(line), flush=True)
    if sent.unknown and sent.stored:
        print(f"  not known of these: {sent.unknown}", flush=True)
