"""Whole numbers as addresses and forms spell them."""

from __future__ import annotations

MOST_DIGITS = 11


def whole_number(text: str) -> int | None:
    """None for anything but digits of ASCII, and for more of them than any offset here has."""
    is_number = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
    return int(text) if is_number else None
