"""Recorded answers, put together out of literal reads."""

from __future__ import annotations

from inspector.core.wire.exchange import Exchange, Read, TransportOutcome
from inspector.replay.options import InvalidOption, ReplayOptions, parse_options
from inspector.replay.plan import Plan, plan
from inspector.replay.recorded_answer import RecordedAnswer, answer_of

FIRST = 'data: {"id":"c1","object":"chat.completion.chunk","created":1795183339,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Grüezi"},"finish_reason":null}]}\n\n'.encode()
LAST = b'data: {"id":"c1","object":"chat.completion.chunk","created":1795183339,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
DONE = b"data: [DONE]\n\n"
EVENTS = (("content-type", "text/event-stream"),)


def answer(
    *reads: tuple[int | None, bytes],
    status: int | None = 200,
    headers: tuple[tuple[str, str], ...] | None = EVENTS,
    outcome: TransportOutcome = TransportOutcome.ENDED,
    ended_at_us: int | None = None,
) -> RecordedAnswer:
    """``reads`` are times and bytes."""
    exchange = Exchange(
        reads=tuple(Read(at_us, data) for at_us, data in reads),
        status_code=status,
        headers=headers,
        outcome=outcome,
        ended_at_us=ended_at_us,
    )
    found = answer_of(exchange, "c-1")
    assert found is not None
    return found


CHAT = answer((200_000, FIRST), (500_000, LAST), (700_000, DONE))


def options(**given: str) -> ReplayOptions:
    """``options(cut_event="1")``; those that are refused fail."""
    found = parse_options(query=[(name.replace("_", "-"), value) for name, value in given.items()])
    assert isinstance(found, ReplayOptions), found
    return found


def planned(one: RecordedAnswer, request_number: int = 0, **given: str) -> Plan:
    found = plan(one, options(**given), request_number)
    assert isinstance(found, Plan), found
    return found


def refused(one: RecordedAnswer, **given: str) -> str:
    """What a plan that cannot be made says."""
    found = plan(one, options(**given), 0)
    assert isinstance(found, InvalidOption)
    return found.message


def sends(found: Plan) -> list[tuple[int, bytes]]:
    return [(step.at_us, step.data) for step in found.steps]


def body(found: Plan) -> bytes:
    return b"".join(step.data for step in found.steps)
