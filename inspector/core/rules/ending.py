"""Rules about how the exchange ended. Every bad verdict has a finding here or in another file."""

from collections.abc import Iterator

from inspector.core.analysis import Verdict
from inspector.core.findings import Severity, Where
from inspector.core.fold.anomalies import Anomaly
from inspector.core.rule_context import RuleContext
from inspector.core.rules.rule import Remark, at_last_byte, rule, times
from inspector.core.wire.exchange import TransportOutcome
from inspector.core.wire.framing import Ending


def _verdict(
    context: RuleContext, verdict: Verdict, where: Where | None = None
) -> Iterator[Remark]:
    if context.verdict is verdict:
        yield context.verdict_reason, where or Where()


def _at_unfinished(context: RuleContext) -> Where:
    """The place of the first unfinished choice: its last content, or the missing finish reason."""
    if not context.unfinished:
        return Where(pointer=context.choices_pointer)
    choice = context.unfinished[0]
    event = context.last_words.get(choice) if context.streamed else None
    return Where(pointer=context.finish_pointer_of(choice), event=event)


@rule("ending.capped", Severity.WARNING, when=Verdict.CAPPED)
def capped(context: RuleContext) -> Iterator[Remark]:
    """The capture stopped at our own size limit.
    Clients of the provider got everything; only this archive has a part.
    """
    return _verdict(context, Verdict.CAPPED, at_last_byte(context))


@rule("ending.client-cancelled", Severity.INFO, when=Verdict.CLIENT_CANCELLED)
def client_cancelled(context: RuleContext) -> Iterator[Remark]:
    """The client closed the connection before the answer was complete.
    None: the client did it itself.
    """
    return _verdict(context, Verdict.CLIENT_CANCELLED, at_last_byte(context))


@rule("ending.upstream-error", Severity.ERROR, when=Verdict.UPSTREAM_ERROR)
def upstream_error(context: RuleContext) -> Iterator[Remark]:
    """The connection failed or timed out, or a failed status came without an error object.
    Every client fails: there is no answer to read.
    """
    # A fault that the proxy names is a finding of its own.
    if context.transport_fault is not None:
        return iter(())
    # A body that came to its end is told by its status, and breaks nowhere.
    is_whole = context.outcome is TransportOutcome.ENDED
    return _verdict(context, Verdict.UPSTREAM_ERROR, None if is_whole else at_last_byte(context))


@rule("ending.elided", Severity.WARNING, when=Anomaly.ELISION)
def elided(context: RuleContext) -> Iterator[Remark]:
    """The answer was shortened with "…", as an example in documentation is.
    Readers take a shortened text for the full answer.
    """
    note = context.notes.first(Anomaly.ELISION)
    if context.verdict is Verdict.ELIDED and note is not None:
        yield context.verdict_reason, note.where


@rule("ending.cut-off", Severity.ERROR, when=Verdict.CUT_OFF)
def cut_off(context: RuleContext) -> Iterator[Remark]:
    """The answer ends inside a value or event, or without finish reason and end marker.
    Clients that treat the end of the connection as the end of the answer show half of it.
    """
    # Then it was not the provider that cut it: a finding of its own says so.
    if context.is_recording_cut:
        return iter(())
    return _verdict(context, Verdict.CUT_OFF, at_last_byte(context))


@rule("ending.missing-finish", Severity.WARNING, when=Verdict.MISSING_FINISH)
def missing_finish(context: RuleContext) -> Iterator[Remark]:
    """A choice ended without a finish reason.
    Clients that use the finish reason to decide whether to continue cannot decide.
    """
    return _verdict(context, Verdict.MISSING_FINISH, _at_unfinished(context))


@rule("ending.missing-terminator", Severity.WARNING, when=Verdict.MISSING_TERMINATOR)
def missing_terminator(context: RuleContext) -> Iterator[Remark]:
    """The stream ends without its end marker.
    Clients that wait for it hang; others report a broken connection.
    """
    return _verdict(context, Verdict.MISSING_TERMINATOR, at_last_byte(context))


@rule("ending.unterminated-event", Severity.WARNING, when=Anomaly.TAIL)
def unterminated_event(context: RuleContext) -> Iterator[Remark]:
    """The last event is complete, but the blank line after it is missing.
    Clients that follow the standard drop the event.
    """
    note = context.notes.first(Anomaly.TAIL)
    if context.ending is Ending.WHOLE_TAIL and note is not None:
        what = note.subject or "last event"
        message = (
            f"The {what} has no blank line after it; clients that follow the standard drop it."
        )
        yield message, note.where


@rule("ending.event-after-end-mark", Severity.WARNING, when=Anomaly.EVENT_AFTER_END_MARK)
def event_after_end_mark(context: RuleContext) -> Iterator[Remark]:
    """Events follow the end marker.
    Clients that stop reading there lose them.
    """
    note = context.notes.first(Anomaly.EVENT_AFTER_END_MARK)
    if note is not None:
        count = context.notes.count(Anomaly.EVENT_AFTER_END_MARK)
        yield f"An event came after {context.closing or 'the end'}{times(count)}.", note.where


@rule("ending.end-mark-repeated", Severity.INFO, when=Anomaly.END_MARK_REPEATED)
def end_mark_repeated(context: RuleContext) -> Iterator[Remark]:
    """The end marker was sent again.
    Clients that keep reading may parse the second one as a chunk.
    """
    note = context.notes.first(Anomaly.END_MARK_REPEATED)
    if note is not None:
        count = context.notes.count(Anomaly.END_MARK_REPEATED)
        yield f"[DONE] was sent again{times(count)}.", note.where


@rule("ending.end-mark-padded", Severity.INFO, when=Anomaly.PADDED_END_MARK)
def end_mark_padded(context: RuleContext) -> Iterator[Remark]:
    """White space surrounds [DONE].
    Clients that compare the text exactly do not see the end.
    """
    note = context.notes.first(Anomaly.PADDED_END_MARK)
    if note is not None:
        yield "White space surrounds [DONE].", note.where
