"""P: what happens to PostgreSQL. Meanwhile senders are told to come again, and nothing else."""

import time
from contextlib import ExitStack

import psycopg

from tests.faults.rows import row
from tests.faults.stacks import PRODUCTION, Stack, refuses, shows, wait_until

TERMINATES = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
WAITS_FOR_ITS_TURN = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
DEADLOCKS = "SELECT sum(deadlocks) FROM pg_stat_database"


def connected(stack: Stack) -> psycopg.Connection:
    """As somebody who may write whatever the server says to others."""
    options = "-c default_transaction_read_only=off"
    return psycopg.connect(stack.database_url, autocommit=True, options=options)


@row("P1", PRODUCTION)
def crashed_and_started_again(stack: Stack) -> None:
    for _ in range(int(stack.form.choose(2, 10))):
        stack.postgresql.close()
        stack.start_postgresql()
        time.sleep(0.5)


@row("P2", PRODUCTION)
def down_for_long(stack: Stack) -> None:
    stack.postgresql.close()
    until = time.monotonic() + stack.form.choose(3, 600)
    assert refuses(stack)
    # Its answer is kept for a second.
    wait_until(lambda: stack.sender.get("/readyz").status == 503, "web says it is not ready")
    time.sleep(max(0.0, until - time.monotonic()))
    stack.start_postgresql()


@row("P3", PRODUCTION)
def all_connections_are_killed_again_and_again(stack: Stack) -> None:
    with connected(stack) as other:
        for _ in range(int(stack.form.choose(5, 12))):
            other.execute(TERMINATES)
            time.sleep(stack.form.choose(0.3, 5))


@row("P4", PRODUCTION)
def somebody_holds_the_table(stack: Stack) -> None:
    with connected(stack) as other, other.transaction():
        other.execute("LOCK TABLE archive_capture IN ACCESS EXCLUSIVE MODE")
        until = time.monotonic() + stack.form.choose(2, 60)
        assert refuses(stack)
        time.sleep(max(0.0, until - time.monotonic()))


@row("P5", PRODUCTION)
def others_have_all_connections(stack: Stack) -> None:
    with ExitStack() as ending:
        mine = [ending.enter_context(connected(stack))]
        until = time.monotonic() + stack.form.choose(2, 60)
        while time.monotonic() < until:
            take_one_more(stack, mine, ending)
        wait_until(
            lambda: not take_one_more(stack, mine, ending) and refuses(stack), "nothing is taken"
        )


def take_one_more(stack: Stack, mine: list[psycopg.Connection], ending: ExitStack) -> bool:
    """False where there is none; then those of others are free for the next."""
    try:
        mine.append(ending.enter_context(connected(stack)))
    except psycopg.OperationalError:
        pids = ",".join(str(each.info.backend_pid) for each in mine)
        mine[0].execute(f"{TERMINATES} AND pid NOT IN ({pids})".encode())
        return False
    return True


@row("P7", PRODUCTION)
def two_writers_lock_in_crossed_order(stack: Stack) -> None:
    """An arrival writes its evidence and then waits for its turn; we do it the other way round."""
    with connected(stack) as watching:
        before = watching.execute(DEADLOCKS).fetchone()
        for _ in range(int(stack.form.choose(1, 10))):
            cross(stack, watching)
        wait_until(lambda: watching.execute(DEADLOCKS).fetchone() != before, "a deadlock counts")


def cross(stack: Stack, watching: psycopg.Connection) -> None:
    with connected(stack) as other:
        try:
            with other.transaction():
                other.execute("SELECT pg_advisory_xact_lock(1, id::int) FROM teams_team")
                wait_until(
                    lambda: watching.execute(WAITS_FOR_ITS_TURN).fetchone() != (0,), "one waits"
                )
                other.execute("LOCK TABLE archive_evidence IN SHARE MODE")
        except psycopg.errors.DeadlockDetected:
            pass


@row("P8", PRODUCTION)
def read_only(stack: Stack) -> None:
    with connected(stack) as other, ExitStack() as after:
        after.callback(other.execute, "SELECT pg_reload_conf()")
        after.callback(other.execute, "ALTER SYSTEM RESET default_transaction_read_only")
        other.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        other.execute("SELECT pg_reload_conf()")
        until = time.monotonic() + stack.form.choose(2, 60)
        wait_until(lambda: refuses(stack), "nothing is taken")
        assert shows(stack)
        time.sleep(max(0.0, until - time.monotonic()))
