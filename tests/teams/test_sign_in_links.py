from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from inspector.teams.models import SignInLink, User
from inspector.teams.sign_in_links import create_link, use_link
from tests.people import Person


def token_of(path: str) -> str:
    return path.removeprefix("/sign-in/").removesuffix("/")


def test_a_link_signs_in_once(owner: Person) -> None:
    token = token_of(create_link(owner.user))
    assert use_link(token) == owner.user
    assert use_link(token) is None


def test_a_link_is_good_for_a_day(owner: Person) -> None:
    token = token_of(create_link(owner.user))
    with time_machine.travel(timezone.now() + timedelta(hours=24, seconds=1)):
        assert use_link(token) is None
    with time_machine.travel(timezone.now() + timedelta(hours=23, minutes=59)):
        assert use_link(token) == owner.user


@pytest.mark.parametrize("token", ["", "x", "\0", "\ud800", "a" * 10_000])
def test_what_is_no_token_signs_nobody_in(owner: Person, token: str) -> None:
    create_link(owner.user)
    assert use_link(token) is None


def test_the_token_stands_in_no_table(owner: Person) -> None:
    token = token_of(create_link(owner.user))
    assert token not in str(SignInLink.objects.values_list())


def test_somebody_who_was_shut_out_is_not_let_in(owner: Person) -> None:
    token = token_of(create_link(owner.user))
    User.objects.filter(pk=owner.user.pk).update(is_active=False)
    assert use_link(token) is None


@pytest.mark.both_stacks
@pytest.mark.django_db(transaction=True)
def test_of_many_who_open_a_link_together_one_gets_in(owner: Person) -> None:
    token = token_of(create_link(owner.user))

    def use(_: int) -> User | None:
        try:
            return use_link(token)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        let_in = [user for user in pool.map(use, range(16)) if user]
    assert let_in == [owner.user]
