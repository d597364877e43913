"""Determines how an exchange ended: the first verdict that applies, and why in one sentence.

The sentence consists of clauses, each with the place it is about, so that a page can link them.
"""

from collections.abc import Callable

from msgspec import UNSET

from inspector.core.analysis import SentenceClause, Verdict
from inspector.core.answer.sentence import Sentence, at_end, event_clause, many, sentence
from inspector.core.answer.transport_words import fault_words
from inspector.core.findings import Where, shorten
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.quotations import page_title
from inspector.core.formats.dialect import EndMark
from inspector.core.formats.fragment import FRAGMENT_WORDS, place_in_fragment
from inspector.core.json.parser import JsonFault, JsonFaultKind
from inspector.core.rule_context import RuleContext
from inspector.core.tape import EventKind
from inspector.core.timing.timeline import silence_before_end
from inspector.core.wire.exchange import TransportOutcome
from inspector.core.wire.framing import Ending, Framing

MAX_CALL = 120
"""Characters of a method and path, inside a sentence; both come from the sender."""

Judge = Callable[[RuleContext], Sentence | None]
"""Returns the reason if its verdict applies, None otherwise."""


MAX_OPENING = 120
"""Characters of a body in place of an error object: they tell a login page from a proxy's error."""
FAILURE, SERVER_FAILURE = 400, 500
"""The first status by which there is no answer and the server failed (RFC 9110, section 15)."""


def judge(facts: RuleContext) -> tuple[Verdict, Sentence]:
    for verdict, why in _ORDER:
        if reason := why(facts):
            return verdict, _placed(facts, reason)
    return Verdict.COMPLETE, _placed(facts, _complete(facts))


def _placed(facts: RuleContext, reason: Sentence) -> Sentence:
    if facts.fragment is None:
        return reason
    placed = ((each.text, place_in_fragment(facts.fragment, each.where)) for each in reason)
    return tuple(SentenceClause(text, where) for text, where in placed)


def _in_progress(facts: RuleContext) -> Sentence | None:
    if facts.outcome is not TransportOutcome.OPEN:
        return None
    so_far = at_end(facts, f"{facts.body_bytes:,} bytes so far")
    return sentence("The response is still arriving, ", so_far, ".")


def _other(facts: RuleContext) -> Sentence | None:
    if not facts.is_other:
        return None
    asked = shorten(str(facts.other_call), MAX_CALL)
    return sentence(f"{asked} asked for no completion, so its response has no verdict.")


def _capped(facts: RuleContext) -> Sentence | None:
    if facts.outcome is not TransportOutcome.CAPPED:
        return None
    forwarded = "" if facts.total_bytes is None else f"; {facts.total_bytes:,} bytes were forwarded"
    stopped = "The capture stopped at our own size limit, "
    return sentence(stopped, _so_far(facts), f"{forwarded}.")


def _client_cancelled(facts: RuleContext) -> Sentence | None:
    if facts.outcome is not TransportOutcome.CLIENT_CANCELLED or has_ended(facts):
        return None
    is_failure = facts.provider_error is not None or failed_status(facts)
    if is_failure and facts.transport_fault is None:
        return None  # It was told of the failure, and had nothing more to read.
    return sentence("The client closed the connection ", _so_far(facts), ".")


def has_ended(facts: RuleContext) -> bool:
    """Return True if the answer is whole: every choice finished, and the end marker came where the
    format has one. Who closes the connection after that changes nothing.
    """
    if facts.ending is Ending.CUT or facts.fault is not None or facts.dialect is None:
        return False
    if not facts.is_closed:
        return False
    if facts.is_answer:
        is_blocked = facts.block_reason is not None
        return is_blocked or (bool(facts.choices) and not facts.unfinished)
    return facts.dialect.end_mark is not EndMark.NONE


def _upstream_error(facts: RuleContext) -> Sentence | None:
    if facts.transport_fault is not None:
        words = fault_words(facts.transport_fault, facts.status_code)
        arrived = sentence(", ", _so_far(facts)) if facts.body_bytes else ()
        return sentence(words, arrived, ".")
    if facts.outcome is TransportOutcome.UPSTREAM_TIMEOUT:
        return sentence("The request timed out; nothing more came ", _so_far(facts), ".")
    if facts.outcome is TransportOutcome.UPSTREAM_ERROR:
        return sentence("The connection to the upstream failed ", _so_far(facts), ".")
    return _failed(facts) if failed_status(facts) else None


def _failed(facts: RuleContext) -> Sentence:
    """Say what came in place of an error object."""
    if page := _web_page(facts):
        return page
    words = "" if facts.dialect else " ".join(facts.opening.decode(errors="replace").split())
    instead = f": “{shorten(words, MAX_OPENING)}”" if words and words.isprintable() else ""
    answered = f"The upstream answered with status {facts.status_code}, but no error object"
    return sentence(f"{answered}{instead}.")


def _web_page(facts: RuleContext) -> Sentence | None:
    """Name a web page by its title, with the status of a failure; None where none came."""
    title = "" if facts.dialect else shorten(page_title(facts.opening), MAX_OPENING)
    if not title:
        return None
    status = str(facts.status_code or "")
    words = title if status and title.startswith(status) else f"“{title}”"
    if failed_status(facts) and words != title:
        words = f"{status} {words}"
    page = SentenceClause("A web page", Where(byte_start=0, byte_end=facts.body_bytes))
    return sentence(page, f", not an answer: {words}.")


def failed_status(facts: RuleContext) -> bool:
    """Return True for a status from 500 on, or from 400 on with a body in no known format."""
    least = FAILURE if facts.dialect is None else SERVER_FAILURE
    return (facts.status_code or 0) >= least and facts.provider_error is None


def provider_error(facts: RuleContext) -> Sentence | None:
    """Say which error the provider sent, None if it sent none."""
    if facts.provider_error is None:
        return None
    message, where = facts.provider_error
    if facts.is_told:
        return sentence("The record tells of ", SentenceClause("an error", where), f": {message}")
    if where.event is None:
        return sentence("The provider sent ", SentenceClause("an error", where), f": {message}")
    return sentence(
        "The provider sent an error at ", event_clause(facts, where.event), f": {message}"
    )


def _recorder_stopped(facts: RuleContext) -> Sentence | None:
    """Say that recording stopped: the rest is then missing here alone: no fault of the response."""
    if facts.outcome is not TransportOutcome.RECORDER_STOPPED or has_ended(facts):
        return None
    return sentence("The recording stopped before the response ended, ", _so_far(facts), ".")


def _not_a_response(facts: RuleContext) -> Sentence | None:
    if facts.framing is Framing.EMPTY:
        return _nothing(facts)
    if facts.dialect:
        return None
    if facts.end_marks and facts.end_marks == len(facts.events.kind):
        return sentence("The stream ends with ", _closing(facts, "and"), " has no event before it.")
    comments = facts.timeline.counts.comments
    if comments and comments == len(facts.events.kind):
        kept = f"The stream has {many(comments, 'comment')}, which keep a connection open, and no"
        return sentence(kept, " event.")
    if facts.fault is not None and facts.fault.kind is JsonFaultKind.TOO_DEEP:
        return sentence("The body cannot be parsed: ", _fault(facts.fault), ".")
    if page := _web_page(facts):
        return page
    size = SentenceClause(
        many(facts.body_bytes, "byte"), Where(byte_start=0, byte_end=facts.body_bytes)
    )
    known = "No known response format was found in the "
    return sentence(known, size, f"{_beginning(facts)}.")


def _nothing(facts: RuleContext) -> Sentence:
    if not facts.body_bytes:
        return sentence("The body is empty.")
    space = SentenceClause(
        many(facts.body_bytes, "byte"), Where(byte_start=0, byte_end=facts.body_bytes)
    )
    return sentence("The body is nothing but white space: ", space, " and no answer.")


def _beginning(facts: RuleContext) -> str:
    """Quotes the beginning of the body, for a sentence's end."""
    text = " ".join(facts.opening.decode(errors="replace").split())
    if not text or not text.isprintable():
        return ""
    is_cut = len(text) > 40 or facts.body_bytes > len(facts.opening)
    return f", which begin with “{text[:40]}{'…' if is_cut else ''}”"


def _part(facts: RuleContext) -> Sentence | None:
    if facts.fragment is None:
        return None
    what = SentenceClause(
        FRAGMENT_WORDS[facts.fragment], Where(byte_start=0, byte_end=facts.body_bytes)
    )
    return sentence("The body is ", what, ", a part of a chat completion.")


def _elided(facts: RuleContext) -> Sentence | None:
    first = facts.notes.first(Anomaly.ELISION)
    if first is None:
        return None
    count = facts.notes.count(Anomaly.ELISION)
    shortened = "Shortened with “…” in "
    if facts.streamed:
        shortened = f"{many(facts.chunks, 'chunk')}, shortened with “…” in "
    places = SentenceClause(many(count, "place"), first.where)
    return sentence(shortened, places, ", so the text is incomplete.")


def _unreadable(facts: RuleContext) -> Sentence | None:
    several = facts.notes.first(Anomaly.SEVERAL_DOCUMENTS)
    if several is not None:
        held = SentenceClause(several.detail, several.where)
        return sentence("The body has ", held, "; none was chosen.")
    printed = facts.notes.first(Anomaly.PRINTED)
    if printed is not None:
        words = SentenceClause(printed.detail, printed.where)
        is_part = facts.notes.count(Anomaly.NOT_PRINTED)
        read = "only what it shows is read" if is_part else "choices and usage are read from it"
        return sentence("The text is ", words, f"; {read}.")
    fault = facts.fault
    if fault is None or facts.ending is Ending.CUT:
        return None
    what = {
        Framing.PASTED: "The response in the text",
        Framing.PASTED_STREAM: "The first chunk in the text",
        Framing.EVENT_STREAM: "The first chunk",
        Framing.LINES: "The first chunk",
    }.get(facts.framing, "The body")
    is_read = facts.repair is not None and facts.repair.is_read
    read = "; choices and usage are those of the proposed repair" if is_read else ""
    return sentence(f"{what} is not valid JSON: ", _fault(fault), f"{read}.")


def _fault(fault: JsonFault) -> SentenceClause:
    place = f"line {fault.line}, column {fault.column} (byte {fault.byte:,})"
    return SentenceClause(f"{fault.message}, {place}", Where(byte_start=fault.byte))


def _cut_off(facts: RuleContext) -> Sentence | None:
    if facts.ending is Ending.CUT:
        after = at_end(facts, f"after {facts.body_bytes:,} bytes{_silence(facts)}")
        cut = _cut_event(facts)
        if cut is None:
            return sentence("The body ends inside a value, ", after, ".")
        start, _ = facts.event_bytes(cut)
        began = SentenceClause(f"event #{cut:,}, which began at byte {start:,}", Where(event=cut))
        return sentence("The body ends inside ", began, ", ", after, ".")
    if facts.block_reason is not None:
        return None
    # Without finish reason and end marker a stream at an event boundary was cut as well.
    if facts.streamed and not facts.has_finish and not _ended(facts):
        last = event_clause(facts, len(facts.events.kind) - 1)
        has_closing = facts.dialect is not None and facts.dialect.end_mark is EndMark.CLOSING_OBJECT
        awaited = facts.dialect.closing if has_closing and facts.dialect else "end marker"
        lacking = f" without a finish reason or {awaited}."
        return sentence("The stream stops after ", last, _silence(facts), lacking)
    return None


def _missing_finish(facts: RuleContext) -> Sentence | None:
    # What a record leaves out may have been in the answer.
    if not facts.is_answer or facts.block_reason is not None or facts.is_told:
        return None
    if facts.choices and not facts.unfinished:
        return None
    if not facts.choices:
        ended = f"The answer ended after {facts.body_bytes:,} bytes and has no choices."
        return sentence(ended)
    first, count = facts.unfinished[0], len(facts.unfinished)
    which = f"Choice {first} did not finish"
    if count > 1:
        which = f"{count:,} choices did not finish, the first is choice {first}"
    subject = SentenceClause(which, Where(pointer=facts.pointer_of(first)))
    if not facts.streamed:
        return sentence(subject, f": its finish reason is {_lacking(facts, first)}.")
    followed = (", then ", _closing(facts, "followed"), ".")
    if first not in facts.last_words:
        return sentence(subject, ": it has no content", *followed)
    last_words = event_clause(facts, facts.last_words[first])
    return sentence(subject, ": its last content came with ", last_words, *followed)


def _closing(facts: RuleContext, happened: str) -> SentenceClause:
    if facts.closing is None:
        return SentenceClause("the stream ended", Where(event=len(facts.events.kind) - 1))
    return SentenceClause(f"{facts.closing} {happened}", Where(event=_closing_event(facts)))


def _closing_event(facts: RuleContext) -> int:
    """Return the last end marker, or the last chunk if its ``object`` closes the stream."""
    kinds = facts.events.kind
    if not facts.end_marks or not kinds:
        return facts.last_event
    marks = (event for event in reversed(range(len(kinds))) if kinds[event] is EventKind.END_MARK)
    # An end marker that lacks its blank line is the tail, not an END_MARK.
    return next(marks, len(kinds) - 1)


def _lacking(facts: RuleContext, index: int) -> str:
    reason = next(c.finish_reason for c in facts.choices if c.index == index)
    if reason is UNSET:
        return "missing"
    if reason is None:
        return "null"
    return 'the text "null"' if reason else "empty"


def _missing_terminator(facts: RuleContext) -> Sentence | None:
    if not facts.streamed or facts.is_closed or facts.dialect is None:
        return None
    finished = SentenceClause("Every choice finished", Where(pointer=facts.choices_pointer))
    last: tuple[str | SentenceClause, ...] = ()
    if facts.last_finish is not None:
        last = (" the last with ", event_clause(facts, facts.last_finish), ",")
    awaited: str = facts.dialect.end_mark
    if awaited is EndMark.CLOSING_OBJECT:
        awaited = facts.dialect.closing
    mark = f"the stream ends without {awaited}"
    ends = SentenceClause(mark, Where(event=len(facts.events.kind) - 1))
    return sentence(finished, ",", *last, " but ", ends, ".")


def _complete(facts: RuleContext) -> Sentence:
    place = facts.notes.first(Anomaly.CUT_OUT)
    if place is None:
        return sentence(_finished(facts), ".")
    text = "what is no event stream" if facts.is_sent else "a longer text"
    found = SentenceClause(f"it was extracted from {text}, at {place.detail}", place.where)
    return sentence(_finished(facts), "; ", found, ".")


def _finished(facts: RuleContext) -> Sentence:
    if facts.block_reason is not None:
        _, where = facts.block_reason
        effect = " while the answer came" if facts.choices else ", so there is no choice"
        return sentence(SentenceClause("The prompt was blocked", where), effect)
    if facts.is_done and not facts.has_finish:
        return sentence("The answer says that it is done, without a finish reason")
    if facts.is_told and (not facts.choices or facts.unfinished):
        return sentence("The record tells of no error, and of no finish reason")
    count = len(facts.choices)
    which = {1: "The choice", 2: "Both choices"}.get(count, f"All {count} choices")
    has = "has" if count == 1 else "have"
    at_choices = Where(pointer=facts.choices_pointer)
    finished = SentenceClause(f"{which} {has} a finish reason", at_choices)
    if not facts.streamed:
        return sentence(finished)
    closing = facts.closing
    if not closing:
        return sentence(finished, "; this format has no end marker")
    closed = SentenceClause(f"the stream ended with {closing}", Where(event=_closing_event(facts)))
    return sentence(finished, " and ", closed)


def _ended(facts: RuleContext) -> bool:
    """Return True if an end marker or a closing object came. In a dialect without one, a stream
    that stops needs a finish reason.
    """
    dialect = facts.dialect
    has_closing_object = dialect is not None and dialect.end_mark is EndMark.CLOSING_OBJECT
    return facts.end_marks > 0 or (has_closing_object and facts.is_closed)


def _cut_event(facts: RuleContext) -> int | None:
    """Return the last event if the body ends inside it."""
    kinds = facts.events.kind
    is_cut = facts.streamed and bool(kinds) and kinds[-1] is EventKind.TAIL
    return len(kinds) - 1 if is_cut and facts.ending is Ending.CUT else None


def _silence(facts: RuleContext) -> str:
    silence_us = silence_before_end(facts.timeline)
    return "" if silence_us is None else f" and {silence_us / 1_000_000:,.2f} s of silence"


def _so_far(facts: RuleContext) -> Sentence:
    """Say how much had arrived when the exchange ended, for the end of a sentence."""
    size = at_end(facts, f"after {facts.body_bytes:,} bytes{_silence(facts)}")
    if not facts.streamed or not facts.events.kind:
        return sentence(size)
    cut = _cut_event(facts)
    if cut is not None:
        return sentence(size, ", ", SentenceClause(f"inside event #{cut:,}", Where(event=cut)))
    last = len(facts.events.kind) - 1
    return sentence(size, ", ", SentenceClause(f"the last event is #{last:,}", Where(event=last)))


_ORDER: tuple[tuple[Verdict, Judge], ...] = (
    (Verdict.IN_PROGRESS, _in_progress),
    (Verdict.OTHER, _other),
    (Verdict.CAPPED, _capped),
    (Verdict.CLIENT_CANCELLED, _client_cancelled),
    (Verdict.UPSTREAM_ERROR, _upstream_error),
    (Verdict.PROVIDER_ERROR, provider_error),
    (Verdict.CUT_OFF, _recorder_stopped),
    (Verdict.NOT_A_RESPONSE, _not_a_response),
    (Verdict.PART, _part),
    (Verdict.ELIDED, _elided),
    (Verdict.UNREADABLE, _unreadable),
    (Verdict.CUT_OFF, _cut_off),
    (Verdict.MISSING_FINISH, _missing_finish),
    (Verdict.MISSING_TERMINATOR, _missing_terminator),
)
