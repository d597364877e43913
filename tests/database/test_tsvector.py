"""Words in the form in which PostgreSQL receives a ``tsvector``."""

from inspector.database.postgresql.tsvector import TsVector


def test_each_word_stands_once_with_its_positions() -> None:
    assert TsVector.of(["so", "é", "so"], but="_") == (
        b"\0\0\0\x02" + b"so\0\0\x02\0\x01\0\x03" + "é".encode() + b"\0\0\x01\0\x02"
    )


def test_a_break_leaves_its_position_empty() -> None:
    assert TsVector.of(["a", "_", "b"], but="_") == (
        b"\0\0\0\x02" + b"a\0\0\x01\0\x01" + b"b\0\0\x01\0\x03"
    )
    assert TsVector.of([], but="_") == b"\0\0\0\0"
