from hypothesis import given
from hypothesis import strategies as st

from inspector.core.wire.batch_lines import BatchLine, LineFault, split_lines


def found(*pieces: bytes, longest: int = 5) -> list[BatchLine]:
    return list(split_lines(pieces, longest))


def test_lines_are_numbered_from_one_and_lose_their_newline() -> None:
    assert found(b"a\n\nbc\r\n") == [BatchLine(1, b"a"), BatchLine(2, b""), BatchLine(3, b"bc\r")]
    assert found() == found(b"", b"") == []


def test_a_last_line_without_a_newline_may_be_cut() -> None:
    assert found(b"a\nb") == [BatchLine(1, b"a"), BatchLine(2, fault=LineFault.UNTERMINATED)]
    assert found(b"a", b"\n") == [BatchLine(1, b"a")]


def test_a_line_over_the_limit_is_dropped_and_the_next_is_not() -> None:
    assert found(b"123456\nb\n") == [BatchLine(1, fault=LineFault.TOO_LONG), BatchLine(2, b"b")]
    assert found(b"12345\nb\n") == [BatchLine(1, b"12345"), BatchLine(2, b"b")]
    assert found(b"123", b"45", b"6", b"\nb\n") == [
        BatchLine(1, fault=LineFault.TOO_LONG),
        BatchLine(2, b"b"),
    ]
    assert found(b"1234567")[0].fault is LineFault.UNTERMINATED


@given(st.lists(st.binary(max_size=9).map(lambda b: b.replace(b"x", b"\n")), max_size=9))
def test_where_pieces_are_cut_changes_nothing(pieces: list[bytes]) -> None:
    whole = b"".join(pieces)
    bytewise = [whole[n : n + 1] for n in range(len(whole))]
    assert found(*pieces) == found(whole) == found(*bytewise)
    assert [line.number for line in found(whole)] == list(range(1, len(found(whole)) + 1))
