"""The navigation above every page: what is marked in it as the page that is shown is that page."""

from __future__ import annotations

import re

import pytest

from tests.archive.samples import inspected
from tests.people import Person

TEAM = "/t/default/"
PAGES = ("captures/", "usage/", "feedback/", "connect/", "team/")
BELOW_OTHERS = (
    "captures/counts/",
    "captures/bulk/",
    "exports/",
    "redaction/",
    "retention/",
    "shares/",
    "team/audit/",
    "upstreams/",
    "usage/prices/",
    "views/",
)


def marked(person: Person, path: str) -> list[tuple[str, str]]:
    """Addresses and marks of what the navigation marks."""
    answer = person.browser().get(path)
    assert answer.status_code == 200
    header = answer.content.decode().partition("</header>")[0]
    return re.findall(r'<a [^>]*href="([^"]+)"[^>]* aria-current="(\w+)"', header)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_of_the_navigation_is_marked_as_it(owner: Person, path: str) -> None:
    inspected(owner)
    assert marked(owner, TEAM + path) == [(TEAM + path, "page")]


@pytest.mark.parametrize("path", BELOW_OTHERS)
def test_a_page_below_another_marks_that_as_the_place_alone(owner: Person, path: str) -> None:
    inspected(owner)
    [(address, mark)] = marked(owner, TEAM + path)
    assert address in [TEAM + each for each in PAGES]
    assert mark == "true"
