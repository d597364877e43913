"""Finds the answer inside what a gateway, a batch or a logger wrote around it, and folds it."""

from collections.abc import Mapping

from inspector.core import formats
from inspector.core.findings import Where
from inspector.core.fold.assembly import Assembly
from inspector.core.formats.envelope import MEMBERS, Held, all_inside
from inspector.core.formats.provider_error import error_passed_on, stated_error
from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to
from inspector.core.json.spans import JsonSpans
from inspector.core.pasted.responses import fields_seen_in


def wrapped_answer(value: Json, text: bytes) -> Held | None:
    """Return the only one of ``wrapped_answers``; None if there is none, or several."""
    found = wrapped_answers(value, text)
    return found[0] if len(found) == 1 else None


def wrapped_answers(value: Json, text: bytes) -> list[Held]:
    """Return the answers inside a text that is none itself, or else the error that it passes on."""
    if isinstance(value, dict) and MEMBERS.isdisjoint(value):
        return []
    found = all_inside(value, text, _is_answer)
    if found:
        return [] if isinstance(value, dict) and _is_recognised(value) else found
    is_own = isinstance(value, dict) and formats.family_that_reads(value)
    error = None if is_own else error_passed_on(value, text)
    return [error] if error else []


def _is_answer(value: Mapping[str, Json]) -> bool:
    # Asked first because it costs little.
    return formats.family_inside(value) is not None and _is_recognised(value)


def _is_recognised(value: Mapping[str, Json]) -> bool:
    return bool(formats.recognise(fields_seen_in(dict(value))))


def fold_wrapped(
    assembly: Assembly, outer: Json, held: Held, text: bytes, byte_start: int = 0
) -> None:
    """Fold a wrapped answer, and tell of it. ``text`` is what stands in the body from
    ``byte_start`` on, ``outer`` its value.
    """
    first, last = _place(text, held)
    inside = JsonSpans(held.text).find(pointer_to(held.base))
    assert inside is not None
    sent = held.text[inside.start : inside.end]
    assembly.whole(held.value, sent, byte_start + first, byte_start + last)
    if stated_error(held.value) is None:
        where = Where(byte_start=byte_start + first, byte_end=byte_start + last)
        assembly.wrapping.note(where, held)
    assembly.wrapping.keep_around(outer, held.path, text)


def fold_whole(
    assembly: Assembly,
    value: dict[str, Json],
    text: bytes,
    byte_start: int,
    byte_end: int | None = None,
) -> None:
    """Fold one object of a text, or the answer that is wrapped in it."""
    if held := wrapped_answer(value, text):
        fold_wrapped(assembly, value, held, text, byte_start)
    else:
        assembly.whole(value, text, byte_start, byte_end)


def _place(text: bytes, held: Held) -> tuple[int, int]:
    """Range of the answer; of one that is JSON in a text, that of the text."""
    spans = JsonSpans(text)
    paths = (held.path[:end] for end in range(len(held.path), -1, -1))
    return next((one.start, one.end) for path in paths if (one := spans.find(pointer_to(path))))
