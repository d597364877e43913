"""Texts as they read, with the way back to the bytes that spell them."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

from inspector.core.credentials.spans import TextSpan, source_spans
from inspector.core.json import strings
from inspector.core.tape import length_u16
from inspector.core.wire.event_data import ByteRange

MAX_LEVELS = 3
"""JSON inside strings of JSON: levels whose escapes are undone behind the first."""
REPEATED_CHARACTERS = 8
"""Shorter ones may be pieces that happen to begin alike, such as "1" and "12"."""

# As in "\u00e4", "\n".
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class SpeltPiece(NamedTuple):
    """Bytes of a body that spell a part of a text; ``is_escaped``: inside a JSON string."""

    start: int
    end: int
    is_escaped: bool = True


@dataclass(frozen=True, slots=True)
class DecodedText:
    """A text in as many pieces as it was sent in."""

    text: str
    pieces: Sequence[SpeltPiece]
    ends: Sequence[int]
    """End of each piece's characters in the text."""

    @property
    def is_repeated(self) -> bool:
        """True where pieces are whole texts that each repeat the one before: snapshots."""
        texts = [
            self.text[start:end] for start, end in zip((0, *self.ends), self.ends, strict=False)
        ]
        again = sum(
            len(other) > len(one) >= REPEATED_CHARACTERS and other.startswith(one)
            for one, other in pairwise(texts)
        )
        return 2 * again >= len(texts) - 1 and again > 0

    def byte_ranges(self, body: bytes, start: int, end: int) -> Iterator[ByteRange]:
        """Yield the bytes that spell some characters."""
        at = bisect_right(self.ends, start)
        while at < len(self.pieces) and (before := self.ends[at - 1] if at else 0) < end:
            first, last = max(start, before), min(end, self.ends[at])
            if first < last:
                yield self._bytes_in(body, at, before, (first, last))
            at += 1

    def _bytes_in(self, body: bytes, at: int, before: int, wanted: ByteRange) -> ByteRange:
        piece = self.pieces[at]
        text = self.text[before : self.ends[at]]
        first, last = (_u16(text, each - before) for each in wanted)
        spelt = body[piece.start : piece.end]
        found = strings.bytes_of(spelt, first, last, is_escaped=piece.is_escaped)
        return piece.start + found[0], piece.start + found[1]


def decoded_text(body: bytes, pieces: Sequence[SpeltPiece]) -> DecodedText:
    texts = [decoded(body[piece.start : piece.end], piece.is_escaped) for piece in pieces]
    return DecodedText("".join(texts), pieces, list(accumulate(map(len, texts))))


def decoded(spelt: bytes, is_escaped: bool = True) -> str:
    """Return the text of a JSON string's content, also where it is broken."""
    text = spelt.decode(errors="replace")
    return unescaped(text) if is_escaped and "\\" in text else text


def unescaped(text: str) -> str:
    plain = _ESCAPE.sub(_character, text)
    if plain.isascii():
        return plain
    # Escaped halves of surrogate pairs become characters.
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


class Level(NamedTuple):
    """A text with escapes undone once more. ``sources``: the texts that it was made from."""

    text: str
    sources: tuple[str, ...]

    def in_first(self, start: int, end: int) -> tuple[int, int]:
        """Return a range of the first text."""
        span = TextSpan(start, end)
        for source in reversed(self.sources):
            [span] = source_spans(source, _ESCAPE, [span])
        return span


def levels(text: str) -> Iterator[Level]:
    """Yield the text as it is, and then with the escapes undone that JSON inside of it has."""
    sources: tuple[str, ...] = ()
    for _ in range(MAX_LEVELS + 1):
        yield Level(text, sources)
        if "\\" not in text or not _ESCAPE.search(text):
            return
        # One character for each escape, so that there is a way back.
        sources, text = (*sources, text), _ESCAPE.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    if found[1]:
        return chr(int(found[1], 16))
    return _SHORT.get(found[2], found[2])


def _u16(text: str, characters: int) -> int:
    """UTF-16 units of the first characters of a text."""
    return characters if text.isascii() else length_u16(text[:characters])
