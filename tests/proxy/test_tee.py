"""Messages that wait for the recorder: in which order they go, and that they are bounded."""

from uuid import UUID, uuid4

from inspector.core.wire.exchange import TransportFault, TransportOutcome
from inspector.proxy.balance import Balance
from inspector.proxy.limits import ProxyLimits
from inspector.proxy.messages import (
    CallBegun,
    CallEnded,
    CallMissed,
    CallsPassed,
    ProxyMessage,
    ReadsForwarded,
    RequestSent,
    ResponseBegun,
)
from inspector.proxy.tee import READS_BYTES, Tee

ALL = 1 << 30


def begun(call: UUID, team_id: int = 7) -> CallBegun:
    return CallBegun(
        call=call,
        team_id=team_id,
        key_id=8,
        upstream="openai",
        sample_percent=100,
        started_at=1.0,
        method="POST",
        url="https://api.example/v1/chat/completions",
        headers=(),
    )


def kinds(messages: list[ProxyMessage]) -> list[type]:
    return [type(message) for message in messages]


def test_a_call_is_told_of_in_its_order():
    tee = Tee(ProxyLimits(), Balance())
    call = tee.begin(begun(uuid4()))
    call.send(b"{")
    call.send(b"}")
    call.end_request()
    call.begin_response(5, 200, ())
    call.read(6, b"a")
    call.read(7, b"b")
    first = tee.take(ALL)
    call.read(8, b"c")
    call.end(9, TransportOutcome.ENDED, None)
    second = tee.take(ALL)

    assert kinds(first) == [CallBegun, RequestSent, ResponseBegun, ReadsForwarded]
    assert first[1] == RequestSent(call.call, b"{}", 2)
    assert first[3] == ReadsForwarded(call.call, [6, 7], [b"a", b"b"])
    assert kinds(second) == [ReadsForwarded, CallEnded]
    assert tee.take(ALL) == []
    assert tee.unsent_bytes == 0


def test_a_request_that_never_ended_is_told_of_at_the_end():
    tee = Tee(ProxyLimits(), Balance())
    call = tee.begin(begun(uuid4()))
    call.send(b"{")
    call.end(9, TransportOutcome.CLIENT_CANCELLED, None)

    assert kinds(tee.take(ALL)) == [CallBegun, RequestSent, CallEnded]


def test_a_request_of_which_nothing_was_read_is_not_an_empty_one():
    tee = Tee(ProxyLimits(), Balance())
    call = tee.begin(begun(uuid4()))
    call.end(9, TransportOutcome.UPSTREAM_ERROR, TransportFault.UNREACHABLE)

    assert kinds(tee.take(ALL)) == [CallBegun, CallEnded]


def test_a_request_whose_body_is_empty_is_known():
    tee = Tee(ProxyLimits(), Balance())
    call = tee.begin(begun(uuid4()))
    call.end_request()
    call.end(9, TransportOutcome.ENDED, None)

    assert kinds(tee.take(ALL)) == [CallBegun, RequestSent, CallEnded]


def test_as_much_is_taken_as_is_wanted_and_the_rest_later():
    tee = Tee(ProxyLimits(), Balance())
    one, two = tee.begin(begun(uuid4())), tee.begin(begun(uuid4()))
    for at_us in range(10):
        one.read(at_us, b"x" * READS_BYTES)
    two.read(1, b"y")
    taken = []
    while messages := tee.take(READS_BYTES):
        assert len(messages) <= 3
        taken += messages

    reads = [each for each in taken if isinstance(each, ReadsForwarded)]
    assert [at for each in reads if each.call == one.call for at in each.at_us] == [*range(10)]
    assert [each.data for each in reads if each.call == two.call] == [[b"y"]]
    assert tee.unsent_bytes == 0


def test_a_call_that_would_exceed_the_bound_is_missed_and_lets_go_what_waited():
    balance = Balance()
    tee = Tee(ProxyLimits(unsent_bytes=10_000), balance)
    large, small = tee.begin(begun(uuid4())), tee.begin(begun(uuid4()))
    large.read(1, b"x" * 9_000)
    waiting = tee.unsent_bytes
    large.read(2, b"x" * 9_000)
    large.read(3, b"x")
    large.end(4, TransportOutcome.ENDED, None)
    small.read(5, b"y")
    messages = tee.take(ALL)

    assert waiting > 9_000
    assert messages[0] == CallMissed(large.call, 7)
    assert kinds(messages[1:]) == [CallBegun, ReadsForwarded]
    assert (balance.missed, balance.open) == (1, {small.call})
    assert tee.unsent_bytes == 0
    assert large.byte_length == 18_001


def test_beyond_the_bound_the_team_that_holds_most_loses_its_largest_call():
    balance = Balance()
    tee = Tee(ProxyLimits(unsent_bytes=10_000), balance)
    others = tee.begin(begun(uuid4(), team_id=1))
    others.read(1, b"x" * 4_000)
    large, small = (tee.begin(begun(uuid4(), team_id=2)) for _ in range(2))
    large.read(1, b"x" * 3_000)
    small.read(1, b"x" * 2_000)
    others.read(2, b"x" * 500)
    large.read(3, b"x")
    large.end(4, TransportOutcome.ENDED, None)

    assert tee.take(ALL)[0] == CallMissed(large.call, 2)
    assert (balance.missed, balance.open) == (1, {others.call, small.call})
    assert tee.unsent_bytes == 0


def test_a_request_that_is_being_sent_counts_as_what_its_team_holds():
    balance = Balance()
    tee = Tee(ProxyLimits(unsent_bytes=10_000), balance)
    sending = tee.begin(begun(uuid4(), team_id=1))
    sending.send(b"x" * 9_000)
    tee.take(ALL)
    tee.begin(begun(uuid4(), team_id=2)).read(1, b"x" * 2_000)

    assert kinds(tee.take(ALL)) == [CallMissed, CallBegun, ReadsForwarded]
    assert balance.missed == 1
    assert tee.unsent_bytes == 0


def test_a_call_that_begins_beyond_the_bound_is_missed_at_once():
    balance = Balance()
    tee = Tee(ProxyLimits(unsent_bytes=0), balance)
    tee.begin(begun(uuid4())).read(1, b"x")

    assert kinds(tee.take(ALL)) == [CallMissed]
    assert (balance.proxied, balance.missed) == (1, 1)


def test_much_news_asks_to_be_sent_at_once_and_little_does_not():
    asked = []
    tee = Tee(ProxyLimits(), Balance())
    tee.on_much_news = lambda: asked.append(tee.unsent_bytes)
    call = tee.begin(begun(uuid4()))
    call.read(1, b"x" * 100_000)
    assert asked == []
    call.read(2, b"x" * 200_000)
    assert len(asked) == 1
    call.read(3, b"x")
    assert len(asked) == 1


def test_a_lost_recorder_leaves_the_next_only_calls_that_it_knew_nothing_of():
    balance = Balance()
    tee = Tee(ProxyLimits(), balance)
    known = tee.begin(begun(uuid4()))
    ended = tee.begin(begun(uuid4()))
    ended.end(1, TransportOutcome.ENDED, None)
    tee.take(ALL)
    new = tee.begin(begun(uuid4()))
    known.read(1, b"a")
    tee.lose_recorder()
    known.read(2, b"b")
    new.read(3, b"c")

    assert [message.call for message in tee.take(ALL)] == [new.call, new.call]  # type: ignore[union-attr]
    assert balance.lost == {known.call, ended.call}


def test_calls_that_are_not_recorded_are_counted_for_each_team():
    balance = Balance()
    tee = Tee(ProxyLimits(), balance)
    tee.pass_other(1)
    tee.pass_other(1)
    tee.pass_paused(2)

    assert tee.take(ALL) == [CallsPassed(1, 2, 0), CallsPassed(2, 0, 1)]
    assert (balance.proxied, balance.other, balance.paused) == (0, 2, 1)


def test_a_response_of_exactly_the_limit_is_whole():
    tee = Tee(ProxyLimits(capture_bytes=2), Balance())
    call = tee.begin(begun(uuid4()))
    call.read(1, b"ab")
    call.end(2, TransportOutcome.ENDED, None)

    assert tee.take(ALL)[-1].outcome is TransportOutcome.ENDED  # type: ignore[union-attr]
