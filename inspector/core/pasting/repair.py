"""A reading proposed for broken JSON. It is shown beside the evidence, never in its place."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any

import json_repair

from inspector.core import json_text
from inspector.core.analysis import Repair
from inspector.core.json_text import MAX_DEPTH, depth_of

MAX_BYTES = 256 * 1024
MAX_STEPS = 20


_STRING = r'("[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))'
_LEFT_OUT = re.compile(
    _STRING + r"|(?:,\s*+)?+(?:\.{3,}+|\u2026)(?:\s*+,(?=\s*+[}\]]))?+", re.DOTALL
)
_REMARK = re.compile(_STRING + r"|(?://|#)[^\n]*+|/\*[^*\n]{0,200}+\*/", re.DOTALL)
_NO_BREAK_SPACE = re.compile(_STRING + "|\xa0", re.DOTALL)
_TRAILING_COMMA = re.compile(_STRING + r"|,(?=\s*+[}\]])", re.DOTALL)


def propose(body: bytes) -> Repair | None:
    """What a lenient reader makes of a body, with its steps; None where it finds no object."""
    steps: list[str] = []
    text = _text(body, steps)
    if (plain := _mended(text, steps)) is not None:
        return plain
    # The library reads by recursion and slows down with size: what is over a bound stays unread.
    if len(body) > MAX_BYTES or depth_of(body) > MAX_DEPTH or body.count(b"[") > 50_000:
        return None
    try:
        result: Any = json_repair.loads(text, skip_json_loads=True, logging=True)
        value, remarks = result if isinstance(result, tuple) else (result, [])
        # The library makes infinity of a large number, two halves of an emoji, and deep nests.
        value = json_text.parse(json.dumps(value, allow_nan=False).encode()).value
    except (ValueError, RecursionError, IndexError, TypeError):
        return None
    if not isinstance(value, dict) or not value:
        return None
    steps += dict.fromkeys(remark["text"] for remark in remarks)
    return Repair(tuple(steps[:MAX_STEPS]), value)


def mended(text: bytes) -> Repair | None:
    """A reading by what printed examples do and only one remedy has; linear in the length."""
    return _mended(text.decode(errors="replace"), [])


def _mended(text: str, steps: list[str]) -> Repair | None:
    said = list(steps)
    for step, pattern, put in _REMEDIES:
        changed = _replaced(pattern, put, text)
        if changed != text:
            text = changed
            said.append(step)
    value = json_text.parse(text.encode()).value if len(said) > len(steps) else None
    return Repair(tuple(said), value) if isinstance(value, dict) else None


def _replaced(pattern: re.Pattern[str], put: str, text: str) -> str:
    """Outside of strings, which are the first group."""
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
