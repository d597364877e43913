"""The production stack on this machine, without Docker: the commands of docker-compose.yml, nginx
with the shipped configuration, PostgreSQL and Redis that are thrown away afterwards.

    .venv/bin/python deploy/rehearse.py [--recordings FOLDER] [--calls 120]

Sends captures through nginx with curl, kills Redis half-way and starts it again empty, kills one of
the two webs, and checks that everything was inspected and every byte came back. Then calls a
provider of its own through nginx and the proxies, of which one is asked to end meanwhile: every
answer comes whole, and is captured. Loopback only, bounded in time; ends everything it started, and
nothing else.
"""

import argparse
import hashlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psycopg
import redis
import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from development import servers  # noqa: E402
from inspector.operations.up.supervisor import Program, Supervisor  # noqa: E402

COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
LIMIT_SECONDS = 420
INSPECTED_WITHIN_SECONDS = 90.0
CLIENTS = 6
PROXIED_CALLS = 30
PIECE_SECONDS = 0.025
JSON, SSE = "application/json", "text/event-stream"


class Rehearsal:
    """Ports, folder and environment of one installation, and how to talk to it through nginx."""

    def __init__(self, folder: Path, database_url: str, redis_url: str) -> None:
        self.folder = folder
        self.database_url, self.redis_url = database_url, redis_url
        self.port = servers.free_port()
        self.webs, self.proxies = (
            [servers.free_port() for _ in range(COMPOSE[name]["scale"])]
            for name in ("web", "proxy")
        )
        self.url = f"http://127.0.0.1:{self.port}"
        self.key = ""
        (folder / "secret_key").write_text(secrets.token_urlsafe(48))
        self.environment = self._environment()

    def _environment(self) -> dict[str, str]:
        """Compose's variables with the values of this place; nothing else of this shell's."""
        here = {
            "DATABASE_URL": self.database_url,
            "REDIS_URL": self.redis_url,
            "INSPECTOR_SECRET_KEY_FILE": str(self.folder / "secret_key"),
            "INSPECTOR_ORIGIN": self.url,
            # The provider of this rehearsal.
            "INSPECTOR_PROXY_NETWORKS": "127.0.0.1/32",
        }
        named = {name: here.get(name, "") for name in COMPOSE["web"]["environment"]}
        image = {"INSPECTOR_BOOTSTRAP": "0", "INSPECTOR_DATA_DIR": str(self.folder / "var")}
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), **image, **named}

    def manage(self, *words: str) -> str:
        """Return a command of manage.py; what it prints."""
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(words)} failed: {done.stderr[-800:]}")
        return done.stdout.strip()

    def programs(self) -> list[Program]:
        webs = [
            self._program("web", f"web-{n}", {"0.0.0.0": "127.0.0.1", "8000": str(port)})
            for n, port in enumerate(self.webs, 1)
        ]
        proxies = [
            self._program("proxy", f"proxy-{n}", {"0.0.0.0": "127.0.0.1", "8001": str(port)})
            for n, port in enumerate(self.proxies, 1)
        ]
        workers = [
            self._program("worker", f"worker-{n}") for n in range(1, 1 + COMPOSE["worker"]["scale"])
        ]
        door = servers.nginx_configuration(self.folder, self.port, self.webs, self.proxies)
        place = {"/tmp": str(self.folder), "/etc/inspector/nginx.conf": str(door)}
        nginx = self._program("nginx", "nginx", place)
        return [*webs, *proxies, *workers, self._program("sweep"), nginx]

    def _program(
        self, service: str, name: str = "", place: dict[str, str] | None = None
    ) -> Program:
        words = [(place or {}).get(word, word) for word in COMPOSE[service]["command"]]
        words[0] = sys.executable if words[0] == "python" else words[0]
        log = self.folder / f"{name or service}.log"
        grace = float(str(COMPOSE[service].get("stop_grace_period", "10s")).removesuffix("s"))
        return Program(
            name or service, tuple(words), self.environment, ROOT, log, patience_seconds=grace
        )

    def curl(self, *words: str, body: bytes = b"") -> tuple[int, bytes]:
        command = ["curl", "-sS", "--max-time", "30", "-w", "\n%{http_code}", *words]
        headers = ["-H", f"Authorization: Bearer {self.key}"]
        done = subprocess.run([*command, *headers], input=body, capture_output=True, check=False)
        answer, _, status = done.stdout.rpartition(b"\n")
        return int(status or 0), answer

    def post(self, body: bytes, content_type: str, *words: str) -> tuple[int, str]:
        """Status and id; a 503 asks for the same again."""
        for _ in range(10):
            kind = ["-H", f"Content-Type: {content_type}", "--data-binary", "@-", *words]
            status, answer = self.curl(*kind, f"{self.url}/api/v1/captures/", body=body)
            if status not in (0, 503):
                break
            time.sleep(1)
        return status, json.loads(answer)["id"] if status == 202 else ""

    def proxies_are_ready(self) -> bool:
        places = [f"http://127.0.0.1:{port}/readyz" for port in self.proxies]
        return all(self.curl(place)[0] == 200 for place in places)

    def states(self) -> Counter[str]:
        with psycopg.connect(self.database_url) as connection:
            found = connection.execute("SELECT state, count(*) FROM archive_capture GROUP BY 1")
            return Counter(dict(found.fetchall()))


def bodies(folder: Path | None, count: int) -> list[tuple[bytes, str]]:
    """Return recordings of a folder, or small ones made here; no two of the latter are equal."""
    kinds = {".json": JSON, ".sse": SSE}
    if folder is not None:
        found = [path for path in sorted(folder.rglob("*")) if path.suffix in kinds]
        return [(path.read_bytes(), kinds[path.suffix]) for path in found]
    return [(stream(n), SSE) if n % 2 else (whole(n), JSON) for n in range(count)]


class ProviderHandler(BaseHTTPRequestHandler):
    """Answers the n-th call with the n-th stream, in pieces over a second."""

    protocol_version = "HTTP/1.1"
    begun = threading.Semaphore(0)

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.begun.release()
        self.send_response(200)
        self.send_header("Content-Type", SSE)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in stream(asked["n"]).split(b"\n\n")[:-1]:
            self.wfile.write(b"%x\r\n%s\n\n\r\n" % (len(event) + 2, event))
            time.sleep(PIECE_SECONDS)
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        """Nothing of what goes well."""


@contextmanager
def provider() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), ProviderHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


def whole(n: int) -> bytes:
    message = {"role": "assistant", "content": f"Answer {n}"}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = {"id": f"chatcmpl-{n}", "object": "chat.completion", "created": 1, "model": "rehearsal"}
    return json.dumps({**body, "choices": [choice]}).encode()


def stream(n: int) -> bytes:
    head = {"id": f"c-{n}", "object": "chat.completion.chunk", "created": 1, "model": "rehearsal"}
    deltas = [({"role": "assistant", "content": f"Word {w} "}, None) for w in range(40)]
    chunks = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
        for delta, end in [*deltas, ({}, "stop")]
    ]
    return b"".join(b"data: %s\n\n" % json.dumps(c).encode() for c in chunks) + b"data: [DONE]\n\n"


def say(line: str) -> None:
    print(f"{time.monotonic() - STARTED:7.2f} s  {line}", flush=True)


def check(what: str, found: Any, expected: Any) -> None:
    say(f"{what}: {found}")
    if found != expected:
        raise SystemExit(f"{what}: {expected} was expected")


def wait_until(what: str, condition: Any, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"{what}: not within {seconds:g} s")
        time.sleep(0.2)
    say(what)


@contextmanager
def supervised(rehearsal: Rehearsal) -> Iterator[Supervisor]:
    supervisor = Supervisor(rehearsal.programs(), say)
    for child in supervisor.children:
        say("starts " + " ".join(child.program.command).replace(sys.executable, "python"))
    try:
        supervisor.start()
        yield supervisor
    finally:
        supervisor.end()
        say("everything that was started has ended")


def at_the_door(rehearsal: Rehearsal) -> None:
    """Check what nginx itself has to get right."""
    check("a call without a key", rehearsal.curl(f"{rehearsal.url}/proxy/openai/v1/models")[0], 401)
    unknown = b"POST /api/v1/captures/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: x\r\n\r\n"
    with socket.create_connection(("127.0.0.1", rehearsal.port), timeout=10) as raw:
        raw.sendall(unknown)
        answer = raw.recv(4096)
    check("an unknown transfer coding", answer.split(b" ")[1].decode(), "400")
    check(
        "its answer is the API's",
        json.loads(answer[answer.index(b"{") :])["error"]["code"],
        "bad_request",
    )
    forged = ("-H", "X-Forwarded-Proto: https", "-H", "X-Forwarded-Host: evil.example")
    status, page = rehearsal.curl(*forged, f"{rehearsal.url}/sign-in/")
    check("the page for signing in", status, 200)
    style = page.split(b'rel="stylesheet" href="')[1].split(b'"')[0].decode()
    check("its style sheet", rehearsal.curl(f"{rehearsal.url}{style}")[0], 200)


def through_the_proxies(rehearsal: Rehearsal, supervisor: Supervisor, upstream: int) -> None:
    team = ("--team", "default", "--name")
    url = f"http://127.0.0.1:{upstream}/api"
    rehearsal.manage("add_upstream", *team, "rehearsal", "--url", url)
    key = rehearsal.manage("create_api_key", *team, "proxy", "--scope", "capture")
    place = f"{rehearsal.url}/proxy/{key}/rehearsal/v1/chat/completions"

    def call(n: int) -> str:
        kind = ("-H", f"Content-Type: {JSON}", "--data-binary", "@-")
        asked = {"model": "rehearsal", "stream": True, "n": n}
        status, answer = rehearsal.curl(*kind, place, body=json.dumps(asked).encode())
        return "whole" if answer == stream(n) else f"{status} {answer[-200:].decode()}"

    proxy = next(child for child in supervisor.children if child.program.name == "proxy-1")
    with ThreadPoolExecutor(CLIENTS) as pool:
        first = [pool.submit(call, n) for n in range(CLIENTS)]
        for _ in first:
            ProviderHandler.begun.acquire(timeout=30)
        proxy.ask_to_end()
        say("proxy-1 is asked to end while calls are open")
        others = [pool.submit(call, n) for n in range(CLIENTS, PROXIED_CALLS)]
        answers = Counter(each.result() for each in [*first, *others])
    check("answers through the proxies", dict(answers), {"whole": PROXIED_CALLS})
    supervisor.look_after_children()


def rehearse(options: argparse.Namespace, rehearsal: Rehearsal, ending: ExitStack) -> None:
    rehearsal.manage("collectstatic", "--no-input", "--verbosity", "0")
    migrate = COMPOSE["migrate"]["command"][2:]
    rehearsal.manage(*migrate)
    say(f"ran python manage.py {' '.join(migrate)}")
    rehearsal.manage("create_owner", "rehearsal")
    rehearsal.key = rehearsal.manage("create_api_key", "--team", "default", "--name", "rehearsal")
    programs = servers.find()
    assert programs
    first_redis = ExitStack()
    ending.callback(first_redis.close)
    first_redis.enter_context(servers.redis_server(programs, rehearsal.redis_url))
    supervisor = ending.enter_context(supervised(rehearsal))
    ready = f"{rehearsal.url}/readyz"
    wait_until("ready through nginx", lambda: rehearsal.curl(ready)[0] == 200, 60)
    wait_until("both proxies are ready", rehearsal.proxies_are_ready, 60)
    at_the_door(rehearsal)

    chunked = ("-H", "Transfer-Encoding: chunked")
    check("a stream, sent in chunks", rehearsal.post(stream(0), SSE, *chunked)[0], 202)
    sent = bodies(options.recordings, options.calls)
    half = len(sent) // 2
    started = time.monotonic()
    with ThreadPoolExecutor(CLIENTS) as pool:
        answers = list(pool.map(lambda one: rehearsal.post(*one), sent[:half]))
        with redis.Redis.from_url(rehearsal.redis_url) as client:
            os.kill(client.info()["process_id"], signal.SIGKILL)
        say(f"Redis is killed after {half} calls; the states: {dict(rehearsal.states())}")
        os.killpg(supervisor.children[0].group or 0, signal.SIGKILL)
        say("web-1 is killed too")
        slowest = time.monotonic()
        answers += pool.map(lambda one: rehearsal.post(*one), sent[half : half + half // 2])
        say(f"{half // 2} calls without Redis took {time.monotonic() - slowest:.1f} s")
        first_redis.close()
        ending.enter_context(servers.redis_server(programs, rehearsal.redis_url))
        say("Redis is back, and empty")
        supervisor.look_after_children()
        answers += pool.map(lambda one: rehearsal.post(*one), sent[half + half // 2 :])
    check("answers", dict(Counter(status for status, _ in answers)), {202: len(sent)})
    say(f"last accepted {time.monotonic() - started:.1f} s after the first call")

    upstream = ending.enter_context(provider())
    through_the_proxies(rehearsal, supervisor, upstream)
    expected = len(sent) + 1 + PROXIED_CALLS

    def settled() -> bool:
        supervisor.look_after_children()
        states = rehearsal.states()
        return set(states) == {"inspected"} and states.total() >= expected

    wait_until("everything is inspected", settled, INSPECTED_WITHIN_SECONDS)
    say(f"last inspected {time.monotonic() - started:.1f} s after the first call")
    check("the states", dict(rehearsal.states()), {"inspected": expected})
    with ThreadPoolExecutor(CLIENTS) as pool:
        place = f"{rehearsal.url}/api/v1/captures/"
        raw = pool.map(lambda answer: rehearsal.curl(f"{place}{answer[1]}/raw/")[1], answers)
        pairs = zip(raw, sent, strict=True)
        equal = sum(hashlib.sha256(r).digest() == hashlib.sha256(b).digest() for r, (b, _) in pairs)
    check("bytes that came back equal", f"{equal} of {len(sent)}", f"{len(sent)} of {len(sent)}")
    log = (rehearsal.folder / "nginx.log").read_text()
    for number, port in enumerate(rehearsal.webs, 1):
        say(f"web-{number} answered {log.count(f'127.0.0.1:{port}')} requests")
    for number, port in enumerate(rehearsal.proxies, 1):
        say(f"proxy-{number} forwarded {log.count(f'127.0.0.1:{port}')} calls")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recordings", type=Path)
    parser.add_argument("--calls", type=int, default=120)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("out of time"))
    signal.alarm(LIMIT_SECONDS)
    programs = servers.find()
    if programs is None or not shutil.which("nginx") or not shutil.which("curl"):
        raise SystemExit(
            "Needs nginx, curl, PostgreSQL and Redis: apt-get install "
            "nginx-light curl postgresql redis-server"
        )
    with ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="rehearsal-")))
        # nginx gives its work to a user who must get in.
        folder.chmod(0o755)
        database_url = ending.enter_context(servers.postgresql(programs))
        password, port = secrets.token_hex(16), servers.free_port()
        redis_url = f"redis://:{password}@127.0.0.1:{port}/0"
        say("PostgreSQL runs")
        rehearse(options, Rehearsal(folder, database_url, redis_url), ending)


STARTED = time.monotonic()

if __name__ == "__main__":
    main()
