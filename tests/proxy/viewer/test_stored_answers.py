"""The viewer's side of replays: what is open, what is sent ahead, and what becomes of trouble."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange, Read
from inspector.database.portability import StatementTimeout
from inspector.proxy.viewer import stored_answers
from inspector.proxy.viewer.stored_answers import (
    MAX_HELD_BYTES,
    OpenAnswers,
    StoredAnswers,
    options_of,
    step_messages,
)
from inspector.proxy.viewer_messages import (
    MAX_STEPS,
    MAX_STEPS_BYTES,
    STEP_MESSAGES,
    AnswerAsked,
    AnswerBegun,
    AnswerEnded,
    AnswerRefusal,
    AnswerRefused,
    AnswerSteps,
    AnswerTaken,
)
from inspector.replay.options import InvalidOption
from inspector.replay.plan import Plan, PlanEnding, PlanHead, Step
from inspector.teams.keys import create_api_key
from inspector.teams.secret import hash_of
from tests.archive.samples import WHOLE, accept_arrival
from tests.people import Person


class Heard:
    """Takes the place of an ``Outbox``."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    def send(self, *messages: Any) -> None:
        self.messages += messages

    @property
    def codes(self) -> list[AnswerRefusal]:
        return [each.code for each in self.messages if isinstance(each, AnswerRefused)]


def asked(number: int = 1, **changed: Any) -> AnswerAsked:
    known: dict[str, Any] = {
        "key_sha256": hash_of("ri_nobody"),
        "target": "0",
        "options": (),
        "path": "/v1",
        "query": "",
        "headers": (),
        "origin": None,
        "body": b"",
    }
    return AnswerAsked(number=number, **{**known, **changed})


def answers() -> tuple[StoredAnswers, Heard]:
    heard = Heard()
    outbox: Any = heard
    return StoredAnswers(outbox), heard


def planned(*data: bytes) -> Plan:
    head = PlanHead(200, (), 0, PlanEnding.WHOLE, 0)
    return Plan(head, tuple(Step(number, each) for number, each in enumerate(data)))


# -- messages --------------------------------------------------------------------------------------


def test_steps_are_sent_in_messages_of_bounded_size() -> None:
    many = [b"a"] * (MAX_STEPS + 1)
    first, last = step_messages(7, planned(*many))
    assert (first.number, len(first.data), first.is_last) == (7, MAX_STEPS, False)
    assert (last.at_us, last.data, last.is_last) == ([MAX_STEPS], [b"a"], True)

    half = b"a" * (MAX_STEPS_BYTES // 2)
    assert [len(each.data) for each in step_messages(7, planned(half, half, b"b"))] == [2, 1]


def test_a_step_that_is_too_large_is_cut_and_keeps_its_time() -> None:
    large = bytes(range(256)) * (MAX_STEPS_BYTES // 128)
    messages = list(step_messages(7, planned(b"first", large)))
    assert [each.at_us for each in messages] == [[0], [1], [1]]
    assert b"".join(data for each in messages for data in each.data) == b"first" + large


def test_of_no_steps_there_is_an_end() -> None:
    assert list(step_messages(7, planned())) == [AnswerSteps(7, [], [], is_last=True)]


def test_a_header_overrides_the_query_and_that_the_path() -> None:
    question = asked(
        options=(("speed", "1"), ("jitter", "0.5")),
        query="speed=2&seed=3&alt=sse",
        headers=(("x-inspector-replay-speed", "4"),),
    )
    options = options_of(question)
    assert not isinstance(options, InvalidOption)
    assert (options.speed, options.jitter, options.seed) == (4.0, 0.5, 3)


# -- what is open ----------------------------------------------------------------------------------


def test_a_key_counts_until_its_answers_are_ended() -> None:
    open_answers = OpenAnswers()
    for number in (1, 2, 3):
        open_answers.begin(number)
    assert open_answers.count_key(1, 9, most=1)
    assert not open_answers.count_key(2, 9, most=1)
    assert open_answers.count_key(3, 8, most=1)
    open_answers.end(1)
    open_answers.end(1)
    assert open_answers.count_key(2, 9, most=1)


def test_what_is_held_has_a_bound_and_one_answer_alone_is_held_in_any_case() -> None:
    open_answers = OpenAnswers()
    for number in (1, 2, 3):
        open_answers.begin(number)
    assert open_answers.hold(1, 2 * MAX_HELD_BYTES)
    assert not open_answers.hold(2, 1)
    open_answers.end(1)
    assert open_answers.hold(2, MAX_HELD_BYTES - 1)
    assert open_answers.hold(3, 1)


def test_an_answer_that_is_ended_is_neither_counted_nor_held() -> None:
    open_answers = OpenAnswers()
    assert not open_answers.count_key(1, 9, most=1) and not open_answers.hold(1, 1)
    open_answers.begin(2)
    assert open_answers.count_key(2, 9, most=1) and open_answers.hold(2, MAX_HELD_BYTES)


# -- the database ----------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [OperationalError("gone"), StatementTimeout()])
def test_a_database_that_does_not_answer_is_told(
    db: None, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fails(key_sha256: str) -> Any:
        raise error

    monkeypatch.setattr(stored_answers, "find_replay_grant", fails)
    replays, heard = answers()
    replays.answer(asked())
    assert heard.codes == [AnswerRefusal.UNAVAILABLE]


def test_what_nobody_expected_is_told_too(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(key_sha256: str) -> Any:
        raise KeyError("secret")

    monkeypatch.setattr(stored_answers, "find_replay_grant", fails)
    replays, heard = answers()
    replays.answer(asked())
    assert heard.codes == [AnswerRefusal.UNAVAILABLE]


def test_of_questions_that_nobody_answers_only_so_many_wait(db: None) -> None:
    replays, heard = answers()
    for number in range(stored_answers.MAX_WAITING + 2):
        replays.ask(asked(number))
    assert heard.codes == [AnswerRefusal.BUSY] * 2


def test_only_a_few_messages_are_ahead_of_what_is_taken(owner: Person) -> None:
    body = WHOLE.replace(b"Hello", b"a" * (10 * MAX_STEPS_BYTES))
    capture = accept_arrival_of(owner, body)
    key = create_api_key(owner.team, "tests", ["replay"])
    replays, heard = answers()
    replays.ask(asked(5))
    replays.answer(asked(5, key_sha256=hash_of(key), target=capture))
    begun, *steps = heard.messages
    assert isinstance(begun, AnswerBegun) and len(steps) == STEP_MESSAGES

    while not heard.messages[-1].is_last:
        before = len(heard.messages)
        replays.take(AnswerTaken(5))
        assert len(heard.messages) == before + 1
    sent = [data for each in heard.messages[1:] for data in each.data]
    assert b"".join(sent) == body
    replays.take(AnswerTaken(5))
    replays.end(AnswerEnded(5))
    replays.take(AnswerTaken(5))
    assert heard.messages[-1].is_last and len(heard.messages) == before + 1


def test_nothing_is_sent_to_whoever_has_left(owner: Person) -> None:
    capture = accept_arrival_of(owner, WHOLE)
    key = create_api_key(owner.team, "tests", ["replay"])
    replays, heard = answers()
    replays.ask(asked(5))
    replays.end(AnswerEnded(5))
    replays.answer(asked(5, key_sha256=hash_of(key), target=capture))
    assert not any(isinstance(each, AnswerBegun) for each in heard.messages)


def accept_arrival_of(person: Person, body: bytes) -> str:
    exchange = Exchange.of_reads([Read(None, body)], "application/json")
    return str(accept_arrival(person, Submission(exchange)).id)
