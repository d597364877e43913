"""How long a backup, its verification and its restore take, and how much memory.

    python bench/backup.py 10000                SQLite
    python bench/backup.py 10000 --postgresql   a private PostgreSQL, thrown away afterwards

Each capture is a stream of about 10 kB, most of it text that no other capture has, and inspected.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

FILL = """
import json, random, django
django.setup()
from django.db import connection, transaction
from inspector.archive.inspection.doorbell import doorbell
from inspector.archive.intake.submission import Submission, accept
from inspector.archive.inspection.tasks import inspect_due
from inspector.core.wire.exchange import Exchange
from inspector.teams.access import for_team
from inspector.teams.accounts import create_owner

doorbell.ring = lambda: None
create_owner("owner")
principal, words = for_team("default"), random.Random(1)

def body(number):
    def chunk(delta, finish=None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        said = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1,
                "model": "m", "choices": [choice]}
        return f"data: {json.dumps(said)}\\n\\n"
    pieces = [chunk({"content": f"{words.getrandbits(40):x} "}) for _ in range(60)]
    return ("".join(pieces) + chunk({}, "stop") + "data: [DONE]\\n\\n").encode()

with transaction.atomic():
    for number in range(COUNT):
        exchange = Exchange.of_body(body(number), "text/event-stream")
        accept(principal, Submission(exchange, tags=("bench",)))
while inspect_due():
    pass
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("count", type=int)
    arguments.add_argument("--postgresql", action="store_true")
    asked = arguments.parse_args()
    with ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory()))
        source, target = places(folder, ending, asked.postgresql)
        run(source, "manage.py", "migrate", "--no-input", "--verbosity", "0")
        measured("fill", source, "-c", FILL.replace("COUNT", str(asked.count)))
        file = folder / "backup.tar"
        measured("backup", source, "manage.py", "backup", str(file))
        print(f"{'file':>8} {file.stat().st_size / 1e6:8.1f} MB")
        measured("verify", target, "manage.py", "verify_backup", str(file))
        measured("restore", target, "manage.py", "restore", str(file))


def places(
    folder: Path, ending: ExitStack, on_postgresql: bool
) -> tuple[dict[str, str], dict[str, str]]:
    common = {**os.environ, "DJANGO_SETTINGS_MODULE": "inspector.settings"}
    common |= {
        "INSPECTOR_BOOTSTRAP": "0",
        "INSPECTOR_SECRET_KEY": "of a measurement, and of nothing else",
    }
    made = []
    for name in ("source", "target"):
        (folder / name).mkdir()
        place = common | {"INSPECTOR_DATA_DIR": str(folder / name)}
        if on_postgresql:
            from development import servers

            programs = servers.find()
            assert programs, servers.HOW_TO_GET_THEM
            url = ending.enter_context(servers.postgresql(programs))
            place |= {"DATABASE_URL": url, "REDIS_URL": "redis://127.0.0.1:1/0"}
        made.append(place)
    return made[0], made[1]


def run(environment: dict[str, str], *command: str) -> int:
    """Its largest resident memory in bytes."""
    process = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command[:2])} ended with {os.waitstatus_to_exitcode(status)}")
    return usage.ru_maxrss * 1024


def measured(what: str, environment: dict[str, str], *command: str) -> None:
    started = time.monotonic()
    resident = run(environment, *command)
    print(f"{what:>8} {time.monotonic() - started:8.1f} s {resident / 1e6:8.0f} MB", flush=True)


if __name__ == "__main__":
    main()
