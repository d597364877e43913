"""Saved views on pages: tabs above the list, saving from it, and the page that manages them."""

import re
from typing import Any

import pytest

from inspector.archive import saved_views
from inspector.archive.listing import facet_counts
from inspector.archive.models import SavedView
from inspector.archive.saved_views import ViewEntry
from inspector.dashboard.archive import view_tabs
from inspector.teams.models import Membership, Role
from tests.archive.samples import CUT, inspected
from tests.markup import words
from tests.people import Person

ARCHIVE = "/t/default/captures/"
VIEWS = "/t/default/views/"


def tabs(person: Person, query: str = "") -> str:
    """Less those that every archive has."""
    shown = words(person.browser().get(f"{VIEWS}tabs/{query}").content.decode())
    return re.sub(r"(\d) Needs a look.*?Slow(?: \d\+?)?", r"\1", shown)


def current(person: Person, query: str) -> list[str]:
    html = person.browser().get(ARCHIVE + query).content.decode()
    found = re.findall(r'aria-current="true"[^>]*>(.*?)</a>', html, re.S)
    return [words(each) for each in found]


def save(person: Person, query: str, name: str, **form: str) -> Any:
    return person.browser().post(f"{VIEWS}save/{query}", {"name": name, **form})


def test_every_archive_has_tabs_for_what_needs_a_look(owner: Person) -> None:
    inspected(owner)
    inspected(owner, CUT)
    shown = words(owner.browser().get(f"{VIEWS}tabs/").content.decode())
    assert shown == "All 2 Needs a look 1 Truncated 1 Errors 0 Slow 0"
    assert current(owner, "?q=result:truncated") == ["Truncated"]


def test_a_list_is_saved_and_is_a_tab_from_then_on(owner: Person, teammate: Person) -> None:
    inspected(owner)
    inspected(owner, CUT)
    assert current(owner, "?verdict=cut-off") == ["Unsaved search"]
    answer = save(owner, "?verdict=cut-off&before=x&tail=1", "Cut off")
    assert (answer.status_code, answer["Location"]) == (302, f"{ARCHIVE}?q=verdict:cut-off")
    assert current(owner, "?verdict=cut-off") == ["Cut off"]
    assert tabs(owner, "?verdict=cut-off") == "All 2 Mine Cut off 1"
    assert tabs(teammate) == "All 2"
    assert current(owner, "") == ["All"]


def test_the_teams_views_are_in_a_group_of_their_own(owner: Person, teammate: Person) -> None:
    inspected(owner)
    save(owner, "?verdict=complete", "Complete", **{"for": "team"})
    assert tabs(teammate, "?q=x") == "All 1 Unsaved search 0 Team Complete 1"


def test_the_order_of_filters_decides_nothing(owner: Person) -> None:
    inspected(owner)
    save(owner, "?verdict=complete&model=gpt-4o", "Complete")
    assert current(owner, "?model=gpt-4o&verdict=complete") == ["Complete"]


def test_more_than_are_counted_are_a_lower_bound(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.archive.queries.COUNTED_ROWS", 1)
    assert facet_counts.COUNTED_ROWS == 10_000
    inspected(owner)
    inspected(owner)
    assert tabs(owner, "?verdict=complete") == "All 2 Unsaved search 1+"


def test_views_beyond_the_time_for_counting_have_no_number(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspected(owner)
    save(owner, "?verdict=complete", "Complete")
    monkeypatch.setattr(view_tabs, "COUNTING_MS", 0)
    assert tabs(owner) == "All 1 Mine Complete"


def test_a_view_that_is_understood_no_more_says_so_and_stays(owner: Person) -> None:
    inspected(owner)
    save(owner, "?verdict=complete", "Old")
    SavedView.objects.update(query="gone=1")
    assert tabs(owner) == "All 1 Mine Old not understood"
    page = words(owner.browser().get(VIEWS).content.decode())
    assert "gone=1 Not understood any more: gone is no filter" in page


def test_views_are_renamed_shared_and_deleted(owner: Person, teammate: Person) -> None:
    save(owner, "?verdict=complete", "Complete")
    view = SavedView.objects.get().pk
    browser = owner.browser()
    for act, form in (("rename", {"name": "Done"}), ("share", {})):
        answer = browser.post(f"{VIEWS}{view}/{act}/", form)
        assert (answer.status_code, answer["Location"]) == (302, VIEWS)
    assert "Done" in words(teammate.browser().get(VIEWS).content.decode())
    assert teammate.browser().post(f"{VIEWS}{view}/delete/").status_code == 302
    assert not SavedView.objects.exists()


def test_nobody_else_changes_mine(owner: Person, teammate: Person) -> None:
    mine = saved_views.for_principal(owner.principal).save("Mine", "", is_team=False)
    assert isinstance(mine, ViewEntry)
    for act in ("rename", "share", "delete"):
        path = f"{VIEWS}{mine.id}/{act}/"
        assert teammate.browser().post(path, {"name": "x"}).status_code == 404
    assert "Mine Name" not in words(teammate.browser().get(VIEWS).content.decode())
    assert [each.name for each in saved_views.for_principal(owner.principal).all()] == ["Mine"]


def test_viewers_open_views_and_change_none(owner: Person, teammate: Person) -> None:
    save(owner, "?verdict=complete", "Ours", **{"for": "team"})
    Membership.objects.filter(user=teammate.user).update(role=Role.VIEWER)
    html = teammate.browser().get(VIEWS).content.decode()
    assert "Ours" in html and "Rename" not in html
    assert save(teammate, "", "Mine").status_code == 403


@pytest.mark.parametrize(
    ("name", "status", "why"),
    [
        (" ", 422, "A view needs a name."),
        ("x" * 61, 422, "A view needs a name."),
        ("Taken", 409, "There is a view of this name already."),
    ],
)
def test_what_cannot_be_saved_says_why(owner: Person, name: str, status: int, why: str) -> None:
    save(owner, "", "Taken")
    answer = save(owner, "?verdict=complete", name)
    assert answer.status_code == status and why in words(answer.content.decode())
    assert SavedView.objects.count() == 1


def test_a_query_that_is_too_long_is_not_saved(owner: Person) -> None:
    query = "&".join(f"tag={n:0480d}" for n in range(18))
    assert "too long" in words(save(owner, f"?{query}", "Long").content.decode())


def test_views_are_bounded(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_views, "MAX_VIEWS", 0)
    assert "delete one first" in words(save(owner, "", "One more").content.decode())


def test_the_query_of_a_view_is_shown_as_it_is_written(owner: Person) -> None:
    save(owner, "?q=errors%3E0+%22no+answer%22&sort=-cost", "Broken")
    save(owner, "?tag=%3Cb%3E", "Tagged")
    save(owner, "", "All of it")
    shown = words(owner.browser().get(VIEWS).content.decode())
    assert 'Broken errors>0 "no answer" sort -cost olga' in shown
    assert 'Tagged tag:"<b>" olga' in shown
    assert "All of it all captures olga" in shown


def test_a_view_that_is_not_understood_any_more_shows_what_was_saved(owner: Person) -> None:
    save(owner, "?q=errors%3E0", "Broken")
    SavedView.objects.update(query="verdict=was-one%3E0")
    shown = words(owner.browser().get(VIEWS).content.decode())
    assert "Broken verdict=was-one>0 Not understood any more" in shown
