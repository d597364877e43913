"""Has an installation write all captures of a query into a file, and fetches that. A download that
broke off goes on where it broke off, also when the command is run again.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from inspector.operations.remote import retries
from inspector.operations.remote.connection import JSON_TYPE, RemoteError, ServerConnection
from inspector.operations.remote.download import PartialFile, downloaded
from inspector.operations.remote.retries import Patience, add_patience_option
from inspector.operations.remote.target_options import add_target_options, target_of

EXAMPLES = (
    ("export --output all.jsonl", "every capture, as import takes it"),
    ("export 'verdict:cut-off since:7d' --output cut.zip --format zip", "the bodies of a query"),
    ("export vendor:openai --output - --format csv | head", "into a pipe"),
)
EXPORTS_PATH = "/api/v1/exports/"
FORMATS = ("jsonl", "csv", "har", "zip")
FINISHED, OPEN = "finished", "open"
INTERVAL_SECONDS = 0.5
PATIENCE_SECONDS = 300.0
STANDARD_OUTPUT = "-"


@dataclass(frozen=True, slots=True)
class BegunExport:
    """What a file was begun for, kept beside it until it is whole."""

    url: str
    query: str
    format: str
    export: int


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("query", nargs="?", default="", metavar="QUERY")
    parser.add_argument(
        "--output", "-o", required=True, metavar="FILE", help="must not exist yet; - for the output"
    )
    parser.add_argument("--format", choices=FORMATS, default="jsonl")
    add_patience_option(parser, PATIENCE_SECONDS)
    add_target_options(parser)


def run(options: Namespace) -> int:
    if options.output != STANDARD_OUTPUT and Path(options.output).exists():
        raise RemoteError(f"{options.output} is there already")
    target = target_of(options)
    with ServerConnection(target) as connection:
        patience = Patience(options.patience)
        if options.output == STANDARD_OUTPUT:
            done = finished_export(connection, patience, _requested(connection, options))
            downloaded(connection, patience, _file_path(done), sys.stdout.buffer)
        else:
            done = _into_file(connection, patience, options, target.url)
    skipped = f", {done['skipped']} left out" if done["skipped"] else ""
    print(f"{done['captures']} captures{skipped}, {done['byte_length']} bytes", file=sys.stderr)
    return 0


def _into_file(
    connection: ServerConnection, patience: Patience, options: Namespace, url: str
) -> Mapping[str, Any]:
    file = Path(options.output)
    part = PartialFile(file.with_name(f"{file.name}.part"))
    begun = _begun_before(part, options, url)
    done = _still_there(connection, begun) if begun else None
    if done is None:
        part.discard()
        export = _requested(connection, options)
        part.note(asdict(BegunExport(url, options.query, options.format, export)))
        done = finished_export(connection, patience, export)
    with part.opened() as opened:
        downloaded(connection, patience, _file_path(done), opened)
    part.complete(file, done["byte_length"])
    return done


def _begun_before(part: PartialFile, options: Namespace, url: str) -> BegunExport | None:
    noted = part.noted()
    if noted is None or noted.keys() != {"url", "query", "format", "export"}:
        return None
    begun = BegunExport(**noted)
    is_same = (begun.url, begun.query, begun.format) == (url, options.query, options.format)
    return begun if is_same else None


def _still_there(connection: ServerConnection, begun: BegunExport) -> Mapping[str, Any] | None:
    answer = connection.get(f"{EXPORTS_PATH}{begun.export}/")
    found = answer.value() if answer.is_good else None
    return found if found and found["state"] == FINISHED else None


def _requested(connection: ServerConnection, options: Namespace) -> int:
    query = {"q": options.query} if options.query else {}
    body = json.dumps({"format": options.format}).encode()
    # Asked once: an answer that was lost may have opened an export, and a team has ten.
    answer = connection.post(EXPORTS_PATH, body, JSON_TYPE, query)
    if not answer.is_good:
        raise RemoteError(answer.reason())
    return int(answer.value()["id"])


def finished_export(
    connection: ServerConnection, patience: Patience, export: int
) -> Mapping[str, Any]:
    """Waits as long as the server goes on writing; raises ``RemoteError`` where it gave up."""
    while True:
        answer = patience.asked(lambda: connection.get(f"{EXPORTS_PATH}{export}/"))
        if not answer.is_good:
            raise RemoteError(answer.reason())
        found: dict[str, Any] = answer.value()
        if found["state"] == FINISHED:
            return found
        if found["state"] != OPEN:
            raise RemoteError(f"the export {found['state']} ({found['error'] or 'no reason'})")
        retries.pause(INTERVAL_SECONDS)


def _file_path(done: Mapping[str, Any]) -> str:
    return f"{EXPORTS_PATH}{done['id']}/file/"
