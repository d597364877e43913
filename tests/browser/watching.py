"""What every page must keep to, whoever wrote the text on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.people import Person


def sign_in(page: Page, person: Person, base_url: str) -> None:
    cookie = person.browser().cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": base_url}])


@contextmanager
def only_own_requests(page: Page, base_url: str) -> Iterator[list[str]]:
    """Fails where anything is asked of another host."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    yield asked
    host = urlsplit(base_url).netloc
    assert [url for url in asked if urlsplit(url).netloc != host] == []


def assert_accessible(page: Page) -> None:
    # axe is injected past the policy of the page, as an extension of the browser would be.
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
