"""A finding is one remark of one rule; a rule is one function found by its folder."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Severity(StrEnum):
    """``error``: a conforming client breaks or loses something. ``warning``: a promise that the
    dialect is known to make was broken. ``info``: worth knowing; also a promise that one document
    makes and another does not keep.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Where(msgspec.Struct, frozen=True, kw_only=True):
    """A place that a page can jump to: JSON Pointer, event number, byte range (end exclusive).

    The pointer leads through the completion, or through the object of the event where one is told;
    its last step may name what lacks.
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
