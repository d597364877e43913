"""A reading that wants too much memory fails with a reason, and costs nobody else any."""

import resource
from datetime import timedelta
from threading import Thread

import pytest
from django.conf import LazySettings
from django.db.models.functions import Now

from inspector.archive.inspection import tasks
from inspector.archive.models import Capture, State
from inspector.archive.readers.memory import limited_memory
from tests.archive.samples import accept
from tests.people import Person

MIB = 1024 * 1024


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
def test_a_payload_that_eats_memory_is_put_aside(owner: Person, settings: LazySettings) -> None:
    settings.WORK_MEMORY_BYTES = 8 * MIB
    poison, healthy = accept(owner, b"[" + b"{}," * 300_000 + b"{}]"), accept(owner)
    # This process may have as much left of what it freed; a reader process has not.
    Capture.objects.filter(pk=poison).update(attempt=1)
    for _ in range(2):
        tasks.drain()
        Capture.objects.filter(state=State.RECEIVED).update(due_at=Now() - timedelta(seconds=1))
    row = Capture.objects.get(pk=poison)
    assert row.state == State.QUARANTINED
    assert row.quarantine_reason == "ReadingError: it takes more than 8 MiB of memory"
    assert Capture.objects.get(pk=healthy).state == State.INSPECTED
