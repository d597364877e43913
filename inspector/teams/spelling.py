"""Names have letters of one script, so that nobody is taken for another by a letter.

A name wholly in another script may still look like one; nobody mixes scripts without wanting to.
"""

from __future__ import annotations

import unicodedata

WRITTEN_TOGETHER = {"LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"}
"""In East Asia, where no letter of one looks like one of another (UTS 39, highly restrictive)."""


def scripts_of(name: str) -> set[str]:
    """Of its letters, by the first word of their names in Unicode; digits and signs have none."""
    letters = (character for character in name if character.isalpha())
    return {unicodedata.name(letter, "UNKNOWN").partition(" ")[0] for letter in letters}


def is_mixed(name: str) -> bool:
    scripts = scripts_of(name)
    return len(scripts) > 1 and not scripts <= WRITTEN_TOGETHER
