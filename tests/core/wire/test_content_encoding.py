"""Bodies that came compressed are read as what comes out of them."""

import gzip
import random
import zlib
from itertools import combinations_with_replacement, product

import brotli
import msgspec
import pytest
import zstandard

from inspector.core.analysis import Analysis, Verdict, analysis_to_json
from inspector.core.reading import Reading, read
from inspector.core.wire import content_encoding
from inspector.core.wire.content_encoding import (
    MAX_BYTES,
    ContentCoding,
    Decompressor,
    decompressed,
)
from inspector.core.wire.exchange import Exchange, Read, TransportOutcome
from tests.core.bodies import GOOD, GOOD_STREAM, analysis, codes
from tests.core.frames import frame
from tests.core.native_bodies import ANTHROPIC_WHOLE
from tests.tiers import mostly_thorough

CODED = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "br": brotli.compress,
}
SMALL = b'{"error":"none"}'
"""As brotli it is shorter than the first bytes by which brotli is recognised."""
FRAMES = frame("messageStart", b'{"role":"assistant"}') + frame("messageStop", b"{}")
DECODED = [
    GOOD,
    GOOD_STREAM,
    ANTHROPIC_WHOLE,
    b"[" + GOOD + b"," + GOOD + b"]",
    b'[[[[[[[[0.1,-2],null],true],"\xc3\xa4\xe2\x82\xac"]]]]]]',
    b'"' + "\N{PACKAGE}".encode() * 30 + b'"',
    b"\xef\xbb\xbf\r\n\t " + GOOD,
    b": ping\n\nid: 7\nretry: 10\nevent: message_start\n" + GOOD_STREAM,
    b"<html><body>Bad gateway</body></html>\n" * 3,
    b"7",
    b"1234567890" * 9,
]
"""Bodies as they are when nothing is compressed."""


def said(name: str) -> tuple[tuple[str, str], ...]:
    return (("Content-Encoding", name),)


def undone(body: bytes, *cuts: int, name: str = "br") -> tuple[bytes, ContentCoding | None]:
    """What comes out of a body that is cut at these places."""
    uncoder = Decompressor(said(name))
    places = (0, *cuts, len(body))
    reads = [Read(None, body[at:end]) for at, end in zip(places, places[1:], strict=False)]
    out = [one for read in reads for one in uncoder.feed(read)] + uncoder.end()
    assert len(out) == len(reads)
    return b"".join(read.data for read in out), uncoder.coding


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


def test_the_time_of_a_brotli_read_is_that_of_what_came_out_of_it() -> None:
    coder = brotli.Compressor()
    first = coder.process(GOOD_STREAM[:300]) + coder.flush()
    second = coder.process(GOOD_STREAM[300:]) + coder.finish()
    reads = (Read(1_000, first), Read(2_000, second))
    decoded = decompressed(Exchange(reads=reads, headers=said("br")))
    assert decoded.reads == (Read(1_000, GOOD_STREAM[:300]), Read(2_000, GOOD_STREAM[300:]))


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


@pytest.mark.parametrize("name", ["gzip", "br"])
def test_a_bomb_stops_at_the_limit(name: str) -> None:
    bomb = CODED[name](bytes(MAX_BYTES + 1))
    out, coding = undone(bomb, name=name)
    assert len(out) == MAX_BYTES
    fault = "it would decompress to more than 33,554,432 bytes"
    assert coding == ContentCoding(name, True, fault)
    assert undone(bomb, *range(1, len(bomb), 7), name=name) == (out, coding)


def test_a_brotli_body_as_large_as_the_limit_is_whole() -> None:
    out, coding = undone(brotli.compress(bytes(MAX_BYTES), quality=1))
    assert (len(out), coding) == (MAX_BYTES, ContentCoding("br", True))


def test_a_fault_behind_the_limit_is_the_limits_wherever_it_is_cut() -> None:
    coder = brotli.Compressor(quality=1)
    bomb = coder.process(bytes(MAX_BYTES + 9)) + coder.flush() + b"\xff" * 9
    out, coding = undone(bomb)
    assert (len(out), coding and coding.fault) == (
        MAX_BYTES,
        "it would decompress to more than 33,554,432 bytes",
    )
    assert undone(bomb, *range(1, len(bomb))) == (out, coding)


@pytest.mark.parametrize("body", [SMALL, SMALL + bytes(random.Random(1).randbytes(70))])
def test_every_cutting_of_a_small_brotli_body_gives_the_same(body: bytes) -> None:
    coded = brotli.compress(body)
    for cuts in combinations_with_replacement(range(len(coded) + 1), 2):
        assert undone(coded, *cuts) == (body, ContentCoding("br", True))


def test_a_brotli_body_shorter_than_its_first_bytes_is_read_by_reads_and_at_once() -> None:
    body = b'data: {"error":{"message":"none"}}\n\n'
    coded = brotli.compress(body)
    assert len(coded) < 64
    assert analysis(coded, headers=said("br")).verdict == analysis(body).verdict
    assert come_apart(coded, 1, headers=said("br")) == come_apart(coded, 99, headers=said("br"))


def test_every_brotli_body_that_is_cut_gives_what_came() -> None:
    body = GOOD_STREAM + random.Random(2).randbytes(40)
    coded, before = brotli.compress(body), b""
    for end in range(3, len(coded)):
        out, coding = undone(coded[:end], end // 2)
        assert coding == ContentCoding("br", True, "it ends early")
        assert body.startswith(out) and out.startswith(before)
        assert undone(coded[:end], *range(end)) == (out, coding)
        before = out


@pytest.mark.parametrize("quality", mostly_thorough([(5,), (0,), (11,)]))
def test_every_corrupt_brotli_body_gives_the_same_however_it_is_cut(quality: int) -> None:
    coded = brotli.compress(GOOD_STREAM, quality=quality)
    for at in range(64, len(coded)):
        for byte in (0x00, 0xFF, coded[at] ^ 0x10):
            body = coded[:at] + bytes([byte]) + coded[at + 1 :]
            whole = undone(body)
            assert undone(body, *range(1, len(body))) == whole
            assert undone(body, at, at + 1) == undone(body, at - 5, at + 9) == whole


def test_what_came_before_the_fault_of_a_brotli_body_is_kept() -> None:
    coder = brotli.Compressor()
    body = coder.process(GOOD_STREAM) + coder.flush() + b"\xff" * 40
    assert undone(body) == (GOOD_STREAM, ContentCoding("br", True, "it is corrupt"))
    assert undone(body, *range(len(body))) == undone(body)
    assert "framing.coding-broken" in codes(analysis(body, headers=said("br")))


@pytest.mark.parametrize("length", [32_752, 32_753, 40_000, 98_272, 150_000])
def test_much_that_comes_out_of_few_bytes_of_brotli_comes_at_once(length: int) -> None:
    coder = brotli.Compressor()
    body = coder.process(b"fine. " * length) + coder.flush()
    expected = ContentCoding("br", True, "it ends early")
    assert undone(body) == undone(body, *range(len(body))) == (b"fine. " * length, expected)


@pytest.mark.parametrize("body", [SMALL, GOOD_STREAM, b"fine. " * 7000, b"fine. " * 70_000])
def test_bytes_behind_the_end_of_a_brotli_body_are_a_fault(body: bytes) -> None:
    coded = brotli.compress(body)
    expected = body, ContentCoding("br", True, "bytes follow its end")
    for more in (b"\x00", b"\n", brotli.compress(body)):
        for cut in (0, 1, len(coded) - 1, len(coded), len(coded + more)):
            assert undone(coded + more, cut) == expected


@pytest.mark.parametrize("body", DECODED)
def test_every_beginning_of_a_decoded_body_stays_beside_the_header_of_brotli(body: bytes) -> None:
    for end in range(len(body) + 1):
        assert undone(body[:end], end // 2) == (body[:end], None)


def test_decoded_frames_stay_beside_the_header_of_brotli() -> None:
    for end in range(12, len(FRAMES) + 1):
        assert undone(FRAMES[:end], 5, 11) == (FRAMES[:end], None)


def test_a_brotli_body_that_begins_like_json_is_undone() -> None:
    body = b"{" + b" " * 90_000 + b"}"
    coded = brotli.compress(body)
    assert coded.startswith(b"[")
    assert undone(coded, 1, 2) == (body, ContentCoding("br", True))


@pytest.mark.parametrize("quality", [0, 1, 5, 11])
def test_brotli_of_every_window_is_undone(quality: int) -> None:
    bodies = (SMALL, GOOD, GOOD_STREAM * 40, random.Random(3).randbytes(300))
    for body, window in product(bodies, range(10, 25)):
        coded = brotli.compress(body, quality=quality, lgwin=window)
        assert undone(coded, 1) == (body, ContentCoding("br", True))


def test_brotli_of_nothing_is_nothing() -> None:
    assert undone(brotli.compress(b"")) == (b"", ContentCoding("br", True))
    assert undone(b"\x06") == (b"", ContentCoding("br", True))
    assert undone(b"") == (b"", None)


def test_brotli_that_no_header_names_stays_as_it_came() -> None:
    coded = brotli.compress(GOOD_STREAM)
    assert decompressed(Exchange.of_body(coded)).body == coded
    assert undone(coded, name="gzip") == (coded, None)


def test_another_coding_than_brotli_under_its_name_is_undone() -> None:
    assert undone(gzip.compress(GOOD), 1) == (GOOD, ContentCoding("gzip", False))
    assert undone(zstandard.compress(SMALL), 1, 2) == (SMALL, ContentCoding("zstd", False))


def test_an_open_brotli_body_is_read_while_its_first_bytes_come() -> None:
    coded = brotli.compress(SMALL)
    reading = Reading(Exchange(reads=(), headers=said("br"), outcome=TransportOutcome.OPEN))
    for at in range(len(coded)):
        reading.feed(Read(None, coded[at : at + 1]))
        reading.analysis()
    reading.feed(Read(None, b"\n"))
    whole = analysis(
        brotli.compress(SMALL) + b"\n", headers=said("br"), outcome=TransportOutcome.OPEN
    )
    assert reading.analysis() == whole


@pytest.mark.parametrize("body", [b"", b"\x1f", b"\x1f\x8b", b"x", b"x\x9c", b"(", b"xyz"])
def test_a_body_too_short_to_be_coded_is_read_as_it_came(body: bytes) -> None:
    assert decompressed(Exchange.of_body(body)).body == body
    assert come_apart(body, 1) == come_apart(body, 9)


def test_an_open_coded_stream_tells_of_no_break_yet() -> None:
    coder = zlib.compressobj(wbits=31)
    start = coder.compress(GOOD_STREAM) + coder.flush(zlib.Z_SYNC_FLUSH)
    done = analysis(start, headers=said("gzip"), outcome=TransportOutcome.OPEN)
    assert "framing.coding-broken" not in codes(done)


@pytest.mark.parametrize("name", ["zstd", "br"])
def test_a_coding_without_its_library_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(content_encoding._NOT_INSTALLED, name, True)
    body, coding = undone(CODED[name](GOOD), 5, name=name)
    assert body == b""
    assert coding == ContentCoding(name, True, "what decompresses it is not installed")
