import gzip
import os
import select
import signal
import subprocess
import sys

import pytest
from django.conf import LazySettings

from inspector.archive.readers import on_demand
from inspector.archive.readers.child import PROCESS, WebReader
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.messages import (
    ReaderDone,
    ReaderFailed,
    ReaderTask,
    ReadingErrorCause,
)
from inspector.archive.storage.value_memory import memory_of
from inspector.core.reading import read
from inspector.core.readout import readout
from inspector.core.wire.exchange import Exchange
from tests.archive.samples import STREAM, WHOLE

MIB = 1024 * 1024
LONG_STREAM = STREAM * 200


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def given(body: bytes = LONG_STREAM) -> Exchange:
    return Exchange.of_body(body)


def task(**changed: object) -> ReaderTask:
    values = {"work": readout, "given": given(), "cpu_seconds": 1_000.0}
    values |= {"memory_bytes": 512 * MIB, "result_bytes": 64 * MIB}
    return ReaderTask(**{**values, **changed})  # type: ignore[arg-type]


def cause_of(
    readers: WebReader, seconds: float = 60.0, largest: int = 64 * MIB
) -> ReadingErrorCause:
    with pytest.raises(ReadingError) as caught:
        readers.read(readout, given(), seconds, largest)
    return caught.value.cause


def test_what_comes_from_a_reader_is_what_the_machine_says(readers: WebReader) -> None:
    found, weight = readers.read(readout, given(), 60.0, 64 * MIB)
    machine = read(given())
    assert (found.analysis, found.tape, found.snapshots) == (
        machine.analysis(),
        machine.tape(),
        machine.snapshots(),
    )
    assert weight > len(LONG_STREAM)


def test_odd_values_come_back_whole(readers: WebReader) -> None:
    body = WHOLE.replace(b"Hello", rb"\ud800 \u0000").replace(b"{", b'{"x":%d,' % 10**90, 1)
    found, _ = readers.read(readout, given(body), 60.0, 64 * MIB)
    assert found == readout(given(body))


def test_one_process_reads_one_after_the_other(readers: WebReader) -> None:
    for _ in range(3):
        readers.read(readout, given(), 60.0, 64 * MIB)
    assert len(readers.pids()) == 1


def test_what_takes_too_long_is_ended_and_the_next_is_read(readers: WebReader) -> None:
    readers.read(readout, given(), 60.0, 64 * MIB)
    (first,) = readers.pids()
    os.kill(first, signal.SIGSTOP)
    assert cause_of(readers, seconds=0.01) is ReadingErrorCause.TOO_LONG
    assert not is_there(first)
    assert readers.read(readout, given(), 60.0, 64 * MIB)


def test_what_takes_too_much_of_the_processor_is_told_as_too_long(readers: WebReader) -> None:
    with readers.reader() as reader:
        os.kill(reader.pid, signal.SIGXCPU)
        with pytest.raises(ReadingError) as caught:
            reader.ask(task(), 60.0)
    assert caught.value.cause is ReadingErrorCause.TOO_LONG
    assert readers.pids() == []


def test_what_takes_too_much_memory_is_told_and_the_process_goes_on(readers: WebReader) -> None:
    with readers.reader() as reader:
        reply, _ = reader.ask(task(memory_bytes=0, given=given(STREAM * 20_000)), 60.0)
        assert isinstance(reply, ReaderFailed) and reply.cause is ReadingErrorCause.TOO_LARGE
        reply, _ = reader.ask(task(), 60.0)
        assert isinstance(reply, ReaderDone)


def test_what_would_be_too_heavy_for_web_stays_where_it_is(readers: WebReader) -> None:
    assert cause_of(readers, largest=1_000) is ReadingErrorCause.TOO_LARGE


def test_a_reader_that_dies_over_something_ends_nothing_else(readers: WebReader) -> None:
    readers.read(readout, given(), 60.0, 64 * MIB)
    (pid,) = readers.pids()
    with readers.reader() as reader:
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(ReadingError) as caught:
            reader.ask(task(), 60.0)
    assert caught.value.cause is ReadingErrorCause.BROKEN
    assert readers.read(readout, given(), 60.0, 64 * MIB)


def test_one_that_died_while_nobody_asked_is_replaced(readers: WebReader) -> None:
    readers.read(readout, given(), 60.0, 64 * MIB)
    (pid,) = readers.pids()
    os.kill(pid, signal.SIGKILL)
    assert readers._process is not None
    readers._process._process.wait()
    assert readers.read(readout, given(), 60.0, 64 * MIB)


def test_who_waits_too_long_for_it_is_refused(readers: WebReader, settings: LazySettings) -> None:
    settings.READER_WAIT_SECONDS = 0
    with readers.reader():
        assert cause_of(readers) is ReadingErrorCause.BUSY


def test_a_reader_ends_when_web_is_gone() -> None:
    """However it ended: the socket is at its end."""
    code = f"""
import socket, subprocess, sys
ours, theirs = socket.socketpair()
child = subprocess.Popen([sys.executable, "-m", {PROCESS!r}], stdin=theirs)
print(child.pid, flush=True)
theirs.close()
sys.stdin.read()
import os; os._exit(9)
"""
    web = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert web.stdout is not None and web.stdin is not None
    pid = int(web.stdout.readline())
    assert is_there(pid)
    handle = os.pidfd_open(pid)
    web.kill()
    web.wait()
    web.stdin.close()
    web.stdout.close()
    with os.fdopen(handle) as ended:
        assert select.select([ended], [], [], 60)[0], "it is still there"


def test_a_reader_knows_no_framework_and_no_secret() -> None:
    code = f"import sys, {PROCESS}; print([m for m in sys.modules if m in ('django', 'celery')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_small_ones_need_no_reader(readers: WebReader) -> None:
    on_demand.read(readout, given(WHOLE), None)
    assert readers.pids() == []


def test_what_is_small_only_because_it_is_coded_is_not_small(readers: WebReader) -> None:
    exchange = Exchange(
        reads=Exchange.of_body(gzip.compress(b" " * 100_000 + WHOLE)).reads,
        headers=(("content-encoding", "gzip"),),
    )
    found, _ = on_demand.read(readout, exchange, None)
    assert found.analysis.choices[0].content == "Hello"
    assert len(readers.pids()) == 1


def test_a_weight_counts_each_object_once() -> None:
    text = "x" * 10_000
    assert memory_of([text, text, {"a": text}]) < 11_000
    assert memory_of(list(range(1_000))) > 1_000 * 28
