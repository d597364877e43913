"""Few work at a time, whoever waits for a client lends its turn, and of uploads one team has half."""

from collections.abc import Iterable, Mapping
from io import BytesIO
from threading import Event, Thread
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpResponse
from django.urls import resolve
from rest_framework.request import Request

from api import authentication
from api.api_error import ApiError
from api.authentication import KeyAuthentication
from inspector.dashboard import middleware
from inspector.dashboard.middleware import FormLimit
from inspector.teams.access import NOBODY, Principal, TeamAccess
from inspector.web import turns
from inspector.web.turns import LIGHT_BYTES, Turns, is_costly_upload

BOUND_SECONDS = 60
SMALL_AND_CODED = {"CONTENT_LENGTH": "900", "HTTP_CONTENT_ENCODING": "gzip"}
ONE, ANOTHER = (
    Principal(
        teams=(TeamAccess(number, slug, slug, "key", frozenset(), redacts=False),), key_id=number
    )
    for number, slug in ((1, "one"), (2, "another"))
)
KEYS = {"first": ONE, "second": ONE, "foreign": ANOTHER}
SESSIONS = {"1": ONE, "2": ONE, "3": ANOTHER}
FORM = b"x" * (LIGHT_BYTES + 1)


def by_key(value: str) -> dict[str, str]:
    return {"HTTP_AUTHORIZATION": value, **SMALL_AND_CODED}


def form_of(cookies: str) -> dict[str, str]:
    return {"HTTP_COOKIE": cookies, "CONTENT_LENGTH": str(len(FORM))}


OF_ONE, OF_ANOTHER = by_key("Bearer first"), by_key("Bearer foreign")


@pytest.fixture(autouse=True)
def known_people(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.REQUESTS_PER_SECOND = settings.FAILED_KEYS_PER_SECOND = None
    monkeypatch.setattr(authentication, "for_key", KEYS.get)
    monkeypatch.setattr(middleware, "get_user", lambda request: request.COOKIES.get("session"))
    monkeypatch.setattr(middleware, "for_user", lambda user: SESSIONS.get(user, NOBODY))


class Asked:
    """Requests that say when they are worked on, and end when they are let. Whose a request is, the
    API's authentication says.
    """

    def __init__(self, most: int, threads: int = 8, wait_seconds: float = BOUND_SECONDS) -> None:
        self.begun = {name: Event() for name in "abcd"}
        self.may_end = {name: Event() for name in "abcd"}
        self.refused: list[str] = []
        self.unknown: list[str] = []
        self._application = Turns(self._answer, most, threads, wait_seconds)

    def ask(
        self, name: str, *, lends: bool = False, path: str = "/", headers: Mapping[str, str] = {}
    ) -> Thread:
        environ = {
            "name": name,
            "lends": lends,
            "REQUEST_METHOD": "POST",
            "PATH_INFO": path,
            "wsgi.input": BytesIO(FORM),
            **headers,
        }
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
        if not self._is_let_in(environ):
            return []
        self.begun[environ["name"]].set()
        if environ["lends"]:
            with turns.turn_released():
                assert self.may_end[environ["name"]].wait(BOUND_SECONDS)
        else:
            assert self.may_end[environ["name"]].wait(BOUND_SECONDS)
        return []

    def _is_let_in(self, environ: dict[str, Any]) -> bool:
        if "HTTP_AUTHORIZATION" not in environ and "HTTP_COOKIE" not in environ:
            return True
        status = key_status(environ) if "HTTP_AUTHORIZATION" in environ else form_status(environ)
        {429: self.refused, 401: self.unknown, 413: self.unknown}.get(status, []).append(
            environ["name"]
        )
        return status == 200


def key_status(environ: dict[str, Any]) -> int:
    try:
        found = KeyAuthentication().authenticate(Request(WSGIRequest(environ)))
    except ApiError as refusal:
        assert (refusal.code, refusal.retry_after) == ("too_many_uploads", 1)
        return refusal.status_code
    return 200 if found else 401


def form_status(environ: dict[str, Any]) -> int:
    request = WSGIRequest(environ)
    request.resolver_match = match = resolve("/paste/")
    refusal = FormLimit(lambda _: HttpResponse()).process_view(request, match.func, (), {})
    return refusal.status_code if refusal else 200


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


def test_of_the_turns_one_team_has_half_and_its_next_waits() -> None:
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


def test_an_upload_whose_team_goes_on_with_others_is_refused_and_takes_no_turn() -> None:
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


def test_of_the_threads_too_one_team_has_half() -> None:
    asked = Asked(4, threads=4)
    first, second = (asked.ask(name, headers=OF_ONE) for name in "ab")
    assert asked.begun["a"].wait(BOUND_SECONDS)
    assert asked.begun["b"].wait(BOUND_SECONDS)
    # At once: it would wait in a thread.
    asked.ask("c", headers=OF_ONE).join(BOUND_SECONDS)
    assert asked.refused == ["c"]
    asked.end(first, second)


def test_while_a_team_has_its_half_what_it_asks_and_sends_in_plain_is_answered() -> None:
    asked = Asked(2, wait_seconds=0)
    first = asked.ask("a", headers=OF_ONE)
    assert asked.begun["a"].wait(BOUND_SECONDS)
    plain = asked.ask("b", headers={"HTTP_AUTHORIZATION": "Bearer first", "CONTENT_LENGTH": "900"})
    assert asked.begun["b"].wait(BOUND_SECONDS)
    asked.end(first, plain)


def test_an_upload_that_lends_its_turn_lends_that_of_its_team() -> None:
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
def test_what_may_be_costly_is_its_teams(headers: dict[str, str], is_upload: bool) -> None:
    assert is_costly_upload(headers) is is_upload


@pytest.mark.parametrize(
    "spelling",
    [
        "Bearer first",
        "bearer first",
        "BEARER first",
        "Bearer   first ",
        "Bearer \tfirst",
        "Bearer second",
    ],
)
def test_a_team_has_one_share_however_its_keys_are_written(spelling: str) -> None:
    asked = Asked(2, wait_seconds=0)
    first = asked.ask("a", headers=OF_ONE)
    assert asked.begun["a"].wait(BOUND_SECONDS)
    more = {"HTTP_COOKIE": "a=1; session=2", "HTTP_X_API_KEY": "other"}
    asked.ask("b", headers={**by_key(spelling), **more}).join(BOUND_SECONDS)
    assert asked.refused == ["b"]
    other = asked.ask("c", headers=OF_ANOTHER)
    assert asked.begun["c"].wait(BOUND_SECONDS)
    asked.end(first, other)


def test_made_up_keys_and_no_key_keep_nobody_waiting() -> None:
    asked = Asked(2)
    first = asked.ask("a", headers=OF_ONE)
    assert asked.begun["a"].wait(BOUND_SECONDS)
    for made_up in ("Bearer x1", "Bearer x2", "Token first", "Basic Zmlyc3Q6", "first", ""):
        asked.ask("b", headers=by_key(made_up)).join(BOUND_SECONDS)
    assert asked.unknown == ["b"] * 6
    assert not asked.begun["b"].is_set()
    other = asked.ask("c", headers=OF_ANOTHER)
    assert asked.begun["c"].wait(BOUND_SECONDS)
    asked.end(first, other)


def test_who_waits_for_its_teams_others_keeps_no_turn() -> None:
    asked = Asked(2)
    first = asked.ask("a", headers=OF_ONE)
    assert asked.begun["a"].wait(BOUND_SECONDS)
    second = asked.ask("b", headers=by_key("Bearer second"))
    others = [asked.ask("c", headers=OF_ANOTHER), asked.ask("d", path="/sign-in/")]
    for name in "cd":
        assert asked.begun[name].wait(BOUND_SECONDS)
        asked.may_end[name].set()
    asked.end(first, second, *others)
    assert asked.begun["b"].is_set()


@pytest.mark.parametrize("cookies", ["session=1", "session=1; a=2", "b=3; session=2"])
def test_large_forms_of_a_teams_people_count_for_the_team(cookies: str) -> None:
    asked = Asked(2, wait_seconds=0)
    first = asked.ask("a", headers=OF_ONE)
    assert asked.begun["a"].wait(BOUND_SECONDS)
    asked.ask("b", path="/paste/", headers=form_of(cookies)).join(BOUND_SECONDS)
    assert asked.refused == ["b"]
    other = asked.ask("c", path="/paste/", headers=form_of("session=3"))
    assert asked.begun["c"].wait(BOUND_SECONDS)
    asked.end(first, other)


def test_nobodys_large_form_is_refused_without_a_share() -> None:
    asked = Asked(2, wait_seconds=0)
    asked.ask("a", path="/paste/", headers=form_of("session=9")).join(BOUND_SECONDS)
    assert asked.unknown == ["a"]
    assert asked.refused == []
