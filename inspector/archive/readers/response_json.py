"""An analysis as the API answers it."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

import msgspec

from inspector.archive.storage import document
from inspector.core.analysis import Analysis
from inspector.core.tokens.ledger import UsageLedger, ledger_of


def encode_json(value: Any) -> bytes:
    """Valid JSON whatever the value holds: a lone surrogate has no UTF-8 but has an escape."""
    try:
        text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=True, separators=(",", ":"))
    return text.encode()


def analysis_members(analysis: Analysis | None) -> dict[str, Any]:
    """An analysis and the ledger that follows from it; both null where nothing was read yet."""
    if analysis is None:
        return {"analysis": None, "ledger": None}
    return {
        "analysis": msgspec.to_builtins(analysis),
        "ledger": _ledger_members(ledger_of(analysis)),
    }


def submitted_analysis_members(analysis: Analysis) -> dict[str, Any]:
    """The analysis as returned to the sender of the bytes: full unless very long, with a list of
    what was cut.
    """
    bounded = document.analysis_for_response(analysis)
    return {**analysis_members(bounded.analysis), "cuts": msgspec.to_builtins(bounded.cuts)}


def _ledger_members(ledger: UsageLedger) -> dict[str, Any]:
    names = ("total", "countings", "lines", "costs")
    return {name: msgspec.to_builtins(getattr(ledger, name)) for name in names}


def _finite(value: Any) -> Any:
    """JSON has no infinity and no NaN: they are shown as text."""
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    return value
