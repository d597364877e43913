"""How long exports and imports take and how much memory, and whether what is carried is the same.

    python bench/exports.py --captures 1000 100000     small captures, on SQLite
    python bench/exports.py --recordings FOLDER        every file of it, from SQLite to PostgreSQL

Of small captures each form is written by the command, JSONL by the sweep too, and imported again.
Recordings are exported from SQLite, imported into a private PostgreSQL, and exported from there:
the lines must be equal byte for byte, and what the analyses say must be, too.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from development import servers  # noqa: E402

FORMS = ("jsonl", "csv", "har", "zip")
ENDINGS = {
    ".sse": "text/event-stream",
    ".json": "application/json",
    ".ndjson": "application/x-ndjson",
    ".txt": "text/plain",
}
BEGIN = """
import django
django.setup()
from inspector.archive.inspection.doorbell import doorbell
from inspector.archive.intake.submission import Submission, accept_batch
from inspector.core.wire.exchange import Exchange
from inspector.teams.access import for_team
from inspector.teams.accounts import create_owner
doorbell.ring = lambda: None
create_owner("owner")
"""
FILL = (
    BEGIN
    + """
principal = for_team("default")
BODY = ('{{"id":"chatcmpl-{}","object":"chat.completion","created":1,"model":"m","choices":['
        '{{"index":0,"message":{{"role":"assistant","content":"Hello"}},"finish_reason":"stop"}}]}}')
for start in range(0, COUNT, 500):
    bodies = (BODY.format(number).encode() for number in range(start, min(start + 500, COUNT)))
    accept_batch(principal, [Submission(Exchange.of_body(b, "application/json")) for b in bodies])
"""
)
RECORDINGS = (
    BEGIN
    + """
from pathlib import Path
principal = for_team("default")
for path in sorted(Path(FOLDER).rglob("*")):
    if path.suffix in ENDINGS and path.is_file():
        exchange = Exchange.of_body(path.read_bytes(), ENDINGS[path.suffix])
        accept_batch(principal, [Submission(exchange, tags=(path.parent.name[:60],))])
"""
)
JOB = """
import django
django.setup()
from inspector.archive.listing.filter_params import FilterParams
from inspector.teams.access import for_team
from inspector.transfer.exports import exports, steps
exports.for_principal(for_team("default")).request("jsonl", FilterParams())
while steps.step():
    pass
"""
INSPECT = """
import django
django.setup()
from inspector.archive.inspection.tasks import inspect_due
while inspect_due():
    pass
"""
ANALYSES = """
import django, hashlib
django.setup()
from inspector.archive import queries
from inspector.teams.access import for_team
captures, ids, cursor = queries.for_principal(for_team("default")), [], None
from inspector.archive.listing.filters import NO_FILTERS
while walked := captures.walk(cursor, 100, NO_FILTERS):
    ids += [each.id for each in walked]
    cursor = walked[-1].cursor
digest = hashlib.sha256()
for capture_id in ids:
    page = captures.opened(capture_id)
    digest.update(repr((page.row.state, page.analysis, page.sha256)).encode())
print(len(ids), "captures, analyses", digest.hexdigest())
"""
SUMS = """
import django, hashlib
django.setup()
from inspector.usage.models import Price
costs = sorted(map(repr, Price.objects.values_list("computed_usd", "reason", "table")))
print(len(costs), "prices", hashlib.sha256(repr(costs).encode()).hexdigest())
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--captures", type=int, nargs="+", default=[])
    arguments.add_argument("--recordings", type=Path)
    asked = arguments.parse_args()
    for count in asked.captures:
        small(count)
    if asked.recordings:
        recordings(asked.recordings.absolute())


def small(count: int) -> None:
    print(f"{count:,} small captures")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, target = (embedded(folder / each) for each in ("source", "target"))
        measured("fill", source, "-c", FILL.replace("COUNT", str(count)))
        measured("", target, "-c", BEGIN)
        for form in FORMS:
            file = folder / f"captures.{form}"
            export(source, file, "--format", form)
            print(f"{'':>12} {file.stat().st_size / 1e6:8.1f} MB")
        measured("job", source, "-c", JOB)
        command = ("manage.py", "import_archive", str(folder / "captures.jsonl"))
        measured("import", target, *command, "--team", "default")
        again = folder / "again.jsonl"
        export(target, again)
        compare(folder / "captures.jsonl", again)


def recordings(folder: Path) -> None:
    programs = servers.find()
    assert programs, servers.HOW_TO_GET_THEM
    with ExitStack() as ending:
        place = Path(ending.enter_context(tempfile.TemporaryDirectory()))
        source, target = embedded(place / "source"), embedded(place / "target")
        url = ending.enter_context(servers.postgresql(programs))
        target |= {"DATABASE_URL": url, "REDIS_URL": "redis://127.0.0.1:1/0"}
        run(target, "manage.py", "migrate", "--no-input", "--verbosity", "0")
        fill = RECORDINGS.replace("FOLDER", repr(str(folder))).replace("ENDINGS", repr(ENDINGS))
        measured("fill", source, "-c", fill)
        measured("", target, "-c", BEGIN)
        first, second = place / "first.jsonl", place / "second.jsonl"
        export(source, first)
        command = ("manage.py", "import_archive", str(first), "--team", "default")
        measured("import", target, *command)
        measured("again", target, *command)
        export(target, second)
        compare(first, second)
        for each in (source, target):
            measured("inspect", each, "-c", INSPECT)
            run(each, "-c", ANALYSES)
            run(each, "-c", SUMS)


def embedded(folder: Path) -> dict[str, str]:
    folder.mkdir()
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "inspector.settings",
        "INSPECTOR_BOOTSTRAP": "0",
        "INSPECTOR_SECRET_KEY": "of a measurement, and of nothing else",
        "INSPECTOR_DATA_DIR": str(folder),
    }
    run(environment, "manage.py", "migrate", "--no-input", "--verbosity", "0")
    return environment


def export(environment: dict[str, str], file: Path, *options: str) -> None:
    command = ("manage.py", "export_archive", str(file), "--team", "default", *options)
    measured(options[-1] if options else "export", environment, *command)


def compare(first: Path, second: Path) -> None:
    one, other = (hashlib.sha256(each.read_bytes()).hexdigest() for each in (first, second))
    print("equal byte for byte" if one == other else f"DIFFERENT: {one} {other}", one, flush=True)


def run(environment: dict[str, str], *command: str) -> int:
    """Its largest resident memory in bytes."""
    # Inspecting logs a line for each capture.
    log = subprocess.DEVNULL if INSPECT in command else None
    process = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=environment, stderr=log)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command[:2])} ended with {os.waitstatus_to_exitcode(status)}")
    return usage.ru_maxrss * 1024


def measured(what: str, environment: dict[str, str], *command: str) -> None:
    started = time.monotonic()
    resident = run(environment, *command)
    if what:
        seconds = time.monotonic() - started
        print(f"{what:>12} {seconds:8.1f} s {resident / 1e6:8.0f} MB", flush=True)


if __name__ == "__main__":
    main()
