"""Replaces invisible characters (control, bidi, zero-width) by their names."""

import re
import unicodedata
from dataclasses import dataclass

CHARACTER_NAMES = {
    0x00: "NUL", 0x07: "BEL", 0x08: "BS", 0x0B: "VT", 0x0C: "FF", 0x0D: "CR", 0x1B: "ESC",
    0x7F: "DEL", 0x85: "NEL", 0xA0: "NBSP", 0xAD: "SHY", 0x061C: "ALM",
    0x200B: "ZWSP", 0x200C: "ZWNJ", 0x200D: "ZWJ", 0x200E: "LRM", 0x200F: "RLM",
    0x2028: "LS", 0x2029: "PS",
    0x202A: "LRE", 0x202B: "RLE", 0x202C: "PDF", 0x202D: "LRO", 0x202E: "RLO",
    0x2060: "WJ", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI",
    0xFEFF: "BOM",
}  # fmt: skip

# Joiners, soft hyphens and direction marks are ordinary in many scripts and in emoji; in prose only
# characters that can reorder or hide text are named.
HIDING_CHARACTERS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
# As U+200B between two letters, U+202E in front of a file's name, and a no-break space.
INVISIBLE_CHARACTERS = re.compile(
    HIDING_CHARACTERS.pattern[:-1] + "\r\x85\xa0\xad\u061c\u200c-\u200f\u2028\u2029\ufe00-\ufe0f]"
)


@dataclass(frozen=True, slots=True)
class TextSegment:
    """Plain text, or the name of one invisible character."""

    text: str
    kind: str = ""
    character: str = ""


def prose_segments(text: str) -> tuple[TextSegment, ...]:
    """Segments of prose: only characters that hide or reorder text are named."""
    return split_segments(text, HIDING_CHARACTERS)


def exact_segments(text: str) -> tuple[TextSegment, ...]:
    """Segments of machine text: every invisible character is named."""
    return split_segments(text, INVISIBLE_CHARACTERS)


def spell_out_invisible(text: str) -> str:
    """Return the text with the names of hiding characters and lone surrogates inserted."""
    return HIDING_CHARACTERS.sub(lambda match: character_name(match.group()), text)


def split_segments(text: str, pattern: re.Pattern[str]) -> tuple[TextSegment, ...]:
    segments: list[TextSegment] = []
    at = 0
    for match in pattern.finditer(text):
        if match.start() > at:
            segments.append(TextSegment(text[at : match.start()]))
        segments.append(TextSegment(character_name(match.group()), "mark", match.group()))
        at = match.end()
    if at < len(text):
        segments.append(TextSegment(text[at:]))
    return tuple(segments)


def character_name(character: str) -> str:
    """Name such as ``[RLO]``; a surrogate from a decoded byte is ``[byte ff]``."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"[byte {code - 0xDC00:02x}]"
    if 0xE0020 <= code <= 0xE007E:
        return f"[TAG {chr(code - 0xE0000)}]"
    if short := CHARACTER_NAMES.get(code):
        return f"[{short}]"
    return f"[{unicodedata.name(character, f'U+{code:04X}')}]"
