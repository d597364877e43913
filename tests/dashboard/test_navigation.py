"""The navigation above every page: what is marked in it as the page that is shown is that page."""

import re

import pytest
from django.test import Client

from tests.archive.samples import inspected
from tests.people import Person

TEAM = "/t/default/"
SETTINGS = (
    "team/",
    "usage/prices/",
    "upstreams/",
    "shares/",
    "retention/",
    "redaction/",
    "team/audit/",
    "status/",
)
PAGES = ("captures/", "sessions/", "usage/", "feedback/", "connect/", *SETTINGS)
BELOW_OTHERS = ("captures/counts/", "captures/bulk/", "exports/", "views/", "shares/new/")


LINK = re.compile(r'<a [^>]*href="([^"]+)"[^>]*>([^<]+)</a>')


def marked(person: Person, path: str) -> list[tuple[str, str]]:
    """Addresses and marks of what the navigation marks, each once."""
    answer = person.browser().get(path)
    assert answer.status_code == 200
    header = answer.content.decode().partition("</header>")[0]
    found = re.findall(r'<a [^>]*href="([^"]+)"[^>]* aria-current="(\w+)"', header)
    return list(dict.fromkeys(found))


def part(html: str, start: str, end: str) -> list[tuple[str, str]]:
    """Addresses and names of the links between two texts."""
    return LINK.findall(html.partition(start)[2].partition(end)[0])


def test_the_header_the_menu_and_the_palette_have_the_same_pages(owner: Person) -> None:
    html = owner.browser().get(f"{TEAM}usage/").content.decode()
    header = part(html, 'aria-label="Main">', "</nav>")
    assert [name for _, name in header] == [
        "Archive", "Sessions", "Usage", "Feedback", "Paste", "Connect", "Help",
    ]  # fmt: skip
    assert part(html, 'aria-label="Pages">', "</nav>") == header
    settings = part(html, 'aria-label="Pages">', '<a class="apart"')[len(header) :]
    assert [address for address, _ in settings] == [TEAM + each for each in SETTINGS]
    assert part(html, 'id="palette-go">', "</template>")[: len(header + settings)] == (
        header + settings
    )


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


@pytest.mark.parametrize("path", SETTINGS)
def test_every_page_of_the_settings_lists_them_all_beside_it(owner: Person, path: str) -> None:
    html = owner.browser().get(TEAM + path).content.decode()
    beside = html.partition('<nav class="settings-rail"')[2].partition("</nav>")[0]
    assert re.findall(r'href="([^"]+)"', beside) == [TEAM + each for each in SETTINGS]


def test_the_settings_mark_one_page_also_where_a_form_was_answered(owner: Person) -> None:
    browser = owner.browser()
    made = browser.post(f"{TEAM}team/keys/", {"name": "one", "scopes": ["capture"]})
    for answer, here in ((made, "team/"), (browser.get(f"{TEAM}team/audit/"), "team/audit/")):
        beside = answer.content.decode().partition('<nav class="settings-rail"')[2]
        beside = beside.partition("</nav>")[0]
        assert re.findall(r'href="([^"]+)" aria-current', beside) == [TEAM + here]


def test_what_a_member_may_not_see_is_not_in_the_menu(teammate: Person) -> None:
    html = teammate.browser().get(f"{TEAM}team/").content.decode()
    assert f'href="{TEAM}retention/"' in html
    assert f'href="{TEAM}team/audit/"' not in html


def test_an_address_that_leads_nowhere_keeps_the_way_to_the_team_of_who_is_signed_in(
    owner: Person, stranger: Person, client: Client
) -> None:
    for person, team in ((owner, "default"), (stranger, stranger.team.slug)):
        answer = person.browser().get("/t/default/nothing/")
        assert answer.status_code == 404
        assert f'href="/t/{team}/usage/"' in answer.content.decode()
    assert "/t/" not in client.get("/nothing/").content.decode()
