"""The texts of lanes as a player takes them: what came since, in characters that JSON can carry."""

from collections.abc import Iterable

from inspector.core.fold.growing_text import join_pieces
from inspector.core.tape import length_u16

SnapshotPiece = tuple[int, str]
"""Length in UTF-16 units of the prefix that a snapshot shares with the one before, and the rest."""


def snapshot_deltas(snapshots: Iterable[str]) -> list[SnapshotPiece]:
    """Encode each snapshot by what it shares with the one before."""
    found, before = [], ""
    for snapshot in snapshots:
        text = join_pieces([snapshot])
        shared = common_prefix_length(before, text)
        found.append((length_u16(text[:shared]), text[shared:]))
        before = text
    return found


def common_prefix_length(one: str, other: str) -> int:
    """Return the number of leading characters two texts share."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if other.startswith(one[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low
