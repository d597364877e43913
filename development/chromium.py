"""Finds Chromium for the browser tests, or installs it in CI and containers."""

import os
import shutil

from development import packages

NAMES = ("chromium", "chromium-browser", "google-chrome")
HOW_TO_GET_IT = "apt-get install chromium, or set CHROMIUM_PATH to a Chromium or Chrome"


def find() -> str | None:
    """Path from CHROMIUM_PATH, or of an installed Chromium."""
    if chosen := os.environ.get("CHROMIUM_PATH"):
        return chosen
    return next(filter(None, map(shutil.which, NAMES)), None)


def find_or_install() -> str | None:
    found = find()
    if found is None and packages.may_install():
        packages.install("chromium")
        found = find()
    return found
