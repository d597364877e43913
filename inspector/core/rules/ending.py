"""How the exchange ended; every verdict that is not a good one has its finding here or beside."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.analysis import Verdict
from inspector.core.facts import Ending, Facts
from inspector.core.findings import Severity, Where
from inspector.core.notes import Oddity
from inspector.core.rules.rule import Remark, rule, times


def _verdict(facts: Facts, verdict: Verdict, where: Where | None = None) -> Iterator[Remark]:
    if facts.verdict is verdict:
        yield facts.verdict_reason, where or Where()


def _at_end(facts: Facts) -> Where:
    return Where(byte_start=max(facts.body_bytes - 1, 0), byte_end=facts.body_bytes)


def _at_unfinished(facts: Facts) -> Where:
    """The last words of the first choice that never finished, else what it lacks."""
    if not facts.unfinished:
        return Where(pointer="/choices")
    choice = facts.unfinished[0]
    event = facts.last_words.get(choice) if facts.streamed else None
    return Where(pointer=f"{facts.pointer_of(choice)}/finish_reason", event=event)


@rule("ending.capped", Severity.WARNING, when=Verdict.CAPPED)
def capped(facts: Facts) -> Iterator[Remark]:
    """The capture stopped at our own size limit.
    Clients of the provider got everything; only this archive has a part.
    """
    return _verdict(facts, Verdict.CAPPED, _at_end(facts))


@rule("ending.client-cancelled", Severity.INFO, when=Verdict.CLIENT_CANCELLED)
def client_cancelled(facts: Facts) -> Iterator[Remark]:
    """The client closed the connection before the answer was complete.
    None: the client did it itself.
    """
    return _verdict(facts, Verdict.CLIENT_CANCELLED, _at_end(facts))


@rule("ending.upstream-error", Severity.ERROR, when=Verdict.UPSTREAM_ERROR)
def upstream_error(facts: Facts) -> Iterator[Remark]:
    """The connection failed or timed out, or the status was 500 or more without an error object.
    Every client fails: there is no answer to read.
    """
    return _verdict(facts, Verdict.UPSTREAM_ERROR, _at_end(facts))


@rule("ending.elided", Severity.WARNING, when=Oddity.ELISION)
def elided(facts: Facts) -> Iterator[Remark]:
    """The answer was shortened with "…", as an example in documentation is.
    Readers take a shortened text for the full answer.
    """
    note = facts.notes.first(Oddity.ELISION)
    if facts.verdict is Verdict.ELIDED and note is not None:
        yield facts.verdict_reason, note.where


@rule("ending.cut-off", Severity.ERROR, when=Verdict.CUT_OFF)
def cut_off(facts: Facts) -> Iterator[Remark]:
    """The answer ends inside a value or event, or without finish reason and end marker.
    Clients that treat the end of the connection as the end of the answer show half of it.
    """
    return _verdict(facts, Verdict.CUT_OFF, _at_end(facts))


@rule("ending.missing-finish", Severity.WARNING, when=Verdict.MISSING_FINISH)
def missing_finish(facts: Facts) -> Iterator[Remark]:
    """A choice ended without a finish reason.
    Clients that use the finish reason to decide whether to continue cannot decide.
    """
    return _verdict(facts, Verdict.MISSING_FINISH, _at_unfinished(facts))


@rule("ending.missing-terminator", Severity.WARNING, when=Verdict.MISSING_TERMINATOR)
def missing_terminator(facts: Facts) -> Iterator[Remark]:
    """The stream ends without its end marker.
    Clients that wait for it hang; others report a broken connection.
    """
    return _verdict(facts, Verdict.MISSING_TERMINATOR, _at_end(facts))


@rule("ending.unterminated-event", Severity.WARNING, when=Oddity.TAIL)
def unterminated_event(facts: Facts) -> Iterator[Remark]:
    """The last event is complete, but the blank line after it is missing.
    Clients that follow the standard drop the event.
    """
    note = facts.notes.first(Oddity.TAIL)
    if facts.ending is Ending.WHOLE_TAIL and note is not None:
        what = note.subject or "last event"
        message = (
            f"The {what} has no blank line after it; clients that follow the standard drop it."
        )
        yield message, note.where


@rule("ending.event-after-end-mark", Severity.WARNING, when=Oddity.EVENT_AFTER_END_MARK)
def event_after_end_mark(facts: Facts) -> Iterator[Remark]:
    """Events follow the end marker.
    Clients that stop reading there lose them.
    """
    note = facts.notes.first(Oddity.EVENT_AFTER_END_MARK)
    if note is not None:
        count = facts.notes.count(Oddity.EVENT_AFTER_END_MARK)
        yield f"An event came after [DONE]{times(count)}.", note.where


@rule("ending.end-mark-repeated", Severity.INFO, when=Oddity.END_MARK_REPEATED)
def end_mark_repeated(facts: Facts) -> Iterator[Remark]:
    """The end marker was sent again.
    Clients that keep reading may parse the second one as a chunk.
    """
    note = facts.notes.first(Oddity.END_MARK_REPEATED)
    if note is not None:
        count = facts.notes.count(Oddity.END_MARK_REPEATED)
        yield f"[DONE] was sent again{times(count)}.", note.where


@rule("ending.end-mark-padded", Severity.INFO, when=Oddity.PADDED_END_MARK)
def end_mark_padded(facts: Facts) -> Iterator[Remark]:
    """White space surrounds [DONE].
    Clients that compare the text exactly do not see the end.
    """
    note = facts.notes.first(Oddity.PADDED_END_MARK)
    if note is not None:
        yield "White space surrounds [DONE].", note.where
