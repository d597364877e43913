"""Determines the state of a call's arguments after each piece that arrived."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from inspector.core.json.prefix import JsonPrefix


class GrowthStep(msgspec.Struct, frozen=True):
    """State after one piece. ``is_whole``: the text so far is a JSON text. ``is_broken``: it can no
    longer become one; ``depth`` is then the depth at the break.
    """

    depth: int
    is_in_string: bool
    is_whole: bool
    is_broken: bool


def growth_steps(pieces: Iterable[str]) -> Iterator[GrowthStep]:
    """Yield one step per piece. Linear in the text."""
    prefix = JsonPrefix()
    for piece in pieces:
        prefix.feed(piece)
        is_broken = prefix.broken_at is not None
        yield GrowthStep(prefix.depth, prefix.is_in_string, prefix.is_whole, is_broken)


def pieces_of(text: str, starts_u16: Sequence[int]) -> Iterator[str]:
    """Split a text at the starts of its pieces, in UTF-16 units as on the tape."""
    units = text.encode("utf-16-le", "surrogatepass")
    ends = (*starts_u16[1:], len(units) // 2)
    for start, end in zip(starts_u16, ends, strict=True):
        yield units[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")
