"""Model output must not steer the terminal: what would act or hide is shown as a symbol."""

from __future__ import annotations

import re
import unicodedata

from inspector.dashboard.marks import name

PICTURES = 0x2400
"""Unicode's symbols for the control characters, in their order."""
DELETE = 0x7F
JOINERS = "\u200c\u200d"
"""Belong to ordinary writing and to emoji, and move nothing."""
# Everything but ASCII that is printed; most texts hold nothing else and need no second look.
_SUSPECT = re.compile(r"[^ -~]")


def visible(text: str) -> str:
    """The text on one line: ESC is ``␛``, a direction override ``[RLO]``, a line end ``␊``."""
    return _SUSPECT.sub(lambda match: _shown(match.group()), text)


def _shown(character: str) -> str:
    if character.isprintable() or character in JOINERS or unicodedata.category(character) == "Zs":
        return character
    code = ord(character)
    if code < ord(" "):
        return chr(PICTURES + code)
    return "\u2421" if code == DELETE else name(character)
