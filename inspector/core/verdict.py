"""How an exchange ended: the first verdict that holds, with its reason in one sentence."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import UNSET

from inspector.core.analysis import Verdict
from inspector.core.exchange import Outcome
from inspector.core.facts import Ending, Facts, Framing
from inspector.core.json_text import Fault, FaultKind
from inspector.core.notes import Oddity
from inspector.core.tape import EventKind

Judge = Callable[[Facts], str | None]
"""The reason why its verdict holds, None where it does not."""


def judge(facts: Facts) -> tuple[Verdict, str]:
    for verdict, why in _ORDER:
        if reason := why(facts):
            return verdict, reason
    return Verdict.COMPLETE, _complete(facts)


def _in_progress(facts: Facts) -> str | None:
    if facts.outcome is not Outcome.OPEN:
        return None
    return f"The response is still arriving, {facts.body_bytes:,} bytes so far."


def _capped(facts: Facts) -> str | None:
    if facts.outcome is not Outcome.CAPPED:
        return None
    return f"The capture stopped at our own size limit, {_so_far(facts)}."


def _client_cancelled(facts: Facts) -> str | None:
    if facts.outcome is not Outcome.CLIENT_CANCELLED:
        return None
    return f"The client went away {_so_far(facts)}."


def _upstream_error(facts: Facts) -> str | None:
    if facts.outcome is Outcome.UPSTREAM_TIMEOUT:
        return f"The upstream fell silent {_so_far(facts)}, until the time limit."
    if facts.outcome is Outcome.UPSTREAM_ERROR:
        return f"The connection to the upstream broke {_so_far(facts)}."
    failed = facts.status_code is not None and facts.status_code >= 500
    if failed and facts.provider_error is None:
        return f"The upstream answered with status {facts.status_code} and no error object."
    return None


def _provider_error(facts: Facts) -> str | None:
    if facts.provider_error is None:
        return None
    message, where = facts.provider_error
    place = f" at {_event(facts, where.event)}" if where.event is not None else ""
    return f"The provider sent an error{place}: {message}"


def _not_a_response(facts: Facts) -> str | None:
    if facts.framing is Framing.EMPTY:
        return "The body is empty."
    if facts.dialect:
        return None
    if facts.fault is not None and facts.fault.kind is FaultKind.TOO_DEEP:
        return f"The body is not read: {facts.fault.message}, {_place(facts.fault)}."
    size = _many(facts.body_bytes, "byte")
    return f"No known format of completion responses is found in its {size}{_beginning(facts)}."


def _beginning(facts: Facts) -> str:
    """What a body that nobody knows begins with, for the end of a sentence: often an HTML page."""
    text = " ".join(facts.opening.decode(errors="replace").split())
    if not text or not text.isprintable():
        return ""
    is_cut = len(text) > 40 or facts.body_bytes > len(facts.opening)
    return f", which begin with “{text[:40]}{'…' if is_cut else ''}”"


def _elided(facts: Facts) -> str | None:
    count = facts.notes.count(Oddity.ELISION)
    if not count:
        return None
    chunks = f"{_many(facts.chunks, 'chunk')}, " if facts.streamed else ""
    elisions = _many(count, "elision")
    return f"{chunks}{elisions}: something was left out, so the text is incomplete."


def _unreadable(facts: Facts) -> str | None:
    several = facts.notes.first(Oddity.SEVERAL_DOCUMENTS)
    if several is not None:
        return f"The body holds {several.detail}; none is chosen."
    fault = facts.fault
    if fault is None or facts.ending is Ending.CUT:
        return None
    what = {
        Framing.PASTED: "The answer found in the text",
        Framing.PASTED_STREAM: "The first chunk found in the text",
        Framing.EVENT_STREAM: "The first chunk",
        Framing.LINES: "The first chunk",
    }.get(facts.framing, "The body")
    return f"{what} is not valid JSON: {fault.message}, {_place(fault)}."


def _place(fault: Fault) -> str:
    return f"line {fault.line}, column {fault.column} (byte {fault.byte:,})"


def _cut_off(facts: Facts) -> str | None:
    if facts.ending is Ending.CUT:
        cut = _cut_event(facts)
        if cut is None:
            return f"The body ends inside a value, after {facts.body_bytes:,} bytes."
        start, _ = facts.event_bytes(cut)
        began = f"event {cut:,}, which began at byte {start:,}"
        return f"The body ends inside {began}, after {facts.body_bytes:,} bytes."
    if facts.streamed and not facts.has_finish and not _ended(facts):
        last = _event(facts, len(facts.events.kind) - 1)
        return f"The stream stops behind {last} with neither a finish reason nor an end mark."
    return None


def _missing_finish(facts: Facts) -> str | None:
    if not facts.is_read or (facts.choices and not facts.unfinished):
        return None
    if not facts.choices:
        return f"It ended after {facts.body_bytes:,} bytes without a single choice."
    first, count = facts.unfinished[0], len(facts.unfinished)
    which = f"Choice {first} never finished"
    if count > 1:
        which = f"{count:,} choices never finished, choice {first} first"
    if not facts.streamed:
        return f"{which}: its finish reason is {_lacking(facts, first)}."
    followed = "the stream ended" if facts.closing is None else f"{facts.closing} followed"
    if first not in facts.last_words:
        return f"{which}: it never said a word, then {followed}."
    last_words = _event(facts, facts.last_words[first])
    return f"{which}: its last words came with {last_words}, then {followed}."


def _lacking(facts: Facts, index: int) -> str:
    """What stands in the place of a finish reason."""
    reason = next(c.finish_reason for c in facts.choices if c.index == index)
    if reason is UNSET:
        return "missing"
    return "null" if reason is None else "empty"


def _missing_terminator(facts: Facts) -> str | None:
    if not facts.streamed or facts.is_closed or facts.dialect is None:
        return None
    last = (
        "" if facts.last_finish is None else f" the last with {_event(facts, facts.last_finish)},"
    )
    return f"Every choice finished,{last} but the stream ends without {facts.dialect.end_mark}."


def _complete(facts: Facts) -> str:
    place = facts.notes.first(Oddity.CUT_OUT)
    if place is None:
        return _ended_well(facts)
    return f"{_ended_well(facts)[:-1]}; it was found in a text, at {place.detail}."


def _ended_well(facts: Facts) -> str:
    if not facts.is_read:
        return "The answer ends as its format says; its choices are not read."
    count = len(facts.choices)
    finished = {1: "The choice", 2: "Both choices"}.get(count, f"All {count} choices")
    if not facts.streamed:
        return f"{finished} gave a finish reason."
    if closing := facts.closing:
        return f"{finished} gave a finish reason and the stream ended with {closing}."
    return f"{finished} gave a finish reason; this dialect marks no end."


def _ended(facts: Facts) -> bool:
    """An end mark was really seen; a dialect that has none needs a finish reason."""
    if facts.is_read:
        return facts.end_marks > 0
    return facts.is_closed


def _event(facts: Facts, event: int) -> str:
    start, end = facts.event_bytes(event)
    return f"event {event:,} (bytes {start:,}–{end:,})"


def _cut_event(facts: Facts) -> int | None:
    """The last event, where a part of it is missing."""
    kinds = facts.events.kind
    is_cut = facts.streamed and bool(kinds) and kinds[-1] is EventKind.TAIL
    return len(kinds) - 1 if is_cut and facts.ending is Ending.CUT else None


def _so_far(facts: Facts) -> str:
    """How much came before something ended the exchange, for the end of a sentence."""
    size = f"after {facts.body_bytes:,} bytes"
    if not facts.streamed or not facts.events.kind:
        return size
    cut = _cut_event(facts)
    if cut is not None:
        return f"{size}, inside event {cut:,}"
    return f"{size}, behind event {len(facts.events.kind) - 1:,}"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


_ORDER: tuple[tuple[Verdict, Judge], ...] = (
    (Verdict.IN_PROGRESS, _in_progress),
    (Verdict.CAPPED, _capped),
    (Verdict.CLIENT_CANCELLED, _client_cancelled),
    (Verdict.UPSTREAM_ERROR, _upstream_error),
    (Verdict.PROVIDER_ERROR, _provider_error),
    (Verdict.NOT_A_RESPONSE, _not_a_response),
    (Verdict.ELIDED, _elided),
    (Verdict.UNREADABLE, _unreadable),
    (Verdict.CUT_OFF, _cut_off),
    (Verdict.MISSING_FINISH, _missing_finish),
    (Verdict.MISSING_TERMINATOR, _missing_terminator),
)
