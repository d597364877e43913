"""A real server with an archive of its own, asked by whoever needs more than a test client."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from django.conf import settings

NAME = f"test-{os.getpid()}"
HEADERS = (
    "POST /api/v1/captures/ HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    "Authorization: Bearer {key}\r\nContent-Type: application/json\r\n"
)
# One start of Django for three commands.
PREPARATION = """
import sys
import django
from django.core.management import call_command
django.setup()
call_command("migrate", verbosity=0)
call_command("create_owner", "olga", stdout=sys.stderr)
call_command("create_api_key", team="default", name=sys.argv[1])
"""


@dataclass(frozen=True, slots=True)
class Server:
    port: int
    key: str
    folder: Path
    pid: int

    def post(self, more: bytes, *, then_end: bool = False) -> tuple[int, str]:
        """Status and error code of the answer to these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=120) as wire:
            wire.sendall(HEADERS.format(key=self.key).encode() + more)
            if then_end:
                wire.shutdown(socket.SHUT_WR)
            with wire.makefile("rb") as answer:
                status = int(answer.readline().split()[1])
                length = 0
                while line := answer.readline().strip():
                    name, _, value = line.partition(b":")
                    length = int(value) if name.lower() == b"content-length" else length
                body = json.loads(answer.read(length)) if length else {}
        return status, body.get("error", {}).get("code", "")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def manage(self, *arguments: str) -> str:
        """What a command of its host prints."""
        return python(environment_of(self.folder), "-m", "django", *arguments)

    def memory_bytes(self) -> int:
        """What it and its processes hold now."""
        found = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        pages = [int(Path(f"/proc/{p}/statm").read_text().split()[1]) for p in (self.pid, *found)]
        return sum(pages) * os.sysconf("SC_PAGE_SIZE")

    def count(self) -> int:
        """Count the captures of this server's own key: other tests may share the database."""
        path = f"GET /api/v1/captures/?limit=200&key={NAME} HTTP/1.0\r\nHost: 127.0.0.1\r\n"
        request = f"{path}Authorization: Bearer {self.key}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", self.port), timeout=120) as wire:
            wire.sendall(request.encode())
            with wire.makefile("rb") as answer:
                return len(json.loads(answer.read().partition(b"\r\n\r\n")[2])["captures"])


def keep_one(server: Server, body: bytes = b'{"choices":[]}') -> str:
    """The id of a capture that was inspected."""
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    address = f"{server.url}/api/v1/captures/?wait=10"
    with urlopen(Request(address, body, headers)) as answer:
        return str(json.load(answer)["id"])


def environment_of(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "inspector.settings",
        "INSPECTOR_BOOTSTRAP": "0",
        "INSPECTOR_DATA_DIR": str(folder),
    }


def python(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, *arguments]
    ran = subprocess.run(
        command, env=environment, cwd=settings.BASE_DIR, check=False, capture_output=True
    )
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout.decode()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    environment = environment_of(folder) | {
        "INSPECTOR_MAX_BODY_BYTES": "1000000",
        "INSPECTOR_ROLE": "web",
    }
    key = python(environment, "-c", PREPARATION, NAME).strip()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["manage.py", "web", "--port", str(port), "--processes", "1"]
    with (
        Path(folder, "web").open("wb") as output,
        subprocess.Popen(
            [sys.executable, *command],
            env=environment,
            cwd=settings.BASE_DIR,
            stdout=output,
            stderr=output,
        ) as web,
    ):
        try:
            wait_for(port, web)
            yield Server(port, key, folder, web.pid)
        finally:
            web.terminate()


def wait_for(port: int, web: "subprocess.Popen[bytes]") -> None:
    """However busy the machine is: only a server that ended never listens."""
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert web.poll() is None, "the server ended before it listened"
            time.sleep(0.05)
