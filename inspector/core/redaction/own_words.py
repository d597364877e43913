"""Words of a team's own: texts with three simple wildcards, never a regular expression.

``*`` stands for up to 64 letters, digits and underscores, ``#`` for one digit, ``?`` for any one
character. A search therefore takes time in proportion to the text, whatever somebody writes.
"""

import re
from enum import StrEnum

from inspector.core.redaction.digit_runs import LETTER
from inspector.core.redaction.legible_text import legible

MIN_CHARACTERS = 3
"""Letters and digits that are no wildcards."""
MAX_CHARACTERS = 200
"""Longer than names and numbers are."""
RUN_CHARACTERS = 64
"""Characters that one `*` may try at each place of a text."""

# As in "\d", ".*", "^a", "(?i)": a word that was meant as a regular expression.
_EXPRESSION = re.compile(r"\\[dwsbDWSB]|[)\]][+*{]|\.[*+]|^\^|\$$|\(\?|\[\^|\{\d+,?\d*\}")
# Scripts without spaces between words have no ends of words to go by.
_NO_SPACES = 0x2E80


class WordFault(StrEnum):
    """Why a text is no word to look for."""

    EXPRESSION = "expression"
    """It is written like a regular expression; between quotes it is taken as it is."""
    SHORT = "short"
    LONG = "long"
    NEVER = "never"
    """A letter or digit behind ``*``, which takes all of them."""


def word_pattern(text: str) -> re.Pattern[str] | WordFault:
    """Compiles a word, for texts as they read. One between quotes has no wildcards."""
    text = legible(text).text
    is_quoted = len(text) > 1 and text[0] == text[-1] == '"'
    wanted = text[1:-1] if is_quoted else text.strip()
    if not is_quoted and _EXPRESSION.search(wanted):
        return WordFault.EXPRESSION
    if len(wanted) > MAX_CHARACTERS:
        return WordFault.LONG
    if sum(map(str.isalnum, wanted)) < MIN_CHARACTERS:
        return WordFault.SHORT
    # As in "*a" and "**": a run takes all that it can, and leaves nothing to what follows.
    if not is_quoted and re.search(r"\*[\w#*?]", wanted):
        return WordFault.NEVER
    parts = [re.escape(wanted)] if is_quoted else list(map(_part, re.split(r"(\s+)", wanted)))
    return re.compile(_edge(wanted[0], "<!") + "".join(parts) + _edge(wanted[-1], "!"), re.I)


def _part(text: str) -> str:
    return r"\s{1,8}+" if text.isspace() else "".join(map(_sign, text))


def _sign(sign: str) -> str:
    if sign == "*":
        return rf"\w{{0,{RUN_CHARACTERS}}}+"
    return {"#": r"\d", "?": r"[^\r\n]"}.get(sign) or re.escape(sign)


def _edge(sign: str, direction: str) -> str:
    """Return the pattern of a word's edge: no letter or digit of a script with spaces beside it."""
    if sign in "*?" or not (sign.isalnum() or sign == "#") or ord(sign) >= _NO_SPACES:
        return ""
    return rf"(?{direction}{LETTER})"
