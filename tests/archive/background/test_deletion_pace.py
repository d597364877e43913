"""How many captures go in one transaction."""

from __future__ import annotations

import pytest

from inspector.archive.background.deletion_pace import (
    FEWEST,
    FIRST,
    MIN_REST_SECONDS,
    MOST,
    TRANSACTION_SECONDS,
    DeletionPace,
)


def after(*transactions: tuple[int, float]) -> DeletionPace:
    pace = DeletionPace()
    for captures, seconds in transactions:
        pace.learn(captures, seconds)
    return pace


def test_it_begins_with_some_and_takes_no_more_than_it_is_allowed() -> None:
    assert after().size() == FIRST
    assert after().size(7) == 7


def test_it_grows_by_no_more_than_twice_what_was_tried() -> None:
    assert after((50, 0.01)).size() == 100
    assert after((50, 0.01), (100, 0.01), (200, 0.01), (400, 0.01)).size() == MOST


def test_it_takes_as_many_as_fit_into_a_transaction() -> None:
    assert after((100, 2 * TRANSACTION_SECONDS)).size() == 50
    assert after((100, 1000 * TRANSACTION_SECONDS)).size() == FEWEST


def test_of_nothing_it_learns_nothing() -> None:
    assert after((100, 2 * TRANSACTION_SECONDS), (0, 5.0)).size() == 50


def test_it_rests_as_long_as_the_transaction_took() -> None:
    assert after((100, 0.4)).rest_seconds == pytest.approx(0.4)
    assert after((1, 0.001)).rest_seconds == MIN_REST_SECONDS


def test_a_transaction_that_fails_teaches_nothing() -> None:
    pace = after((100, 2 * TRANSACTION_SECONDS))
    with pytest.raises(ValueError), pace.transaction(400):
        raise ValueError
    assert pace.size() == 50
