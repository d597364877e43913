"""A repair proposed for arguments that cannot be used: shown beside the text, never in its place.

A proposal is the text with passages put in and left out, so that a page can show both at once. It
is JSON, or it is not made. What was meant is not guessed where two values compete for one call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import json_repair

from inspector.core import json_text
from inspector.core.completion import ArgumentsCause, ArgumentsState, FunctionCall, ToolCall
from inspector.core.json_text import depth_of
from inspector.core.passages import Edits, Proposal, compared, kept, left_out, proposal_of, put_in
from inspector.core.tool_calls.prefix import Prefix

MAX_CHARACTERS = 32_768
"""Of a text that is looked at."""
MAX_LENIENT = 8_192
"""Of one for the library, which reads by recursion and slows down with size."""


def propose(call: ToolCall | FunctionCall) -> Proposal | None:
    """None where the arguments can be used, or nothing better is known. Never raises."""
    text = call.arguments_text
    if not 0 < len(text) <= MAX_CHARACTERS:
        return None
    if call.arguments_state is ArgumentsState.TRUNCATED:
        return proposal_of(_completed(text), text)
    if call.arguments_cause is None:
        return None
    remedy = _REMEDIES.get(call.arguments_cause)
    at = len(text) if call.invalid_at is None else call.invalid_at
    return proposal_of(remedy(text, at), text) if remedy else None


Remedy = Callable[[str, int], Edits]
"""From the text and its first breaking character to the passages; empty: no remedy."""


# -- remedies --------------------------------------------------------------------------------------

_LOOSE_END = re.compile(r",\s*\Z|\\(?:u[0-9a-fA-F]{0,3})?\Z")
"""What must go before a cut text can be closed."""
_FENCE = re.compile(r"\A(\s*```\w*\s*)(.*?)(\s*```\s*)?\Z", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f]")
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)|[^\\]+", re.DOTALL)


def _completed(text: str) -> Edits:
    """What is open is closed; a value that never came is null."""
    ending, length = _ending(text), len(text)
    loose = _LOOSE_END.search(text) if ending is None else None
    if loose:
        length = loose.start()
        ending = _ending(text[:length])
    if ending is None:
        return []
    return [kept(text[:length]), left_out(text[length:]), put_in(ending)]


def _ending(text: str) -> str | None:
    prefix = Prefix()
    prefix.feed(text)
    return prefix.ending


def _ended(text: str, at: int) -> Edits:
    """Nothing behind the first value."""
    return [kept(text[:at]), left_out(text[at:])]


def _begun(text: str, at: int) -> Edits:
    """Nothing before the second value."""
    return [left_out(text[:at]), kept(text[at:])]


def _unfenced(text: str, at: int) -> Edits:
    found = _FENCE.match(text)
    if found is None:
        return []
    return [left_out(found[1]), kept(found[2]), left_out(found[3] or "")]


def _decoded(text: str, at: int) -> Edits:
    """The text that the string holds: without its quotes, and one layer of escapes fewer."""
    head = len(text) - len(text.lstrip())
    tail = len(text.rstrip())
    edits = [left_out(text[: head + 1])]
    for found in _ESCAPE.finditer(text, head + 1, tail - 1):
        edits += _unescaped(found[0])
    return [*edits, left_out(text[tail - 1 :])]


def _unescaped(spelt: str) -> Edits:
    if spelt[0] != "\\":
        return [kept(spelt)]
    if spelt[1] in '"\\/':
        return [left_out("\\"), kept(spelt[1])]
    return [left_out(spelt), put_in(json.loads(f'"{spelt}"'))]


def _without_controls(text: str, at: int) -> Edits:
    """Control characters inside strings as escapes."""
    edits: Edits = []
    done = 0
    for string in _STRING.finditer(text):
        for found in _CONTROL.finditer(text, *string.span()):
            escape = json.dumps(found[0])[1:-1]
            edits += [kept(text[done : found.start()]), left_out(found[0]), put_in(escape)]
            done = found.end()
    return [*edits, kept(text[done:])]


def _leniently(text: str, at: int) -> Edits:
    """As a lenient reader takes it, compared with the text token by token."""
    is_deep = depth_of(text.encode(errors="replace")) > json_text.MAX_DEPTH
    if is_deep or len(text) > MAX_LENIENT:
        return []
    try:
        value: Any = json_repair.loads(text, skip_json_loads=True)
        repaired = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError, IndexError, TypeError):
        return []
    return compared(text, repaired) if isinstance(value, dict | list) and value else []


_REMEDIES: Mapping[ArgumentsCause, Remedy] = {
    ArgumentsCause.CONTROL_CHARACTER: _without_controls,
    ArgumentsCause.DOUBLE_ENCODED: _decoded,
    ArgumentsCause.EMPTY_OBJECT_PREFIX: _begun,
    ArgumentsCause.MALFORMED: _leniently,
    ArgumentsCause.MARKDOWN_FENCE: _unfenced,
    ArgumentsCause.PYTHON_LITERAL: _leniently,
    ArgumentsCause.SENT_AGAIN: _ended,
    ArgumentsCause.TRAILING_TEXT: _ended,
}
"""Causes that have one; of two values for one call, none is chosen."""
