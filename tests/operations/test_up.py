"""The whole installation, as a newcomer starts it, on a free port and an empty directory."""

import http.client
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from tests.operations.backup import places

ROOT = Path(__file__).parent.parent.parent
BOUND_SECONDS = 90.0

pytestmark = pytest.mark.timeout(240)


class Installation:
    """One data directory and the ``up`` that currently runs on it."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.told = ""
        self.process: subprocess.Popen[str] | None = None

    def up(self) -> str:
        """Start, and return what was printed until the address was known."""
        command = [sys.executable, "manage.py", "up", "--port", str(self.port)]
        self.process = subprocess.Popen(
            [*command, "--data-dir", str(self.data_dir)],
            cwd=ROOT,
            # A newcomer has no key; the tests have one.
            env={n: v for n, v in os.environ.items() if n != "INSPECTOR_SECRET_KEY"},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if line.startswith("Ctrl-C"):
                return "".join(lines)
        raise AssertionError(f"up ended: {''.join(lines)}")

    def signal(self, number: signal.Signals) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        code = self.process.wait(BOUND_SECONDS)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def running(self, role: str | None = None) -> list[int]:
        """Every process that was started for this data directory, or those in one role."""
        marks = {f"INSPECTOR_DATA_DIR={self.data_dir}".encode()}
        marks |= {f"INSPECTOR_ROLE={role}".encode()} if role else set()
        environments = {
            int(path.parent.name): environment_of(path)
            for path in Path("/proc").glob("[0-9]*/environ")
        }
        return [process for process, found in environments.items() if marks <= found]

    def get(self, path: str, key: str = "") -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", path, headers={"Authorization": f"Bearer {key}"} if key else {})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, body


def environment_of(path: Path) -> set[bytes]:
    """Nothing for a process that has ended meanwhile."""
    try:
        return set(path.read_bytes().split(b"\0"))
    except OSError:
        return set()


def kill(processes: list[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + BOUND_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    installation = Installation(tmp_path / "data")
    yield installation
    if installation.process is not None and installation.process.poll() is None:
        installation.signal(signal.SIGKILL)
    wait_until(lambda: not installation.running())


def post(told: str) -> dict[str, object]:
    """Run the printed curl line without curl, which a machine may not have."""
    line = next(line for line in told.splitlines() if line.strip().startswith("curl "))
    words = shlex.split(line)
    headers = dict(re.findall(r"-H '([^:]+): ([^']+)'", line))
    place = re.fullmatch(r"http://(127\.0\.0\.1):(\d+)(/.*)", words[-1])
    assert place
    connection = http.client.HTTPConnection(place[1], int(place[2]), timeout=20)
    connection.request("POST", place[3], words[words.index("--data-binary") + 1], headers)
    response = connection.getresponse()
    assert response.status == 202
    answer: dict[str, object] = json.loads(response.read())
    connection.close()
    return answer


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
def test_an_installation_from_its_first_start_to_its_last(installation: Installation) -> None:
    told = installation.up()
    assert f"ready: http://127.0.0.1:{installation.port}\n" in told
    link = re.search(r"http://127\.0\.0\.1:\d+(/sign-in/\S+)", told)
    assert link and installation.get(link[1])[0] in (200, 302)
    key = re.search(r"^ +(ri_\S+)$", told, re.MULTILINE)
    assert key

    capture = f"/api/v1/captures/{post(told)['id']}/"
    wait_until(lambda: json.loads(installation.get(capture, key[1])[1])["state"] == "inspected")

    secret = installation.data_dir / "secret_key"
    assert secret.stat().st_mode & 0o777 == 0o600
    kept = secret.read_text()

    for role in ("web", "worker", "sweep"):
        before = installation.running(role)
        kill(before)
        wait_until(lambda role=role, old={*before}: bool({*installation.running(role)} - old))
    wait_until(lambda: is_ready(installation))

    installation.signal(signal.SIGKILL)
    wait_until(lambda: not installation.running())

    again = installation.up()
    assert "sign_in_link --data-dir" in again and "create_api_key --team default" in again
    assert "ri_" not in again and "/sign-in/" not in again
    assert secret.read_text() == kept
    assert installation.get(capture, key[1])[0] == 200

    assert installation.signal(signal.SIGINT) == 0
    assert installation.running() == []


def is_ready(installation: Installation) -> bool:
    try:
        return installation.get("/readyz")[0] == 200
    except OSError:
        return False


@pytest.mark.thorough
def test_a_backup_beside_it_has_all_that_was_acknowledged(
    installation: Installation, tmp_path: Path
) -> None:
    told, file = installation.up(), tmp_path / "backup.tar"
    acknowledged: list[object] = []
    ended = threading.Event()

    def send() -> None:
        while not ended.is_set():
            acknowledged.append(post(told)["id"])

    with ThreadPoolExecutor(2) as senders:
        sending = [senders.submit(send) for _ in range(2)]
        try:
            wait_until(lambda: len(acknowledged) > 20)
            before = set(acknowledged)
            places.sqlite(installation.data_dir).done("backup", str(file), "--verify")
            during = len(acknowledged)
        finally:
            ended.set()
        assert [one.result() for one in sending] == [None, None]
    assert during > len(before)
    restored = places.sqlite(tmp_path / "restored").restored(file)
    assert {row["id"] for row in restored["archive_capture"]} >= before
