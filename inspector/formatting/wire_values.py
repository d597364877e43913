"""Words for values from the wire: absent, null, empty and zero are distinct."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from msgspec import UNSET

from inspector.core.formats import is_read

ORDINARY_FINISHES = ("stop", "tool_calls", "function_call")
"""Finish reasons of a complete answer; others are highlighted."""

NOT_SENT, NOT_READ = "not sent", "not parsed"


def absent_word(dialect: str | None) -> str:
    """Word for a missing value: "not sent", or "unknown" for dialects that are only recognised."""
    return NOT_SENT if is_read(dialect) else NOT_READ


def wire_word(value: Any) -> str:
    """``not sent``, ``null``, ``empty string``, or the value as text."""
    if value is UNSET:
        return NOT_SENT
    if value is None:
        return "null"
    if value == "":
        return "empty string"
    return value if isinstance(value, str) else json_text(value)


def finish_word(value: Any) -> str:
    """The finish reason; "none" if absent, as the archive stores it."""
    return "none" if value is UNSET or value is None else wire_word(value)


def finish_counts(reasons: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Each finish reason once, the most frequent first, with how it is written: ``stop × 123``."""
    return tuple(
        (reason, reason if number == 1 else f"{reason} × {number:,}")
        for reason, number in Counter(reasons).most_common()
    )


def json_text(value: Any) -> str:
    """Formats a value as one line of JSON without ASCII escaping."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return str(type(value).__name__)


def join_names(names: list[str]) -> str:
    """``a, b and c``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
