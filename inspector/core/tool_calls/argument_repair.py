"""Proposes a repair for unusable arguments. It is shown beside the text and never replaces it.

A proposal consists of passages kept, put in and left out, and its result is JSON. If two values
compete for one call, none is proposed.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from inspector.core.completion import ArgumentsCause, ArgumentsState, FunctionCall, ToolCall
from inspector.core.json import parser
from inspector.core.json.edits import (
    EditProposal,
    Edits,
    edits_between,
    inserted_passage,
    kept_passage,
    omitted_passage,
    proposal_of,
)
from inspector.core.json.parser import depth_of
from inspector.core.json.prefix import JsonPrefix

MAX_CHARACTERS = 32_768
"""Longer texts get no proposal."""
MAX_LENIENT = 8_192
"""Limit for the lenient parser, which recurses and is slow for long texts."""


def propose_argument_repair(call: ToolCall | FunctionCall) -> EditProposal | None:
    """Return a proposal; None if the arguments can be used or no repair is known. Never raises."""
    text = call.arguments_text
    if not 0 < len(text) <= MAX_CHARACTERS:
        return None
    if call.arguments_state is ArgumentsState.TRUNCATED:
        return proposal_of(_close_open(text), text)
    if call.arguments_cause is None:
        return None
    remedy = _REMEDIES.get(call.arguments_cause)
    at = len(text) if call.invalid_at is None else call.invalid_at
    return proposal_of(remedy(text, at), text) if remedy else None


Remedy = Callable[[str, int], Edits]
"""Takes a text and its first breaking character, returns edits; empty if it does not apply."""


# -- remedies --------------------------------------------------------------------------------------

_LOOSE_END = re.compile(r",\s*\Z|\\(?:u[0-9a-fA-F]{0,3})?\Z")
"""End of a cut text that must be removed before it can be closed."""
# As in "```json {…} ```".
_FENCE = re.compile(r"\A(\s*```\w*\s*)(.*?)(\s*```\s*)?\Z", re.DOTALL)
# A line break inside a string.
_CONTROL = re.compile(r"[\x00-\x1f]")
# As in '"a\"b"', and '"cut' at the end.
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
# As in "\u00e4" or "\q", and what stands between.
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)|[^\\]+", re.DOTALL)


def _close_open(text: str) -> Edits:
    """Close what is open. A missing value becomes null."""
    ending, length = _ending(text), len(text)
    loose = _LOOSE_END.search(text) if ending is None else None
    if loose:
        length = loose.start()
        ending = _ending(text[:length])
    if ending is None:
        return []
    return [kept_passage(text[:length]), omitted_passage(text[length:]), inserted_passage(ending)]


def _ending(text: str) -> str | None:
    prefix = JsonPrefix()
    prefix.feed(text)
    return prefix.ending


def _cut_after_first(text: str, at: int) -> Edits:
    """Keep the first of two values."""
    return [kept_passage(text[:at]), omitted_passage(text[at:])]


def _cut_before_second(text: str, at: int) -> Edits:
    """Keep the second of two values."""
    return [omitted_passage(text[:at]), kept_passage(text[at:])]


def _strip_fence(text: str, at: int) -> Edits:
    found = _FENCE.match(text)
    if found is None:
        return []
    return [omitted_passage(found[1]), kept_passage(found[2]), omitted_passage(found[3] or "")]


def _decode_string(text: str, at: int) -> Edits:
    """Remove the quotes and one level of escapes."""
    head = len(text) - len(text.lstrip())
    tail = len(text.rstrip())
    edits = [omitted_passage(text[: head + 1])]
    for found in _ESCAPE.finditer(text, head + 1, tail - 1):
        edits += _unescaped(found[0])
    return [*edits, omitted_passage(text[tail - 1 :])]


def _unescaped(spelt: str) -> Edits:
    if spelt[0] != "\\":
        return [kept_passage(spelt)]
    if spelt[1] in '"\\/':
        return [omitted_passage("\\"), kept_passage(spelt[1])]
    return [omitted_passage(spelt), inserted_passage(json.loads(f'"{spelt}"'))]


def _without_controls(text: str, at: int) -> Edits:
    """Escape control characters inside strings."""
    edits: Edits = []
    done = 0
    for string in _STRING.finditer(text):
        for found in _CONTROL.finditer(text, *string.span()):
            escape = json.dumps(found[0])[1:-1]
            edits += [
                kept_passage(text[done : found.start()]),
                omitted_passage(found[0]),
                inserted_passage(escape),
            ]
            done = found.end()
    return [*edits, kept_passage(text[done:])]


def _parse_leniently(text: str, at: int) -> Edits:
    """Parse with a lenient parser, and compare the result with the text token by token."""
    is_deep = depth_of(text.encode(errors="replace")) > parser.MAX_DEPTH
    if is_deep or len(text) > MAX_LENIENT:
        return []
    # Imported here: most arguments need no repair, and importing it is slow.
    import json_repair

    try:
        value: Any = json_repair.loads(text, skip_json_loads=True)
        repaired = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError, IndexError, TypeError):
        return []
    return edits_between(text, repaired) if isinstance(value, dict | list) and value else []


_REMEDIES: Mapping[ArgumentsCause, Remedy] = {
    ArgumentsCause.CONTROL_CHARACTER: _without_controls,
    ArgumentsCause.DOUBLE_ENCODED: _decode_string,
    ArgumentsCause.EMPTY_OBJECT_PREFIX: _cut_before_second,
    ArgumentsCause.MALFORMED: _parse_leniently,
    ArgumentsCause.MARKDOWN_FENCE: _strip_fence,
    ArgumentsCause.PYTHON_LITERAL: _parse_leniently,
    ArgumentsCause.SENT_AGAIN: _cut_after_first,
    ArgumentsCause.TRAILING_TEXT: _cut_after_first,
}
"""Other causes have no remedy: with two values for one call, which was meant is unknown."""
