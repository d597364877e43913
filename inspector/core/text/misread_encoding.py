"""Finds UTF-8 that a program read as Latin-1 or Windows-1252, such as "Ã¶" in place of "ö"."""

import re

# What stands for the bytes 0x80 to 0xBF.
_BEHIND = "\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
# "Ã¶" and "â€™" count alone, but not before a quotation mark, which "Ã" may end a word before;
# two letters of Cyrillic or Greek and two of Chinese, Japanese or Korean must follow each other.
_MISREAD = re.compile(
    rf"[ÃÂ][\u00a0-\u00aa\u00ac-\u00ba\u00bc-\u00bf]|â[€\u0080][{_BEHIND}]|(?:[ÎÏÐÑ][{_BEHIND}]){{2}}"
    rf"|(?:[ã-éêëì][{_BEHIND}]{{2}}){{2}}"
)
_BEGINS = "ÃÂâÎÏÐÑãäåæçèéêëì"
# As in "that is mojibake": an answer that speaks of it.
_NAMED = re.compile(r"mojibake|encod|utf-?8|latin-?1|1252|8859|charset|kodierung", re.IGNORECASE)
# Not by white space of Unicode: "Ã" and a no-break space are "à".
_WORD = re.compile(r"[^ \t\r\n]+")


def may_be_misread(text: str) -> bool:
    # What texts in many languages have none of is found faster letter by letter.
    may_be = not text.isascii() and any(map(text.__contains__, _BEGINS))
    return may_be and _MISREAD.search(text) is not None


def misread_words(text: str) -> tuple[str, str] | None:
    """Return the first word that was misread, and as it was meant; None if there is none."""
    if not may_be_misread(text) or _NAMED.search(text):
        return None
    for word in _WORD.findall(text):
        meant = _decoded(word) if _MISREAD.search(word) else None
        if meant is not None:
            return word, meant
    return None


def _decoded(word: str) -> str | None:
    try:
        return b"".join(map(_byte, word)).decode()
    except UnicodeError:
        return None


def _byte(character: str) -> bytes:
    """Return a character as Windows-1252 has it, or Latin-1 where that has none."""
    try:
        return character.encode("cp1252")
    except UnicodeEncodeError:
        return character.encode("latin-1")
