"""Pages in a real Chromium, served by a live server on loopback."""

import os
import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles.finders import get_finder
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    ViewportSize,
    expect,
)

from development import chromium
from inspector.web.page_files import PAGE_FILE, whole
from tests.browser.moments import STATIC
from tests.browser.watching import listening, sign_in
from tests.patience import patient as patient
from tests.people import Person

# Playwright keeps an event loop in the main thread, where tests also ask the database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

# Longer than a busy machine needs: nothing waits for it that comes.
BOUND_MILLISECONDS = 60_000
expect.set_options(timeout=BOUND_MILLISECONDS)

VIEWPORT: ViewportSize = {"width": 1280, "height": 900}

LONG_AGO = 1_000_000_000

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
    path = chromium.find_shell()
    if path is None:
        pytest.skip(f"there is no Chromium: {chromium.HOW_TO_GET_IT}")
    # Chromium refuses to start its sandbox for root, as whom containers and CI run.
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    return {"executable_path": path, "args": [*QUIET, *sandbox]}


@pytest.fixture
def browser_context_args(live_server: Any) -> dict[str, Any]:
    """Return arguments of ``new_context``, for who needs another: without scripts, a visitor's."""
    return {"base_url": live_server.url}


@pytest.fixture(scope="session", autouse=True)
def static_files(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Lay out the static files for the live server as they are collected, each page's as one.

    Chromium keeps what has not changed for years, and compiles it once for all tests.
    """
    folder = tmp_path_factory.mktemp("static") / "files"
    shutil.copytree(STATIC, folder)
    for path in folder.rglob("*.*"):
        name = path.relative_to(folder).as_posix()
        if PAGE_FILE.fullmatch(name):
            path.write_text(whole(name, lambda part: (STATIC / part).read_text()))
        os.utime(path, (LONG_AGO, LONG_AGO))
    settings.STATICFILES_DIRS = [folder]
    get_finder.cache_clear()


@pytest.fixture(scope="session")
def kept_context(browser: Browser, live_server: Any) -> Iterator[BrowserContext]:
    """One for all tests of a process: to open one, with a process of its own, costs Chromium more
    than most pages do. Its base makes ``page.goto("/paste/")`` go to the live server.
    """
    made = browser.new_context(base_url=live_server.url, viewport=VIEWPORT)
    made.set_default_timeout(BOUND_MILLISECONDS)
    yield made
    made.close()


# htmx calls it an error that a request gave way to a later one (``hx-sync``). One that failed says
# ``htmx:sendError`` or ``htmx:timeout`` besides.
OF_AN_ABORT = re.compile(r"htmx:(afterRequest|sendAbort)\b")


@pytest.fixture
def page(kept_context: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The one tab, as good as new; an error in its console, a violated policy among them, fails
    the test.

    What a test listens to it ends itself, see ``watching.listening``.
    """
    page = next(iter(kept_context.pages), None) or kept_context.new_page()
    failed_before = request.session.testsfailed
    errors: list[str] = []

    def note(line: ConsoleMessage) -> None:
        if line.type == "error" and not OF_AN_ABORT.match(line.text):
            errors.append(line.text)

    with listening(page, console=note, pageerror=lambda error: errors.append(str(error))):
        yield page
    # What a test that failed has left, a key that is down for instance, goes with its tab.
    is_kept = request.session.testsfailed == failed_before
    for each in kept_context.pages:
        if each is page and is_kept:
            clear(page)
        else:
            each.close()
    kept_context.clear_cookies()
    kept_context.clear_permissions()
    assert errors == []


def clear(page: Page) -> None:
    """Also ends what the page still asks for, before the database is emptied."""
    # What the browser keeps for the page, as which columns are shown, is that test's own.
    page.evaluate("() => { if (location.host) localStorage.clear(); }")
    page.goto("about:blank")
    page.unroute_all()
    page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    page.set_viewport_size(VIEWPORT)
    page.mouse.move(0, 0)


@pytest.fixture
def owner_page(page: Page, owner: Person, live_server: Any) -> Page:
    """The tab of an owner who is signed in."""
    sign_in(page, owner, live_server.url)
    return page
