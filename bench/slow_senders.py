"""How long `/livez` takes while others announce what they never send.

    .venv/bin/python bench/slow_senders.py [--root FOLDER] [--seconds 15] [--only forms]

Starts web as `up` does, embedded, on an archive that is thrown away, from this checkout or another
one. Each attack holds its connections for all of the time: what the server ends is opened anew.
Meanwhile `/livez` is asked ten times a second on connections of its own, whether the one before was
answered or not.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ASK_EVERY_SECONDS = 0.1
TRICKLE_EVERY_SECONDS = 2.0
GIVE_UP_SECONDS = 30.0
READY_WITHIN_SECONDS = 180.0
LIVEZ = b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
FORM = "Content-Type: application/x-www-form-urlencoded"
JSON = "Content-Type: application/json"


@dataclass(frozen=True, slots=True)
class Attack:
    name: str
    connections: int
    head: bytes
    """What each sends at once; then a byte every two seconds, or nothing where it is empty."""


@dataclass(slots=True)
class Waits:
    seconds: list[float] = field(default_factory=list)
    unanswered: int = 0

    def row(self) -> str:
        found = sorted(self.seconds)
        p50, p99 = found[len(found) // 2], found[min(len(found) - 1, len(found) * 99 // 100)]
        told = f"{len(found):6} {p50 * 1000:9.1f} {p99 * 1000:9.1f} {found[-1] * 1000:9.1f}"
        return f"{told} {self.unanswered:11}"


def attacks(key: str, slow: int, silent: int) -> list[Attack]:
    cookie = "Cookie: csrftoken=" + "a" * 32
    bearer = f"Authorization: Bearer {key}"
    return [
        Attack("nobody", 0, b""),
        Attack("forms", slow, posted("/sign-in/", 60_000, FORM, cookie)),
        Attack("large forms", slow, posted("/paste/", 40_000_000, FORM, cookie)),
        Attack("captures", slow, posted("/api/v1/captures/", 1_000_000, JSON, bearer)),
        Attack("batches", slow, posted("/api/v1/captures/batch/", 1_000_000, JSON, bearer)),
        Attack("captures without a key", slow, posted("/api/v1/captures/", 1_000_000, JSON)),
        Attack("votes", slow, posted("/v1/feedback", 1_000_000, JSON)),
        Attack("forms, many", slow * 20, posted("/sign-in/", 60_000, FORM, cookie)),
        Attack("silent connections", silent, b""),
    ]


def posted(path: str, length: int, *headers: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {length}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def measured(port: int, attack: Attack, seconds: float) -> Waits:
    waits = Waits()
    senders = [asyncio.create_task(hold(port, attack.head)) for _ in range(attack.connections)]
    await asyncio.sleep(1.0 if senders else 0)
    asking = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        asking.append(asyncio.create_task(ask(port, waits)))
        await asyncio.sleep(ASK_EVERY_SECONDS)
    await asyncio.gather(*asking)
    for sender in senders:
        sender.cancel()
    await asyncio.gather(*senders, return_exceptions=True)
    return waits


async def hold(port: int, head: bytes) -> None:
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(head)
            ended = asyncio.create_task(reader.read())
            try:
                await trickle(writer, ended, bool(head))
            finally:
                ended.cancel()
                writer.transport.abort()
        await asyncio.sleep(0.05)


async def trickle(
    writer: asyncio.StreamWriter, ended: asyncio.Task[bytes], is_sending: bool
) -> None:
    while not ended.done():
        await asyncio.wait([ended], timeout=TRICKLE_EVERY_SECONDS)
        if is_sending and not ended.done():
            writer.write(b"a")


async def ask(port: int, waits: Waits) -> None:
    started = time.monotonic()
    try:
        async with asyncio.timeout(GIVE_UP_SECONDS):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(LIVEZ)
            answered = (await reader.read()).startswith(b"HTTP/1.1 200")
            writer.transport.abort()
    except OSError:
        answered = False
    waits.seconds.append(time.monotonic() - started)
    waits.unanswered += not answered


def environment(folder: Path) -> dict[str, str]:
    own = {"INSPECTOR_BOOTSTRAP": "0", "INSPECTOR_DATA_DIR": str(folder)}
    return {"PATH": os.environ["PATH"], **own}


def prepare(root: Path, folder: Path) -> str:
    """An archive with a team; its key."""

    def manage(*words: str) -> str:
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(
            command, cwd=root, env=environment(folder), check=True, capture_output=True
        )
        return done.stdout.decode().strip()

    manage("migrate", "--verbosity", "0")
    manage("create_owner", "olga")
    return manage("create_api_key", "--team", "default", "--name", "bench")


@contextmanager
def web(root: Path, folder: Path, port: int) -> Iterator[None]:
    command = [sys.executable, "manage.py", "web", "--port", str(port)]
    with (folder / "web.log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=root, env=environment(folder), stdout=log, stderr=log
        )
        try:
            wait_for(port)
            yield
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def wait_for(port: int) -> None:
    end = time.monotonic() + READY_WITHIN_SECONDS
    while True:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as wire:
            wire.sendall(LIVEZ)
            if wire.recv(100).startswith(b"HTTP/1.1 200"):
                return
        if time.monotonic() > end:
            raise SystemExit("web never answered")
        time.sleep(0.1)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--slow", type=int, default=16)
    parser.add_argument("--silent", type=int, default=1100)
    parser.add_argument("--only", default="", help="attacks whose name begins so")
    asked = parser.parse_args()
    head = (
        f"{'attack':24} {'connections':>11} {'asked':>6} {'p50 ms':>9} {'p99 ms':>9} {'max ms':>9}"
    )
    print(f"{head} {'no answer':>11}")
    with tempfile.TemporaryDirectory(prefix="inspector-bench-") as name:
        folder = Path(name)
        key = prepare(asked.root, folder)
        for attack in attacks(key, asked.slow, asked.silent):
            if attack.name.startswith(asked.only):
                port = free_port()
                with web(asked.root, folder, port):
                    waits = asyncio.run(measured(port, attack, asked.seconds))
                print(f"{attack.name:24} {attack.connections:11} {waits.row()}", flush=True)


if __name__ == "__main__":
    main()
