from concurrent.futures import ThreadPoolExecutor

import pytest

from inspector.archive.models import Capture, Evidence
from inspector.archive.readers import readout_cache
from inspector.archive.readers.memory import memory_of
from inspector.core import reading as core
from inspector.core.readout import Readout, readout
from inspector.core.wire.exchange import Exchange
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
    readout_cache._cache.clear()
    return seen


def weight_of(body: bytes) -> int:
    return memory_of(readout(Exchange.of_body(body)))


def stored(person: Person, body: bytes, content_type: str | None = None) -> Readout:
    capture_id = accept(person, body, content_type)
    return readout_cache.cached_or_read(
        Capture.objects.get(pk=capture_id), Evidence.objects.get(pk=capture_id)
    )


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
    monkeypatch.setattr(readout_cache, "CACHE_BYTES", 2 * weight_of(WHOLE) + 500)
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
    monkeypatch.setattr(readout_cache, "CACHE_BYTES", weight_of(WHOLE) + 500)
    times_read.clear()
    heavy = WHOLE.replace(b"Hello", b"Hello" * 500)
    stored(owner, WHOLE)
    stored(owner, heavy)
    stored(owner, heavy)
    stored(owner, WHOLE)
    assert len(times_read) == 3


def test_many_values_weigh_more_than_one_long_text() -> None:
    assert readout_cache.estimated_bytes(
        b'["' + b"x" * 9_000 + b'"]'
    ) < readout_cache.estimated_bytes(b"[1,1]" * 1_800)


def test_a_page_reads_a_small_body_before_it_is_shown_and_a_large_one_behind() -> None:
    assert readout_cache.is_quick(b'["' + b"x" * 4_000_000 + b'"]')
    assert not readout_cache.is_quick(b'["' + b"x" * (4 << 20) + b'"]')
    assert not readout_cache.is_quick(b"[1,1]" * 800_000)


def test_what_several_ask_for_at_once_is_read_once(
    owner: Person, times_read: list[Exchange]
) -> None:
    capture_id = accept(owner, STREAM)
    capture, evidence = Capture.objects.get(pk=capture_id), Evidence.objects.get(pk=capture_id)
    with ThreadPoolExecutor(4) as pool:
        read = list(pool.map(lambda _: readout_cache.cached_or_read(capture, evidence), range(8)))
    assert len(times_read) == 1
    assert all(each is read[0] for each in read)


def test_what_is_remembered_is_had_without_reading(
    owner: Person, times_read: list[Exchange]
) -> None:
    capture_id = accept(owner, STREAM)
    capture, evidence = Capture.objects.get(pk=capture_id), Evidence.objects.get(pk=capture_id)
    assert readout_cache.cached_readout(capture, evidence) is None
    read = readout_cache.cached_or_read(capture, evidence)
    assert readout_cache.cached_readout(capture, evidence) is read
    assert len(times_read) == 1


def test_analysis_and_tape_are_those_of_the_machine(owner: Person) -> None:
    exchange = Exchange.of_body(STREAM)
    readout = stored(owner, STREAM)
    assert readout.analysis == core.analyze(exchange)
    assert readout.tape == core.read(exchange).tape()
