"""Installs Debian packages, in CI and containers only."""

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CONTAINER_MARKS = (Path("/.dockerenv"), Path("/run/.containerenv"))
NO_SERVICES = Path("/usr/sbin/policy-rc.d")
"""Debian packages ask this program whether to start their service; exit code 101 means no."""

_ONE_AT_A_TIME = threading.Lock()


def is_disposable() -> bool:
    # Packages are installed unasked only in CI and containers, never on somebody's own machine.
    return os.environ.get("CI") == "true" or any(mark.exists() for mark in CONTAINER_MARKS)


def may_install() -> bool:
    return is_disposable() and os.geteuid() == 0 and shutil.which("apt-get") is not None


def install(*names: str) -> None:
    with _ONE_AT_A_TIME, _without_services():
        print(f"Installing {' and '.join(names)} for the tests.", flush=True)
        for command in (
            ["apt-get", "update", "-qq"],
            ["apt-get", "install", "-qq", "-y", "--no-install-recommends", *names],
        ):
            _run(command)


def _run(command: list[str]) -> None:
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{' '.join(command)} failed: {done.stderr.strip()[-500:]}", flush=True)


@contextmanager
def _without_services() -> Iterator[None]:
    # Only the programs are needed, not services on their usual ports.
    if NO_SERVICES.exists():
        yield
        return
    NO_SERVICES.write_text("#!/bin/sh\nexit 101\n")
    NO_SERVICES.chmod(0o755)
    try:
        yield
    finally:
        NO_SERVICES.unlink()
