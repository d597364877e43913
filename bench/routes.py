"""Routes from a client to a provider: none between, a bare pipe, our proxy, LiteLLM's.

Each is a process group of its own, on a port of the loopback, and ends with the measurement.
"""

import secrets
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from databases import Database
from environments import python_of
from load import HOST
from started_systems import (
    HERE,
    command,
    environment_of,
    environment_of_ours,
    manage,
    ours,
    processes,
    running,
    wait_until_ready,
)
from timestamped_streams import CHUNKS, EVERY_SECONDS, post

from development.servers import free_port
from inspector.operations.up.supervisor import Program

DIRECT, PIPE, OURS, LITELLM = "none", "bare pipe", "ours", "LiteLLM"
PROXY, RECORDER, OTHERS = "proxy", "recorder", "web, worker, sweep"
STREAMS_PER_KEY = 100
"""That a key may have open at once unless its team allows more."""
CPU_OF_PROCESS = 2
"""Beside the process's number in the id of a clock (clock_getcpuclockid(3))."""


@dataclass(frozen=True, slots=True)
class Route:
    name: str
    port: int
    requests: Callable[[int], list[bytes]]
    """For so many clients."""
    root: int
    """The process above all of its processes."""

    def parts(self) -> dict[str, list[int]]:
        """Its processes, by what they do."""
        parts: dict[str, list[int]] = {}
        for process in processes(self.root):
            parts.setdefault(self._part(command(process.id)), []).append(process.id)
        return parts

    def _part(self, line: bytes) -> str:
        if self.name != OURS or b"\0inspector.proxy\0" in line:
            return PROXY
        return RECORDER if b"\0inspector.proxy.recorder\0" in line else OTHERS

    def cpu_seconds(self) -> dict[str, float]:
        return {part: sum(map(cpu_seconds_of, ids)) for part, ids in self.parts().items()}

    def rss_mb(self) -> dict[str, float]:
        sizes = {process.id: process.rss_bytes / 1e6 for process in processes(self.root)}
        return {
            part: sum(sizes.get(each, 0.0) for each in ids) for part, ids in self.parts().items()
        }


def cpu_seconds_of(process: int) -> float:
    """To the nanosecond; /proc tells it in hundredths of a second."""
    try:
        return time.clock_gettime((~process << 3) | CPU_OF_PROCESS)
    except OSError:
        return 0.0


@contextmanager
def provider(
    folder: Path, chunks: int = CHUNKS, every_seconds: float = EVERY_SECONDS
) -> Iterator[Route]:
    """Itself a route: with nothing between."""
    port = free_port()
    pace = ("--chunks", str(chunks), "--every", str(every_seconds))
    line = (sys.executable, str(HERE / "timestamped_streams.py"), str(port), *pace)
    log = folder / "provider.log"
    with running(Program("provider", line, environment_of(), HERE, log)) as root:
        wait_until_ready(port, log)
        yield Route(DIRECT, port, posts("/v1/chat/completions"), root)


def posts(path: str, key: str = "") -> Callable[[int], list[bytes]]:
    return lambda clients: [post(path, key)] * clients


@contextmanager
def pipe(folder: Path, upstream: int) -> Iterator[Route]:
    port = free_port()
    served = f"uvicorn --host {HOST} --port {port} --no-access-log --log-level warning"
    line = (sys.executable, "-m", *served.split(), "pipe:application")
    environment = environment_of(PIPE_UPSTREAM=f"http://{HOST}:{upstream}", PYTHONPATH=str(HERE))
    log = folder / "pipe.log"
    with running(Program(PIPE, line, environment, HERE, log)) as root:
        wait_until_ready(port, log)
        yield Route(PIPE, port, posts("/v1/chat/completions"), root)


@contextmanager
def our_proxy(
    folder: Path, database: Database, redis_url: str | None, upstream: int
) -> Iterator[Route]:
    """With everything else that ``up`` starts: what is captured is inspected meanwhile."""
    port = free_port()
    with ours(folder, database, redis_url, proxy_port=port) as system:
        environment = environment_of_ours(folder, database, redis_url)
        team = ("--team", "default", "--name")
        manage(environment, "add_upstream", *team, "stamped", "--url", f"http://{HOST}:{upstream}")
        key = ("create_api_key", *team, "calls", "--scope", "capture")
        keys: list[str] = []

        def requests(clients: int) -> list[bytes]:
            while len(keys) * STREAMS_PER_KEY <= clients:
                keys.append(manage(environment, *key))
            return [
                post(f"/proxy/{keys[number // STREAMS_PER_KEY]}/stamped/v1/chat/completions")
                for number in range(clients)
            ]

        yield Route(OURS, port, requests, system.root)


LITELLM_CONFIGURATION = """\
model_list:
  - model_name: stamped
    litellm_params:
      model: openai/stamped
      api_base: http://{host}:{upstream}/v1
      api_key: none
"""


@contextmanager
def litellm(folder: Path, upstream: int, peers: Path) -> Iterator[Route]:
    python, port = python_of(peers, HERE / "litellm.lock"), free_port()
    # It does not start with one that is easily guessed.
    key = f"sk-{secrets.token_hex(32)}"
    file = folder / "litellm.yaml"
    file.write_text(LITELLM_CONFIGURATION.format(host=HOST, upstream=upstream))
    options = f"--host {HOST} --port {port} --num_workers 1 --telemetry False --config {file}"
    line = (str(python.with_name("litellm")), *options.split())
    environment = environment_of(
        LITELLM_LOCAL_MODEL_COST_MAP="True", LITELLM_LOG="ERROR", LITELLM_MASTER_KEY=key
    )
    log = folder / "litellm.log"
    with running(Program(LITELLM, line, environment, folder, log)) as root:
        wait_until_ready(port, log, "/health/liveliness")
        yield Route(LITELLM, port, posts("/v1/chat/completions", key), root)
