"""A reading that wants too much memory fails with a reason, and costs nobody else any."""

from __future__ import annotations

import resource
from datetime import timedelta
from threading import Thread

import pytest
from django.conf import LazySettings
from django.db.models.functions import Now

from inspector.archive.inspection import tasks
from inspector.archive.models import Capture, State
from inspector.archive.readers.memory import limited_memory
from inspector.core.analysis import Analysis
from inspector.core.reading import analyze
from inspector.core.wire.exchange import Exchange
from tests.archive.samples import accept
from tests.people import Person

MIB = 1024 * 1024
POISON = b"a payload that eats all memory"


def test_work_that_wants_more_is_told_so_and_the_bound_is_gone_afterwards() -> None:
    before = resource.getrlimit(resource.RLIMIT_AS)
    with (
        pytest.raises(MemoryError, match="it takes more than 64 MiB of memory"),
        limited_memory(64 * MIB),
    ):
        bytearray(256 * MIB)
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    bytearray(256 * MIB)


def test_work_that_wants_less_has_it() -> None:
    with limited_memory(256 * MIB):
        bytearray(64 * MIB)


def test_beside_other_threads_nothing_is_bounded() -> None:
    seen = []

    def work() -> None:
        with limited_memory(64 * MIB):
            seen.append(resource.getrlimit(resource.RLIMIT_AS))

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [resource.getrlimit(resource.RLIMIT_AS)]


@pytest.mark.thorough
def test_a_payload_that_eats_memory_is_kept_aside_with_that_as_its_reason(
    owner: Person, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    settings.WORK_MEMORY_BYTES = 128 * MIB

    def eats(exchange: Exchange) -> Analysis:
        eaten = []
        while exchange.body == POISON and len(eaten) < 100:
            eaten.append(bytearray(8 * MIB))
        return analyze(exchange)

    monkeypatch.setattr(tasks, "analyze", eats)
    poison, healthy = accept(owner, POISON), accept(owner)
    for _ in range(3):
        tasks.drain()
        Capture.objects.filter(state=State.RECEIVED).update(due_at=Now() - timedelta(seconds=1))
    row = Capture.objects.get(pk=poison)
    assert row.state == State.QUARANTINED
    assert row.quarantine_reason == "MemoryError: it takes more than 128 MiB of memory"
    assert Capture.objects.get(pk=healthy).state == State.INSPECTED
