import gzip
import struct
import tracemalloc
import zlib
from collections.abc import Callable, Iterator

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from api.body import DECODERS, BrokenContentEncoding

PLAIN = b'{"object":"chat.completion"}' * 40


def raw_deflate(body: bytes) -> bytes:
    return zlib.compress(body)[2:-4]


ENCODERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw deflate": raw_deflate,
    "zstd": zstandard.compress,
    "identity": bytes,
}


def decoded(name: str, *pieces: bytes) -> bytes:
    return b"".join(DECODERS[name.split()[-1]](pieces))


def zstd_run(blocks: int, window_byte: int = 0x58) -> bytes:
    """A frame of run-length blocks: four bytes stand for 128 KiB (RFC 8878, section 3.1.1.2)."""
    frame = bytearray(b"\x28\xb5\x2f\xfd\x00" + bytes([window_byte]))
    for number in range(blocks):
        header = (number == blocks - 1) | 1 << 1 | (1 << 17) << 3
        frame += struct.pack("<I", header)[:3] + b"\0"
    return bytes(frame)


@pytest.mark.parametrize("name", ENCODERS)
@given(body=st.binary(max_size=300), cuts=st.lists(st.integers(0, 400), max_size=5))
def test_any_cutting_of_a_coded_body_decodes_to_the_body(
    name: str, body: bytes, cuts: list[int]
) -> None:
    coded = ENCODERS[name](body)
    edges = [0, *sorted(min(cut, len(coded)) for cut in cuts), len(coded)]
    pieces = [coded[a:b] for a, b in zip(edges, edges[1:], strict=False)]
    if name == "raw deflate" and coded[0] & 15 == 8 and int.from_bytes(coded[:2]) % 31 == 0:
        return
    assert decoded(name, *pieces) == body


@pytest.mark.parametrize("name", ["gzip", "deflate", "raw deflate", "zstd"])
def test_a_cut_body_is_never_half_a_body(name: str) -> None:
    coded = ENCODERS[name](PLAIN)
    for length in range(len(coded)):
        with pytest.raises(BrokenContentEncoding):
            decoded(name, coded[:length])


@pytest.mark.parametrize("name", ["gzip", "deflate", "zstd"])
@pytest.mark.parametrize("tail", [b"GARBAGE", b"\0"])
def test_bytes_after_the_end_are_refused(name: str, tail: bytes) -> None:
    with pytest.raises(BrokenContentEncoding):
        decoded(name, ENCODERS[name](PLAIN) + tail)
    with pytest.raises(BrokenContentEncoding):
        decoded(name, ENCODERS[name](PLAIN), tail)


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_several_members_are_one_body(name: str) -> None:
    first, second = ENCODERS[name](b"first "), ENCODERS[name](b"second")
    assert decoded(name, first + second) == b"first second"
    assert decoded(name, first, second) == b"first second"
    with pytest.raises(BrokenContentEncoding):
        decoded(name, first + second[:-1])


@pytest.mark.parametrize("name", ["gzip", "deflate", "zstd"])
def test_what_is_not_coded_so_is_refused(name: str) -> None:
    with pytest.raises(BrokenContentEncoding):
        decoded(name, b'{"object":"chat.completion"}')


def test_a_wrong_checksum_is_refused() -> None:
    with pytest.raises(BrokenContentEncoding):
        decoded("gzip", gzip.compress(PLAIN)[:-8] + bytes(8))


def test_deflate_has_no_members() -> None:
    with pytest.raises(BrokenContentEncoding):
        decoded("deflate", zlib.compress(b"first") + zlib.compress(b"second"))


@pytest.mark.parametrize("window_byte", [0x70, 0x80])
def test_a_window_over_eight_mebibytes_is_refused(window_byte: int) -> None:
    assert len(decoded("zstd", zstd_run(1, window_byte=0x68))) == 1 << 17
    with pytest.raises(BrokenContentEncoding):
        decoded("zstd", zstd_run(1, window_byte=window_byte))


def test_nobody_makes_us_hold_a_window_of_two_tebibytes() -> None:
    with pytest.raises(BrokenContentEncoding):
        decoded("zstd", zstd_run(1, window_byte=0xF8))


def taken(steps: Iterator[bytes], limit: int) -> int:
    total = 0
    for step in steps:
        total += len(step)
        if total > limit:
            break
    return total


@pytest.mark.parametrize(
    ("name", "make_bomb"),
    [
        ("gzip", lambda: gzip.compress(bytes(200 << 20), 9)),
        ("gzip", lambda: gzip.compress(bytes(1 << 20), 9) * 200),
        ("deflate", lambda: zlib.compress(bytes(200 << 20), 9)),
        ("zstd", lambda: zstd_run(1_600)),
    ],
    ids=["gzip", "gzip members", "deflate", "zstd"],
)
def test_whoever_stops_at_a_limit_has_not_paid_for_the_bomb(
    name: str, make_bomb: Callable[[], bytes]
) -> None:
    bomb = make_bomb()
    tracemalloc.start()
    total = taken(DECODERS[name]([bomb]), 10 << 20)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert total < 30 << 20
    assert peak < 40 << 20
