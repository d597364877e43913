"""Restricts user names to letters of one script and finds names that look alike, so that nobody is
taken for somebody else. Look-alikes are a short table: Cyrillic, Greek and Latin letters that are
drawn like Latin ones. ``rn`` and ``m`` count as different.
"""

import unicodedata

# East Asian scripts that may be mixed: no letter of one looks like one of another (UTS 39, Highly
# Restrictive).
WRITTEN_TOGETHER = {"LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"}

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
    """Return the scripts of a name's letters: the first words of their Unicode names."""
    letters = (character for character in name if character.isalpha())
    return {unicodedata.name(letter, "UNKNOWN").partition(" ")[0] for letter in letters}


def has_mixed_scripts(name: str) -> bool:
    scripts = scripts_of(name)
    return len(scripts) > 1 and not scripts <= WRITTEN_TOGETHER


def are_alike(name: str, other: str) -> bool:
    """Tell whether two names look alike, or differ in case only."""
    return name.casefold() == other.casefold() or _skeleton(name) == _skeleton(other)


def _skeleton(name: str) -> str:
    """Return the name with look-alikes replaced, for comparison only.

    Each letter is replaced before its case is folded: a capital may look like a Latin one where its
    small letter does not.
    """
    return name.translate(_AS_LATIN).casefold()
