from concurrent.futures import ThreadPoolExecutor

import pytest

from inspector.archive import reading
from inspector.archive.models import Capture, Evidence
from inspector.archive.readers.weight import memory_of
from inspector.archive.readers.works import Readout, readout
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


def weight_of(body: bytes) -> int:
    return memory_of(readout(Exchange.of_body(body)))


def stored(person: Person, body: bytes, content_type: str | None = None) -> Readout:
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


def test_what_was_asked_for_longest_ago_is_forgotten_first(
    owner: Person, times_read: list[Exchange], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "REMEMBERED_BYTES", 2 * weight_of(WHOLE) + 500)
    times_read.clear()
    first, second, third = (WHOLE + b" " * n for n in range(3))
    stored(owner, first)
    stored(owner, second)
    stored(owner, first)
    stored(owner, third)
    assert len(times_read) == 3
    stored(owner, first)
    assert len(times_read) == 3
    stored(owner, second)
    assert len(times_read) == 4


def test_what_is_too_heavy_by_itself_is_not_remembered_and_forgets_no_other(
    owner: Person, times_read: list[Exchange], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "REMEMBERED_BYTES", weight_of(WHOLE) + 500)
    times_read.clear()
    heavy = WHOLE.replace(b"Hello", b"Hello" * 500)
    stored(owner, WHOLE)
    stored(owner, heavy)
    stored(owner, heavy)
    stored(owner, WHOLE)
    assert len(times_read) == 3


def test_many_values_weigh_more_than_one_long_text() -> None:
    assert reading.weight_of(b'["' + b"x" * 9_000 + b'"]') < reading.weight_of(b"[1,1]" * 1_800)


def test_what_several_ask_for_at_once_is_read_once(
    owner: Person, times_read: list[Exchange]
) -> None:
    id = accept(owner, STREAM)
    capture, evidence = Capture.objects.get(pk=id), Evidence.objects.get(pk=id)
    with ThreadPoolExecutor(4) as pool:
        read = list(pool.map(lambda _: reading.read_again(capture, evidence), range(8)))
    assert len(times_read) == 1
    assert all(each is read[0] for each in read)


def test_what_is_remembered_is_had_without_reading(
    owner: Person, times_read: list[Exchange]
) -> None:
    id = accept(owner, STREAM)
    capture, evidence = Capture.objects.get(pk=id), Evidence.objects.get(pk=id)
    assert reading.remembered(capture, evidence) is None
    read = reading.read_again(capture, evidence)
    assert reading.remembered(capture, evidence) is read
    assert len(times_read) == 1


def test_analysis_and_tape_are_those_of_the_machine(owner: Person) -> None:
    exchange = Exchange.of_body(STREAM)
    readout = stored(owner, STREAM)
    assert readout.analysis == core.analyze(exchange)
    assert readout.tape == core.read(exchange).tape()
