"""Programs of an earlier release beside those of this one, on this one's tables, as in an upgrade
and in going back from it.

    .venv/bin/python deploy/side_by_side.py RELEASE

RELEASE is anything that git knows a commit by. A private PostgreSQL is migrated by this release; a
web of each takes captures, and the proxy of each that has one captures calls; the earlier sweep
inspects, then this one's; each web must show all of them. Loopback only; ends and removes
everything it started, and nothing else.
"""

import argparse
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psycopg

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from development import servers  # noqa: E402

ALIVE_WITHIN_SECONDS = 60.0
CAPTURES_FROM_EACH = 5
BODY = (
    b'{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"m",'
    b'"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},'
    b'"finish_reason":"stop"}]}'
)


@dataclass(frozen=True)
class Release:
    name: str
    folder: Path
    environment: dict[str, str]
    port: int
    proxy_port: int

    @property
    def has_proxy(self) -> bool:
        return (self.folder / "inspector" / "proxy" / "__main__.py").exists()

    def manage(self, *command: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"{self.name}: {command[0]} failed: {done.stderr[-800:]}")
        return done.stdout

    @contextmanager
    def web(self) -> Iterator[None]:
        with self._running("web", "--port", str(self.port), "--processes", "1"):
            wait_until_open(f"http://127.0.0.1:{self.port}/livez")
            yield

    @contextmanager
    def proxy(self) -> Iterator[None]:
        with self._running("proxy", "--port", str(self.proxy_port)):
            wait_until_open(f"http://127.0.0.1:{self.proxy_port}/readyz")
            yield

    @contextmanager
    def _running(self, *command: str) -> Iterator[None]:
        process = subprocess.Popen(
            [sys.executable, "manage.py", *command],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield
        finally:
            process.terminate()
            process.wait()

    def ask(self, path: str, key: str = "", body: bytes | None = None) -> Any:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def call(self, key: str, upstream: str) -> bytes:
        """Through the proxy, as a program does."""
        place = f"http://127.0.0.1:{self.proxy_port}/proxy/{key}/{upstream}/v1/chat/completions"
        request = urllib.request.Request(place, b"{}", {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return bytes(answer.read())


def wait_until_open(address: str) -> None:
    deadline = time.monotonic() + ALIVE_WITHIN_SECONDS
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit(f"{address} does not answer")


class ProviderHandler(BaseHTTPRequestHandler):
    """The provider that the proxies call."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *_: object) -> None:
        """Nothing of what goes well."""


@contextmanager
def provider() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), ProviderHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


@contextmanager
def checked_out(release: str, folder: Path) -> Iterator[None]:
    git = ("git", "-C", str(ROOT), "worktree")
    subprocess.run([*git, "add", "--quiet", "--detach", str(folder), release], check=True)
    try:
        yield
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("release")
    release = arguments.parse_args().release
    programs = servers.find_or_install() or sys.exit(servers.HOW_TO_GET_THEM)
    with ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory()))
        ending.enter_context(checked_out(release, folder / "earlier"))
        running = ending.enter_context(servers.running(programs))
        environment = {
            **os.environ,
            "DATABASE_URL": running.database_url,
            "REDIS_URL": running.redis_url,
            "INSPECTOR_SECRET_KEY": secrets.token_urlsafe(48),
            "INSPECTOR_BOOTSTRAP": "0",
            "INSPECTOR_DATA_DIR": str(folder / "data"),
        }
        earlier = Release(release, folder / "earlier", environment, *ports())
        if earlier.has_proxy:
            environment["INSPECTOR_PROXY_NETWORKS"] = "127.0.0.1/32"
        allowing = environment | {"INSPECTOR_PROXY_NETWORKS": "127.0.0.1/32"}
        rehearse(earlier, Release("this release", ROOT, allowing, *ports()), ending)
    print("side by side: every capture was taken, inspected and shown by both")


def ports() -> tuple[int, int]:
    return servers.free_port(), servers.free_port()


def captured_by_proxies(releases: Iterable[Release], this: Release) -> list[str]:
    """Return the numbers of captures of calls that all went through."""
    before = stored(this)
    name = f"provider-{len(before)}"
    team = ("--team", "default", "--name", name)
    key = this.manage("create_api_key", *team, "--scope", "capture").split()[-1]
    with provider() as url, ExitStack() as ending:
        this.manage("add_upstream", *team, "--url", url)
        wanted = len(before)
        for release in releases:
            ending.enter_context(release.proxy())
            answers = {release.call(key, name) for _ in range(CAPTURES_FROM_EACH)}
            if answers != {BODY}:
                sys.exit(f"{release.name}: its proxy answers otherwise")
            wanted += CAPTURES_FROM_EACH
    # Whoever ends stores what it has first.
    found = stored(this)
    if len(found) != wanted:
        sys.exit(f"{len(found)} captures are stored, and {wanted} were sent")
    return sorted(found - before)


def stored(release: Release) -> set[str]:
    with psycopg.connect(release.environment["DATABASE_URL"]) as connection:
        found = connection.execute("SELECT id::text FROM archive_capture").fetchall()
    return {each for (each,) in found}


def rehearse(earlier: Release, this: Release, ending: ExitStack) -> None:
    this.manage("migrate", "--no-input")
    this.manage("create_owner", "owner@example.com")
    key = this.manage("create_api_key", "--team", "default", "--name", "both").split()[-1]
    for release in (earlier, this):
        ending.enter_context(release.web())
    for sweeping in (earlier, this):
        ids = [
            sender.ask("/api/v1/captures/", key, BODY)["id"]
            for sender in (earlier, this)
            for _ in range(CAPTURES_FROM_EACH)
        ]
        ids += captured_by_proxies([each for each in (earlier, this) if each.has_proxy], this)
        sweeping.manage("sweep", "--once", "--older-than", "0")
        for showing in (earlier, this):
            states = {
                showing.ask(f"/api/v1/captures/{capture_id}/", key)["state"] for capture_id in ids
            }
            print(f"sent to both, inspected by {sweeping.name}, shown by {showing.name}: {states}")
            if states != {"inspected"}:
                sys.exit("that is not all of them")


if __name__ == "__main__":
    main()
