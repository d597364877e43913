"""Moments as programs write them into their logs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec


def moment_of(value: float | str | None, *, is_utc: bool = False) -> datetime | None:
    """Unix seconds, or a text; None for anything else. A text without a zone is a moment only where
    its program is known to write UTC.
    """
    try:
        if value is None or isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC) if value else None
        moment = msgspec.convert(value.replace(" ", "T", 1), datetime)
        if moment.tzinfo is None:
            return moment.replace(tzinfo=UTC) if is_utc else None
        return moment.astimezone(UTC)
    except (msgspec.ValidationError, OverflowError, OSError, ValueError):
        return None


def milliseconds_between(
    start: float | str | None, end: float | str | None, *, is_utc: bool = False
) -> float | None:
    """None where one of both is not known, or the second is before the first."""
    begun, ended = moment_of(start, is_utc=is_utc), moment_of(end, is_utc=is_utc)
    if begun is None or ended is None or ended < begun:
        return None
    return round((ended - begun).total_seconds() * 1000, 3)


def present(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is not known."""
    return {name: value for name, value in values.items() if value is not None}
