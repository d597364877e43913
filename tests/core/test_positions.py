"""Bytes as lines and columns."""

from inspector.core.positions import Position, positions


def test_lines_and_columns_count_from_one() -> None:
    assert positions(b"ab\nc", [0, 1, 2, 3]) == {
        0: Position(1, 1),
        1: Position(1, 2),
        2: Position(1, 3),
        3: Position(2, 1),
    }


def test_a_column_is_a_character_and_not_a_byte() -> None:
    body = "é你👋x".encode()
    assert positions(body, [2, 5, 9]) == {2: Position(1, 2), 5: Position(1, 3), 9: Position(1, 4)}


def test_a_carriage_return_belongs_to_its_line() -> None:
    assert positions(b"a\r\nb", [3]) == {3: Position(2, 1)}


def test_offsets_come_in_any_order_and_twice() -> None:
    assert positions(b"a\nb\nc", [4, 0, 4]) == {0: Position(1, 1), 4: Position(3, 1)}


def test_the_end_is_a_place_too() -> None:
    assert positions(b"a\n", [2]) == {2: Position(2, 1)}
    assert positions(b"", [0]) == {0: Position(1, 1)}


def test_bytes_that_are_no_text_have_a_place() -> None:
    assert positions(b"\xff\xfe\na", [1, 3]) == {1: Position(1, 2), 3: Position(2, 1)}


def test_many_offsets_in_one_long_line_take_no_longer_than_the_line() -> None:
    body = b"x" * 5_000_000
    assert positions(body, range(0, 5_000_000, 100))[4_999_900] == Position(1, 4_999_901)
