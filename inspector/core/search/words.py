"""Cuts text into the words that it is found by: the same for texts and for what is searched.

A word is a run of letters, digits and marks, folded: case, accents, width, forms of digits. In
scripts that put no spaces between words (and in Hangul, whose words carry their endings) every
character begins a word of two characters, so that any part of the text is a row of words. What
stands for one name in code is found in other spellings, too: ``getUserName`` by its parts,
``get_user_name`` as one word (``spellings``).
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

WORDS_VERSION = 1
"""Raise it when the same text is cut otherwise: all texts are then indexed again."""
WORD_CHARACTERS = 64
"""A longer word is cut to its beginning, wherever it stands."""
MAX_SPELLING_CHARACTERS = 128
"""Longer runs are data and no name."""

# Scripts without spaces between words, as ranges of a regular expression.
_DENSE = (
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e80-\u0ecf\u0eda-\u0eff"  # Lao
    "\u1000-\u103f\u1050-\u108f\u109a-\u109f\ua9e0-\ua9fe\uaa60-\uaa7f"  # Burmese, Shan
    "\u1780-\u17d3\u17d7\u17dc\u17dd\u19e0-\u19ff"  # Khmer
    "\u1950-\u19df\u1a20-\u1aad\uaa80-\uaadf"  # Tai
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb\uffa0-\uffdc"  # Hangul
    "\u2e80-\u2fd5\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u303c"  # Han
    "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Kana
    "\uff66-\uff9f"
    "\u3105-\u312f\u31a0-\u31bf"  # Bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
# Format characters that stand inside of words and say nothing: soft hyphen, joiners, word joiner,
# selectors of variants, marks of direction.
_SILENT = (
    "\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
)
# Accents and points that fold away. Signs of vowels (Indic, Thai) and the voicing marks of kana are
# letters to their readers.
_ACCENTS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    "\u1ab0-\u1ace\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
)
_LETTERS_ALONE = str.maketrans({
    "ß": "ss", "ø": "o", "đ": "d", "ł": "l", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae",
    "œ": "oe", "ð": "d",
    "þ": "th", "ŋ": "n", "ə": "e", "ѐ": "е", "ۀ": "ه", "ة": "ه", "ى": "ي", "ی": "ي", "ک": "ك",
})  # fmt: skip
_BLOCKS_WITH_MARKS = (
    (0x300, 0x2000),
    (0x20D0, 0x2100),
    (0x2CEF, 0x3100),
    (0xA66F, 0xAC00),
    (0xFB1E, 0xFE30),
)


def _marks() -> str:
    """Return the combining marks, as ranges of a regular expression."""
    points = {
        point
        for first, end in _BLOCKS_WITH_MARKS
        for point in range(first, end)
        if unicodedata.category(chr(point)) in ("Mn", "Mc")
    }
    starts = sorted(point for point in points if point - 1 not in points)
    ends = sorted(point for point in points if point + 1 not in points)
    # Scripts of the higher planes have theirs among their letters: whole blocks stand for them.
    ranges = [
        *zip(starts, ends, strict=True),
        (0x11000, 0x11FFF),
        (0x1E000, 0x1E2EF),
        (0x1E8D0, 0x1E94A),
    ]
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in ranges)


_MARKS = _marks()
# As in "thursday"; of a longer run the beginning, with the rest passed over.
_ASCII_WORD = re.compile(rf"([a-z0-9]{{1,{WORD_CHARACTERS}}}+)[a-z0-9]*+")
# As in "get_weather2".
_ASCII_NAME = re.compile("[A-Za-z0-9_]++")
# Where a name may have parts: nearly all words have none, and a search for their first letters
# passes them by.
_NAME_JOINT = re.compile("[A-Z_](?:(?<=_)|(?<=[a-z0-9][A-Z])|(?<=[A-Z]{2})(?=[a-z]))")
# As in "get_" in front of "weather".
_NAME_BEFORE = re.compile(r"[A-Za-z0-9_]*\Z")
# As "é": Unicode's rules of folding take longer than those of ASCII, and are for such runs alone.
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]++")
_FOREIGN = re.compile(rf"[\w{_MARKS}{_SILENT}]")
# An underscore stands between words: it is replaced by a space before these are used.
_RUN = re.compile(rf"\w[\w{_MARKS}{_SILENT}]*+")
# As in "東京" and "2024" of "東京2024".
_SEGMENT = re.compile(
    rf"([{_DENSE}][{_DENSE}{_MARKS}{_SILENT}]*+)|(?:(?![{_DENSE}]).)++", re.DOTALL
)
_CLUSTER = re.compile(
    # A character with what composes with it: voicing marks of kana, the parts of a syllable of
    # Hangul.
    rf"[\u1100-\u115f\ua960-\ua97c][\u1160-\u11a7\ud7b0-\ud7c6]*+[\u11a8-\u11ff\ud7cb-\ud7fb]*+"
    rf"[{_SILENT}]*+|.[\u3099\u309a\uff9e\uff9f{_SILENT}]*+",
    re.DOTALL,
)
# As a soft hyphen (U+00AD): it is written in a word and not read.
_SILENT_CHARACTER = re.compile(f"[{_SILENT}]")
# As in U+0301 of "é", once it is taken apart (NFD).
_ACCENT = re.compile(f"[{_ACCENTS}{_SILENT}]++")
# As in "." and "_".
_NO_PART_OF_WORDS = re.compile(rf"[^\w{_MARKS}]|_|[{_SILENT}]")
# As before the "U" and the "N" of "getUserName" and the "S" of "HTTPServer".
_CAPITAL_INSIDE = re.compile(
    r"(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])"
)


class Word(NamedTuple):
    """A folded word and the characters of the text that it stands for, ``end`` exclusive."""

    text: str
    start: int
    end: int


def words(text: str) -> list[str]:
    """Return the folded words of a text in their order. Linear in its length; never raises."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    if not _FOREIGN.search("".join(_BEYOND_ASCII.findall(text))):
        # Dashes, quotes and signs are the only others: they stand between words.
        return _ASCII_WORD.findall(text.encode("ascii", "replace").decode().lower())
    found: list[str] = []
    for run in _RUN.findall(text.replace("_", " ")):
        if run.isascii():
            found.append(run[:WORD_CHARACTERS].lower())
        elif len(run) <= WORD_CHARACTERS:
            found.extend(_remembered(run))
        else:
            found.extend(word.text for word in _words_of_run(run, 0))
    return found


def placed_words(text: str) -> Iterator[Word]:
    """Yield the same words with their places."""
    for found in _RUN.finditer(text.replace("_", " ")):
        run = found[0]
        if run.isascii():
            yield Word(run[:WORD_CHARACTERS].lower(), found.start(), found.end())
        else:
            yield from _words_of_run(run, found.start())


def spellings(text: str) -> list[tuple[str, ...]]:
    """Other spellings of the names of code in a text, each once: the parts between capitals, and
    all parts as one word.
    """
    found: dict[tuple[str, ...], None] = {}
    for name in dict.fromkeys(_names_with_parts(text)):
        is_plain = name.islower() or name.istitle() or name.isupper()
        if ("_" in name or not is_plain) and len(name) <= MAX_SPELLING_CHARACTERS:
            found.update(dict.fromkeys(_spellings_of(name)))
    return list(found)


def _names_with_parts(text: str) -> Iterator[str]:
    end = 0
    for joint in _NAME_JOINT.finditer(text):
        at = joint.start()
        if at >= end:
            # A name that began still further in front is too long.
            far = max(end, at - MAX_SPELLING_CHARACTERS - 1)
            begin = _NAME_BEFORE.search(text, far, at)
            assert begin is not None
            name = _ASCII_NAME.match(text, begin.start())
            assert name is not None
            end = name.end()
            yield name[0]


def is_lone_dense(word: str) -> bool:
    """Tell whether a folded word ends a run without spaces; inside one it begins a word of two."""
    return len(word) == 1 and _SEGMENT.fullmatch(word)[1] is not None  # type: ignore[index]


def _spellings_of(name: str) -> Iterator[tuple[str, ...]]:
    straight = [part for part in name.split("_") if part]
    parts = tuple(
        each.lower()[:WORD_CHARACTERS] for part in straight for each in _CAPITAL_INSIDE.split(part)
    )
    if len(parts) > len(straight):
        yield parts
    if len(straight) > 1:
        yield ("".join(straight).lower()[:WORD_CHARACTERS],)


# Words of a language repeat: the most frequent ones of a few, in some MB.
@lru_cache(maxsize=20_000)
def _remembered(run: str) -> tuple[str, ...]:
    return tuple(word.text for word in _words_of_run(run, 0))


def _words_of_run(run: str, at: int) -> Iterator[Word]:
    for found in _SEGMENT.finditer(run):
        if found[1]:
            yield from _pairs(found[1], at + found.start())
        # Folding may make more characters of one, and never less than nothing of eight.
        elif folded := _folded(found[0][: 8 * WORD_CHARACTERS])[:WORD_CHARACTERS]:
            yield Word(folded, at + found.start(), at + found.end())


def _pairs(run: str, at: int) -> Iterator[Word]:
    """Each character with the next one; the last alone, so that what follows is one word on."""
    places = _characters(run, at)
    for (one, start, _), (other, _, end) in zip(places, places[1:], strict=False):
        yield Word(one + other, start, end)
    if places:
        yield Word(*places[-1])


def _characters(run: str, at: int) -> list[tuple[str, int, int]]:
    """Return the folded characters of a run without spaces, with their places."""
    if unicodedata.is_normalized("NFKC", run) and not _SILENT_CHARACTER.search(run):
        return [(each, place, place + 1) for place, each in enumerate(run, at)]
    return [
        (character, at + found.start(), at + found.end())
        for found in _CLUSTER.finditer(run)
        for character in _folded(found[0])
    ]


def _folded(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    if not text.isascii():
        text = _ACCENT.sub("", unicodedata.normalize("NFD", text))
        text = unicodedata.normalize("NFKC", text).translate(_LETTERS_ALONE)
        if not text.isalpha():
            text = "".join(map(_with_ascii_digit, text))
    return _NO_PART_OF_WORDS.sub("", text)


def _with_ascii_digit(character: str) -> str:
    return str(unicodedata.decimal(character)) if character.isdecimal() else character
