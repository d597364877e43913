"""The range of a file that a client asks for."""

import pytest

from inspector.web.byte_ranges import NOTHING, ByteRange, parse_range


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("bytes=0-", (0, 9)),
        ("bytes=0-0", (0, 0)),
        ("bytes=4-99", (4, 9)),
        ("bytes=-3", (7, 9)),
        ("bytes=-30", (0, 9)),
        ("bytes=10-", NOTHING),
        ("bytes=-0", NOTHING),
        ("", None),
        ("bytes=5-4", None),
        ("bytes=-", None),
        ("bytes=0-1,3-4", None),
        ("bytes=" + "9" * 40 + "-", None),
        ("lines=0-1", None),
    ],
)
def test_the_first_and_last_byte_of_ten(asked: str, found: ByteRange | None) -> None:
    assert parse_range(asked, 10) == found
