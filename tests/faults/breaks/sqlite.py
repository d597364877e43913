"""Q: what happens to SQLite."""

import os
import random
import signal
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from tests.faults.rows import row
from tests.faults.stacks import EMBEDDED, Stack, shows, wait_until

WRITERS = 8


@row("Q1", EMBEDDED)
def another_program_holds_the_database(stack: Stack) -> None:
    before = stack.sender.statuses[503]
    with closing(sqlite3.connect(stack.sqlite, timeout=30, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with ThreadPoolExecutor(1) as beside:
            sent = beside.submit(stack.sender.send)
            assert shows(stack)
            time.sleep(stack.form.choose(2, 6))
            other.execute("ROLLBACK")
            sent.result()
    assert stack.sender.statuses[503] == before, "what came was refused, and not kept waiting"


@row("Q2", EMBEDDED)
def killed_in_the_middle_of_writes(stack: Stack) -> None:
    with stack.sender.steadily(200):
        for _ in range(int(stack.form.choose(3, 200))):
            (process,) = stack.processes("web")
            os.kill(process, signal.SIGKILL)
            wait_until(
                lambda process=process: stack.processes("web") != [process], "there is another"
            )
            stack.wait_until_ready()
            time.sleep(random.uniform(0.01, 0.1))
    assert stack.ask("PRAGMA integrity_check") == [("ok",)]


@row("Q3", EMBEDDED)
def many_write_at_once(stack: Stack) -> None:
    before = stack.sender.statuses[503]
    with stack.sender.steadily(1000, threads=WRITERS):
        time.sleep(stack.form.choose(2, 60))
    assert stack.sender.statuses[503] == before, "a locked database surfaced"
