"""Parses values of fields by their kind: ``800ms``, ``20kB``, ``0.01``, ``1..5``, ``gpt-4*``."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from inspector.query.fields import Field, FieldKind
from inspector.query.time_input import TIME_FORMATS, parse_time
from inspector.query.tree import QueryValue

# Both databases hold 64 bits.
LARGEST = 2**63 - 1
BETWEEN = ".."
YES, NO = "yes", "no"

# As in "1.5MB", "2s", ".5".
_AMOUNT = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,12})?|\.[0-9]{1,12})([A-Za-zµ]*)")
_DURATIONS = {"us": 1, "µs": 1, "ms": 1_000, "s": 10**6, "m": 60 * 10**6, "h": 3_600 * 10**6}
_SIZES = {"": 1, "B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_SIZES |= {"k": 10**3, "M": 10**6, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_COUNTS = {"": 1, "k": 10**3, "M": 10**6}

FORMS = {
    FieldKind.NUMBER: "a whole number such as 200, or a range such as 100..200",
    FieldKind.DURATION: "a duration such as 800ms, 2s or 1.5m, or a range such as 1s..2s",
    FieldKind.SIZE: "a number of bytes such as 900, 20kB or 1MB, or a range such as 1kB..20kB",
    FieldKind.MONEY: "an amount in US dollars such as 0.01, or a range such as 0.01..0.02",
    FieldKind.TIME: TIME_FORMATS,
    FieldKind.FLAG: "yes or no",
}


@dataclass(frozen=True, slots=True)
class NamePattern:
    """A name with ``*`` at the beginning, the end or both."""

    text: str


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Both ends included; None is no end."""

    low: Any
    high: Any


def form_of(field: Field) -> str:
    """Describe the values of the field in words; empty if any text is one."""
    return field.form or FORMS.get(field.kind, "")


def parse_value(field: Field, value: QueryValue, now: datetime) -> Any:
    """Return the value as stored, a pattern or a range; None for a text that is none."""
    if field.parse:
        return field.parse(value.text, now)
    if field.kind is FieldKind.TIME:
        return parse_time(value.text, now)
    if field.kind is FieldKind.FLAG:
        return {YES: True, NO: False}.get(value.text)
    if field.is_ordered:
        return _ordered(field.kind, value.text)
    return NamePattern(value.text) if value.is_pattern else value.text


def parse_amount(kind: FieldKind, text: str) -> int | Decimal | None:
    return AMOUNTS[kind](text.replace(",", ""))


def _ordered(kind: FieldKind, text: str) -> Any:
    low, between, high = text.partition(BETWEEN)
    if not between:
        return parse_amount(kind, text)
    ends = [parse_amount(kind, each) if each else None for each in (low, high)]
    is_parsed = all(
        end is not None or not each for end, each in zip(ends, (low, high), strict=True)
    )
    return ValueRange(*ends) if is_parsed and (low or high) else None


def _whole(text: str, units: dict[str, int]) -> int | None:
    found = _AMOUNT.fullmatch(text)
    if found is None or found[2] not in units:
        return None
    amount = Decimal(found[1]) * units[found[2]]
    return int(amount) if amount == int(amount) and amount <= LARGEST else None


def _money(text: str) -> Decimal | None:
    found = _AMOUNT.fullmatch(text.removeprefix("$"))
    return Decimal(found[1]) if found and not found[2] else None


AMOUNTS: dict[FieldKind, Callable[[str], int | Decimal | None]] = {
    FieldKind.NUMBER: lambda text: _whole(text, _COUNTS),
    FieldKind.DURATION: lambda text: _whole(text, _DURATIONS),
    FieldKind.SIZE: lambda text: _whole(text, _SIZES),
    FieldKind.MONEY: _money,
}
