"""The size of an image by its first bytes, as each file format writes it."""

import pytest

from inspector.core.media.image_size import image_size

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (1240).to_bytes(4, "big") + (1754).to_bytes(4, "big")
GIF = b"GIF89a" + (320).to_bytes(2, "little") + (200).to_bytes(2, "little")
APP = b"\xff\xe1\x00\x06\xff\xc0!!"
"""Notes of a camera, with a marker inside that is none."""
FRAME = b"\xff\xc2\x00\x11\x08" + (600).to_bytes(2, "big") + (800).to_bytes(2, "big") + b"\x03"
JPEG = b"\xff\xd8" + APP + b"\xff" + b"\xff\xc4\x00\x04!!" + FRAME
RIFF = b"RIFF\0\0\0\0WEBP"
EXTENDED = (
    RIFF + b"VP8X\x0a\0\0\0\0\0\0\0" + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")
)
LOSSLESS = RIFF + b"VP8L\0\0\0\0\x2f" + (639 | 479 << 14).to_bytes(4, "little") + b"\0" * 5
LOSSY = RIFF + b"VP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + b"\x80\x02\xe0\x01"


@pytest.mark.parametrize(
    ("head", "size"),
    [
        (PNG, (1240, 1754)),
        (GIF, (320, 200)),
        (JPEG, (800, 600)),
        (EXTENDED, (640, 480)),
        (LOSSLESS, (640, 480)),
        (LOSSY, (640, 480)),
    ],
)
def test_each_format_tells_its_size(head: bytes, size: tuple[int, int]) -> None:
    assert image_size(head) == size
    assert image_size(head + b"\0" * 9) == size


@pytest.mark.parametrize(
    "head",
    [b"", b"%PDF-1.7", PNG[:16] + b"\0" * 8, JPEG[:20], b"\xff\xd8" + b"\xff\xe1\0\0" * 9,
     RIFF + b"ALPH" + b"\0" * 20],
)  # fmt: skip
def test_what_tells_no_size_has_none(head: bytes) -> None:
    assert image_size(head) is None


@pytest.mark.parametrize("head", [PNG, GIF, JPEG, EXTENDED, LOSSLESS, LOSSY])
def test_a_beginning_of_any_length_raises_nothing(head: bytes) -> None:
    for end in range(len(head)):
        image_size(head[:end])
