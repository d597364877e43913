"""From an upload to its inspection, while what stands between them comes and goes."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import psycopg
import pytest
from django.db import connection

from development import servers
from inspector.archive.models import Capture, State
from tests.production.installation import Installation, database_url, wait_until

# With a time limit in milliseconds it waits until the backend is gone. Without one, the next request
# may still meet a backend that ends in the middle of its statement.
END_OTHER_BACKENDS = (
    "SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity"
    " WHERE datname = %s AND pid <> pg_backend_pid()"
)

pytestmark = [pytest.mark.production, pytest.mark.thorough, pytest.mark.timeout(240)]


def inspected() -> int:
    return Capture.objects.filter(state=State.INSPECTED).count()


def post(installation: Installation, times: int = 1) -> None:
    """Every answer says that the capture is kept."""
    assert {installation.post().status for _ in range(times)} == {202}


def test_with_redis_stopped_from_the_start_everything_is_inspected(
    installation: Installation,
) -> None:
    installation.redis_url = f"redis://127.0.0.1:{servers.free_port()}/0"
    worker = installation.worker()
    installation.start("sweep")
    installation.web()
    post(installation, 5)
    wait_until(lambda: inspected() == 5)
    assert worker.poll() is None, "it waits for Redis"


def test_two_workers_and_a_sweep_share_the_work_and_nothing_is_done_twice(
    installation: Installation,
) -> None:
    for _ in range(2):
        installation.worker()
    installation.start("sweep", "--older-than", "0")
    installation.web()
    post(installation, 60)
    wait_until(lambda: inspected() == 60)
    assert set(Capture.objects.values_list("attempt", flat=True)) == {1}


def test_a_table_that_is_locked_is_an_answer_while_it_is(installation: Installation) -> None:
    installation.web()
    with psycopg.connect(database_url()) as other:
        other.execute("LOCK TABLE archive_capture IN ACCESS EXCLUSIVE MODE")
        answer = installation.post()
        assert (answer.status, answer.code) == (503, "unavailable")
        assert answer.headers["Retry-After"]
        with ThreadPoolExecutor(12) as pool:
            at_once = [pool.submit(installation.post) for _ in range(12)]
            assert {one.result().status for one in at_once} == {503}
    post(installation)


def test_killed_connections_are_replaced_without_anybody_noticing(
    installation: Installation,
) -> None:
    installation.web()
    for _ in range(3):
        with connection.cursor() as cursor:
            cursor.execute(END_OTHER_BACKENDS, [connection.settings_dict["NAME"]])
        post(installation)


def test_a_database_that_is_gone_is_an_answer_until_it_is_back(installation: Installation) -> None:
    installation.web()
    name = connection.settings_dict["NAME"]
    with (
        psycopg.connect(database_url(), dbname="postgres", autocommit=True) as other,
        ExitStack() as after,
    ):
        connection.close()
        other.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        after.callback(other.execute, f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
        other.execute(END_OTHER_BACKENDS, [name])
        assert {installation.post().status for _ in range(4)} == {503}
        # What was found within the last second is still told.
        wait_until(lambda: installation.get("/readyz").status == 503)
    wait_until(lambda: installation.post().status == 202)


def test_a_read_only_database_takes_nothing_and_shows_everything(
    installation: Installation,
) -> None:
    installation.web()
    answer = installation.post()
    name = connection.settings_dict["NAME"]
    with connection.cursor() as cursor, ExitStack() as after:
        cursor.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        after.callback(cursor.execute, END_OTHER_BACKENDS, [name])
        after.callback(
            cursor.execute, f'ALTER DATABASE "{name}" RESET default_transaction_read_only'
        )
        cursor.execute(END_OTHER_BACKENDS, [name])
        # A connection that was being opened meanwhile keeps the setting that it began with.
        wait_until(lambda: installation.post().status == 503)
        assert installation.get(f"/api/v1/captures/{answer.json['id']}/").status == 200
    wait_until(lambda: installation.post().status == 202)
