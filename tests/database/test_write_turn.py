"""Inspection gives way to what comes in, and goes on where that never ends."""

from types import SimpleNamespace

import pytest

from inspector.database import write_turn

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

ALL_STEPS = 50


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch, tmp_path) -> list[float]:
    """The pauses of whoever gives way, none of which passes any time."""
    taken: list[float] = []
    monkeypatch.setattr(write_turn, "time", SimpleNamespace(sleep=taken.append))
    monkeypatch.setitem(write_turn.connection.settings_dict, "NAME", tmp_path / "a.sqlite3")
    return taken


def test_nobody_waits_where_nothing_comes_in(steps: list[float]) -> None:
    write_turn.give_way()
    assert steps == []


def test_inspection_gives_way_until_what_came_is_stored(
    steps: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    intake = write_turn.intake_first()
    intake.__enter__()

    def store_at_the_third(seconds: float) -> None:
        steps.append(seconds)
        if len(steps) == 3:
            intake.__exit__(None, None, None)

    monkeypatch.setattr(write_turn, "time", SimpleNamespace(sleep=store_at_the_third))
    write_turn.give_way()
    assert len(steps) == 3


def test_inspection_goes_on_while_posts_never_end(steps: list[float]) -> None:
    with write_turn.intake_first(), write_turn.intake_first():
        write_turn.give_way()
    assert len(steps) == ALL_STEPS


def test_of_those_who_come_in_none_waits_for_another(steps: list[float]) -> None:
    with write_turn.intake_first(), write_turn.intake_first():
        pass
    assert steps == []
