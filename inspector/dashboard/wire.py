"""What was on the wire, in words: absent, null, empty and zero are four things."""

from __future__ import annotations

import json
from typing import Any

from msgspec import UNSET

from inspector.core.dialects import is_read

ORDINARY_FINISHES = ("stop", "tool_calls", "function_call")
"""How an answer ends that is whole; any other reason is drawn as an exception."""

NOT_SENT, NOT_READ = "not sent", "not parsed"


def absent_word(dialect: str | None) -> str:
    """What is said of a value that was not found: of some dialects nobody looked for it."""
    return NOT_SENT if is_read(dialect) else NOT_READ


def wire_word(value: Any) -> str:
    """``not sent``, ``null``, ``empty string``, else the value as text."""
    if value is UNSET:
        return NOT_SENT
    if value is None:
        return "null"
    if value == "":
        return "empty string"
    return value if isinstance(value, str) else json_text(value)


def finish_word(value: Any) -> str:
    """A finish reason; "none" where a choice has none, as the archive writes it."""
    return "none" if value is UNSET or value is None else wire_word(value)


def json_text(value: Any) -> str:
    """A value as one line of JSON, with the characters of its texts as they are."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return str(type(value).__name__)


def listed(names: list[str]) -> str:
    """``a, b and c``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
