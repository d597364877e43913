"""What one request is made of, and what a page costs of the server and in Chromium.

    python3 bench/pages.py [--store sqlite|postgresql] [--list WALK]
    python3 bench/pages.py --rows N [--store …] [--bodies FOLDER] [--rounds N] [--only PART]
    python3 bench/pages.py --chromium [--rounds N] [--only PART]

Executed: files, functions and calls of the project by a POST, a capture that is inspected, its
page, the archive and usage, each in this very process and for the second time, so that what is
loaded and remembered is none of it. ``--list`` names the files of one walk with the functions that
it enters there. With ``--rows`` the archive is then filled with so many inspected answers of 2 kB,
or the files of a folder in turn, two each of an answer of 14 kB, a stream of 160 kB and one of
50,000 chunks, and a session of 500 calls; told are the bytes that a capture takes, the processor's
time of each page and, of PostgreSQL, the largest row. ``--chromium`` opens pages in an installation
of its own instead: see ``painting.py``. Needs the project's environment, and Chromium for that.
"""

import argparse
import json
import logging
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from types import FrameType

import core
import inspecting
import payloads

ROOT = Path(__file__).resolve().parent.parent
OURS = (f"{ROOT}/inspector/", f"{ROOT}/api/")
TEAM = "load"
LARGEST = 8
"""Tables whose sizes are told."""
SESSION, SESSION_CALLS, CALLS_OF_PROMPT = "loop", 500, 100

Work = Callable[[], object]
Calls = Counter[tuple[str, str]]
"""Number of calls by file and function."""


class Asker:
    """An owner in a browser, and a service with a key of the same team."""

    def __init__(self) -> None:
        from django.test import Client

        from inspector.teams.access import INGEST, READ
        from inspector.teams.keys import create_api_key
        from inspector.teams.models import Role
        from tests.people import make_person

        owner = make_person("olga", TEAM, Role.OWNER)
        key = create_api_key(owner.team, "asks", [INGEST, READ])
        self._service = Client(SERVER_NAME="127.0.0.1", headers={"Authorization": f"Bearer {key}"})
        self._browser = Client(SERVER_NAME="127.0.0.1")
        self._browser.force_login(owner.user)

    def post(self, body: bytes, content_type: str = inspecting.JSON) -> str:
        answer = self._service.post("/api/v1/captures/", body, content_type)
        assert answer.status_code == 202, answer.content
        return str(answer.json()["id"])

    def get(self, path: str) -> int:
        """Return the bytes of the answer."""
        answer = self._browser.get(path)
        assert answer.status_code == 200, (path, answer.content[:500])
        return sum(map(len, answer))


# -- what is executed -----------------------------------------------------------------------------


def walks(asker: Asker) -> dict[str, Work]:
    first = asker.post(payloads.answer(2_000))
    return {
        "POST": lambda: asker.post(payloads.answer(2_000)),
        "inspected": inspecting.inspect,
        "capture page": lambda: asker.get(f"/captures/{first}/"),
        "usage page": lambda: asker.get(f"/t/{TEAM}/usage/"),
        "archive page": lambda: asker.get(f"/t/{TEAM}/captures/"),
    }


def walked(work: Work) -> Calls:
    found: Calls = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(OURS):
            found[code.co_filename.removeprefix(f"{ROOT}/"), code.co_qualname] += 1

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


def tell_walk(name: str, calls: Calls, is_listed: bool) -> None:
    files = sorted({path for path, _ in calls})
    lines = sum(len((ROOT / path).read_text().splitlines()) for path in files)
    print(
        f"{name:13}{len(files):5} files{len(calls):6} functions{calls.total():7} calls"
        f"{lines:8} lines in these files"
    )
    for path in files if is_listed else ():
        entered = [f"{name} {n}" for (at, name), n in calls.items() if at == path]
        print(f"    {path}: {', '.join(entered)}")


# -- what pages cost ------------------------------------------------------------------------------


def pages(asker: Asker) -> dict[str, str]:
    """Addresses of pages by what they show."""
    whole, stream = inspecting.JSON, inspecting.SSE
    found = {"archive": f"/t/{TEAM}/captures/", "usage": f"/t/{TEAM}/usage/"}
    for name, made, kind in (
        ("14 kB", lambda: payloads.answer(14_000), whole),
        ("160 kB stream", lambda: payloads.stream(160_000), stream),
        ("50,000 chunks", lambda: core.stream(50_000), stream),
    ):
        one, other = asker.post(made(), kind), asker.post(made(), kind)
        found |= {
            f"capture, {name}": f"/captures/{one}/",
            f"raw, {name}": f"/captures/{one}/raw/",
            f"compare, {name}": f"/captures/compare/?id={one}&id={other}",
        }
    accept_session()
    inspecting.inspect()
    return found | {"session": session_page()}


def tell_page(name: str, ask: Callable[[], int], rounds: int) -> None:
    length, times = ask(), sorted(processor_ms(ask) for _ in range(rounds))
    middle, high = times[rounds // 2], times[min(rounds - 1, int(rounds * 0.95))]
    print(f"{name:26}{middle:8.1f} ms{high:8.1f} ms p95{length / 1000:9,.1f} kB")


def processor_ms(work: Work) -> float:
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1000


def fill(rows: int, folder: Path | None) -> None:
    if folder is None:
        inspecting.accept(rows, argparse.Namespace(bytes=2_000, stream=False))
    else:
        files = [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]
        accept_bodies([*islice(cycle(filter(None, files)), rows)])
    inspecting.inspect()


def accept_bodies(bodies: list[bytes]) -> None:
    from inspector.archive.intake import submission
    from inspector.archive.intake.submission import Submission
    from inspector.core.wire.exchange import Exchange

    sender = inspecting.sender()
    for start in range(0, len(bodies), inspecting.PER_BATCH):
        some = bodies[start : start + inspecting.PER_BATCH]
        submission.accept_batch(sender, [Submission(Exchange.of_body(body)) for body in some])


def accept_session() -> None:
    """Accept an agent's loop. Its prompt begins anew after some calls: no model reads them all."""
    from inspector.archive.intake import submission
    from inspector.archive.intake.submission import Submission
    from inspector.core.wire.exchange import Exchange, Request

    sender, said = inspecting.sender(), list[object]()
    for number in range(SESSION_CALLS):
        said = said if number % CALLS_OF_PROMPT else [{"role": "user", "content": str(number)}]
        said += [{"role": "user", "content": payloads.text(300)}]
        request = json.dumps({"model": "gpt-4o", "messages": said}).encode()
        exchange = Exchange(
            reads=Exchange.of_body(payloads.answer(500)).reads,
            content_type=inspecting.JSON,
            request=Request(method="POST", url="https://llm.example/v1/chat", body=request),
        )
        submission.accept_batch(sender, [Submission(exchange, metadata={"session_id": SESSION})])


def session_page() -> str:
    from inspector.sessions.models import Session

    return f"/t/{TEAM}/sessions/{Session.objects.get(value=SESSION).pk}/"


def stored_bytes() -> int:
    """All tables and indexes, without the log that is written ahead."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_database_size(current_database())"
            if connection.vendor == "postgresql"
            else "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        )
        return int(cursor.fetchone()[0])


def tables(sizes: str) -> Iterator[tuple[int, str]]:
    """Yield a number of bytes for each table of PostgreSQL, and its name. ``ROW`` in the expression
    is what a row takes, as it is stored.
    """
    from django.apps import apps
    from django.db import connection

    for model in apps.get_models():
        name, fields = model._meta.db_table, model._meta.concrete_fields
        row = " + ".join(f'coalesce(pg_column_size("{field.column}"), 0)' for field in fields)
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT {sizes.replace("ROW", row)} FROM "{name}"')
            yield int(cursor.fetchone()[0] or 0), name


# -- main -----------------------------------------------------------------------------------------


def log_nowhere() -> None:
    """Lines of the log are made all the same."""
    nowhere = open(os.devnull, "w")  # noqa: SIM115
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(nowhere)


def tell_walks(asker: Asker, listed: str) -> None:
    made = walks(asker)
    for work in made.values():
        work()
    for name, work in made.items():
        tell_walk(name, walked(work), name == listed)


def tell_pages(asker: Asker, asked: argparse.Namespace) -> None:
    before = stored_bytes()
    fill(asked.rows, asked.bodies)
    print(f"{asked.rows:,} captures, {(stored_bytes() - before) / asked.rows:,.0f} bytes each")
    is_postgresql = asked.store == inspecting.POSTGRESQL
    for size, table in sorted(tables("sum(ROW)"), reverse=True)[:LARGEST] if is_postgresql else ():
        print(f"    {table:24}{size / asked.rows:9,.0f} bytes each, without indexes")
    for name, path in pages(asker).items():
        if asked.only in name:
            tell_page(name, partial(asker.get, path), asked.rounds)
    if is_postgresql:
        size, table = max(tables("max(ROW)"))
        print(f"largest row: {size:,} bytes, of {table}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    stores = (inspecting.SQLITE, inspecting.POSTGRESQL)
    parser.add_argument("--store", choices=stores, default=inspecting.SQLITE)
    parser.add_argument("--list", default="", metavar="WALK")
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--bodies", type=Path, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--only", default="", metavar="PART", help="a part of a page's name")
    parser.add_argument("--chromium", action="store_true")
    asked = parser.parse_args()
    if asked.chromium:
        from painting import painted
        from rich.console import Console

        Console(width=140).print(painted(asked.only, asked.rounds))
        return
    with inspecting.installation(asked.store):
        from django.core.management import call_command

        log_nowhere()
        call_command("collectstatic", interactive=False, verbosity=0)
        asker = Asker()
        tell_walks(asker, asked.list)
        if asked.rows:
            tell_pages(asker, asked)


if __name__ == "__main__":
    main()
