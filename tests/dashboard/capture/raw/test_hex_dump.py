import pytest

from inspector.dashboard.capture.raw.hex_dump import (
    NEARBY_BYTES,
    WINDOW,
    HexRow,
    parse_offset,
    window_around,
    window_at,
)

BODY = bytes(range(256)) * 16 + b"end"


def told(row: HexRow) -> list[tuple[str, str, str]]:
    return [(run.digits, run.text, run.kind) for run in row.runs]


def test_a_window_holds_the_byte_that_was_asked_for_and_marks_it() -> None:
    window = window_at(BODY, "1,089")
    assert (window.start, window.end, window.before, window.after) == (1024, 2048, 0, 2048)
    assert window.first_lit == 1089
    assert told(window.rows[4]) == [
        ("40", "@", ""),
        ("41", "A", "lit"),
        ("42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f", "BCDEFGHIJKLMNO", ""),
    ]


def test_every_byte_is_in_the_rows_of_its_window_and_in_no_other() -> None:
    windows = [window_at(BODY, str(at)) for at in range(0, len(BODY), WINDOW)]
    rows = [row for window in windows for row in window.rows]
    assert b"".join(bytes.fromhex(run.digits) for row in rows for run in row.runs) == BODY
    assert [row.start for row in rows] == list(range(0, len(BODY), 16))
    assert windows[-1].after is None and windows[-1].rows[-1].end == len(BODY)
    assert windows[0].last == windows[-1].start


def test_a_range_is_marked_across_rows() -> None:
    window = window_at(BODY, "14", "18")
    assert [run[2] for run in told(window.rows[0])] == ["", "lit"]
    assert [run[2] for run in told(window.rows[1])] == ["lit", ""]


def test_what_cannot_be_seen_is_a_dot() -> None:
    assert told(window_at(b"\x00a\xc3\xa9\x7f ", "").rows[0]) == [
        ("00 61 c3 a9 7f 20", "·a··· ", "")
    ]


@pytest.mark.parametrize(
    ("text", "offset"),
    [("1024", 1024), ("1,024", 1024), (" 1 024 ", 1024), ("0x400", 1024), ("0X4fF", 1279),
     ("", None), ("4ff", None), ("-1", None), ("1.5", None), ("0x", None), ("9" * 40, None)],
)  # fmt: skip
def test_offsets_are_read_as_people_write_them(text: str, offset: int | None) -> None:
    assert parse_offset(text) == offset


def test_an_offset_that_is_none_or_beyond_the_end_is_told() -> None:
    assert window_at(BODY, "x").trouble == "'x' is not an offset."
    beyond = window_at(BODY, "9999")
    assert beyond.trouble == "Byte 9,999 is after the end; the last byte is 4,098."
    assert beyond.rows[-1].end == len(BODY)
    assert window_at(BODY, "5").trouble == ""


def test_without_an_offset_nothing_is_marked() -> None:
    window = window_at(BODY, "")
    assert window.first_lit is None and window.start == 0


def test_an_empty_body_has_no_rows() -> None:
    window = window_at(b"", "7")
    assert window.rows == () and window.trouble


def test_a_few_rows_stand_around_a_byte() -> None:
    rows = window_around(BODY, 1_000, "break")
    assert sum(row.end - row.start for row in rows) == NEARBY_BYTES
    (marked,) = [run for row in rows for run in row.runs if run.kind]
    assert (marked.digits, marked.kind) == ("e8", "break")
    assert window_around(b"ab", 1, "break")[0].start == 0
