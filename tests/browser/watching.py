"""Rules that every page must keep to, whoever wrote the text on it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from django.conf import settings
from playwright.sync_api import Dialog, Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests import tiers
from tests.people import Person

WIDTHS = (1440, 1024, 390)
"""The narrowest comes last: there a page has another order, and is looked at once more."""

OF_COLOURS = ("color-contrast", "link-in-text-block")
"""The rules of axe that look at colours; of all, they take longest."""

FITS = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"

# What htmx asks for is marked while it is asked for; what draws itself says when it has.
SETTLED = """() => document.readyState === "complete"
    && !document.querySelector(".htmx-request, .htmx-swapping, .htmx-settling")
    && [...document.querySelectorAll("[data-src]")].every((box) =>
        box.closest("[data-drawn]") || box.querySelector(".failed:not([hidden])"))"""


def sign_in(page: Page, person: Person, base_url: str) -> None:
    cookie = person.browser().cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": base_url}]
    )


def look(page: Page, path: str) -> None:
    """Open the page, and come back when nothing on it is still being fetched or drawn."""
    answer = page.goto(path)
    assert answer is not None and answer.status == 200, path
    wait_until_settled(page)


def press_key_of(page: Page, panel: str) -> None:
    """Press the number that the rail has for the panel."""
    key = page.locator(f'.rail a[href="#{panel}"]').get_attribute("data-key")
    assert key is not None
    page.keyboard.press(key)


def wait_until_settled(page: Page) -> None:
    page.wait_for_function(SETTLED)


@contextmanager
def listening(page: Page, **listeners: Callable[[Any], object]) -> Iterator[None]:
    """The tab outlives a test; what listens to it does not."""
    for event, listener in listeners.items():
        page.on(event, listener)  # type: ignore[call-overload]
    try:
        yield
    finally:
        for event, listener in listeners.items():
            page.remove_listener(event, listener)


@contextmanager
def no_windows(page: Page) -> Iterator[None]:
    """Fails where the page opens a dialog or another window."""
    opened: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        opened.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    with listening(page, dialog=dismiss, popup=lambda popup: opened.append(popup.url)):
        yield
    assert opened == []


@contextmanager
def only_own_requests(page: Page, base_url: str) -> Iterator[list[str]]:
    """Fails where anything is asked of another host."""
    asked: list[str] = []
    with listening(page, request=lambda request: asked.append(request.url)):
        yield asked
    host = urlsplit(base_url).netloc
    assert [url for url in asked if urlsplit(url).netloc != host] == []


def assert_accessible(page: Page, **options: object) -> None:
    """By all rules of axe, or by those that its ``options`` leave."""
    # axe is injected past the policy of the page, as an extension of the browser would be.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    asked = {"resultTypes": ["violations"], **options}
    results = AxeResults(page.evaluate("(options) => axe.run(options)", asked))
    assert results.violations_count == 0, results.generate_report()


def assert_accessible_in_light_and_dark(page: Page) -> None:
    """A scheme changes colours alone: by them the second one is judged."""
    page.emulate_media(color_scheme="light")
    assert_accessible(page)
    page.emulate_media(color_scheme="dark")
    assert_accessible(page, runOnly=OF_COLOURS)


def assert_fits(page: Page, *widths: int) -> None:
    """No wider than its window, while that is resized to each of the widths."""
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        # What is drawn follows the window in a later frame.
        try:
            page.wait_for_function(FITS)
        except PlaywrightTimeout:
            pytest.fail(f"{page.url} is wider than a window of {width}")


def assert_accessible_and_fits(page: Page) -> None:
    """At the widest, then smaller and smaller; with --all in both schemes, and once more at the
    narrowest. A width changes no colour.
    """
    page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    if tiers.is_whole:
        assert_accessible_in_light_and_dark(page)
    else:
        assert_accessible(page)
    assert_fits(page, *WIDTHS)
    if tiers.is_whole:
        assert_accessible(page, rules={rule: {"enabled": False} for rule in OF_COLOURS})
