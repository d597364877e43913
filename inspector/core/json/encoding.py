"""The encoder of all JSON that is answered or printed."""

import json
from datetime import UTC, datetime
from math import isfinite
from typing import Any

import msgspec


def encode_json(value: Any) -> bytes:
    """Encode Structs, datetimes and plain values as ASCII.

    Always valid JSON: a lone surrogate has no UTF-8 but has an escape, and infinity becomes text.
    """
    try:
        text = json.dumps(
            value, ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=plain_value
        )
    except ValueError:
        finite = _finite(plain_value(value))
        text = json.dumps(finite, ensure_ascii=True, separators=(",", ":"), default=plain_value)
    return text.encode()


def plain_value(value: Any) -> Any:
    """Dicts, lists and scalars; a datetime becomes a text of one length, which sorts by time."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return msgspec.to_builtins(value, builtin_types=(datetime,))


def _finite(value: Any) -> Any:
    """JSON has no infinity and no NaN: they are shown as text."""
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    return value
