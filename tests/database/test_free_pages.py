"""Space that an embedded archive gives back of its file once much was deleted."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import OperationalError, connection

from inspector.database.free_pages import KEPT_PAGES, STEP_PAGES, give_back_step
from inspector.database.portability import truncate_wal
from inspector.operations.sweeping import Sweep

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.embedded]

PAGE_BYTES = 4096
SURPLUS_PAGES = 3 * STEP_PAGES


def pragma(name: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {name}")
        (value,) = cursor.fetchone()
    return int(value)


def execute(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def fill() -> None:
    rows = KEPT_PAGES + SURPLUS_PAGES
    execute(
        f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})"
        " INSERT INTO filling SELECT zeroblob(4000) FROM n"
    )


@pytest.fixture
def filling() -> Iterator[None]:
    execute("CREATE TABLE filling (content BLOB)")
    fill()
    yield
    execute("DROP TABLE filling")
    connection.connection.executescript("PRAGMA incremental_vacuum")


def file_bytes() -> int:
    assert truncate_wal()
    return Path(connection.settings_dict["NAME"]).stat().st_size


def test_a_file_without_much_room_is_left_alone(filling: None) -> None:
    before = pragma("page_count")
    assert not give_back_step()
    assert pragma("page_count") == before


def test_what_was_deleted_is_given_back_step_by_step_but_for_what_is_kept(filling: None) -> None:
    full = file_bytes()
    execute("DELETE FROM filling")
    free = pragma("freelist_count")
    assert give_back_step()
    assert pragma("freelist_count") == free - STEP_PAGES
    while give_back_step():
        pass
    kept = pragma("freelist_count")
    assert KEPT_PAGES <= kept < KEPT_PAGES + STEP_PAGES
    # And the pages that told where those were.
    assert 0 <= full - file_bytes() - (free - kept) * PAGE_BYTES < 10 * PAGE_BYTES


def test_the_sweep_gives_it_back(filling: None) -> None:
    execute("DELETE FROM filling")
    free, sweep = pragma("freelist_count"), Sweep(5.0)
    assert sweep._work_on_jobs()
    assert pragma("freelist_count") == free - STEP_PAGES


def test_a_writer_that_is_active_puts_it_off_with_an_error_of_the_database(filling: None) -> None:
    execute("DELETE FROM filling")
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            execute("PRAGMA busy_timeout = 1")
            with pytest.raises(OperationalError):
                give_back_step()
            cursor.execute("ROLLBACK")
    finally:
        other.close()
        connection.close()
    assert give_back_step()
