from datetime import UTC, datetime
from uuid import UUID

import pytest

from inspector.archive.listing.cursor import BadCursor, Cursor

ID = UUID("01a1fdb2-29f4-7c2f-bde3-75876d35c5fd")


def test_a_cursor_survives_its_text() -> None:
    cursor = Cursor(datetime(2026, 3, 1, 12, 30, 15, 123456, UTC), ID)
    assert str(cursor) == "1772368215123456-01a1fdb229f47c2fbde375876d35c5fd"
    assert Cursor.parse(str(cursor)) == cursor


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "-1-01a1fdb229f47c2fbde375876d35c5fd",
        "1-01a1fdb2-29f4-7c2f-bde3-75876d35c5fd",
        "99999999999999999-" + "z" * 32,
        "٣-01a1fdb229f47c2fbde375876d35c5fd",
        "1-01a1fdb229f47c2fbde375876d35c5fd\n",
        "1-01a1fdb229f47c2fbde375876d35c5fd'; drop table",
    ],
)
def test_what_the_archive_never_gave_out_is_no_cursor(text: str) -> None:
    with pytest.raises(BadCursor):
        Cursor.parse(text)
