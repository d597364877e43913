"""What an installation does while nobody uses it: statements a minute at PostgreSQL, commands a
minute at Redis and time of a core, for each program.

    .venv/bin/python -m bench.idle [--seconds 60] [--captures 2000] [--each]
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import redis

from development import servers

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ("web", "worker", "sweep", "proxy")
SETTLING_SECONDS = 45.0
"""After the start there is something to do once."""
STATEMENT = re.compile(r"^\[([a-z]+)\] LOG:  (?:statement|execute [^:]*): (.*)$")
LOGGED = ("log_min_duration_statement=-1", "log_statement=all", "log_line_prefix=[%a] ")
TICKS = os.sysconf("SC_CLK_TCK")


@contextmanager
def program(
    name: str, ports: dict[str, int], environment: dict[str, str], folder: Path
) -> Iterator[int]:
    words = ["--port", str(ports[name])] if name in ports else []
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", name, *words],
            cwd=ROOT,
            env={**environment, "PGAPPNAME": name},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def manage(environment: dict[str, str], *words: str) -> str:
    command = [sys.executable, "manage.py", *words]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    return done.stdout.decode()


def send(port: int, key: str, number: int) -> None:
    message = {"role": "assistant", "content": f"Answer {number} " * 20}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = {"id": f"c-{number}", "object": "chat.completion", "model": "m", "choices": [choice]}
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    while True:
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            client.request("POST", "/api/v1/captures/", json.dumps(body), headers)
            if client.getresponse().status == 202:
                return
        except OSError:
            time.sleep(0.2)
        finally:
            client.close()


def core_seconds(process: int) -> float:
    """Of the process and all that it started."""
    tasks = Path(f"/proc/{process}/task")
    children = [
        int(each) for task in tasks.iterdir() for each in (task / "children").read_text().split()
    ]
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS + sum(map(core_seconds, children))


def statements(log: Path, start: int) -> Counter[tuple[str, str]]:
    """By program and beginning."""
    found = map(STATEMENT.match, log.read_text(errors="replace")[start:].splitlines())
    return Counter((each[1], each[2][:110]) for each in found if each)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--captures", type=int, default=0, help="stored before")
    parser.add_argument("--each", action="store_true", help="which statements, too")
    options = parser.parse_args()
    found = servers.find()
    assert found, servers.HOW_TO_GET_THEM
    with ExitStack() as stack:
        cluster = stack.enter_context(servers.cluster(found))
        safety = (*servers.CARELESS, *LOGGED)
        database = stack.enter_context(servers.postgresql_in(found, cluster, safety))
        broker = stack.enter_context(servers.redis_server(found))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            "DATABASE_URL": database,
            "REDIS_URL": broker,
            "INSPECTOR_SECRET_KEY": secrets.token_urlsafe(48),
            "INSPECTOR_ORIGIN": "http://127.0.0.1:8000",
            "INSPECTOR_DATA_DIR": str(folder / "var"),
            "INSPECTOR_BOOTSTRAP": "0",
        }
        manage(environment, "migrate", "--verbosity", "0")
        manage(environment, "create_owner", "olga")
        key = manage(environment, "create_api_key", "--team", "default", "--name", "bench").strip()
        ports = {"web": servers.free_port(), "proxy": servers.free_port()}
        processes = {
            name: stack.enter_context(program(name, ports, environment, folder))
            for name in PROGRAMS
        }
        for number in range(options.captures):
            send(ports["web"], key, number)
        time.sleep(SETTLING_SECONDS)
        # Where the server writes is not told; the newest log with statements is this one's.
        log = max(Path(tempfile.gettempdir()).glob("inspector-server-*/log"), key=statements_last)
        client = stack.enter_context(redis.Redis.from_url(broker))
        start, used = len(log.read_text(errors="replace")), commands(client)
        before = {name: core_seconds(process) for name, process in processes.items()}
        time.sleep(options.seconds)
        after = {name: core_seconds(process) for name, process in processes.items()}
        told = statements(log, start)
        minutes = options.seconds / 60
        for name in PROGRAMS:
            share = (after[name] - before[name]) / options.seconds
            count = sum(n for (by, _), n in told.items() if by == name) / minutes
            print(f"{name:8} {count:7.0f} statements a minute  {share:6.2%} of a core")
        print(f"Redis    {(commands(client) - used) / minutes:7.0f} commands a minute")
        if options.each:
            for (name, words), number in told.most_common(60):
                print(f"{number / minutes:6.0f}  {name:8} {words}")


def commands(client: redis.Redis[bytes]) -> int:
    return int(client.info()["total_commands_processed"])


def statements_last(log: Path) -> tuple[bool, float]:
    return b"LOG:  statement: " in log.read_bytes(), log.stat().st_mtime


if __name__ == "__main__":
    main()
