"""Programs of an earlier release beside those of this one, on this one's tables, as in an upgrade
and in going back from it.

    .venv/bin/python deploy/side_by_side.py RELEASE

RELEASE is anything that git knows a commit by. A private PostgreSQL is migrated by this release; a
web of each takes captures, the earlier sweep inspects, then this one's; each web must show all of
them. Loopback only; ends and removes everything it started, and nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
        process = subprocess.Popen(
            [sys.executable, "manage.py", "web", "--port", str(self.port), "--processes", "1"],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            self._wait_until_alive()
            yield
        finally:
            process.terminate()
            process.wait()

    def ask(self, path: str, key: str = "", body: bytes | None = None) -> Any:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def _wait_until_alive(self) -> None:
        deadline = time.monotonic() + ALIVE_WITHIN_SECONDS
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/livez", timeout=5).close()
                return
            except OSError:
                time.sleep(0.1)
        sys.exit(f"{self.name}: web does not answer")


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
        earlier = Release(release, folder / "earlier", environment, servers.free_port())
        this = Release("this release", ROOT, environment, servers.free_port())
        rehearse(earlier, this, ending)
    print("side by side: every capture was taken, inspected and shown by both")


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
