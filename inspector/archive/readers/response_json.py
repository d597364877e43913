"""The analysis as the API returns it, and the encoder of all its JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from math import isfinite
from typing import Any

import msgspec

from inspector.archive.storage import document
from inspector.archive.storage.document import TruncatedValue
from inspector.core.analysis import Analysis
from inspector.core.tokens import ledger as core_ledger
from inspector.core.tokens.inclusion import TokenInclusion
from inspector.core.tokens.invariants import LedgerLine
from inspector.core.tokens.ledger import UsageLedgerCost, UsageLedgerEntry


class Ledger(msgspec.Struct, frozen=True):
    """The usage ledger in full, as JSON."""

    total: UsageLedgerEntry | None
    inclusions: tuple[TokenInclusion, ...]
    lines: tuple[LedgerLine, ...]
    costs: tuple[UsageLedgerCost, ...]


class SubmittedAnalysis(msgspec.Struct, frozen=True):
    """The analysis as returned to the sender of the bytes: full unless very long."""

    analysis: Analysis
    ledger: Ledger
    truncated: tuple[TruncatedValue, ...]


def encode_json(value: Any) -> bytes:
    """Encodes Structs, datetimes and plain values as ASCII.

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
    """The value made of dicts, lists and scalars; a datetime as text of one length, which sorts by
    time.
    """
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return msgspec.to_builtins(value, builtin_types=(datetime,))


def submitted_analysis(analysis: Analysis) -> SubmittedAnalysis:
    bounded = document.analysis_for_response(analysis)
    return SubmittedAnalysis(bounded.analysis, ledger_of(bounded.analysis), bounded.cuts)


def ledger_of(analysis: Analysis) -> Ledger:
    found = core_ledger.ledger_of(analysis)
    return Ledger(found.total, found.inclusions, found.lines, found.costs)


def _finite(value: Any) -> Any:
    """JSON has no infinity and no NaN: they are shown as text."""
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    return value
