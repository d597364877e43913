"""Proposes a reading of broken JSON. It is shown beside the evidence and never replaces it."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any

import json_repair

from inspector.core.analysis import Repair
from inspector.core.json import parser
from inspector.core.json.parser import MAX_DEPTH, depth_of

MAX_BYTES = 256 * 1024
MAX_STEPS = 20


_STRING = r'("[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))'
_LEFT_OUT = re.compile(
    _STRING + r"|(?:,\s*+)?+(?:\.{3,}+|\u2026)(?:\s*+,(?=\s*+[}\]]))?+", re.DOTALL
)
_REMARK = re.compile(_STRING + r"|(?://|#)[^\n]*+|/\*[^*\n]{0,200}+\*/", re.DOTALL)
_NO_BREAK_SPACE = re.compile(_STRING + "|\xa0", re.DOTALL)
_TRAILING_COMMA = re.compile(_STRING + r"|,(?=\s*+[}\]])", re.DOTALL)


def propose_body_repair(body: bytes) -> Repair | None:
    """Parse a body leniently and list the steps; None if that gives no object."""
    steps: list[str] = []
    text = _text(body, steps)
    if (plain := _mend(text, steps)) is not None:
        return plain
    # The library recurses and is slow for large texts: no proposal beyond these limits.
    if len(body) > MAX_BYTES or depth_of(body) > MAX_DEPTH or body.count(b"[") > 50_000:
        return None
    try:
        result: Any = json_repair.loads(text, skip_json_loads=True, logging=True)
        value, remarks = result if isinstance(result, tuple) else (result, [])
        # The library may return infinity, lone surrogates and deep nesting; parse its result again.
        value = parser.parse_json(json.dumps(value, allow_nan=False).encode()).value
    except (ValueError, RecursionError, IndexError, TypeError):
        return None
    if not isinstance(value, dict) or not value:
        return None
    steps += dict.fromkeys(remark["text"] for remark in remarks)
    return Repair(tuple(steps[:MAX_STEPS]), value)


def mend(text: bytes) -> Repair | None:
    """Undo what printed examples do and only one repair fits. Linear in the length; None if it is
    not enough.
    """
    return _mend(text.decode(errors="replace"), [])


def _mend(text: str, steps: list[str]) -> Repair | None:
    said = list(steps)
    for step, pattern, put in _REMEDIES:
        changed = _replaced(pattern, put, text)
        if changed != text:
            text = changed
            said.append(step)
    value = parser.parse_json(text.encode()).value if len(said) > len(steps) else None
    return Repair(tuple(said), value) if isinstance(value, dict) else None


def _replaced(pattern: re.Pattern[str], put: str, text: str) -> str:
    """Replace outside of strings, which the first group matches."""
    return pattern.sub(lambda found: found[1] or put, text)


_REMEDIES = (
    ("Read no-break spaces as spaces", _NO_BREAK_SPACE, " "),
    ("Left out remarks", _REMARK, ""),
    ("Left out dots that stand for something left out", _LEFT_OUT, ""),
    ("Left out commas before a closing bracket", _TRAILING_COMMA, ""),
)


def _text(body: bytes, steps: list[str]) -> str:
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        steps.append("Read as UTF-16")
        return body.decode("utf-16", errors="replace")
    return body.decode(errors="replace").removeprefix("\ufeff")
