from inspector.dashboard.capture.page.body_lines import BodyLine, BodyLines


def test_lines_end_as_in_an_event_stream() -> None:
    assert BodyLines(b"a\nbb\r\nccc\rd").all == [
        BodyLine(1, 0, 1),
        BodyLine(2, 2, 4),
        BodyLine(3, 6, 9),
        BodyLine(4, 10, 11),
    ]


def test_empty_lines_are_counted_and_left_out() -> None:
    assert [line.number for line in BodyLines(b"\na\n\n\nb\n").all] == [2, 5]
    assert BodyLines(b"").all == []
    assert BodyLines(b"\n\n").all == []


def test_a_byte_belongs_to_one_line() -> None:
    lines = BodyLines(b"one\n\ntwo\nthree")
    assert [lines.position_of(byte) for byte in (0, 3, 5, 8, 9, 99)] == [0, 0, 1, 1, 2, 2]
    assert lines.bytes_of(lines.all[1]) == b"two"
