"""Has an installation write all captures of a query into a file, and fetches that. A download that
broke off goes on where it broke off, also when the command is run again.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspector.operations.remote import client as remote
from inspector.operations.remote.client import Client, RemoteError, add_client_options, client_of

EXAMPLES = (
    ("export --output all.jsonl", "every capture, as send takes it"),
    ("export 'verdict:cut-off since:7d' --output cut.zip --format zip", "the bodies of a query"),
    ("export vendor:openai --output - --format csv | head", "into a pipe"),
)
EXPORTS_PATH = "/api/v1/exports/"
FORMATS = ("jsonl", "csv", "har", "zip")
FINISHED, OPEN = "finished", "open"
NOT_FOUND = 404
INTERVAL_SECONDS = 0.5
"""Between two looks: a small file is there at the first."""
PATIENCE_SECONDS = 300.0
"""An upgrade of the server takes less; the export goes on there meanwhile."""
STANDARD_OUTPUT = "-"

Export = Mapping[str, Any]


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("query", nargs="?", default="", metavar="QUERY")
    parser.add_argument(
        "--output", "-o", required=True, metavar="FILE", help="must not exist yet; - for the output"
    )
    parser.add_argument("--format", choices=FORMATS, default="jsonl")
    add_client_options(parser, PATIENCE_SECONDS)


def run(options: Namespace) -> int:
    is_piped = options.output == STANDARD_OUTPUT
    if not is_piped and Path(options.output).exists():
        raise RemoteError(f"{options.output} is there already")
    client = client_of(options)
    if is_piped:
        done = _finished(client, _requested(client, options))
        client.fetch(_file_path(done), sys.stdout.buffer)
    else:
        try:
            done = _into_file(client, options)
        except OSError as error:
            raise RemoteError(f"{options.output}: {error.strerror or error}") from error
    skipped = f", {done['skipped']} left out" if done["skipped"] else ""
    print(f"{done['captures']} captures{skipped}, {done['byte_length']} bytes", file=sys.stderr)
    return 0


def _into_file(client: Client, options: Namespace) -> Export:
    file = Path(options.output)
    part, note = file.with_name(f"{file.name}.part"), file.with_name(f"{file.name}.part.json")
    wanted = {"url": client.url, "query": options.query, "format": options.format}
    done = _begun_before(client, note, wanted)
    if done is None:
        part.unlink(missing_ok=True)
        export = _requested(client, options)
        note.write_text(json.dumps({**wanted, "export": export}), "utf-8")
        done = _finished(client, export)
    with part.open("ab") as opened:
        client.fetch(_file_path(done), opened)
    if (found := part.stat().st_size) != done["byte_length"]:
        part.unlink()
        raise RemoteError(
            f"{found} bytes came where {done['byte_length']} were to; nothing was kept"
        )
    part.rename(file)
    note.unlink()
    return done


def _begun_before(client: Client, note: Path, wanted: Mapping[str, str]) -> Export | None:
    """Return the finished export that the part of a file is of; None where it is of another, or
    gone.
    """
    try:
        begun = json.loads(note.read_text("utf-8"))
        if {**wanted, "export": begun["export"]} != begun:
            return None
        found: Export = client.value(f"{EXPORTS_PATH}{begun['export']}/")
    except (OSError, ValueError, KeyError, TypeError):
        return None
    except RemoteError as error:
        if error.status == NOT_FOUND:
            return None
        raise
    return found if found["state"] == FINISHED else None


def _requested(client: Client, options: Namespace) -> int:
    query = {"q": options.query} if options.query else {}
    return int(client.post(EXPORTS_PATH, {"format": options.format}, query)["id"])


def _finished(client: Client, export: int) -> Export:
    """Wait as long as the server goes on writing; raises ``RemoteError`` where it gave up."""
    while True:
        found: Export = client.value(f"{EXPORTS_PATH}{export}/")
        if found["state"] == FINISHED:
            return found
        if found["state"] != OPEN:
            raise RemoteError(f"the export {found['state']} ({found['error'] or 'no reason'})")
        remote.pause(INTERVAL_SECONDS)


def _file_path(done: Export) -> str:
    return f"{EXPORTS_PATH}{done['id']}/file/"
