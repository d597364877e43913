"""Reads the body of a request as far as it goes: it may be cut, redacted, or no JSON at all."""

from collections.abc import Mapping

import msgspec

from inspector.core.json import Json
from inspector.core.json.parser import parse_json
from inspector.core.json.prefix import JsonPrefix
from inspector.core.pasted.mending import mend
from inspector.core.request.prompt.prompt import RequestState

MAX_VALUES = 500_000
"""A body of more is read as one that is no JSON: millions of small values take half a minute."""
MEND_BYTES = 256 * 1024
"""As of a pasted body (`pasted.repair`)."""
BROKEN_CHARACTERS = 256 * 1024
"""Characters that are read of a body that is no JSON."""
LAST_CHARACTERS = 16
"""A broken text may end where nothing can be appended, within an escape or behind a comma: then it
is read up to some characters before.
"""


class ReadRequest(msgspec.Struct, frozen=True):
    """``body`` is None where there is no JSON object to read."""

    state: RequestState
    body: Mapping[str, Json] | None = None
    steps: tuple[str, ...] = ()
    broken_at: int | None = None
    is_cut: bool = False
    is_limited: bool = False


def read_request_body(sent: bytes) -> ReadRequest:
    """Never raises. Linear in the length of the body."""
    if not sent.strip():
        return ReadRequest(RequestState.EMPTY)
    if has_too_many_values(sent):
        return _read_broken(sent[: 4 * BROKEN_CHARACTERS].decode(errors="replace"))
    parsed = parse_json(sent)
    if parsed.fatal is None:
        if isinstance(parsed.value, dict):
            return ReadRequest(RequestState.WHOLE, parsed.value)
        return ReadRequest(RequestState.NO_OBJECT)
    mended = mend(sent) if len(sent) <= MEND_BYTES else None
    if mended is not None and isinstance(mended.value, dict):
        return ReadRequest(RequestState.MENDED, mended.value, mended.steps)
    return _read_broken(sent.decode(errors="replace").removeprefix("\ufeff"))


def has_too_many_values(body: bytes) -> bool:
    return sum(map(body.count, (b",", b"[", b"{"))) > MAX_VALUES


def _read_broken(text: str) -> ReadRequest:
    prefix = JsonPrefix()
    known = text[:BROKEN_CHARACTERS]
    prefix.feed(known)
    end = len(known) if prefix.broken_at is None else prefix.broken_at
    closed = _closed(known[:end])
    value = None if closed is None else parse_json(closed.encode(errors="replace")).value
    if not isinstance(value, dict) or not value:
        return ReadRequest(RequestState.NO_JSON, broken_at=end)
    is_sound = prefix.broken_at is None
    return ReadRequest(
        RequestState.BROKEN,
        value,
        broken_at=end,
        is_cut=is_sound and end == len(text),
        is_limited=is_sound and end < len(text),
    )


def _closed(text: str) -> str | None:
    """Return a text's longest beginning that closing brackets complete, with these, or None."""
    prefix, start = JsonPrefix(), max(len(text) - LAST_CHARACTERS, 0)
    prefix.feed(text[:start])
    closed = None
    for at in range(start, len(text) + 1):
        ending = prefix.ending
        if ending is not None:
            closed = text[:at] + ending
        prefix.feed(text[at : at + 1])
    return closed
