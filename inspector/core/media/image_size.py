"""Width and height of an image, by the first bytes of its file.

Sources: PNG (W3C), section 11.2.1; GIF89a, section 18; WebP container (RFC 9649), section 2; JPEG
(ITU-T T.81), annex B.
"""

from struct import unpack_from

HEAD_BYTES = 96 * 1024
"""Bytes of a JPEG that are looked through: what a camera notes stands in front of its size."""

_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of a JPEG's frame, which has the size."""
_ALONE = frozenset((0x01, *range(0xD0, 0xD9)))
"""Markers without a length."""


def image_size(head: bytes) -> tuple[int, int] | None:
    """Pixels; None where the beginning does not tell them. Never raises."""
    if head.startswith(b"\x89PNG\r\n\x1a\n") and len(head) >= 24:
        width, height = unpack_from(">II", head, 16)
    elif head.startswith((b"GIF87a", b"GIF89a")) and len(head) >= 10:
        width, height = unpack_from("<HH", head, 6)
    elif head.startswith(b"RIFF") and head[8:12] == b"WEBP" and len(head) >= 30:
        width, height = _of_webp(head)
    elif head.startswith(b"\xff\xd8"):
        width, height = _of_jpeg(head)
    else:
        return None
    return (width, height) if width and height else None


def _of_webp(head: bytes) -> tuple[int, int]:
    """Zeros for a chunk that has no size."""
    kind = head[12:16]
    if kind == b"VP8X":
        return (
            int.from_bytes(head[24:27], "little") + 1,
            int.from_bytes(head[27:30], "little") + 1,
        )
    if kind == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = unpack_from("<HH", head, 26)
        return width & 0x3FFF, height & 0x3FFF
    return 0, 0


def _of_jpeg(head: bytes) -> tuple[int, int]:
    """Zeros where no frame begins in what is there."""
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker in _FRAMES:
            height, width = unpack_from(">HH", head, at + 5)
            return width, height
        length = int.from_bytes(head[at + 2 : at + 4], "big")
        # A fill byte moves on by one.
        at += 1 if marker == 0xFF else 2 if marker in _ALONE else 2 + max(length, 2)
    return 0, 0
