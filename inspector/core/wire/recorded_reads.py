"""``.reads.jsonl``: one line per network read, with the moment of its arrival, null if that is
unknown. A line may have a ``comment`` for people.
"""

import base64
import binascii
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

import msgspec

from inspector.core.decoded_types import built
from inspector.core.wire.exchange import Read

ENDING = ".reads.jsonl"


class BadLine(Exception):
    """Raised for a line of recorded reads that cannot be taken; ``number`` counts from 1."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"line {number}: {reason}")
        self.number = number


class _ReadLine(msgspec.Struct, forbid_unknown_fields=True):
    at_us: int | None
    data: str | None = None
    data_b64: str | None = None
    comment: str | None = None


def reads_of(body: bytes) -> Iterator[Read]:
    for number, line in enumerate(body.splitlines(), 1):
        try:
            yield _read(line)
        except (msgspec.MsgspecError, UnicodeError, binascii.Error, ValueError) as error:
            raise BadLine(number, str(error)) from error


def cut_reads(body: bytes, lengths: Sequence[tuple[int | None, int]]) -> tuple[Read, ...] | None:
    """Return the body as reads, by their times and lengths; None where these do not add up."""
    ends = list(accumulate((length for _, length in lengths), initial=0))
    if ends[-1] != len(body) or any(length < 0 for _, length in lengths):
        return None
    return tuple(
        Read(at_us, body[start:end])
        for (at_us, _), (start, end) in zip(lengths, pairwise(ends), strict=True)
    )


def looks_like_reads(body: bytes) -> bool:
    """Tell whether the first line is a read: no provider's response has just these members."""
    try:
        _read(body[: body.find(b"\n")] if b"\n" in body else body)
    except (msgspec.MsgspecError, UnicodeError, ValueError):
        return False
    return True


def _read(line: bytes) -> Read:
    read = msgspec.json.decode(line, type=built(_ReadLine))
    return Read(read.at_us, _data(read))


def _data(read: _ReadLine) -> bytes:
    if (read.data is None) == (read.data_b64 is None):
        raise ValueError("exactly one of data and data_b64 is due")
    if read.data_b64 is not None:
        return base64.b64decode(read.data_b64, validate=True)
    return (read.data or "").encode()


def line_of(read: Read, comment: str | None = None) -> bytes:
    """Return the line of one read, with its end: the bytes as text where they are UTF-8."""
    line: dict[str, int | str | None] = {"at_us": read.at_us}
    try:
        line["data"] = read.data.decode()
    except UnicodeDecodeError:
        line["data_b64"] = base64.b64encode(read.data).decode()
    if comment is not None:
        line["comment"] = comment
    return msgspec.json.encode(line) + b"\n"
