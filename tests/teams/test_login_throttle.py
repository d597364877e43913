from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from inspector.teams import login_throttle
from inspector.teams.login_throttle import (
    PER_ADDRESS,
    PER_BROWSER,
    PER_NAME,
    count_attempt,
    forgive_attempts,
    login_attempt,
)
from inspector.teams.models import Tries

HERE, THERE = "192.0.2.1", "198.51.100.1"


def tried(number: int, name: str = "olga", address: str = HERE, browser: str | None = None) -> None:
    for _ in range(number):
        assert count_attempt(login_attempt(name, address, browser)) is None


def test_a_name_is_tried_so_often_and_no_more(db: None) -> None:
    tried(PER_NAME)
    for address in (HERE, THERE):
        wait = count_attempt(login_attempt("olga", address))
        assert wait is not None and 0 < wait <= 901
    assert count_attempt(login_attempt("OLGA ", HERE)) is not None
    assert count_attempt(login_attempt("theo", HERE)) is None


def test_an_address_is_not_helped_by_many_names(db: None) -> None:
    for number in range(PER_ADDRESS):
        tried(1, f"name{number}")
    assert count_attempt(login_attempt("another", HERE)) is not None
    assert count_attempt(login_attempt("another", THERE)) is None


def test_a_browser_that_came_in_before_is_not_shut_out_by_others(db: None) -> None:
    tried(PER_NAME)
    tried(PER_BROWSER, browser="her own")
    assert count_attempt(login_attempt("olga", HERE, "her own")) is not None
    assert count_attempt(login_attempt("olga", HERE, "her other")) is None


def test_a_wait_ends_and_asking_meanwhile_does_not_lengthen_it(db: None) -> None:
    tried(PER_NAME)
    start = timezone.now()
    with time_machine.travel(start + timedelta(minutes=14)):
        assert count_attempt(login_attempt("olga", HERE)) is not None
    with time_machine.travel(start + timedelta(minutes=15, seconds=1)):
        assert count_attempt(login_attempt("olga", HERE)) is None


def test_a_right_password_forgives_the_name_but_not_the_address(db: None) -> None:
    who = login_attempt("olga", HERE)
    tried(PER_NAME - 1)
    assert count_attempt(who) is None
    forgive_attempts(who)
    tried(PER_NAME)
    counts = Tries.objects.get(slot=who.shared.slot).count  # type: ignore[union-attr]
    assert counts == 2 * PER_NAME - 1


def test_the_table_does_not_grow_with_names(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login_throttle, "SLOTS", 4)
    for number in range(40):
        count_attempt(login_attempt(f"name{number}", f"192.0.2.{number}"))
    assert Tries.objects.count() <= 8


@pytest.mark.parametrize("name", ["", "\0", "\ud800", "ä" * 100_000])
def test_any_name_can_be_counted(db: None, name: str) -> None:
    assert count_attempt(login_attempt(name, HERE)) is None


@pytest.mark.thorough
@pytest.mark.both_stacks
@pytest.mark.django_db(transaction=True)
def test_tries_at_once_are_counted_too() -> None:
    def one(_: int) -> bool:
        try:
            return count_attempt(login_attempt("olga", HERE)) is None
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(30))).count(True) == PER_NAME
