"""The programs of ``docs/api/examples``, run as they stand, by a server that fails at first."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from django.conf import settings

from tests.api.serving import Server
from tests.archive.samples import STREAM, WHOLE
from tests.http_server import Handler, served
from tests.tiers import mostly_thorough

EXAMPLES = settings.BASE_DIR / "docs" / "api" / "examples"
PROGRAMS = {"send.py": sys.executable, "send.sh": "sh", "send.mjs": "node"}
NEEDS = {"send.sh": "curl", "send.py": "python3", "send.mjs": "node"}
FAILURES = (503, 429, None)
"""Failures that the first tries meet; None is a connection that ends without an answer."""


@dataclass
class Unreliable:
    """Stands between a program and the real server, whose answer it loses once."""

    server: Server
    failures: list[int | None] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def unreliable(server: Server) -> Iterator[Unreliable]:
    state = Unreliable(server, list(FAILURES))

    class Between(Handler):
        def do_POST(self) -> None:
            body = self.read_body()
            state.keys.append(self.headers["Idempotency-Key"])
            failure = state.failures.pop(0) if state.failures else 200
            if failure in (503, 429):
                self.answer(failure, b"{}", {"Retry-After": "1"})
                return
            names = ("Authorization", "Content-Type", "Idempotency-Key")
            headers = {name: self.headers[name] for name in names}
            with urlopen(Request(server.url + self.path, body, headers)) as answer:
                found = answer.read()
            # Stored, and the program never hears of it.
            if failure is not None:
                self.answer(answer.status, found)

    with served(Between) as state.url:
        yield state


def run(name: str, url: str, key: str, file: Path) -> subprocess.CompletedProcess[str]:
    if not shutil.which(NEEDS[name]):
        pytest.skip(f"{NEEDS[name]} is not installed: docs/api/examples/{name} was NOT run")
    environment = {"PATH": os.environ["PATH"], "INSPECTOR_URL": url, "INSPECTOR_KEY": key}
    command = [PROGRAMS[name], str(EXAMPLES / name), str(file)]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=90, check=False
    )


@pytest.mark.parametrize("name", mostly_thorough((name,) for name in PROGRAMS))
def test_an_example_sends_again_until_it_is_answered_and_stores_once(
    unreliable: Unreliable, tmp_path: Path, name: str
) -> None:
    before = unreliable.server.count()
    file = tmp_path / "recorded.sse"
    file.write_bytes(STREAM)
    done = run(name, unreliable.url, unreliable.server.key, file)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout[done.stdout.index('{"id"') :])
    assert (found["state"], found["duplicate"]) == ("inspected", True)
    assert found["analysis"]["choices"][0]["content"] == "Hello"
    assert unreliable.server.count() == before + 1
    assert len(unreliable.keys) == len(FAILURES) + 1 and len(set(unreliable.keys)) == 1


@pytest.mark.parametrize("name", mostly_thorough((name,) for name in PROGRAMS))
def test_example_does_not_repeat_what_is_refused(server: Server, tmp_path: Path, name: str) -> None:
    file = tmp_path / "recorded.json"
    file.write_bytes(WHOLE)
    done = run(name, server.url, "ri_revoked", file)
    assert done.returncode != 0
    assert "unauthorized" in done.stdout + done.stderr


def test_every_example_is_run() -> None:
    assert {path.name for path in EXAMPLES.iterdir()} == set(PROGRAMS)
