"""Saved views: whose they are, who sees and changes them, and what becomes of them."""

import pytest

from inspector.archive import saved_views
from inspector.archive.models import SavedView
from inspector.archive.saved_views import TooManyViews, ViewEntry, ViewNameTaken
from inspector.teams.models import Membership, Role
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def saved(person: Person, name: str = "Broken", *, is_team: bool = False) -> ViewEntry:
    door = saved_views.for_principal(person.principal)
    found = door.save(name, "verdict=cut-off", "order=cost", is_team=is_team)
    assert isinstance(found, ViewEntry)
    return found


def names(person: Person) -> list[str]:
    return [each.name for each in saved_views.for_principal(person.principal).all()]


def test_a_view_keeps_what_the_list_showed(owner: Person) -> None:
    view = saved(owner)
    assert (view.name, view.query, view.layout) == ("Broken", "verdict=cut-off", "order=cost")
    assert view.address == "verdict=cut-off&order=cost"
    assert not view.problem and not view.is_team and view.made_by == "user olga"
    assert saved_views.for_principal(owner.principal).get(view.id) == view


def test_views_are_ones_own_or_the_teams(owner: Person, teammate: Person, stranger: Person) -> None:
    mine, ours = saved(owner), saved(owner, "Ours", is_team=True)
    assert names(owner) == ["Broken", "Ours"]
    assert names(teammate) == ["Ours"]
    assert names(stranger) == []
    for_teammate = saved_views.for_principal(teammate.principal)
    assert for_teammate.get(mine.id) is for_teammate.rename(mine.id, "x") is None
    assert for_teammate.share(mine.id) is None and not for_teammate.delete(mine.id)
    for_stranger = saved_views.for_principal(stranger.principal)
    for view in (mine, ours):
        assert for_stranger.get(view.id) is for_stranger.rename(view.id, "x") is None
        assert not for_stranger.delete(view.id)
    assert isinstance(for_teammate.rename(ours.id, "All of us"), ViewEntry)
    assert names(owner) == ["Broken", "All of us"]
    assert for_teammate.delete(ours.id)
    assert names(owner) == ["Broken"]


def test_a_key_sees_and_makes_the_teams_alone(owner: Person) -> None:
    saved(owner)
    door = saved_views.for_principal(owner.service)
    assert door.all() == ()
    assert door.save("Mine", "", is_team=False) is None
    made = door.save("Ours", "", is_team=True)
    assert isinstance(made, ViewEntry) and made.made_by.startswith("key ")


def test_who_only_reads_sees_views_and_changes_none(owner: Person, teammate: Person) -> None:
    mine, ours = saved(teammate), saved(owner, "Ours", is_team=True)
    Membership.objects.filter(user=teammate.user).update(role=Role.VIEWER)
    door = saved_views.for_principal(teammate.principal)
    assert names(teammate) == ["Broken", "Ours"]
    assert door.save("Another", "", is_team=False) is door.save("A", "", is_team=True) is None
    for view in (mine, ours):
        assert door.rename(view.id, "x") is door.share(view.id) is None
        assert not door.delete(view.id)


def test_a_view_becomes_the_teams(owner: Person, teammate: Person) -> None:
    shared = saved_views.for_principal(owner.principal).share(saved(owner).id)
    assert isinstance(shared, ViewEntry) and shared.is_team
    assert names(teammate) == ["Broken"]


def test_a_name_is_taken_once_by_each(owner: Person, teammate: Person) -> None:
    mine, theirs = saved(owner), saved(teammate)
    door = saved_views.for_principal(owner.principal)
    assert door.save("Broken", "", is_team=False) == ViewNameTaken()
    assert isinstance(saved_views.for_principal(teammate.principal).share(theirs.id), ViewEntry)
    assert door.share(mine.id) == ViewNameTaken()
    other = saved(owner, "Other")
    assert door.rename(other.id, "Broken") == ViewNameTaken()
    assert names(owner) == ["Broken", "Other", "Broken"]


def test_views_are_bounded(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_views, "MAX_VIEWS", 1)
    saved(owner)
    door = saved_views.for_principal(owner.principal)
    assert door.save("Another", "", is_team=False) == TooManyViews()
    saved(owner, "Ours", is_team=True)
    other = SavedView.objects.get(user=owner.user.pk)
    assert door.share(other.pk) == TooManyViews()


def test_a_query_that_is_understood_no_more_says_so_and_stays(owner: Person) -> None:
    view = saved(owner)
    SavedView.objects.filter(pk=view.id).update(query="was-a-filter=1&verdict=cut-off")
    [found] = saved_views.for_principal(owner.principal).all()
    assert found.problem == "was-a-filter is no filter"
    assert found.query == "was-a-filter=1&verdict=cut-off"


def test_who_leaves_sees_none_and_leaves_the_teams_behind(owner: Person, teammate: Person) -> None:
    saved(teammate)
    saved(teammate, "Ours", is_team=True)
    Membership.objects.filter(user=teammate.user).delete()
    assert names(teammate) == []
    assert names(owner) == ["Ours"]
    teammate.user.delete()
    assert names(owner) == ["Ours"]
    assert SavedView.objects.count() == 1
