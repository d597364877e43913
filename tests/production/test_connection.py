"""Connections that an earlier request left, on the real server."""

import gc
import select
from collections.abc import Callable
from threading import Thread
from typing import Any

import psycopg
import pytest
from celery.fixups.django import DjangoFixup
from django.db import OperationalError, close_old_connections, connection

from inspector.archive.inspection import tasks
from inspector.archive.inspection.announced import drain
from inspector.celery import app
from inspector.database import statements
from tests.production.installation import database_url, wait_until

pytestmark = [pytest.mark.production, pytest.mark.django_db(transaction=True)]


def ask() -> int:
    """As the first statement of a request does."""
    close_old_connections()
    with statements.statement_cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone() or (0,)
    return int(pid)


def tell_the_server(statement: str, *values: Any) -> None:
    with psycopg.connect(database_url(), autocommit=True) as another:
        another.execute(statement.encode(), values)


def until_heard() -> None:
    heard, _, _ = select.select([connection.connection.fileno()], [], [], 30)
    assert heard


def test_a_quiet_one_is_used_without_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    first = ask()
    monkeypatch.setattr(connection, "is_usable", pytest.fail)
    assert ask() == first


def test_one_that_the_server_ended_is_replaced_before_anybody_sees_an_error() -> None:
    first = ask()
    tell_the_server("SELECT pg_terminate_backend(%s)", first)
    until_heard()
    assert ask() not in (0, first)


def test_one_that_has_something_to_say_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    first = ask()
    asked: list[bool] = []
    usual: Callable[[], bool] = connection.is_usable
    monkeypatch.setattr(connection, "is_usable", lambda: asked.append(True) or usual())
    with connection.cursor() as cursor:
        cursor.execute("LISTEN words")
    tell_the_server("NOTIFY words, 'nothing that ends it'")
    until_heard()
    assert ask() == first
    assert asked == [True]


def test_one_that_was_closed_here_is_made_anew() -> None:
    first = ask()
    connection.connection.close()
    assert ask() != first


def work(fixup: Any) -> int:
    """As a worker of Celery does with a task."""
    fixup.on_task_prerun(sender=drain)
    drain()
    pid = int(connection.connection.info.backend_pid)
    fixup.on_task_postrun(sender=drain)
    return pid


def test_all_tasks_of_a_worker_use_the_same_one() -> None:
    fixup = DjangoFixup(app).worker_fixup
    assert len({work(fixup) for _ in range(10)}) == 1


def test_one_that_was_ended_between_two_tasks_fails_neither_of_them() -> None:
    fixup = DjangoFixup(app).worker_fixup
    first = work(fixup)
    tell_the_server("SELECT pg_terminate_backend(%s)", first)
    until_heard()
    assert work(fixup) != first


def test_one_that_was_ended_within_a_task_fails_no_other_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fixup = DjangoFixup(app).worker_fixup
    first, usual = work(fixup), tasks.drain

    def ended() -> None:
        usual()
        tell_the_server("SELECT pg_terminate_backend(%s)", first)
        until_heard()
        usual()

    with monkeypatch.context() as patch, pytest.raises(OperationalError):
        patch.setattr(tasks, "drain", ended)
        work(fixup)
    assert work(fixup) != first


def open_connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND backend_type = 'client backend'"
        )
        return int(cursor.fetchone()[0])


@pytest.mark.filterwarnings("ignore:.*was deleted while still open:ResourceWarning")
def test_threads_that_ended_leave_none_open_once_another_one_asks() -> None:
    before = open_connections()
    gc.disable()
    try:
        for _ in range(4):
            asking = Thread(target=ask)
            asking.start()
            asking.join(120)
        wait_until(lambda: open_connections() <= before + 1)
    finally:
        gc.enable()
        # The last one's, before it is anybody else's warning.
        gc.collect()
