import pytest

from inspector.archive import reading
from inspector.archive.models import Capture, Evidence
from inspector.core import reading as core
from inspector.core.exchange import Exchange
from tests.archive.samples import STREAM, WHOLE, accept
from tests.people import Person


@pytest.fixture
def times_read(monkeypatch: pytest.MonkeyPatch) -> list[Exchange]:
    """Every exchange that was really read, with nothing remembered from before."""
    seen: list[Exchange] = []
    really_read = core.read

    def noting(exchange: Exchange) -> core.Reading:
        seen.append(exchange)
        return really_read(exchange)

    monkeypatch.setattr(core, "read", noting)
    reading._remembered.clear()
    return seen


def stored(person: Person, body: bytes, content_type: str | None = None) -> reading.Readout:
    id = accept(person, body, content_type)
    return reading.read_again(Capture.objects.get(pk=id), Evidence.objects.get(pk=id))


def test_equal_exchanges_are_read_once(owner: Person, times_read: list[Exchange]) -> None:
    assert stored(owner, STREAM) is stored(owner, STREAM)
    assert len(times_read) == 1


def test_equal_bytes_of_another_type_are_another_exchange(
    owner: Person, times_read: list[Exchange]
) -> None:
    stored(owner, WHOLE, "application/json")
    stored(owner, WHOLE, "text/plain")
    assert [exchange.content_type for exchange in times_read] == ["application/json", "text/plain"]


def test_only_a_few_are_remembered(owner: Person, times_read: list[Exchange]) -> None:
    bodies = [WHOLE + b" " * n for n in range(reading.REMEMBERED + 1)]
    for body in bodies:
        stored(owner, body)
    stored(owner, bodies[-1])
    assert len(times_read) == len(bodies)
    stored(owner, bodies[0])
    assert len(times_read) == len(bodies) + 1


def test_a_large_body_is_not_remembered(
    owner: Person, times_read: list[Exchange], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "REMEMBERED_BYTES", 10)
    stored(owner, WHOLE)
    stored(owner, WHOLE)
    assert len(times_read) == 2


def test_analysis_and_tape_are_those_of_the_machine(owner: Person) -> None:
    exchange = Exchange.of_body(STREAM)
    readout = stored(owner, STREAM)
    assert readout.analysis == core.analyze(exchange)
    assert readout.tape == core.read(exchange).tape()
