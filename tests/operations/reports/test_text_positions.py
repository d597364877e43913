"""Bytes as lines and columns."""

from inspector.operations.reports.finding_locations import TextPosition, text_positions


def test_lines_and_columns_count_from_one() -> None:
    assert text_positions(b"ab\nc", [0, 1, 2, 3]) == {
        0: TextPosition(1, 1),
        1: TextPosition(1, 2),
        2: TextPosition(1, 3),
        3: TextPosition(2, 1),
    }


def test_a_column_is_a_character_and_not_a_byte() -> None:
    body = "é你👋x".encode()
    assert text_positions(body, [2, 5, 9]) == {
        2: TextPosition(1, 2),
        5: TextPosition(1, 3),
        9: TextPosition(1, 4),
    }


def test_a_carriage_return_belongs_to_its_line() -> None:
    assert text_positions(b"a\r\nb", [3]) == {3: TextPosition(2, 1)}


def test_offsets_come_in_any_order_and_twice() -> None:
    assert text_positions(b"a\nb\nc", [4, 0, 4]) == {0: TextPosition(1, 1), 4: TextPosition(3, 1)}


def test_the_end_is_a_place_too() -> None:
    assert text_positions(b"a\n", [2]) == {2: TextPosition(2, 1)}
    assert text_positions(b"", [0]) == {0: TextPosition(1, 1)}


def test_bytes_that_are_no_text_have_a_place() -> None:
    assert text_positions(b"\xff\xfe\na", [1, 3]) == {1: TextPosition(1, 2), 3: TextPosition(2, 1)}


def test_many_offsets_in_one_long_line_take_no_longer_than_the_line() -> None:
    body = b"x" * 5_000_000
    assert text_positions(body, range(0, 5_000_000, 100))[4_999_900] == TextPosition(1, 4_999_901)
