"""Gives pages that deletions left empty back to the file system, on SQLite. PostgreSQL's files are
its operator's (docs/forgetting.md).
"""

from django.db import connection

KEPT_SHARE = 10
"""One in so many pages of the file stays empty, for what arrives next."""
KEPT_PAGES = 1_000
"""4 MB: a small archive is left as it is."""
STEP_PAGES = 500
"""At most in one transaction: about 20 ms."""
INCREMENTAL = 2
"""The value of `PRAGMA auto_vacuum` that allows giving back in steps (SQLite's manual)."""


def give_back_step() -> bool:
    """Shorten the file by some empty pages. False where there are few, or where it cannot."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return False
    surplus = _pragma("freelist_count") - max(KEPT_PAGES, _pragma("page_count") // KEPT_SHARE)
    # An archive that was made without is only shortened by ``VACUUM``.
    if surplus <= 0 or _pragma("auto_vacuum") != INCREMENTAL:
        return False
    # As a script: a statement without columns is stepped once by the driver, and this one gives
    # back one page in each step.
    with connection.wrap_database_errors:
        connection.connection.executescript(
            f"PRAGMA incremental_vacuum({min(surplus, STEP_PAGES)})"
        )
    return True


def _pragma(name: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {name}")
        (value,) = cursor.fetchone()
    return int(value)
