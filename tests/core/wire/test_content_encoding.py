"""Bodies that came compressed are read as what comes out of them."""

from __future__ import annotations

import gzip
import zlib

import msgspec
import pytest
import zstandard

from inspector.core.analysis import Analysis, Verdict, analysis_to_json
from inspector.core.reading import read
from inspector.core.wire.content_encoding import (
    MAX_BYTES,
    ContentCoding,
    Decompressor,
    decompressed,
)
from inspector.core.wire.exchange import Exchange, Read, TransportOutcome
from tests.core.bodies import GOOD, GOOD_STREAM, analysis, codes

CODED = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


def said(name: str) -> tuple[tuple[str, str], ...]:
    return (("Content-Encoding", name),)


def come_apart(body: bytes, size: int, **known: object) -> tuple[bytes, bytes]:
    reads = tuple(Read(None, body[at : at + size]) for at in range(0, len(body), size))
    reading = read(Exchange(reads=reads, **known))  # type: ignore[arg-type]
    tape = reading.tape()
    return analysis_to_json(reading.analysis()), msgspec.json.encode((tape.events, tape.pieces))


@pytest.mark.parametrize("name", CODED)
@pytest.mark.parametrize("body", [GOOD, GOOD_STREAM])
def test_a_coded_body_is_read_as_what_comes_out_of_it(name: str, body: bytes) -> None:
    done = analysis(CODED[name](body), headers=said(name))
    plain = analysis(body)
    assert (done.completion, done.verdict) == (plain.completion, Verdict.COMPLETE)
    assert codes(done) == {"framing.coded"}


@pytest.mark.parametrize("name", CODED)
def test_every_cutting_of_a_coded_body_is_read_alike(name: str) -> None:
    body = CODED[name](GOOD_STREAM)
    whole = come_apart(body, len(body), headers=said(name))
    for size in (1, 2, 3, 5, 64):
        assert come_apart(body, size, headers=said(name)) == whole


def test_the_time_of_a_coded_read_is_that_of_what_came_out_of_it() -> None:
    coder = zlib.compressobj(wbits=31)
    first = coder.compress(GOOD_STREAM[:300]) + coder.flush(zlib.Z_SYNC_FLUSH)
    second = coder.compress(GOOD_STREAM[300:]) + coder.flush()
    reads = (Read(1_000, first), Read(2_000, second))
    decoded = decompressed(Exchange(reads=reads, headers=said("gzip")))
    assert decoded.reads == (Read(1_000, GOOD_STREAM[:300]), Read(2_000, GOOD_STREAM[300:]))


def test_a_decoded_body_with_the_header_of_a_coded_one_is_read_as_it_is() -> None:
    assert codes(analysis(GOOD, headers=said("gzip"))) == set()
    assert codes(analysis(GOOD_STREAM, headers=said("br"))) == set()


def test_a_coding_that_no_header_names_is_undone_and_remarked() -> None:
    done: Analysis = analysis(gzip.compress(GOOD))
    assert (done.verdict, codes(done)) == (Verdict.COMPLETE, {"framing.coding-undeclared"})


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_all_members_are_undone(name: str) -> None:
    body = CODED[name](GOOD[:40]) + CODED[name](GOOD[40:])
    assert decompressed(Exchange.of_body(body)).body == GOOD


def test_a_coding_that_ends_early_is_an_error() -> None:
    done = analysis(gzip.compress(GOOD_STREAM)[:-9], headers=said("gzip"))
    assert "framing.coding-broken" in codes(done)


def test_a_broken_coding_keeps_what_came_before() -> None:
    coder = zlib.compressobj(wbits=31)
    start = coder.compress(GOOD_STREAM) + coder.flush(zlib.Z_SYNC_FLUSH)
    body = start + b"\xff" * 40
    assert decompressed(Exchange.of_body(body)).body == GOOD_STREAM
    assert "framing.coding-broken" in codes(analysis(body))
    assert come_apart(body, 1) == come_apart(body, 7) == come_apart(body, len(body))


def test_a_bomb_stops_at_the_limit() -> None:
    uncoder = Decompressor(said("gzip"))
    bomb = gzip.compress(bytes(MAX_BYTES + 1))
    (out,) = uncoder.feed(Read(None, bomb))
    assert len(out.data) == MAX_BYTES
    assert uncoder.coding == ContentCoding(
        "gzip", True, "it would decompress to more than 33,554,432 bytes"
    )


@pytest.mark.parametrize("body", [b"", b"\x1f", b"\x1f\x8b", b"x", b"x\x9c", b"(", b"xyz"])
def test_a_body_too_short_to_be_coded_is_read_as_it_came(body: bytes) -> None:
    assert decompressed(Exchange.of_body(body)).body == body
    assert come_apart(body, 1) == come_apart(body, 9)


def test_an_open_coded_stream_tells_of_no_break_yet() -> None:
    coder = zlib.compressobj(wbits=31)
    start = coder.compress(GOOD_STREAM) + coder.flush(zlib.Z_SYNC_FLUSH)
    done = analysis(start, headers=said("gzip"), outcome=TransportOutcome.OPEN)
    assert "framing.coding-broken" not in codes(done)
