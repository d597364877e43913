"""A text as a person reads it, with the way back to its characters.

Characters that only look different are one (Unicode's NFKC), digits of every script are ASCII's,
dashes and spaces are ``-`` and a space, and what nobody sees is left out.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from inspector.core.credentials.spans import TextSpan

_INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
_DASHES = "\u2010-\u2015\u2212\u058a\u05be\u1400\u1806\u2e3a\u2e3b\u301c\u3030\u30a0\ufe58\ufe63"
# As in "4000–1234".
_DASH = re.compile(f"[{_DASHES}]")
# As in a number with U+200B, a space of no width, between its digits.
_UNSEEN = re.compile(f"[{_INVISIBLE}]")
# Vowels and ends of Korean syllables, and marks of narrow Japanese letters, are letters by class.
_JOINED = re.compile("[\u1160-\u11ff\uff9e\uff9f]")
_TO_FOLD = re.compile(rf"[\d\s{_INVISIBLE}{_DASHES}]")
# A run takes the ASCII character before it along: a mark may stand on it, as in "e" and U+0301.
_FOREIGN = re.compile(r"[\x21-\x7e]?[^\x00-\x7f]+")


@dataclass(frozen=True, slots=True)
class LegibleText:
    """``text`` in pieces: ``starts`` are their first characters, ``sources`` the ranges of the
    source that they stand for. A piece as long as its source has the same characters.
    """

    text: str
    starts: Sequence[int] = ()
    sources: Sequence[TextSpan] = ()

    def in_source(self, start: int, end: int) -> TextSpan:
        """Return the characters of the source that some characters stand for."""
        if not self.starts:
            return TextSpan(start, end)
        return TextSpan(self._place(start).start, self._place(end - 1).end)

    def _place(self, at: int) -> TextSpan:
        piece = bisect_right(self.starts, at) - 1
        start, source = self.starts[piece], self.sources[piece]
        end = self.starts[piece + 1] if piece + 1 < len(self.starts) else len(self.text)
        if end - start != source.end - source.start:
            return source
        first = source.start + at - start
        return TextSpan(first, first + 1)


def legible(text: str) -> LegibleText:
    """Take time in proportion to the text; ASCII stays as it is."""
    if text.isascii():
        return LegibleText(text)
    made: list[str] = []
    starts: list[int] = []
    sources: list[TextSpan] = []
    length = 0
    for piece, source in _pieces(text):
        if piece:
            made.append(piece)
            starts.append(length)
            sources.append(source)
            length += len(piece)
    return LegibleText("".join(made), starts, sources)


def _pieces(text: str) -> Iterator[tuple[str, TextSpan]]:
    at = 0
    for run in _FOREIGN.finditer(text):
        if at < run.start():
            yield text[at : run.start()], TextSpan(at, run.start())
        yield from _run_pieces(run[0], run.start())
        at = run.end()
    if at < len(text):
        yield text[at:], TextSpan(at, len(text))


def _run_pieces(run: str, start: int) -> Iterator[tuple[str, TextSpan]]:
    if unicodedata.is_normalized("NFKC", run) and not _TO_FOLD.search(
        run, 1 if run[0] < "\x7f" else 0
    ):
        yield run, TextSpan(start, start + len(run))
        return
    at = 0
    while at < len(run):
        end = _cluster_end(run, at)
        yield _folded_cluster(run[at:end]), TextSpan(start + at, start + end)
        at = end


def _cluster_end(run: str, at: int) -> int:
    """Return where a character ends: behind the marks and letters that become one with it."""
    end = at + 1
    while end < len(run) and (unicodedata.combining(run[end]) or _JOINED.match(run[end])):
        end += 1
    return end


# A script has some thousand characters, and a text uses a few of them again and again.
@lru_cache(maxsize=4096)
def _folded_cluster(cluster: str) -> str:
    plain = unicodedata.normalize("NFKC", _UNSEEN.sub("", cluster))
    return "".join(map(_folded_character, _DASH.sub("-", plain)))


def _folded_character(character: str) -> str:
    if character.isspace():
        return "\n" if character in "\u2028\u2029\u0085" else " "
    digit = unicodedata.decimal(character, None)
    return character if digit is None else str(digit)
