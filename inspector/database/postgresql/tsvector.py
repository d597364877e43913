"""Words with their positions as PostgreSQL receives a ``tsvector`` (its source, ``tsvectorrecv``).
Written out as text it costs the server six times as much to read.
"""

from __future__ import annotations

from collections.abc import Iterable


class TsVector(bytes):
    """How many words there are; of each its text, how many positions it has, and these. Numbers are
    big-endian; the words may stand in any order.
    """

    __slots__ = ()

    @classmethod
    def of(cls, words: Iterable[str], but: str) -> TsVector:
        """Count positions from 1. ``but`` is a word of which nothing but its place is left."""
        places: dict[str, bytes] = {}
        for at, word in enumerate(words, 1):
            place = at.to_bytes(2, "big")
            places[word] = places[word] + place if word in places else place
        places.pop(but, None)
        entries = [
            b"%s\0%s%s" % (word.encode(), (len(found) // 2).to_bytes(2, "big"), found)
            for word, found in places.items()
        ]
        return cls(len(entries).to_bytes(4, "big") + b"".join(entries))
