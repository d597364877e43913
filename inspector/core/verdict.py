"""How an exchange ended: the first verdict that holds, with its reason in one sentence."""

from __future__ import annotations

from collections.abc import Callable

from inspector.core.analysis import Verdict
from inspector.core.exchange import Outcome
from inspector.core.facts import Ending, Facts, Framing
from inspector.core.notes import Oddity

Judge = Callable[[Facts], str | None]
"""The reason why its verdict holds, None where it does not."""


def judge(facts: Facts) -> tuple[Verdict, str]:
    for verdict, why in _ORDER:
        if reason := why(facts):
            return verdict, reason
    return Verdict.COMPLETE, _complete(facts)


def _in_progress(facts: Facts) -> str | None:
    return "The response is still arriving." if facts.outcome is Outcome.OPEN else None


def _capped(facts: Facts) -> str | None:
    if facts.outcome is not Outcome.CAPPED:
        return None
    return f"The capture stopped at our own size limit, after {facts.body_bytes:,} bytes."


def _client_cancelled(facts: Facts) -> str | None:
    if facts.outcome is not Outcome.CLIENT_CANCELLED:
        return None
    return f"The client went away after {facts.body_bytes:,} bytes."


def _upstream_error(facts: Facts) -> str | None:
    if facts.outcome is Outcome.UPSTREAM_TIMEOUT:
        return f"The upstream fell silent after {facts.body_bytes:,} bytes, until the time limit."
    if facts.outcome is Outcome.UPSTREAM_ERROR:
        return f"The connection to the upstream broke after {facts.body_bytes:,} bytes."
    failed = facts.status_code is not None and facts.status_code >= 500
    if failed and facts.provider_error is None:
        return f"The upstream answered with status {facts.status_code} and no error object."
    return None


def _provider_error(facts: Facts) -> str | None:
    if facts.provider_error is None:
        return None
    message, where = facts.provider_error
    place = f" at event {where.event}" if where.event is not None else ""
    return f"The provider sent an error{place}: {message}"


def _not_a_response(facts: Facts) -> str | None:
    if facts.framing is Framing.EMPTY:
        return "The body is empty."
    return None if facts.dialect else "No known format of completion responses is found in it."


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
    return (
        f"{what} is not valid JSON: {fault.message}, "
        f"line {fault.line}, column {fault.column} (byte {fault.byte:,})."
    )


def _cut_off(facts: Facts) -> str | None:
    if facts.ending is Ending.CUT:
        inside = "an event" if facts.framing is Framing.EVENT_STREAM else "a value"
        return f"The body ends inside {inside}, after {facts.body_bytes:,} bytes."
    if facts.streamed and not facts.has_finish and not _ended(facts):
        return "The stream stops with neither a finish reason nor an end mark."
    return None


def _missing_finish(facts: Facts) -> str | None:
    if not facts.is_read or (facts.choices and not facts.unfinished):
        return None
    if not facts.choices:
        return "It ended without a single choice."
    count = len(facts.unfinished)
    which = f"Choice {facts.unfinished[0]}" if count == 1 else f"{count} choices"
    return f"{which} ended without a finish reason."


def _missing_terminator(facts: Facts) -> str | None:
    if not facts.streamed or facts.is_closed or facts.dialect is None:
        return None
    return f"Every choice finished, but the stream ends without {facts.dialect.end_mark}."


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
    if facts.end_marks:
        return f"{finished} gave a finish reason and the stream ended with [DONE]."
    if closing := facts.closing_object:
        return f"{finished} gave a finish reason and the stream ended with {closing}."
    return f"{finished} gave a finish reason; this dialect marks no end."


def _ended(facts: Facts) -> bool:
    """An end mark was really seen; a dialect that has none needs a finish reason."""
    if facts.is_read:
        return facts.end_marks > 0
    return facts.is_closed


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
