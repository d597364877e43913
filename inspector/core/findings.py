"""Findings: the remarks that rules make about an exchange, and how their messages show values."""

import json
import math
from enum import StrEnum

import msgspec

from inspector.core.credentials.key_patterns import key_spans_in_text, may_have_key
from inspector.core.credentials.spans import MASK, merge_spans

KEY_CHARACTERS = 200
"""The part of a key behind the cut that is looked at, to recognise the one before it."""


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


BREAKS_FIRST = (
    *("envelope.provider-error", "envelope.not-a-response", "transport.", "tool.", "json."),
    *("framing.", "choice.", "message.", "block.", "ending.", "usage.", "cost.", "timing."),
    *("cache.", "chunks.", "envelope."),
)
"""How codes begin: what a caller fails on stands before what it may never look at."""
_RANK = {severity: rank for rank, severity in enumerate(Severity)}


def by_rank(finding: Finding) -> tuple[int, int, float]:
    """Sort findings: the severest first, then what breaks callers first, then by place."""
    begins = (rank for rank, each in enumerate(BREAKS_FIRST) if finding.code.startswith(each))
    subject = next(begins, len(BREAKS_FIRST))
    start = finding.where.byte_start
    return _RANK[finding.severity], subject, math.inf if start is None else start


def without_keys(text: str) -> str:
    """Mask vendors' keys in a text: more people read a finding than evidence, also in logs."""
    if not may_have_key(text):
        return text
    for start, end in merge_spans(key_spans_in_text(text)):
        text = text[:start] + MASK * (end - start) + text[end:]
    return text


def shorten(value: object, most: int = 60) -> str:
    """Quote a value for use in a sentence, cut to ``most`` characters; all but texts as JSON."""
    text = value if isinstance(value, str) else json_text(value)
    is_cut = len(text) > most
    # A key that the cut would shorten beyond recognition is removed before.
    shown = without_keys(text[: most + KEY_CHARACTERS])[:most]
    return shown + "…" if is_cut else shown


def shorten_quoted(value: object) -> str:
    """Like ``shorten``, but a text has its quotes, so that 5 and "5" look different."""
    return json_text(shorten(value)) if isinstance(value, str) else shorten(value)


def json_text(value: object) -> str:
    """Encode a decoded JSON value. Numbers beyond JSON, such as infinity, are named as text."""
    return json.dumps(value, ensure_ascii=False, default=str)


def duration_words(us: int) -> str:
    """Format microseconds: ``0.4 ms``, ``39 ms``, ``2.4 s``."""
    if us < 10_000:
        return f"{us / 1000:.1f} ms"
    return f"{us / 1000:,.0f} ms" if us < 1_000_000 else f"{us / 1_000_000:,.1f} s"
