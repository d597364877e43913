"""Findings: the remarks that rules make about an exchange."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Severity(StrEnum):
    """``error``: a conforming client fails or loses data. ``warning``: the response breaks a
    promise of its format. ``info``: worth knowing, or a promise of one reference document that
    another one does not make.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Where(msgspec.Struct, frozen=True, kw_only=True):
    """A place in the response: JSON Pointer, event number, byte range (end exclusive).

    The pointer leads into the completion or, if ``event`` is set, into the object of that event.
    Its last step may name a missing field.
    """

    pointer: str | None = None
    event: int | None = None
    byte_start: int | None = None
    byte_end: int | None = None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    code: str
    severity: Severity
    message: str
    where: Where = Where()


def shorten(value: object, most: int = 60) -> str:
    """Quote a value for use inside a sentence, cut to ``most`` characters."""
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= most else text[:most] + "…"
