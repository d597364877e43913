"""Escapes model output so that it cannot control the terminal."""

import re
import unicodedata

from inspector.formatting.invisible_characters import character_name

PICTURES = 0x2400
"""Start of Unicode's Control Pictures block, in the order of the control characters."""
DELETE = 0x7F
JOINERS = "\u200c\u200d"
"""Ordinary in many scripts and in emoji, without effect on the layout."""
# Fast path: most texts are printable ASCII.
_SUSPECT = re.compile(r"[^ -~]")


def escape_for_terminal(text: str) -> str:
    """Return the text on one line, with ESC as ``␛``, a direction override as ``[RLO]``, a line
    end as ``␊``.
    """
    return _SUSPECT.sub(lambda match: _symbol_of(match.group()), text)


def _symbol_of(character: str) -> str:
    if character.isprintable() or character in JOINERS or unicodedata.category(character) == "Zs":
        return character
    code = ord(character)
    if code < ord(" "):
        return chr(PICTURES + code)
    return "\u2421" if code == DELETE else character_name(character)
