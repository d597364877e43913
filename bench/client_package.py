"""The client package in real SDKs, in the way of a call, and while its server is killed.

    .venv/bin/python bench/client_package.py [sdks] [latency] [kills] [--python FOLDER]
        [--calls 1000] [--kill-calls 10000]

sdks: every SDK in FOLDER, in every situation, once bare and once captured, against a canned
    upstream; what arrived in an installation of this checkout is compared with what the upstream
    sent, and what the caller got with what it gets without the package. Each program has two lines
    more: the import, and ``capture(…)`` around the client. FOLDER is made from callers/python.lock
    where it is not there; SDKs that it has not are named and left out (Groq and Mistral are in no
    lock).
latency: a bare client and a captured one call the same upstream in turns, while the server is up,
    is down, or takes connections and never answers: what a call takes, and the processor time of
    its thread.
kills: calls by ten threads while the server is killed and started again three times, without a
    spool and with one: called = sent + spooled + dropped, and what the archive has.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "clients" / "python"
sys.path[:0] = [str(ROOT), str(PACKAGE)]

import httpx  # noqa: E402
from callers.tap import tapped  # noqa: E402
from callers.upstream import CannedUpstream, canned_upstream  # noqa: E402
from capturing import HOST, Installation, installed, manage  # noqa: E402
from environments import python_of  # noqa: E402
from response_inspector import capture, counts, flush  # noqa: E402

from clients import Environments, Ran, everyone_left, one_of, told_by  # noqa: E402
from development.servers import free_port  # noqa: E402

SDKS = {
    "openai": "openai",
    "openai_async": "openai",
    "openai_responses": "openai",
    "anthropic": "anthropic",
    "google_genai": "google.genai",
    "groq": "groq",
    "mistral": "mistralai",
    "litellm": "litellm",
    "langchain_openai": "langchain_openai",
}
FOUND = """
SELECT c.sha256, c.outcome, i.verdict, c.id FROM archive_capture c
LEFT JOIN archive_inspection i ON i.capture_id = c.id WHERE c.request_url LIKE '%/{}/%'
"""
COLUMNS = "{:<18}{:<11}{:>7}  {:<7}{:>6}{:>14}  {:<18}{:<18}{:<6}{}"
HEAD = (
    *("client", "situation", "bytes", "equal", "reads", "first byte us"),
    *("outcome", "verdict", "same", "complaints"),
)


# -- SDKs ------------------------------------------------------------------------------------------


async def callers(chosen: list[str], found: Environments) -> None:
    async with canned_upstream() as upstream:
        url = f"http://{HOST}:{upstream.port}"
        bare = {name: [each async for each in told_by(name, url, found)] for name in chosen}
        for name in chosen:
            await everyone_left(name, upstream)
        upstream.calls.clear()
        with ExitStack() as ending:
            folder = Path(ending.enter_context(tempfile.TemporaryDirectory()))
            ours = await asyncio.to_thread(ending.enter_context, installed(folder, url))
            key = new_key(folder)
            done = [
                (each, same)
                for name in chosen
                for each, same in await captured(name, upstream, ours, key, found, bare[name])
            ]
            await asyncio.to_thread(ours.wait_until_settled)
            print(COLUMNS.format(*HEAD))
            rows = [await asyncio.to_thread(row, each, same, ours, key) for each, same in done]
            print(f"{len(rows)} situations, {sum(map(bool, rows))} with a complaint")


def new_key(folder: Path) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "INSPECTOR_BOOTSTRAP": "0",
        "INSPECTOR_DATA_DIR": str(folder),
    }
    return manage(environment, "create_api_key", "--team", "default", "--name", "captured")


async def captured(
    name: str,
    upstream: CannedUpstream,
    ours: Installation,
    key: str,
    found: Environments,
    bare: list[dict[str, Any]],
) -> list[tuple[Ran, bool]]:
    more = {
        "INSPECTOR_URL": f"http://{HOST}:{ours.web_port}",
        "INSPECTOR_KEY": key,
        "PYTHONPATH": str(PACKAGE),
    }
    async with tapped(upstream.port) as tap:
        base = f"http://{HOST}:{tap.port}"
        told = [dict(each) async for each in told_by(name, base, found, more)]
        await everyone_left(name, upstream)
        same = [one == other for one, other in zip(told, bare, strict=True)]
        return list(zip((one_of(name, each, upstream, tap) for each in told), same, strict=True))


def row(each: Ran, is_same: bool, ours: Installation, key: str) -> str:
    """Prints it, and returns its complaints. What the client makes of the answer is compared with
    what it makes of it without the package, for some refuse a canned answer.
    """
    captures = ours.ask(FOUND.format(f"{each.client}-{each.situation}"))
    found = [one[:3] for one in captures]
    ran = Ran(each.client, each.situation, each.told, each.served, each.tapped, found)
    complaints = [] if is_same else [f"the caller got {each.told}"]
    if len(captures) != 1:
        complaints.append(f"{len(captures)} captures")
    elif is_same and each.is_understood and (said := ran.wrongly_captured()):
        complaints.append(said)
    timeline = timeline_of(ours, key, captures) if captures else {}
    sha256, outcome, verdict = captures[0][:3] if captures else ("", "-", "-")
    print(
        COLUMNS.format(
            each.client,
            each.situation,
            sum(len(one.body) for one in each.tapped),
            "yes" if captures and ran.is_hash_of_sent(str(sha256)) else "part",
            timeline.get("counts", {}).get("reads", 0),
            str(timeline.get("first_byte_us")),
            str(outcome),
            str(verdict),
            "yes" if is_same else "NO",
            "; ".join(complaints),
        )
    )
    return "; ".join(complaints)


def timeline_of(ours: Installation, key: str, captures: list[tuple[object, ...]]) -> dict[str, Any]:
    identity = str(captures[0][3])
    address = f"http://{HOST}:{ours.web_port}/api/v1/captures/{identity}/"
    with urlopen(Request(address, headers={"Authorization": f"Bearer {key}"})) as answer:
        found: dict[str, Any] = json.load(answer)["analysis"]["timeline"]
        return found


def with_sdks(python: Path) -> None:
    found = Environments(python_of(python, ROOT / "bench/callers/python.lock"), Path())
    chosen = [name for name, module in SDKS.items() if has(found.python, module)]
    for name in SDKS.keys() - {*chosen}:
        print(f"left out: {name}, which is not in {python}")
    asyncio.run(callers(chosen, found))


def has(python: Path, module: str) -> bool:
    program = f"import importlib.util, sys; sys.exit(not importlib.util.find_spec({module!r}))"
    return (
        subprocess.run([python, "-c", program], check=False, stderr=subprocess.DEVNULL).returncode
        == 0
    )


# -- what a call takes -----------------------------------------------------------------------------

EVENTS = 20
EVENT = b'data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n'
CHUNK = b"%x\r\n%b\r\n" % (len(EVENT), EVENT)
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
ASKED = {"model": "m-1", "stream": True, "messages": [{"role": "user", "content": "word " * 200}]}
ROUND_PAUSE_SECONDS = 0.002
"""Programs do not call without a pause; the sender works between two calls, and during them."""


async def stream_events(port: int) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
                await reader.readexactly(length)
                writer.write(ANSWER)
                for _ in range(EVENTS):
                    writer.write(CHUNK)
                    await writer.drain()
                    await asyncio.sleep(0)
                writer.write(b"0\r\n\r\n")

    server = await asyncio.start_server(serve, HOST, port)
    await server.serve_forever()


@dataclass(slots=True)
class Taken:
    seconds: list[float]
    processor_seconds: list[float]

    def told(self) -> str:
        at = statistics.quantiles(self.seconds, n=100)
        used = statistics.median(self.processor_seconds)
        return (
            f"p50 {at[49] * 1e3:6.3f} ms  p99 {at[98] * 1e3:6.3f} ms  thread {used * 1e3:6.3f} ms"
        )


def one_call(client: httpx.Client, url: str, into: Taken) -> None:
    began, used = time.perf_counter(), time.thread_time()
    with client.stream("POST", url, json=ASKED) as got:
        for _ in got.iter_raw():
            pass
    into.processor_seconds.append(time.thread_time() - used)
    into.seconds.append(time.perf_counter() - began)


def in_turns(calls: int, upstream: str, server: str, key: str) -> None:
    """In a process of its own: bare and captured by turns, the order changing."""
    bare, ours = httpx.Client(), capture(httpx.Client(), url=server, key=key)
    pairs = [(bare, Taken([], [])), (ours, Taken([], []))]
    for number in range(calls + 50):
        for client, taken in pairs if number % 2 else reversed(pairs):
            one_call(client, upstream, taken if number >= 50 else Taken([], []))
            time.sleep(ROUND_PAUSE_SECONDS)
    (_, without), (_, with_it) = pairs
    print(f"  bare      {without.told()}")
    print(f"  captured  {with_it.told()}")
    print(
        f"  settled within 10 s: {flush(10)}; {told_counts()}; process {time.process_time():.1f} s"
    )


def told_counts() -> str:
    found = counts()
    return (
        f"called {found.called} sent {found.sent} spooled {found.spooled} dropped {found.dropped} "
        f"waiting {found.waiting} open {found.open} because {dict(found.dropped_because)}"
    )


def latency(calls: int) -> None:
    upstream, down = free_port(), free_port()
    streaming = subprocess.Popen([sys.executable, __file__, "--upstream", str(upstream)])
    with ExitStack() as ending:
        ending.callback(streaming.wait)
        ending.callback(streaming.terminate)
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory()))
        address = f"http://{HOST}:{upstream}/v1/chat/completions"
        web = ending.enter_context(web_server(folder))
        hanging = ending.enter_context(socket.create_server((HOST, 0)))
        servers = {
            "up": web.url,
            "down": f"http://{HOST}:{down}",
            "hanging": f"http://{HOST}:{hanging.getsockname()[1]}",
        }
        for name, server in servers.items():
            print(f"server {name}, {calls} calls each", flush=True)
            turns = ("--turns", str(calls), address, server, web.key)
            subprocess.run([sys.executable, __file__, *turns], check=True)


# -- while the server is killed --------------------------------------------------------------------


class WebServer:
    """``manage.py web`` alone, in a process group of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://{HOST}:{self.port}"
        self._environment = {
            **os.environ,
            "INSPECTOR_BOOTSTRAP": "0",
            "INSPECTOR_DATA_DIR": str(folder),
            "INSPECTOR_ROLE": "web",
        }
        manage(self._environment, "migrate", "--verbosity", "0")
        manage(self._environment, "create_owner", "olga")
        made = ("create_api_key", "--team", "default", "--name", "captured")
        self.key = manage(self._environment, *made).strip()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "manage.py", "web", "--port", str(self.port), "--processes", "1"],
            cwd=ROOT,
            env=self._environment,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while True:
            with suppress(OSError), socket.create_connection((HOST, self.port), timeout=1):
                return
            time.sleep(0.05)

    def kill(self) -> None:
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def captures(self) -> int:
        with sqlite3.connect(self.folder / "inspector.sqlite3", timeout=30) as file:
            (number,) = file.execute("SELECT count(*) FROM archive_capture").fetchone()
            return int(number)


@contextmanager
def web_server(folder: Path) -> Iterator[WebServer]:
    server = WebServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def killed(calls: int, spool: Path | None, folder: Path) -> None:
    """In a process of its own."""
    with web_server(folder) as server:
        mock = httpx.MockTransport(
            lambda _: httpx.Response(200, stream=httpx.ByteStream(EVENT * EVENTS))
        )
        client = capture(
            httpx.Client(transport=mock), url=server.url, key=server.key, spool=spool or ""
        )
        strikes = {calls * part // 4: part for part in (1, 2, 3)}
        striking: list[threading.Thread] = []

        def strike() -> None:
            server.kill()
            time.sleep(1)
            server.start()

        def call(number: int) -> None:
            if number in strikes:
                striking.append(threading.Thread(target=strike))
                striking[-1].start()
            client.post("https://api.example/v1/chat/completions", json=ASKED)
            time.sleep(0.01)

        with ThreadPoolExecutor(10) as threads:
            list(threads.map(call, range(calls)))
        for each in striking:
            each.join()
        flush(120)
        if spool:
            wait_until_empty(client, spool)
        found = counts()
        balance = found.sent + found.spooled + found.dropped
        print(f"  {told_counts()} sent from the spool {found.sent_from_spool}")
        print(f"  called = sent + spooled + dropped: {found.called == balance}")
        stored = found.sent + found.sent_from_spool
        print(f"  captures in the archive {server.captures()}, sent and from the spool {stored}")


def wait_until_empty(client: httpx.Client, spool: Path) -> None:
    deadline = time.monotonic() + 120
    while any(spool.glob("*.ndjson")) and time.monotonic() < deadline:
        time.sleep(0.5)


def kills(calls: int) -> None:
    for name in ("", "spool"):
        with tempfile.TemporaryDirectory() as folder:
            spool = str(Path(folder, name)) if name else ""
            print(
                f"{calls} calls, three kills, {'with a spool' if name else 'no spool'}", flush=True
            )
            told = ("--killed", str(calls), str(Path(folder, "data")), spool)
            subprocess.run([sys.executable, __file__, *told], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=("sdks", "latency", "kills", []))
    parser.add_argument("--python", type=Path, default=Path("var/bench-callers/python"))
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--kill-calls", type=int, default=10_000)
    parser.add_argument("--upstream", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--turns", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--killed", nargs=3, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.upstream:
        asyncio.run(stream_events(chosen.upstream))
    elif chosen.turns:
        in_turns(int(chosen.turns[0]), *chosen.turns[1:])
    elif chosen.killed:
        calls, folder, spool = chosen.killed
        Path(folder).mkdir()
        killed(int(calls), Path(spool) if spool else None, Path(folder))
    else:
        parts = chosen.parts or ("sdks", "latency", "kills")
        if "sdks" in parts:
            with_sdks(chosen.python)
        if "latency" in parts:
            latency(chosen.calls)
        if "kills" in parts:
            kills(chosen.kill_calls)


if __name__ == "__main__":
    main()
