"""Bytes that are removed from a body take their share of its reads with them."""

from __future__ import annotations

from inspector.core.minimisation.edits import ByteEdit, edited_request, edited_response
from inspector.core.wire.exchange import Exchange, Read, Request


def reads(*parts: bytes) -> Exchange:
    return Exchange.of_reads(Read(at, part) for at, part in enumerate(parts))


def edited(exchange: Exchange, *edits: tuple[int, int] | tuple[int, int, bytes]) -> list[Read]:
    return list(edited_response(exchange, [ByteEdit(*edit) for edit in edits]).reads)


def test_reads_lose_what_was_theirs() -> None:
    assert edited(reads(b"abc", b"def", b"ghi"), (1, 4)) == [
        Read(0, b"a"),
        Read(1, b"ef"),
        Read(2, b"ghi"),
    ]


def test_a_read_that_loses_everything_goes() -> None:
    assert edited(reads(b"abc", b"def", b"ghi"), (3, 6)) == [Read(0, b"abc"), Read(2, b"ghi")]
    assert edited(reads(b"abc", b"def"), (0, 2), (2, 6)) == [Read(0, b"")]


def test_what_is_put_in_comes_with_the_first_read_of_what_it_replaces() -> None:
    assert edited(reads(b"abc", b"def"), (2, 5, b"xy")) == [Read(0, b"abxy"), Read(1, b"f")]


def test_of_the_request_the_body_alone_changes() -> None:
    exchange = Exchange(reads=(), request=Request(method="POST", body=b"abc"))
    after = edited_request(exchange, [ByteEdit(0, 1)])
    assert after.request == Request(method="POST", body=b"bc")
