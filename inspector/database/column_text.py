"""Cleans text from outside so that both databases can store it."""

import re
from hashlib import sha256
from typing import Any

# PostgreSQL stores neither; SQLite stores both and then cannot hand the second one back.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
# Length of the escape for one character that cannot be stored.
ESCAPE_CHARACTERS = 6
DIGEST_CHARACTERS = 8
"""Two names with one long beginning are equal by chance once in four billion."""


def clean_text(text: str, limit: int) -> str:
    """NUL and halves of surrogate pairs become visible escapes; what is over the limit is cut."""
    # Cut first: cleaning costs time for each character, and a payload may bring millions.
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    if "\0" in text or not text.isascii():
        text = _UNSTORABLE.sub(_escape, text)
    # Escapes are longer than what they stand for.
    return text if len(text) <= limit else text[: limit - 1] + "…"


def clean_text_or_none(value: Any, limit: int) -> str | None:
    """Return the cleaned text; None for anything but a string."""
    return clean_text(value, limit) if isinstance(value, str) else None


def clean_name_or_none(value: Any, limit: int) -> str | None:
    """Return the cleaned name, for a column that captures are grouped by. A cut name ends with
    eight digits of the SHA-256 of all of it, so that two names with one beginning stay distinct.
    """
    if not isinstance(value, str):
        return None
    # One character over the limit is enough to know that the name is too long.
    text = clean_text(value[: limit + 1], (limit + 1) * ESCAPE_CHARACTERS)
    if len(text) <= limit:
        return text
    digest = sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARACTERS]
    return f"{text[: limit - 1 - DIGEST_CHARACTERS]}…{digest}"


def clean_json(value: Any, limit: int) -> Any:
    """Clean every string inside a JSON value, member names included."""
    if isinstance(value, str):
        return clean_text(value, limit)
    if isinstance(value, list | tuple):
        return [clean_json(item, limit) for item in value]
    if isinstance(value, dict):
        return {clean_text(name, limit): clean_json(item, limit) for name, item in value.items()}
    return value


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
