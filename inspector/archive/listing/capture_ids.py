"""Ids of captures, whole or by their beginning."""

from uuid import UUID

IdRange = tuple[UUID, UUID]
ID_DIGITS = 32
"""Digits of a UUID without its dashes."""
MIN_DIGITS = 8
"""Up to the first dash; fewer are as often a number or a word."""


def id_range(text: str) -> IdRange | None:
    """First and last id that begins like this, with hyphens or without; None for another text."""
    begins = text.strip().lower()
    digits = begins.replace("-", "")
    try:
        first = UUID(digits.ljust(ID_DIGITS, "0"))
    except ValueError:
        return None
    is_id = MIN_DIGITS <= len(digits) <= ID_DIGITS and (
        str(first).startswith(begins.removesuffix("-")) or digits == begins
    )
    return (first, UUID(digits.ljust(ID_DIGITS, "f"))) if is_id else None
