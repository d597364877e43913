"""Rights of a key are asked of the database, and remembered for a few seconds."""

from typing import Any

import pytest
from django.db import InterfaceError, OperationalError

from inspector.database.portability import StatementTimeout
from inspector.proxy.messages import Found, Lookup, Refusal
from inspector.proxy.recorder import directory as directories
from inspector.proxy.recorder.directory import FRESH_SECONDS, REST_SECONDS, Directory
from inspector.teams import upstreams
from inspector.teams.keys import create_api_key, revoke
from inspector.teams.models import ApiKey
from inspector.teams.secret import hash_of
from tests.people import Person
from tests.proxy.recorder.spoken import Listener

pytestmark = pytest.mark.both_stacks


class Asked:
    """A directory, a clock that goes on when told, and the questions to the database."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.error: Exception | None = None
        self.lookups = 0
        self.listener = Listener()
        outbox: Any = self.listener
        self.directory = Directory(outbox, lambda: self.now)
        sound = upstreams.find_grant

        def finds(key_sha256: str, upstream: str) -> Any:
            self.lookups += 1
            if self.error is not None:
                raise self.error
            return sound(key_sha256, upstream)

        monkeypatch.setattr(upstreams, "find_grant", finds)

    def ask(self, key: str, upstream: str = "openai") -> Found:
        return self.directory.answer(Lookup(1, hash_of(key), upstream))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    return Asked(monkeypatch)


@pytest.fixture
def key(owner: Person) -> str:
    return create_api_key(owner.team, "checkout", ["capture"])


def test_a_grant_is_what_the_team_says(asked: Asked, owner: Person, key: str) -> None:
    grant = asked.ask(key).grant
    assert grant is not None
    assert (grant.team_id, grant.base_url) == (owner.team.pk, "https://api.openai.com")
    assert asked.ask(owner.key).refusal is Refusal.KEY_MAY_NOT_CAPTURE
    assert asked.ask(key, "nobodys").refusal is Refusal.UNKNOWN_UPSTREAM
    assert asked.ask("ri_nobody").refusal is Refusal.UNKNOWN_KEY


def test_a_key_that_was_revoked_calls_for_five_seconds_more(asked: Asked, key: str) -> None:
    assert asked.ask(key).grant is not None
    revoke(ApiKey.objects.get(sha256=hash_of(key)))
    asked.now = FRESH_SECONDS - 0.1
    assert asked.ask(key).grant is not None
    assert asked.lookups == 1
    asked.now = FRESH_SECONDS
    assert asked.ask(key).refusal is Refusal.UNKNOWN_KEY


@pytest.mark.parametrize(
    "error", [OperationalError("down"), InterfaceError("closed"), StatementTimeout()]
)
def test_an_old_answer_is_not_given_as_a_new_one_while_the_database_does_not_answer(
    asked: Asked, key: str, error: Exception
) -> None:
    assert asked.ask(key).grant is not None
    asked.error = error
    asked.now = FRESH_SECONDS - 1
    assert asked.ask(key).grant is not None
    asked.now = FRESH_SECONDS
    assert asked.ask(key).refusal is Refusal.DIRECTORY_UNAVAILABLE
    asked.error = None
    asked.now += REST_SECONDS
    assert asked.ask(key).grant is not None


def test_who_was_not_known_before_is_not_let_in(asked: Asked, key: str) -> None:
    asked.error = OperationalError("down")
    assert asked.ask(key).refusal is Refusal.DIRECTORY_UNAVAILABLE


def test_database_that_does_not_answer_is_not_asked_for_every_call(asked: Asked, key: str) -> None:
    asked.error = OperationalError("down")
    for _ in range(50):
        asked.ask(key)
    assert asked.lookups == 1
    asked.now = REST_SECONDS
    asked.ask(key)
    assert asked.lookups == 2


def test_answers_that_were_not_asked_for_long_are_forgotten(
    asked: Asked, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directories, "MAX_ANSWERS", 2)
    for each in (key, "ri_a", "ri_b"):
        asked.ask(each)
    asked.ask("ri_b")
    assert asked.lookups == 3
    asked.ask(key)
    assert asked.lookups == 4


def test_it_answers_in_turn_until_it_is_stopped(asked: Asked, key: str) -> None:
    for number in (1, 2):
        asked.directory.ask(Lookup(number, hash_of(key), "openai"))
    asked.directory.stop()
    asked.directory.run()
    assert [each.number for each in asked.listener.said if isinstance(each, Found)] == [1, 2]
