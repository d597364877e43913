"""The body of a response, compressed or not, as it comes: nothing of a credential is given back."""

import gzip
import zlib
from collections.abc import Callable, Sequence

import brotli
import pytest
import zstandard

from inspector.core.credentials.repeated import RepeatedCredentials
from inspector.core.credentials.response_body import ResponseBodyMask, joined, without_coding
from inspector.core.wire.exchange import Headers, Read

KEY = "tenant-key-0123456789"
PLAIN = b'{"error":"the key ' + KEY.encode() + b' is wrong"}'
MASKED = b'{"error":"the key ' + b"*" * len(KEY) + b' is wrong"}'


def zstd(body: bytes) -> bytes:
    return zstandard.compress(body)


CODINGS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("deflate", zlib.compress),
    ("zstd", zstd),
    ("br", brotli.compress),
]


def given_back(
    pieces: Sequence[bytes], headers: Headers = ()
) -> tuple[list[Read], list[Read], ResponseBodyMask]:
    """The reads that came back as they had come, and those that came back decompressed."""
    mask = ResponseBodyMask(headers, RepeatedCredentials([KEY]))
    came: list[Read] = []
    decoded: list[Read] = []
    for at, piece in enumerate(pieces):
        reads = mask.feed([Read(at, piece)])
        (decoded if mask.is_decoded else came).extend(reads)
    rest = mask.rest()
    (decoded if mask.is_decoded else came).extend(rest)
    return came, decoded, mask


def bytes_of(reads: Sequence[Read]) -> bytes:
    return b"".join(read.data for read in reads)


@pytest.mark.parametrize(("name", "compress"), CODINGS)
def test_a_credential_decompresses_the_rest(name: str, compress: Callable[[bytes], bytes]) -> None:
    headers = (("Content-Encoding", name), ("X-A", "b"))
    body = compress(b"fine. " * 500 + PLAIN)
    for size in (1, 7, 64, len(body)):
        pieces = [body[at : at + size] for at in range(0, len(body), size)]
        came, decoded, mask = given_back(pieces, headers)
        whole = joined(headers, came, decoded)
        assert bytes_of(whole) == b"fine. " * 500 + MASKED
        assert [read.at_us for read in whole] == list(range(len(pieces)))
        assert (mask.passages, mask.coding and mask.coding.name) == (1, name)
    assert without_coding(headers) == (("X-A", "b"),)


@pytest.mark.parametrize(("name", "compress"), CODINGS)
def test_a_compressed_body_without_one_stays(name: str, compress: Callable[[bytes], bytes]) -> None:
    body = compress(b'{"fine":"tenant-key-01234"}' * 50)
    for size in (1, 5, len(body)):
        pieces = [body[at : at + size] for at in range(0, len(body), size)]
        came, decoded, mask = given_back(pieces, (("content-encoding", name),))
        assert [read.data for read in came] == pieces
        assert (decoded, mask.passages) == ([], 0)


def stored(body: bytes) -> bytes:
    """Brotli that contains the body as it is."""
    length = len(body) - 1
    bits = 0b1011 | length << 7 | 1 << 23
    assert len(body) < 1 << 16 and brotli.decompress(bits.to_bytes(3, "little") + body + b"\x03")
    return bits.to_bytes(3, "little") + body + b"\x03"


@pytest.mark.parametrize("compress", [brotli.compress, stored])
@pytest.mark.parametrize("body", [PLAIN, PLAIN * 2, b"fine. " * 20 + PLAIN, PLAIN + b"." * 300])
def test_a_cut_brotli_body_is_masked(compress: Callable[[bytes], bytes], body: bytes) -> None:
    headers = (("content-encoding", "br"),)
    coded = compress(body)
    for size in range(1, len(coded) + 1):
        pieces = [coded[at : at + size] for at in range(0, len(coded), size)]
        came, decoded, mask = given_back(pieces, headers)
        assert bytes_of(joined(headers, came, decoded)) == body.replace(PLAIN, MASKED)
        assert KEY.encode() not in bytes_of(came)
        assert (mask.is_decoded, mask.coding and mask.coding.name) == (True, "br")


@pytest.mark.parametrize("body", [PLAIN, b"data: " + PLAIN + b"\n\n", b"[" + PLAIN * 3 + b"]"])
def test_a_decoded_body_beside_the_header_of_brotli_is_masked_as_it_came(body: bytes) -> None:
    for size in range(1, len(body) + 1):
        pieces = [body[at : at + size] for at in range(0, len(body), size)]
        came, decoded, mask = given_back(pieces, (("content-encoding", "br"),))
        assert bytes_of(came) == body.replace(PLAIN, MASKED)
        assert (decoded, mask.is_decoded) == ([], False)


@pytest.mark.parametrize("inside", [b"fine", b"fine. " * 900 + bytes(range(256))])
def test_plain_text_behind_a_brotli_body_is_masked_too(inside: bytes) -> None:
    headers = (("content-encoding", "br"),)
    body = brotli.compress(inside) + PLAIN
    for size in range(1, len(body) + 1):
        pieces = [body[at : at + size] for at in range(0, len(body), size)]
        came, decoded, _ = given_back(pieces, headers)
        assert (bytes_of(came), decoded) == (brotli.compress(inside) + MASKED, [])


def test_reads_of_a_brotli_body_are_not_kept_until_its_end() -> None:
    mask = ResponseBodyMask((("content-encoding", "br"),), RepeatedCredentials([KEY]))
    coder = brotli.Compressor()
    sent = [Read(at, coder.process(b"data: %d\n\n" % at) + coder.flush()) for at in range(40)]
    back = [[one for one in mask.feed([read])] for read in sent]
    known = next(at for at, reads in enumerate(back) if reads)
    assert back[known:] == [sent[: known + 1], *([read] for read in sent[known + 1 :])]
    assert sum(len(read.data) for read in sent[:known]) < 64


def test_reads_of_a_compressed_body_are_not_kept_until_its_end() -> None:
    mask = ResponseBodyMask((), RepeatedCredentials([KEY]))
    coder = zlib.compressobj(wbits=31)
    sent = [
        Read(at, coder.compress(b"data: %d\n\n" % at) + coder.flush(zlib.Z_SYNC_FLUSH))
        for at in range(20)
    ]
    assert [one for read in sent for one in mask.feed([read])] == sent


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_plain_text_behind_the_first_bytes_of_a_coding_is_masked_too(size: int) -> None:
    body = b"\x1f\x8b\x08 no gzip at all: " + PLAIN
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    came, decoded, mask = given_back(pieces)
    assert bytes_of(came) == b"\x1f\x8b\x08 no gzip at all: " + MASKED
    assert (decoded, mask.passages) == ([], 1)


def test_plain_text_behind_a_compressed_body_is_masked_too() -> None:
    body = gzip.compress(b"fine") + PLAIN
    for size in (1, 8, len(body)):
        pieces = [body[at : at + size] for at in range(0, len(body), size)]
        came, decoded, _ = given_back(pieces)
        assert KEY.encode() not in bytes_of(joined((), came, decoded))
        assert bytes_of(came).startswith(gzip.compress(b"fine"))


def test_a_body_shorter_than_the_first_bytes_of_a_coding_is_given_back() -> None:
    assert given_back([b"\x1f", b"\x8b"])[0] == [Read(0, b"\x1f"), Read(1, b"\x8b")]
    assert given_back([])[0] == []


def test_without_credentials_all_passes_at_once() -> None:
    mask = ResponseBodyMask((), RepeatedCredentials([]))
    sent = [Read(1, b"\x1f"), Read(2, PLAIN)]
    assert (mask.feed(sent), mask.rest(), mask.passages) == (sent, [], 0)
