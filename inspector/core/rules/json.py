"""Rules about JSON (RFC 8259): invalid texts, and texts that parsers read differently."""

from collections.abc import Iterator

from inspector.core.analysis import Verdict
from inspector.core.findings import Severity, Where
from inspector.core.fold.anomalies import Anomaly
from inspector.core.json.parser import JsonFaultKind
from inspector.core.pasted.printed_objects import Printer
from inspector.core.rule_context import RuleContext
from inspector.core.rules.rule import Remark, rule, times
from inspector.core.rules.traits import Trait


@rule("json.invalid", Severity.ERROR, when=Trait.FAULT)
def invalid(context: RuleContext) -> Iterator[Remark]:
    """The body as a whole is not valid JSON.
    Every client fails: no parser returns anything.
    """
    fault = context.fault
    if fault is None or context.verdict not in (Verdict.UNREADABLE, Verdict.CUT_OFF):
        return
    if context.is_recording_cut:
        return
    if context.notes.count(Anomaly.PRINTED):
        return
    place = f"line {fault.line}, column {fault.column}, byte {fault.byte:,}"
    proposed = _proposed(context)
    # What ends too early breaks behind its last byte: that byte is what there is to look at.
    start = min(fault.byte, context.body_bytes - 1)
    where = Where(byte_start=start, byte_end=start + 1)
    yield f"{_sentence(fault.message)} ({place}).{proposed}", where


@rule("json.python-notation", Severity.WARNING, when=Anomaly.PRINTED)
def python_notation(context: RuleContext) -> Iterator[Remark]:
    """The text is what Python prints of a client library's object, not what the provider sent.
    No parser of JSON reads it; what the library dropped is not in it, and absent fields are null.
    """
    return _printed_by(Printer.PYTHON, context)


@rule("json.javascript-notation", Severity.WARNING, when=Anomaly.PRINTED)
def javascript_notation(context: RuleContext) -> Iterator[Remark]:
    """The text is what JavaScript prints of an object, not what the provider sent.
    No JSON parser reads it; ``console.log`` stops at three levels, ``JSON.stringify`` does not.
    """
    return _printed_by(Printer.JAVASCRIPT, context)


def _printed_by(printer: Printer, context: RuleContext) -> Iterator[Remark]:
    note = context.notes.first(Anomaly.PRINTED)
    if note is not None and note.subject == printer:
        is_reason = context.verdict is Verdict.UNREADABLE
        sentence = f"The text is {note.detail}, not JSON."
        yield (context.verdict_reason if is_reason else sentence), note.where


@rule("json.trailing-comma", Severity.WARNING, when=Anomaly.TRAILING_COMMA)
def trailing_comma(context: RuleContext) -> Iterator[Remark]:
    """A comma before a closing bracket, as examples in documentation have it; it is read as none.
    Strict parsers reject the whole text.
    """
    is_invalid = context.verdict in (Verdict.UNREADABLE, Verdict.CUT_OFF)
    reported = context.fault.byte if context.fault and is_invalid else None
    for note, _ in context.notes.by_subject(Anomaly.TRAILING_COMMA):
        if note.where.byte_start != reported:
            yield f"A trailing comma stands on {note.detail}.", note.where


@rule("json.broken-chunk", Severity.ERROR, when=Anomaly.BROKEN_CHUNK)
def broken_chunk(context: RuleContext) -> Iterator[Remark]:
    """The data of an event begins like JSON but is not valid.
    Clients that parse every event fail or lose the chunk.
    """
    proposed = _proposed(context)
    for note, count in context.notes.by_subject(Anomaly.BROKEN_CHUNK):
        yield f"A chunk is not valid JSON: {note.detail}{times(count)}.{proposed}", note.where


@rule("json.not-an-object", Severity.WARNING, when=Anomaly.NOT_AN_OBJECT)
def not_an_object(context: RuleContext) -> Iterator[Remark]:
    """The data of an event is neither an object nor the end marker.
    Clients that parse every event fail.
    """
    for note, count in context.notes.by_subject(Anomaly.NOT_AN_OBJECT):
        said = f": {note.detail}" if note.detail else ""
        yield f"The data of an event is not a JSON object{said}{times(count)}.", note.where


def _proposed(context: RuleContext) -> str:
    if context.repair is None:
        return ""
    return " It is read as repaired." if context.repair.is_read else " A repair is proposed."


def _faults(context: RuleContext, kind: JsonFaultKind) -> Iterator[Remark]:
    for note, count in context.notes.by_subject(Anomaly.JSON_FAULT):
        if note.subject == kind:
            yield f"{_sentence(note.detail)}{times(count)}.", note.where


def _sentence(message: str) -> str:
    return message[:1].upper() + message[1:]


@rule("json.duplicate-name", Severity.ERROR, when=Anomaly.JSON_FAULT)
def duplicate_name(context: RuleContext) -> Iterator[Remark]:
    """One object has the same name twice.
    Some parsers keep the first value, most the last.
    """
    return _faults(context, JsonFaultKind.DUPLICATE_NAME)


@rule("json.nul", Severity.WARNING, when=Anomaly.JSON_FAULT)
def nul(context: RuleContext) -> Iterator[Remark]:
    """A text contains the NUL character.
    Databases and C libraries cut the text there.
    """
    return _faults(context, JsonFaultKind.NUL)


@rule("json.lone-surrogate", Severity.WARNING, when=Anomaly.JSON_FAULT)
def lone_surrogate(context: RuleContext) -> Iterator[Remark]:
    """A text contains half of a surrogate pair.
    Clients that encode the text as UTF-8 fail or replace it.
    """
    return _faults(context, JsonFaultKind.LONE_SURROGATE)


@rule("json.invalid-utf8", Severity.WARNING, when=Anomaly.JSON_FAULT)
def invalid_utf8(context: RuleContext) -> Iterator[Remark]:
    """Some bytes are not UTF-8.
    Strict clients fail; others show U+FFFD instead.
    """
    return _faults(context, JsonFaultKind.INVALID_UTF8)


@rule("json.number-out-of-range", Severity.WARNING, when=Anomaly.JSON_FAULT)
def number_out_of_range(context: RuleContext) -> Iterator[Remark]:
    """A number is larger or longer than common parsers can hold.
    Clients read it as infinity or reject the whole text.
    """
    return _faults(context, JsonFaultKind.NUMBER_OUT_OF_RANGE)
