"""How an argument text grew: what was open after each of the pieces that it came in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from inspector.core.tool_calls.prefix import Prefix


class Step(msgspec.Struct, frozen=True):
    """After one piece. ``is_whole``: the text so far is a JSON text; ``is_broken``: it never will
    be, and ``depth`` is that of the place where it broke.
    """

    depth: int
    is_in_string: bool
    is_whole: bool
    is_broken: bool


def growth(pieces: Iterable[str]) -> Iterator[Step]:
    """One step per piece. Linear in the text."""
    prefix = Prefix()
    for piece in pieces:
        prefix.feed(piece)
        is_broken = prefix.broken_at is not None
        yield Step(prefix.depth, prefix.is_in_string, prefix.is_whole, is_broken)


def pieces_of(text: str, starts_u16: Sequence[int]) -> Iterator[str]:
    """A text cut where its pieces begin, in UTF-16 units as the tape counts."""
    units = text.encode("utf-16-le", "surrogatepass")
    ends = (*starts_u16[1:], len(units) // 2)
    for start, end in zip(starts_u16, ends, strict=True):
        yield units[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")
