"""Moments as programs write them into their logs."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec


def moment_of(value: float | str | None) -> datetime | None:
    """Unix seconds, or a text with its zone; None for anything else."""
    try:
        if value is None or isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC) if value else None
        moment = msgspec.convert(value.replace(" ", "T", 1), datetime)
        return None if moment.tzinfo is None else moment.astimezone(UTC)
    except (msgspec.ValidationError, OverflowError, OSError, ValueError):
        return None


def milliseconds_between(start: float | str | None, end: float | str | None) -> float | None:
    """None where one of both is not known, or the second is before the first."""
    begun, ended = moment_of(start), moment_of(end)
    if begun is None or ended is None or ended < begun:
        return None
    return round((ended - begun).total_seconds() * 1000, 3)


def present(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is not known."""
    return {name: value for name, value in values.items() if value is not None}
