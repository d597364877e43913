"""An installation of its own, and a Chromium that has signed in to it."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from databases import Database
from playwright.sync_api import Browser, sync_playwright
from started_systems import key_in, ours

from development import chromium

FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")


@dataclass(frozen=True, slots=True)
class Browsing:
    """``key`` sends captures to ``port``; ``state`` is what a browser keeps that has signed in."""

    browser: Browser
    state: Any
    port: int
    key: str

    def url(self, capture_id: str) -> str:
        return f"http://127.0.0.1:{self.port}/captures/{capture_id}/"


@contextmanager
def browsing() -> Iterator[Browsing]:
    path = chromium.find()
    if path is None:
        raise SystemExit(f"there is no Chromium: {chromium.HOW_TO_GET_IT}")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        data = Path(folder)
        with ours(data, Database(str(data / "inspector.sqlite3")), None) as system:
            link = re.search(r"http\S+/sign-in/\S+", (data / "up.log").read_text())
            assert link is not None, "up tells a link to sign in"
            browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
            yield Browsing(browser, signed_in(browser, link[0]), system.port, key_in(data))
            browser.close()


def signed_in(browser: Browser, link: str) -> Any:
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.locator("main button").click()
    page.wait_for_url(re.compile("/captures/"))
    state = context.storage_state()
    context.close()
    return state
