"""Finds Chromium for the browser tests, or installs it in CI and containers."""

import os
import shutil

from development import packages

NAMES = ("chromium", "chromium-browser", "google-chrome")
SHELL = "chromium-headless-shell"
"""Debian's name of a Chromium without windows, which draws pages for half the processor."""
HOW_TO_GET_IT = "apt-get install chromium, or set CHROMIUM_PATH to a Chromium or Chrome"


def find() -> str | None:
    """Path from CHROMIUM_PATH, or of an installed Chromium."""
    if chosen := os.environ.get("CHROMIUM_PATH"):
        return chosen
    return next(filter(None, map(shutil.which, NAMES)), None)


def find_shell() -> str | None:
    """Find what draws pages where no extension is loaded: the shell, if there is one."""
    return os.environ.get("CHROMIUM_PATH") or shutil.which(SHELL) or find()


def find_or_install() -> str | None:
    if packages.may_install():
        if find() is None:
            packages.install("chromium")
        if find_shell() == find():
            packages.install(SHELL)
    return find()
