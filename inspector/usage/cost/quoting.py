"""Quotes a value from a payload inside a sentence: short, on one line, without control
characters.
"""

from __future__ import annotations

import json

from inspector.core.completion import Json

MOST_CHARACTERS = 80


def quote(text: str) -> str:
    """Between backticks; what cannot be seen is escaped, what is too long is cut."""
    shown = text[:MOST_CHARACTERS]
    visible = "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in shown
    )
    return f"`{visible}{'…' if len(text) > MOST_CHARACTERS else ''}`"


def describe_value(value: Json) -> str:
    """``-3``, ``null``, ``true``, ``1.5``; of a text and of a structure only what it is."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    if isinstance(value, str):
        return f"the text {quote(value)}"
    return quote(json.dumps(value)).strip("`") if not isinstance(value, int) else _integer(value)


def _integer(value: int) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    is_long = abs(value) >= 10**MOST_CHARACTERS
    return f"an integer of more than {MOST_CHARACTERS} digits" if is_long else str(value)
