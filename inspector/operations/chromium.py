"""Finds the Chromium that pages are tested in, and fetches one where nobody else would."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
CONTAINER_MARKS = (Path("/.dockerenv"), Path("/run/.containerenv"))
HOW_TO_GET_IT = "apt-get install chromium, or set CHROMIUM_PATH to a Chromium or Chrome"


def find() -> str | None:
    """The path in CHROMIUM_PATH, else one that is installed."""
    if chosen := os.environ.get("CHROMIUM_PATH"):
        return chosen
    return next(filter(None, map(shutil.which, NAMES)), None)


def find_or_install() -> str | None:
    """Only CI and a container are changed unasked: somebody's own machine is not ours."""
    found = find()
    if found is None and may_install():
        install()
        found = find()
    return found


def may_install() -> bool:
    disposable = os.environ.get("CI") == "true" or any(mark.exists() for mark in CONTAINER_MARKS)
    return disposable and os.geteuid() == 0 and shutil.which("apt-get") is not None


def install() -> None:
    print("Installing Chromium for the tests of pages.", flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-qq", "-y", "--no-install-recommends", "chromium"],
    ):
        done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{' '.join(command)} failed: {done.stderr.strip()[-500:]}", flush=True)
