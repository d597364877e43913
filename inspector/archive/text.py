"""Text from outside, made fit for a column of either database."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any

# PostgreSQL stores neither; SQLite stores both and then cannot hand the second one back.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
ESCAPE_CHARACTERS = 6
"""Of what stands for one that cannot be stored."""
DIGEST_CHARACTERS = 8


def clean(text: str, limit: int) -> str:
    """NUL and halves of surrogate pairs become visible escapes; what is over the limit is cut."""
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    if "\0" in text or not text.isascii():
        text = _UNSTORABLE.sub(_escape, text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def clean_or_none(value: Any, limit: int) -> str | None:
    """For a value that should be text, or is none."""
    return clean(value, limit) if isinstance(value, str) else None


def name_or_none(value: Any, limit: int) -> str | None:
    """The same for a name that captures are grouped by: one that is cut ends with eight digits of
    the SHA-256 of all of it, so that two that only begin alike stay two.
    """
    if not isinstance(value, str):
        return None
    text = clean(value[: limit + 1], (limit + 1) * ESCAPE_CHARACTERS)
    if len(text) <= limit:
        return text
    digest = sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARACTERS]
    return f"{text[: limit - 1 - DIGEST_CHARACTERS]}…{digest}"


def clean_json(value: Any, limit: int) -> Any:
    """The same for every text inside a JSON value, names included."""
    if isinstance(value, str):
        return clean(value, limit)
    if isinstance(value, list):
        return [clean_json(item, limit) for item in value]
    if isinstance(value, dict):
        return {clean(name, limit): clean_json(item, limit) for name, item in value.items()}
    return value


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
