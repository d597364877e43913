"""A reader process: reads what web or a worker sends it, one input after the other, within limits.

Run with ``-m``; standard input is a socket whose other end that one holds. When it is gone, however
it ended, so is this process, even in the middle of a reading. It imports the core alone and is
given nothing of web's environment.
"""

import os
import pickle
import resource
import signal
import socket
from contextlib import suppress
from math import ceil
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from inspector.archive.readers import extract, response_json
from inspector.archive.readers.memory import limited_memory, resident_bytes
from inspector.archive.readers.messages import (
    ReaderDone,
    ReaderFailed,
    ReaderReply,
    ReaderTask,
    ReadingErrorCause,
    receive_message,
    send_message,
)
from inspector.archive.storage.value_memory import memory_of

# Loaded with the process: the first reading would pay for them, and count them as its growth.
PRELOADED = (extract, response_json)
# Web answers first; readings that somebody waits for come before background work.
NICENESS = 5
KEPT_BYTES = 128 << 20
"""A process that took so much more than at its start is replaced: memory seldom comes back."""


def main() -> None:
    web = socket.socket(fileno=os.dup(0))
    _give_way()
    tasks: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(web, tasks), name="listener", daemon=True).start()
    least = resident_bytes()
    while True:
        reply = reply_to(pickle.loads(tasks.get()))
        grown = resident_bytes() - least > KEPT_BYTES
        _answer(web, pickle.dumps((reply, grown)))


def reply_to(task: ReaderTask) -> ReaderReply:
    # The value travels as bytes: its size in memory is checked before it is decoded.
    # The limit is for the whole process, so each reading moves it on.
    _limit_processor(task.cpu_seconds)
    try:
        with limited_memory(task.memory_bytes):
            value = task.work(task.given)
            weight = memory_of(value)
            if weight > task.result_bytes:
                return ReaderFailed(
                    ReadingErrorCause.TOO_LARGE, f"what was read takes {weight:,} bytes"
                )
            return ReaderDone(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), weight)
    except MemoryError as error:
        return ReaderFailed(ReadingErrorCause.TOO_LARGE, str(error))
    except Exception as error:
        return ReaderFailed(ReadingErrorCause.BROKEN, f"{type(error).__name__}: {error}")


def _listen(web: socket.socket, tasks: SimpleQueue[bytes]) -> None:
    with suppress(EOFError, OSError):
        while True:
            tasks.put(receive_message(web))
    # Not ``sys.exit``, which ends this thread alone and waits for the reading in the main thread.
    os._exit(0)


def _answer(web: socket.socket, message: bytes) -> None:
    with suppress(OSError):
        send_message(web, message)


def _limit_processor(seconds: float) -> None:
    """Let the kernel end this process (SIGXCPU) where the next reading takes longer."""
    used: Any = resource.getrusage(resource.RUSAGE_SELF)
    end = ceil(used.ru_utime + used.ru_stime + seconds)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (end, hard))


def _give_way() -> None:
    os.nice(NICENESS)
    # A core dump would write the payload to the disk, where no deletion finds it.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A terminal's Ctrl-C is for web; the socket closes when web ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Where memory runs out for all, this one is to end. Elsewhere there is no such file.
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


if __name__ == "__main__":
    main()
