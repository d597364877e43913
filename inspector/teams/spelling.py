"""Names have letters of one script and look like no other, so that nobody is taken for another.

What looks alike is a short table: letters that are drawn as Latin ones are, in Cyrillic, in Greek
and in Latin itself. Two names of one script that differ by ``rn`` and ``m`` are two names.
"""

from __future__ import annotations

import unicodedata

WRITTEN_TOGETHER = {"LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"}
"""In East Asia, where no letter of one looks like one of another (UTS 39, highly restrictive)."""

_DRAWN_ALIKE = {
    # Cyrillic
    "АВСЕНІЈКМОРЅТХУҮԚԜѴԌӀ": "ABCEHIJKMOPSTXYYQWVGI",
    "асԁеһіјкӏоргѕхуүԛԝѵ": "acdehijkloprsxyyqwv",
    # Greek
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ": "ABEZHIKMNOPTYX",
    "αγηικνορστυχωϳ": "aynikvopotuxwj",
    # Latin
    "ɑɡıȷɩʟ": "agijil",
}
_AS_LATIN = str.maketrans({a: b for to in _DRAWN_ALIKE.items() for a, b in zip(*to, strict=True)})


def scripts_of(name: str) -> set[str]:
    """Of its letters, by the first word of their names in Unicode; digits and signs have none."""
    letters = (character for character in name if character.isalpha())
    return {unicodedata.name(letter, "UNKNOWN").partition(" ")[0] for letter in letters}


def is_mixed(name: str) -> bool:
    scripts = scripts_of(name)
    return len(scripts) > 1 and not scripts <= WRITTEN_TOGETHER


def are_alike(name: str, other: str) -> bool:
    """Also where they differ by capitals alone."""
    return name.casefold() == other.casefold() or _drawn(name) == _drawn(other)


def _drawn(name: str) -> str:
    """Two names that are drawn alike are the same text here; nobody is shown it.

    Each letter first, then its case: a capital may be drawn as a Latin one where its small letter
    is not.
    """
    return name.translate(_AS_LATIN).casefold()
