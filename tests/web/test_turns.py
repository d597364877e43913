"""Few work at a time, and whoever waits for a client lends its turn."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Event, Thread
from typing import Any

from inspector.web import turns
from inspector.web.turns import Turns

BOUND_SECONDS = 30


class Asked:
    """Requests that say when they are worked on, and end when they are let."""

    def __init__(self, most: int) -> None:
        self.begun = {name: Event() for name in "ab"}
        self.may_end = {name: Event() for name in "ab"}
        self._application = Turns(self._answer, most)

    def ask(self, name: str, *, lends: bool = False, path: str = "/") -> Thread:
        environ = {"name": name, "lends": lends, "PATH_INFO": path}
        asking = Thread(target=lambda: self._application(environ, print), daemon=True)
        asking.start()
        return asking

    def _answer(self, environ: dict[str, Any], start: object) -> Iterable[bytes]:
        self.begun[environ["name"]].set()
        if environ["lends"]:
            with turns.turn_released():
                assert self.may_end[environ["name"]].wait(BOUND_SECONDS)
        else:
            assert self.may_end[environ["name"]].wait(BOUND_SECONDS)
        return []


def test_the_next_one_begins_when_one_has_ended() -> None:
    asked = Asked(1)
    first = asked.ask("a")
    assert asked.begun["a"].wait(BOUND_SECONDS)
    second = asked.ask("b")
    assert not asked.begun["b"].is_set()
    asked.may_end["a"].set()
    assert asked.begun["b"].wait(BOUND_SECONDS)
    asked.may_end["b"].set()
    first.join(BOUND_SECONDS)
    second.join(BOUND_SECONDS)


def test_a_turn_that_is_lent_is_anothers_and_is_taken_back() -> None:
    asked = Asked(1)
    first = asked.ask("a", lends=True)
    assert asked.begun["a"].wait(BOUND_SECONDS)
    second = asked.ask("b")
    assert asked.begun["b"].wait(BOUND_SECONDS)
    asked.may_end["a"].set()
    asked.may_end["b"].set()
    first.join(BOUND_SECONDS)
    second.join(BOUND_SECONDS)
    assert not first.is_alive() and not second.is_alive()


def test_a_thread_without_a_turn_has_none_to_lend() -> None:
    with turns.turn_released():
        pass


def test_whoever_asks_whether_the_process_lives_waits_for_nobody() -> None:
    asked = Asked(1)
    first = asked.ask("a")
    assert asked.begun["a"].wait(BOUND_SECONDS)
    asked.may_end["b"].set()
    alive = asked.ask("b", path="/livez")
    assert asked.begun["b"].wait(BOUND_SECONDS)
    asked.may_end["a"].set()
    first.join(BOUND_SECONDS)
    alive.join(BOUND_SECONDS)
