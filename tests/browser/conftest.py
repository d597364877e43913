"""Pages in a real Chromium, served by a live server on loopback."""

import os
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from inspector.operations import chromium

# Playwright keeps an event loop in the main thread, where tests also ask the database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

# Longer than a busy machine needs: nothing waits for it that comes.
BOUND_MILLISECONDS = 30_000
expect.set_options(timeout=BOUND_MILLISECONDS)

QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    path = chromium.find()
    if path is None:
        pytest.skip(f"there is no Chromium: {chromium.HOW_TO_GET_IT}")
    # Chromium refuses to start its sandbox for root, as whom containers and CI run.
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    return {"executable_path": path, "args": [*QUIET, *sandbox]}


@pytest.fixture
def browser_context_args(live_server: Any) -> dict[str, Any]:
    """Makes ``page.goto("/paste/")`` go to the live server."""
    return {"base_url": live_server.url, "viewport": {"width": 1280, "height": 900}}


@pytest.fixture
def page(page: Page) -> Any:
    """The page; an error in its console, a violated policy among them, fails the test."""
    errors: list[str] = []
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_default_timeout(BOUND_MILLISECONDS)
    yield page
    assert errors == []
