"""One range of a file's bytes, as a client asks for it (RFC 9110, section 14)."""

import re
from typing import NamedTuple

# As in "bytes=100-", "bytes=0-99", "bytes=-100".
_RANGE = re.compile(r"bytes=(?:(?P<first>[0-9]{1,18})-(?P<last>[0-9]{0,18})|-(?P<end>[0-9]{1,18}))")


class ByteRange(NamedTuple):
    """``last`` is inclusive, as in HTTP."""

    first: int
    last: int

    @property
    def length(self) -> int:
        return self.last - self.first + 1


NOTHING = ByteRange(0, -1)


def parse_range(header: str, byte_length: int) -> ByteRange | None:
    """Return the range asked for: empty where the file has none of it, None for the whole file, as
    for several ranges, other units and what is no range.
    """
    found = _RANGE.fullmatch(header.strip())
    if found is None:
        return None
    end = byte_length - 1
    if found["end"] is not None:
        length = min(int(found["end"]), byte_length)
        return ByteRange(byte_length - length, end) if length else NOTHING
    first, last = int(found["first"]), int(found["last"] or end)
    if last < first and found["last"]:
        return None
    return ByteRange(first, min(last, end)) if first <= end else NOTHING
