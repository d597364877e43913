"""A reading proposed for broken JSON. It is shown beside the evidence, never in its place."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any

import json_repair

from inspector.core import json_text
from inspector.core.analysis import Repair
from inspector.core.completion import Json
from inspector.core.json_text import MAX_DEPTH, depth_of

MAX_BYTES = 1024 * 1024
MAX_STEPS = 20


_TRAILING_COMMA = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))|,(?=\s*+[}\]])', re.DOTALL)


def propose(body: bytes) -> Repair | None:
    """What a lenient reader makes of a body, with its steps; None where it finds no object."""
    steps: list[str] = []
    text = _text(body, steps)
    if (value := _without_trailing_commas(text)) is not None:
        return Repair((*steps, "Left out commas before a closing bracket"), value)
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


def _without_trailing_commas(text: str) -> Json:
    """By far the most frequent fault of printed examples (001), and one with a single remedy."""
    value = json_text.parse(_TRAILING_COMMA.sub(lambda found: found[1] or "", text).encode()).value
    return value if isinstance(value, dict) else None


def _text(body: bytes, steps: list[str]) -> str:
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        steps.append("Read as UTF-16")
        return body.decode("utf-16", errors="replace")
    return body.decode(errors="replace").removeprefix("\ufeff")
