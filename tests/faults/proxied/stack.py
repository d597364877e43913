"""An installation with the proxy in front of a scripted upstream, and what its database then has."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from development import servers
from development.servers import Programs
from inspector.archive.storage.compression import decompressed
from tests.faults.form import Form
from tests.faults.proxied.caller import PATH, Heard, OutgoingCall
from tests.faults.proxied.ledger import Expected, ProxiedLedger
from tests.faults.proxied.upstream import KEY_IN_PATH, Play, ScriptedUpstream
from tests.faults.stacks import PRODUCTION, Stack, children_of, own_disk, wait_for, wait_until

UPSTREAM = "scripted"
KEPT_BYTES = 4 * 1024 * 1024
"""Bytes kept of a response: reading it takes far less than a lease on a machine that is busy."""
ALLOWED = ("--networks", "127.0.0.0/8", "--capture-bytes", str(KEPT_BYTES))
SPOOL_DISK_BYTES = 64 * 1024 * 1024
BALANCED = ("open", "recorded", "spooled", "missed", "omitted")
COUNT = re.compile(r"inspector_proxy_calls_(\w+?)(?:_total)? (\d+)")
CAPTURED = """
SELECT c.id, c.request_url, c.state, c.outcome, c.status_code, c.byte_length, c.sha256,
    (SELECT verdict FROM archive_inspection i WHERE i.capture_id = c.id)
FROM archive_capture c WHERE c.request_url LIKE '%/calls/%' ORDER BY c.received_at, c.id
"""
STORED = "SELECT capture_id, body, surroundings FROM archive_evidence WHERE capture_id IN ({})"


@dataclass(frozen=True, slots=True)
class Captured:
    """A capture of a call, as the database has it, asked without the product."""

    id: str
    key: str
    state: str
    outcome: str
    status: int | None
    byte_length: int
    sha256: str
    verdict: str | None


@dataclass(frozen=True, slots=True)
class Stored:
    """A capture's evidence."""

    body: bytes
    fault: str | None

    @classmethod
    def of(cls, body: bytes, surroundings: bytes) -> Stored:
        around = msgspec.msgpack.decode(decompressed(surroundings))
        return cls(zstandard.decompress(body), around.get("fault"))


class ProxyStack(Stack):
    def __init__(self, name: str, form: Form, folder: Path, found: Programs) -> None:
        super().__init__(name, form, folder, found)
        self.ports["proxy"] = servers.free_port()
        self.proxy_flags = ALLOWED
        self.upstream = ScriptedUpstream()
        self.more_upstreams: list[ScriptedUpstream] = []
        self.calls = ProxiedLedger()
        self.key = ""
        self.spool_disk: Path | None = None
        """Its own, where it has one and may have one."""
        self.idle_sockets = 0

    def start(self) -> None:
        self.servers.callback(self.upstream.close)
        if self.name == PRODUCTION:
            self.spool_disk = self.servers.enter_context(own_disk(SPOOL_DISK_BYTES))
            self.data = (self.spool_disk or self.folder) / "data"
        super().start()
        self.key = self.done(
            "create_api_key", "--team", "default", "--name", "app", "--scope", "capture"
        ).strip()
        self.add_upstream(UPSTREAM, self.upstream.url)
        self.release("proxy")
        self.wait_until_proxy_is_ready()
        self.make_call("first")
        wait_until(self.is_settled, "the first call is recorded")
        self.idle_sockets = self.sockets()

    def add_upstream(self, name: str, url: str) -> None:
        self.done("add_upstream", "--team", "default", "--name", name, "--url", url)

    def wait_until_proxy_is_ready(self) -> None:
        wait_until(self._proxy_is_ready, "the proxy is ready")

    def _proxy_is_ready(self) -> bool:
        with suppress(OSError, HTTPException):
            return self.ask_proxy("/readyz").status == 200
        return False

    # -- calls --------------------------------------------------------------------------------

    def path(self, key: str, upstream: str = UPSTREAM, path: str = PATH) -> str:
        return f"/proxy/{self.key}/{upstream}/calls/{key}{path}"

    def begin_call(self, key: str, play: Play | None = None, **more: Any) -> OutgoingCall:
        if play is not None:
            self.upstream.plan(key, play)
        return OutgoingCall(
            self.ports["proxy"], self.path(key, more.pop("upstream", UPSTREAM)), **more
        )

    def make_call(
        self, name: str, expected: Expected | None = None, play: Play | None = None, **more: Any
    ) -> Heard:
        """From its beginning to its end; what the caller has is compared later."""
        key = self.calls.enter(name, expected or Expected())
        heard = self.begin_call(key, play, **more).read_all()
        self.calls.heard[key] = heard.body
        return heard

    def ask_proxy(self, path: str, **headers: str) -> Heard:
        return OutgoingCall(self.ports["proxy"], path, b"", headers, "GET").read_all()

    # -- the proxy's own account --------------------------------------------------------------

    def balance(self) -> dict[str, int]:
        """Return the counts of the proxy's life since it was started last."""
        told = self.ask_proxy("/metrics", Authorization=f"Bearer {self.metrics_key}")
        assert told.status == 200, told
        return {name: int(count) for name, count in COUNT.findall(told.body.decode())}

    def is_settled(self) -> bool:
        counts = self.balance()
        return not counts["open"] and not counts["spooled"]

    def wait_until_spooled(self, count: int) -> None:
        wait_until(lambda: self.balance()["spooled"] >= count, f"{count} calls are spooled")

    # -- processes ----------------------------------------------------------------------------

    def recorder(self) -> int:
        return wait_for(self._recorders, "a recorder runs")[0]

    def _recorders(self) -> list[int]:
        children = children_of(self.leader("proxy"))
        return [each for each in children if b"inspector.proxy.recorder" in command_of(each)]

    def kill_recorder(self) -> None:
        """Another one runs when this returns."""
        process = self.recorder()
        os.kill(process, signal.SIGKILL)
        wait_until(lambda: process not in self._recorders(), "it is gone")
        wait_until(self._recorders, "there is another one")

    @contextmanager
    def proxy_with(self, *flags: str, **more: str) -> Iterator[None]:
        """With other limits for a while; ``more`` goes into its environment."""
        self._start_again((*ALLOWED, *flags), more)
        try:
            yield
        finally:
            wait_until(self.is_settled, "calls are recorded before its limits change back")
            self._start_again(ALLOWED, {})

    def _start_again(self, flags: tuple[str, ...], more: dict[str, str]) -> None:
        self.ask_to_end("proxy")
        self.proxy_flags = flags
        # A variable, even one that says nothing, makes it a program with another command.
        self.release("proxy", **{"FAULTS_PROXY": "again", **more})
        self.wait_until_proxy_is_ready()

    def sockets(self) -> int:
        """Return the number of sockets of the proxy's own process."""
        return sum(link.startswith("socket:") for link in links(self.leader("proxy")))

    def spool_files(self) -> list[Path]:
        return [
            path
            for path in (self.data / "proxy-spool").rglob("*")
            if path.is_file() and "lock" not in path.name
        ]

    # -- what is stored -----------------------------------------------------------------------

    def captured(self) -> list[Captured]:
        """In the order in which they were committed."""
        rows: list[Any] = self.ask(CAPTURED)
        found = []
        for capture_id, url, *rest in rows:
            match = KEY_IN_PATH.search(str(url))
            if match is not None:
                found.append(Captured(str(capture_id), match[1], *rest))
        return found

    def stored(self, captures: Sequence[Captured]) -> dict[str, Stored]:
        """By the capture's id."""
        if not captures:
            return {}
        rows: list[Any] = self.ask(STORED.format(",".join(f"'{each.id}'" for each in captures)))
        return {str(row[0]): Stored.of(*map(bytes, row[1:])) for row in rows}


def command_of(pid: int) -> bytes:
    """Empty where it is gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def links(pid: int) -> Iterator[str]:
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            yield os.readlink(each)


def resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
