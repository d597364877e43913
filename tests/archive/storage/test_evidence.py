from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from inspector.archive.models import Capture
from inspector.archive.storage import evidence
from inspector.core.wire.exchange import Exchange, Read, Request, TransportFault, TransportOutcome

EXCHANGE = Exchange(
    reads=(Read(120, b"data: \xf0\x9f"), Read(120, b""), Read(350, b"\x98\x80\n\n")),
    content_type="text/event-stream",
    status_code=200,
    headers=(("X-A", "1"), ("X-A", "2")),
    outcome=TransportOutcome.CLIENT_CANCELLED,
    request=Request(
        method="POST", url="/v1", headers=(("A", "b"),), body=b"\0\xff", total_bytes=2**33
    ),
    dialect="openai-chat",
    fault=TransportFault.BROKEN_RESPONSE,
    total_bytes=2**40,
)


NO_MARKS = evidence.Marks(removal=None, redaction=None, origin=None)


def stored_and_fetched(exchange: Exchange) -> Exchange:
    capture = Capture(
        id=uuid4(),
        content_type=exchange.content_type,
        status_code=exchange.status_code,
        outcome=exchange.outcome,
        dialect_hint=exchange.dialect,
    )
    return evidence.unpack(capture, evidence.pack(capture, exchange, exchange.body, NO_MARKS))


def test_an_exchange_comes_back_as_it_was_sent() -> None:
    assert stored_and_fetched(EXCHANGE) == EXCHANGE


def test_a_body_whose_times_nobody_noted_comes_back_as_one_read() -> None:
    exchange = Exchange.of_body(b"\0\xff\r\n", None)
    assert stored_and_fetched(exchange) == exchange


@given(st.lists(st.tuples(st.integers(0, 2**53), st.binary(max_size=20)), max_size=20))
def test_no_read_is_lost_or_moved(reads: list[tuple[int, bytes]]) -> None:
    exchange = Exchange.of_reads(Read(at_us, data) for at_us, data in reads)
    assert stored_and_fetched(exchange).reads == exchange.reads
