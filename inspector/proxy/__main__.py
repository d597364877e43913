"""The proxy's process: ``python -m inspector.proxy``. Django is not loaded here."""

import argparse
import asyncio
import os
import resource
import shlex
import socket
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from ipaddress import ip_network

import uvloop

from inspector.loading import loading
from inspector.logs.line_format import line_of
from inspector.proxy import process_log
from inspector.proxy.balance import Balance
from inspector.proxy.grants import Grants
from inspector.proxy.limits import ProxyLimits
from inspector.proxy.recorder_link import RecorderLink
from inspector.proxy.tee import Tee
from inspector.web.public_address import Network

RECORDER = (sys.executable, "-m", "inspector.proxy.recorder")
MAX_OPEN_FILES = 65_536
"""Two for each call; asked for where the system has no limit of its own."""
METRICS_KEY = "INSPECTOR_METRICS_KEY"
"""In the environment, for a command line is there for all to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyOptions:
    limits: ProxyLimits
    networks: tuple[Network, ...]
    recorder: Sequence[str]
    metrics_key: str | None


def main(arguments: Sequence[str] | None = None) -> None:
    parsed = _parser().parse_args(arguments)
    process_log.configure()
    options = ProxyOptions(
        limits=ProxyLimits(
            **{each.name: getattr(parsed, each.name) for each in fields(ProxyLimits)}
        ),
        networks=parsed.networks,
        recorder=parsed.recorder_command,
        metrics_key=os.environ.get(METRICS_KEY),
    )
    _allow_many_files()
    listener = _listen(parsed.host, parsed.port, parsed.fd)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(listener, options))


async def serve(listener: socket.socket, options: ProxyOptions) -> None:
    """Serve until a signal ends it."""
    balance = Balance()
    tee = Tee(options.limits, balance)
    grants = Grants(lambda lookup: link.ask(lookup), time.monotonic, options.limits.lookup_seconds)
    link = RecorderLink(options.recorder, tee, balance, grants.answer, grants.ask_again)
    link.start()
    # By then its process is made: it imports what it needs while this one does.
    await asyncio.sleep(0)
    with loading():
        from prometheus_client import generate_latest

        from inspector.proxy.app import ProxyApp
        from inspector.proxy.call_figures import CallFigures
        from inspector.proxy.metrics import StateMetrics
        from inspector.proxy.open_calls import OpenCalls
        from inspector.proxy.server import DrainingServer
        from inspector.proxy.status_pages import StatusPages
        from inspector.proxy.upstream_connector import Upstreams

    calls = OpenCalls()
    upstreams = Upstreams(options.limits, options.networks)
    figures = CallFigures()
    figures.registry.register(StateMetrics(balance, tee, calls, link))
    pages = StatusPages(
        is_ready=lambda: link.is_recording,
        metrics=lambda: generate_latest(figures.registry),
        metrics_key=options.metrics_key,
    )

    async def drain() -> None:
        await calls.end(options.limits.drain_seconds)
        await link.stop(options.limits.recorder_seconds)
        await upstreams.close()

    app = ProxyApp(options.limits, grants, tee, upstreams, calls, pages, figures)
    # Said once the server waits, which is when it heeds signals.
    asyncio.get_running_loop().call_soon(_announce, listener)
    await DrainingServer(app, drain).serve(sockets=[listener])


def _allow_many_files() -> None:
    """Raise the limit of open files. A call takes two, and a usual limit is 1024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_OPEN_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))


def _listen(host: str, port: int, fd: int | None) -> socket.socket:
    if fd is not None:
        return socket.socket(fileno=fd)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family)


def _announce(listener: socket.socket) -> None:
    """One line for whoever started the process: with port 0 only it knows where it listens."""
    host, port = listener.getsockname()[:2]
    print(line_of(process_log.PROGRAM, "info", "listening", host=host, port=port), flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m inspector.proxy", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8001)
    parser.add_argument("--fd", type=int, help="a socket that listens already")
    parser.add_argument("--networks", type=_networks, default=(), help="that upstreams may be in")
    parser.add_argument("--recorder-command", type=shlex.split, default=RECORDER)
    for each in fields(ProxyLimits):
        kind = type(each.default)
        parser.add_argument(f"--{each.name.replace('_', '-')}", type=kind, default=each.default)
    return parser


def _networks(text: str) -> tuple[Network, ...]:
    return tuple(ip_network(each.strip()) for each in text.split(",") if each.strip())


if __name__ == "__main__":
    main()
