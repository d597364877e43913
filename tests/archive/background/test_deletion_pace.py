"""How many captures go in one transaction."""

import pytest

from inspector.archive.background import deletion_pace
from inspector.archive.background.deletion_pace import (
    MIN_REST_SECONDS,
    MOST,
    ONE_WRITER,
    ROW_LOCKS,
    DeletionPace,
    PaceBounds,
)


@pytest.fixture(params=[ONE_WRITER, ROW_LOCKS], ids=["one writer", "row locks"])
def bounds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> PaceBounds:
    monkeypatch.setattr(deletion_pace, "has_one_writer", lambda: request.param is ONE_WRITER)
    chosen: PaceBounds = request.param
    return chosen


def after(*transactions: tuple[int, float]) -> DeletionPace:
    pace = DeletionPace()
    for captures, seconds in transactions:
        pace.learn(captures, seconds)
    return pace


def test_it_begins_with_some_and_takes_no_more_than_it_is_allowed(bounds: PaceBounds) -> None:
    assert after().size() == bounds.first
    assert after().size(7) == 7


def test_it_grows_by_no_more_than_twice_what_was_tried(bounds: PaceBounds) -> None:
    quick = bounds.transaction_seconds / 100
    assert after((50, quick)).size() == 100
    assert after((50, quick), (100, quick), (200, quick), (400, quick)).size() == MOST


def test_it_takes_as_many_as_fit_into_a_transaction(bounds: PaceBounds) -> None:
    assert after((100, 2 * bounds.transaction_seconds)).size() == 50
    assert after((100, 1000 * bounds.transaction_seconds)).size() == bounds.fewest


def test_of_nothing_it_learns_nothing(bounds: PaceBounds) -> None:
    assert after((100, 2 * bounds.transaction_seconds), (0, 5.0)).size() == 50


def test_it_rests_for_a_share_of_what_the_transaction_took(bounds: PaceBounds) -> None:
    assert after((100, 0.4)).rest_seconds == pytest.approx(0.4 * bounds.rest_share)
    assert after((1, 0.001)).rest_seconds == MIN_REST_SECONDS


def test_where_writers_wait_for_each_other_most_of_the_time_is_theirs() -> None:
    assert ONE_WRITER.rest_share > 1 > ROW_LOCKS.rest_share


def test_a_transaction_that_fails_teaches_nothing(bounds: PaceBounds) -> None:
    pace = after((100, 2 * bounds.transaction_seconds))
    with pytest.raises(ValueError), pace.transaction(400):
        raise ValueError
    assert pace.size() == 50
