from inspector.dashboard.capture.page.body_lines import BodyLine, BodyLines
from tests.core.frames import frame


def test_lines_end_as_in_an_event_stream() -> None:
    assert [*BodyLines(b"a\nbb\r\nccc\rd").all] == [
        BodyLine(1, 0, 1),
        BodyLine(2, 2, 4),
        BodyLine(3, 6, 9),
        BodyLine(4, 10, 11),
    ]


def test_empty_lines_are_counted_and_left_out() -> None:
    assert [line.number for line in BodyLines(b"\na\n\n\nb\n").all] == [2, 5]
    assert not BodyLines(b"").all
    assert not BodyLines(b"\n\n").all


def test_a_byte_belongs_to_one_line() -> None:
    lines = BodyLines(b"one\n\ntwo\nthree")
    assert [lines.position_of(byte) for byte in (0, 3, 5, 8, 9, 99)] == [0, 0, 1, 1, 2, 2]
    assert lines.bytes_of(lines.all[1]) == b"two"


def test_each_binary_frame_is_a_line_whatever_its_bytes_are() -> None:
    one, other = frame("messageStop", b'{\n"stopReason"\r:"x"}'), frame("metadata", b"{}")
    lines = BodyLines(one + other + one[:20])
    ends = [len(one), len(one + other)]
    assert [*lines.all] == [
        BodyLine(1, 0, ends[0]),
        BodyLine(2, ends[0], ends[1]),
        BodyLine(3, ends[1], ends[1] + 20),
    ]
    assert lines.number_at(ends[0]) == 2
