"""Proposes a reading of broken JSON. It is shown beside the evidence and never replaces it."""

import codecs
import json
import re
from typing import Any

from inspector.core.analysis import Repair
from inspector.core.json import parser
from inspector.core.json.parser import MAX_DEPTH, depth_of
from inspector.core.pasted.mending import mend

MAX_BYTES = 256 * 1024
_is_page = re.compile(rb"\s*+<(?:!doctype|html)\b", re.IGNORECASE).match
"""The library is slow for large texts, and people paste less."""


def propose_body_repair(body: bytes) -> Repair | None:
    """Parse a body leniently and list the steps; None if that gives no object, or for a page of
    HTML, in which an object of a script would be found.
    """
    if _is_page(body):
        return None
    steps: list[str] = []
    text = _text(body, steps)
    if (plain := mend(text.encode(errors="replace"))) is not None:
        return Repair((*steps, *plain.steps), plain.value)
    # The library recurses and is slow for large texts: no proposal beyond these limits.
    if len(body) > MAX_BYTES or depth_of(body) > MAX_DEPTH or body.count(b"[") > 50_000:
        return None
    # Imported here: most bodies need no repair, and it takes a tenth of the time of a start.
    import json_repair

    try:
        result: Any = json_repair.loads(text, skip_json_loads=True, logging=True)
        value, remarks = result if isinstance(result, tuple) else (result, [])
        # The library may return infinity, lone surrogates and deep nesting; parse its result again.
        value = parser.parse_json(json.dumps(value, allow_nan=False).encode()).value
    except (ValueError, RecursionError, IndexError, TypeError):
        return None
    if not isinstance(value, dict) or not value:
        return None
    if remarks:
        # Its own words are for its developers.
        places = "one place" if len(remarks) == 1 else f"{len(remarks):,} places"
        steps.append(f"Corrected by a tolerant parser in {places}")
    return Repair(tuple(steps), value)


def _text(body: bytes, steps: list[str]) -> str:
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        steps.append("Read as UTF-16")
        return body.decode("utf-16", errors="replace")
    return body.decode(errors="replace").removeprefix("\ufeff")
