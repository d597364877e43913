"""Few work at a time, whoever waits for a client lends its turn, and of uploads one sender has half."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from threading import Event, Thread
from typing import Any

import pytest

from inspector.web import turns
from inspector.web.turns import LIGHT_BYTES, Turns, sender_of_upload

BOUND_SECONDS = 30
SMALL_AND_CODED = {"CONTENT_LENGTH": "900", "HTTP_CONTENT_ENCODING": "gzip"}
OF_ONE = {"HTTP_AUTHORIZATION": "Bearer one", **SMALL_AND_CODED}
OF_ANOTHER = {"HTTP_AUTHORIZATION": "Bearer another", **SMALL_AND_CODED}


class Asked:
    """Requests that say when they are worked on, and end when they are let."""

    def __init__(self, most: int, threads: int = 8, wait_seconds: float = BOUND_SECONDS) -> None:
        self.begun = {name: Event() for name in "abcd"}
        self.may_end = {name: Event() for name in "abcd"}
        self.refused: list[str] = []
        self._application = Turns(self._answer, most, threads, wait_seconds)

    def ask(
        self, name: str, *, lends: bool = False, path: str = "/", headers: Mapping[str, str] = {}
    ) -> Thread:
        environ = {"name": name, "lends": lends, "PATH_INFO": path, **headers}
        asking = Thread(target=lambda: self._application(environ, print), daemon=True)
        asking.start()
        return asking

    def end(self, *asking: Thread) -> None:
        for may_end in self.may_end.values():
            may_end.set()
        for thread in asking:
            thread.join(BOUND_SECONDS)
            assert not thread.is_alive()

    def _answer(self, environ: dict[str, Any], start: object) -> Iterable[bytes]:
        if turns.OVER_SHARE in environ:
            self.refused.append(environ["name"])
            return []
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


def test_of_the_turns_one_sender_of_uploads_has_half_and_its_next_waits() -> None:
    asked = Asked(2)
    first = asked.ask("a", headers=OF_ONE)
    assert asked.begun["a"].wait(BOUND_SECONDS)
    second = asked.ask("b", headers=OF_ONE)
    other = asked.ask("c", headers=OF_ANOTHER)
    assert asked.begun["c"].wait(BOUND_SECONDS)
    assert not asked.begun["b"].is_set()
    asked.may_end["a"].set()
    assert asked.begun["b"].wait(BOUND_SECONDS)
    asked.end(first, second, other)
    assert asked.refused == []


def test_an_upload_whose_sender_goes_on_with_others_is_refused_and_takes_no_turn() -> None:
    asked = Asked(2, wait_seconds=0)
    first = asked.ask("a", headers=OF_ONE)
    assert asked.begun["a"].wait(BOUND_SECONDS)
    asked.ask("b", headers=OF_ONE).join(BOUND_SECONDS)
    assert asked.refused == ["b"]
    other = asked.ask("c", headers=OF_ANOTHER)
    assert asked.begun["c"].wait(BOUND_SECONDS)
    asked.end(first, other)
    asked.ask("d", headers=OF_ONE).join(BOUND_SECONDS)
    assert asked.refused == ["b"]


def test_of_the_threads_too_one_sender_has_half() -> None:
    asked = Asked(4, threads=4)
    first, second = (asked.ask(name, headers=OF_ONE) for name in "ab")
    assert asked.begun["a"].wait(BOUND_SECONDS)
    assert asked.begun["b"].wait(BOUND_SECONDS)
    # At once: it would wait in a thread.
    asked.ask("c", headers=OF_ONE).join(BOUND_SECONDS)
    assert asked.refused == ["c"]
    asked.end(first, second)


def test_while_a_sender_has_its_half_what_it_asks_and_sends_in_plain_is_answered() -> None:
    asked = Asked(2, wait_seconds=0)
    first = asked.ask("a", headers=OF_ONE)
    assert asked.begun["a"].wait(BOUND_SECONDS)
    plain = asked.ask("b", headers={"HTTP_AUTHORIZATION": "Bearer one", "CONTENT_LENGTH": "900"})
    assert asked.begun["b"].wait(BOUND_SECONDS)
    asked.end(first, plain)


def test_an_upload_that_lends_its_turn_lends_that_of_its_sender() -> None:
    asked = Asked(2)
    first = asked.ask("a", lends=True, headers=OF_ONE)
    assert asked.begun["a"].wait(BOUND_SECONDS)
    second = asked.ask("b", headers=OF_ONE)
    assert asked.begun["b"].wait(BOUND_SECONDS)
    asked.end(first, second)


@pytest.mark.parametrize(
    ("headers", "is_upload"),
    [
        ({"CONTENT_LENGTH": str(LIGHT_BYTES)}, False),
        ({"CONTENT_LENGTH": str(LIGHT_BYTES + 1)}, True),
        ({"CONTENT_LENGTH": "9" * 30}, True),
        ({"CONTENT_LENGTH": "none"}, False),
        ({"CONTENT_LENGTH": ""}, False),
        ({"CONTENT_LENGTH": "10", "HTTP_CONTENT_ENCODING": "zstd"}, True),
        ({"HTTP_TRANSFER_ENCODING": "chunked"}, True),
        ({"CONTENT_LENGTH": "10", "PATH_INFO": "/v1/traces"}, True),
        ({"CONTENT_LENGTH": "10", "PATH_INFO": "/api/v1/captures/batch/"}, True),
        ({"CONTENT_LENGTH": "10", "PATH_INFO": "/api/v1/captures/file/"}, True),
        ({"CONTENT_LENGTH": "10", "PATH_INFO": "/api/v1/captures/"}, False),
    ],
)
def test_what_may_be_costly_is_its_senders(headers: dict[str, str], is_upload: bool) -> None:
    found = sender_of_upload({"HTTP_AUTHORIZATION": "Bearer one", **headers})
    assert found == ("Bearer one" if is_upload else None)
    by_page = sender_of_upload({"HTTP_COOKIE": "session=1", **headers})
    assert by_page == ("session=1" if is_upload else None)
    assert sender_of_upload(headers) is None
