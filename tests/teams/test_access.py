from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from inspector.teams.access import INGEST, NOBODY, READ, for_key, for_team, for_user
from inspector.teams.keys import create_api_key, revoke
from inspector.teams.models import ApiKey, Membership, Role, User
from inspector.teams.session_backend import SessionBackend
from tests.people import Person, make_person


def test_owner_and_teammate_are_in_the_same_team_and_the_stranger_is_not(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    slugs = [[team.slug for team in p.principal.teams] for p in (owner, teammate, stranger)]
    assert slugs == [["default"], ["default"], ["elsewhere"]]


def test_a_key_opens_its_own_team_with_its_own_scopes(owner: Person) -> None:
    principal = for_key(create_api_key(owner.team, "reader", [READ]))
    assert principal is not None
    assert principal.team_ids(READ) == [owner.team.pk]
    assert principal.team_ids(INGEST) == []
    assert principal.user_id is None


def test_a_revoked_key_opens_nothing_from_that_moment_on(owner: Person) -> None:
    assert for_key(owner.key) is not None
    revoke(ApiKey.objects.get(pk=owner.service.key_id))
    assert for_key(owner.key) is None


def test_a_key_that_begins_like_a_real_one_opens_nothing(owner: Person) -> None:
    for key in (owner.key[:20], owner.key + "x", owner.key[:20] + "A" * 26, owner.key.upper()):
        assert for_key(key) is None


@pytest.mark.parametrize("key", ["", " ", "\0", "\ud800", "' OR 1=1--", "ä" * 100])
def test_what_is_no_key_opens_nothing(owner: Person, key: str) -> None:
    assert for_key(key) is None


def test_a_viewer_may_read_and_not_send(db: None) -> None:
    viewer = make_person("vera", "default", Role.VIEWER)
    assert viewer.principal.may(READ)
    assert not viewer.principal.may(INGEST)


def test_the_use_of_a_key_is_noted_at_most_once_a_minute(owner: Person) -> None:
    start = datetime(2026, 3, 1, 12, tzinfo=UTC)
    seen = []
    for seconds in (0, 30, 61):
        with time_machine.travel(start + timedelta(seconds=seconds), tick=False):
            for_key(owner.key)
        seen.append(ApiKey.objects.get(team=owner.team).last_used_at)
    assert seen == [start, start, start + timedelta(seconds=61)]


def test_somebody_who_was_shut_out_is_nobody(owner: Person) -> None:
    owner.user.is_active = False
    assert for_user(owner.user) == NOBODY
    assert not NOBODY.may(READ)


def test_leaving_a_team_ends_the_access_to_it(owner: Person) -> None:
    Membership.objects.filter(user=owner.user).delete()
    assert owner.principal.team_ids(READ) == []


def test_one_team_of_several_can_be_asked_for_by_its_name(owner: Person, stranger: Person) -> None:
    Membership.objects.create(user=owner.user, team=stranger.team, role=Role.VIEWER)
    principal = owner.principal
    assert [team.slug for team in principal.teams] == ["default", "elsewhere"]
    within = principal.within("elsewhere")
    assert within is not None
    assert within.team_ids(READ) == [stranger.team.pk]
    assert within.team_ids(INGEST) == []
    assert principal.within("nowhere") is None
    assert stranger.principal.within("default") is None


def test_a_command_acts_in_one_team_as_its_owner(owner: Person) -> None:
    principal = for_team("default")
    assert principal is not None
    assert principal.team_ids(INGEST) == [owner.team.pk]
    assert for_team("nowhere") is None


def test_a_session_is_one_statement(owner: Person, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        user = SessionBackend().get_user(owner.user.pk)
        assert user is not None and user == owner.user
        assert for_user(user).team("default") is not None


def test_a_session_of_whoever_is_in_no_team_is_theirs_and_opens_nothing(owner: Person) -> None:
    Membership.objects.filter(user=owner.user).delete()
    user = SessionBackend().get_user(owner.user.pk)
    assert user is not None and user == owner.user
    assert for_user(user).teams == ()


def test_a_session_of_whoever_was_shut_out_or_never_was_is_nobodys(owner: Person) -> None:
    User.objects.filter(pk=owner.user.pk).update(is_active=False)
    assert SessionBackend().get_user(owner.user.pk) is None
    assert SessionBackend().get_user(0) is None


def test_the_next_request_of_a_session_knows_that_a_team_was_left(owner: Person) -> None:
    browser = owner.browser()
    assert browser.get("/t/default/captures/").status_code == 200
    Membership.objects.filter(user=owner.user).delete()
    assert browser.get("/t/default/captures/").status_code == 404
