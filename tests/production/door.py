"""nginx with the shipped configuration before an installation, asked by raw sockets."""

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from development import servers
from tests import wire
from tests.production.installation import Installation, wait_until


@dataclass(frozen=True, slots=True)
class Door:
    port: int
    head: bytes
    """Head of a capture that is sent with a key, as far as it is the same for all."""
    log: Path

    def ask(self, request: bytes) -> list[tuple[int, str]]:
        return wire.ask(self.port, request)


@contextmanager
def door_of(installation: Installation, nginx: str, place: Path | None = None) -> Iterator[Door]:
    """``place``: where its folder is made, which holds all that it buffers."""
    head = (
        "POST /api/v1/captures/ HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: Bearer {installation.key}\r\nContent-Type: application/json\r\n"
    )
    with nginx_before([installation.port], nginx=nginx, place=place) as (port, log):
        yield Door(port, head.encode(), log)


@contextmanager
def nginx_before(
    webs: Sequence[int],
    proxies: Sequence[int] = (),
    *,
    nginx: str,
    place: Path | None = None,
    calls_port: int | None = None,
    serves: str = "all",
) -> Iterator[tuple[int, Path]]:
    """Its port, and the log that it writes."""
    port = servers.free_port()
    with tempfile.TemporaryDirectory(prefix="inspector-door-", dir=place) as name:
        folder = Path(name)
        # nginx gives its work to a user who must get in.
        folder.chmod(0o755)
        file = servers.nginx_configuration(folder, port, webs, proxies, calls_port)
        listen = folder / "listen.conf"
        listen.write_text(listen.read_text().replace("set $serves all;", f"set $serves {serves};"))
        command = [nginx, "-e", "stderr", "-p", name, "-c", str(file), "-g", "daemon off;"]
        log = folder / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(command, stdout=output, stderr=output)
        try:
            wait_until(lambda: is_open(port))
            yield port, log
        finally:
            process.terminate()
            process.wait()


@contextmanager
def small_place(folder: Path, size: str) -> Iterator[Path | None]:
    """A file system in memory that is soon full; None where this user may not mount one."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True
    )
    if mounted.returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def is_open(port: int) -> bool:
    with suppress(OSError):
        wire.connected(port).close()
        return True
    return False
