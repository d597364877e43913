"""Words for values from the wire: absent, null, empty and zero are distinct."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from msgspec import UNSET

from inspector.core.fields.finish_reasons import ORDINARY, meaning_of

NOT_SENT = "not sent"


def wire_word(value: Any) -> str:
    """``not sent``, ``null``, ``empty string``, or the value as text."""
    if value is UNSET:
        return NOT_SENT
    if value is None:
        return "null"
    if value == "":
        return "empty string"
    return value if isinstance(value, str) else json_text(value)


def is_ordinary_finish(value: Any) -> bool:
    """Return True for a finish reason of a complete answer, as any format spells it."""
    return meaning_of(value) in ORDINARY


def finish_word(value: Any) -> str:
    """Return the finish reason; "none" if absent, as the archive stores it."""
    return "none" if value is UNSET or value is None else wire_word(value)


def finish_counts(reasons: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Each finish reason once, the most frequent first, with how it is written: ``stop × 123``."""
    return tuple(
        (
            reason,
            reason if number == 1 else f"{reason}\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}{number:,}",
        )
        for reason, number in Counter(reasons).most_common()
    )


def json_text(value: Any) -> str:
    """Format a value as one line of JSON without ASCII escaping."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return str(type(value).__name__)


def join_names(names: list[str]) -> str:
    """Return ``a, b and c``; empty without names."""
    return "".join(names) if len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"
