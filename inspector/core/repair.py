"""A reading proposed for broken JSON. It is shown beside the evidence, never in its place."""

from __future__ import annotations

import codecs
from typing import Any

import json_repair

from inspector.core.analysis import Repair
from inspector.core.json_text import MAX_DEPTH, depth_of

MAX_BYTES = 1024 * 1024
MAX_STEPS = 20


def propose(body: bytes) -> Repair | None:
    """What a lenient reader makes of a body, with its steps; None where it finds no object."""
    steps: list[str] = []
    text = _text(body, steps)
    # The library reads by recursion and slows down with size: what is over a bound stays unread.
    if len(body) > MAX_BYTES or depth_of(body) > MAX_DEPTH or body.count(b"[") > 50_000:
        return None
    try:
        result: Any = json_repair.loads(text, skip_json_loads=True, logging=True)
    except (ValueError, RecursionError, IndexError, TypeError):
        return None
    value, remarks = result if isinstance(result, tuple) else (result, [])
    if not isinstance(value, dict) or not value:
        return None
    steps += dict.fromkeys(remark["text"] for remark in remarks)
    return Repair(tuple(steps[:MAX_STEPS]), value)


def _text(body: bytes, steps: list[str]) -> str:
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        steps.append("Read as UTF-16")
        return body.decode("utf-16", errors="replace")
    return body.decode(errors="replace").removeprefix("\ufeff")
