"""How the body is cut into events: what a client silently drops."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from inspector.core.cursor import shorten
from inspector.core.dialects.dialect import EndMark
from inspector.core.facts import Facts, Framing
from inspector.core.findings import Severity, Where
from inspector.core.notes import Oddity
from inspector.core.pasting.excerpts import Kind, kind_of_line
from inspector.core.rules.rule import Remark, rule, times

FIELDS = frozenset({"data", "event", "id", "retry"})
ERROR_FIELD = "error"
MAX_TOLD = 5
"""Names of unknown fields that are told one by one: prose has a new one on every line."""

AROUND: dict[str, str] = {
    Kind.FENCE: "Pasted, not sent: a code fence stands around what was read",
    Kind.COMMAND: "Pasted, not sent: a command stands before what was read",
    Kind.HEADERS: "Pasted, not sent: a status line or headers stand in the body",
    Kind.SEPARATOR: "Pasted, not sent: commas or brackets of a list stand around the objects",
    Kind.TEXT: "Pasted, not sent: text stands around what was read",
    "quoted": "Pasted, not sent: its lines are quoted with >",
    "unframed": "Pasted, not sent: the objects are not set apart as events are",
    "glued": "Pasted, not sent: objects stand one behind the other on a line",
}
JSON_TYPES = ("application/json", "text/json")


def _means_a_field(name: str) -> bool:
    """A field name but for case, white space, a byte-order mark or control characters."""
    if name in FIELDS:
        return False
    bare = "".join(c for c in name if c.isalnum()).lower()
    return bare in FIELDS or (bool(name) and not name.isprintable())


def _is_around(name: str) -> bool:
    return kind_of_line(name.encode()) in (Kind.FENCE, Kind.COMMAND, Kind.HEADERS)


def _ignored(name: str) -> str:
    if not name:
        return "A block without data is"
    return f"The value of {name} is" if name in FIELDS else f"The field {name!r} is"


@rule("framing.misspelt-field", Severity.WARNING, when=Oddity.IGNORED_LINE)
def misspelt_field(facts: Facts) -> Iterator[Remark]:
    """A line is nearly a field of an event, so a client ignores it.
    Every client: what the line says is lost.
    """
    for note, count in facts.notes.by_subject(Oddity.IGNORED_LINE):
        if _means_a_field(note.subject):
            yield f"The line beginning {note.subject!r} is no field{times(count)}.", note.where


@rule("framing.error-line", Severity.WARNING, when=Oddity.IGNORED_LINE)
def error_line(facts: Facts) -> Iterator[Remark]:
    """A line of the stream begins with "error:", which is no field of an event (llama.cpp).
    Every client: it sees the stream end, and not why.
    """
    for note, count in facts.notes.by_subject(Oddity.IGNORED_LINE):
        if note.subject == ERROR_FIELD:
            yield f'A line beginning "error:" is ignored by every client{times(count)}.', note.where


@rule("framing.ignored-line", Severity.INFO, when=Oddity.IGNORED_LINE)
def ignored_line(facts: Facts) -> Iterator[Remark]:
    """A line of the event stream has an unknown field name, or a block has no data.
    Nobody: the standard says to ignore it.
    """
    told, last = 0, None
    for note, count in facts.notes.by_subject(Oddity.IGNORED_LINE):
        if _means_a_field(note.subject) or _is_around(note.subject):
            continue
        if note.subject == ERROR_FIELD:
            continue
        told, last = told + 1, note
        if told <= MAX_TOLD:
            yield f"{_ignored(note.subject)} ignored by every client{times(count)}.", note.where
    if told > MAX_TOLD and last is not None:
        yield f"{told - MAX_TOLD:,} more such names are ignored, this is the last.", last.where


@rule("framing.empty-data", Severity.WARNING, when=Oddity.EMPTY_DATA)
def empty_data(facts: Facts) -> Iterator[Remark]:
    """An event's data is empty.
    Clients that parse every event.
    """
    note = facts.notes.first(Oddity.EMPTY_DATA)
    if note is not None:
        count = facts.notes.count(Oddity.EMPTY_DATA)
        yield f"An event has empty data{times(count)}.", note.where


@rule("framing.named-event", Severity.INFO, when=Oddity.EVENT_NAMED)
def named_event(facts: Facts) -> Iterator[Remark]:
    """An event has a name, where 000 promises data alone.
    Browsers' EventSource: such an event never arrives as a message.
    """
    named = facts.notes.by_subject(Oddity.EVENT_NAMED) if facts.is_read else iter(())
    for note, _ in islice(named, MAX_TOLD):
        if note.subject != "message":
            yield f"An event has the name {shorten(note.subject)!r}.", note.where


@rule("framing.data-over-lines", Severity.INFO, when=Oddity.DATA_OVER_LINES)
def data_over_lines(facts: Facts) -> Iterator[Remark]:
    """The data of an event stands on several lines, which the standard allows.
    Clients that parse every line by itself.
    """
    note = facts.notes.first(Oddity.DATA_OVER_LINES)
    if note is not None and facts.framing is Framing.EVENT_STREAM:
        yield "The data of an event stands on several lines.", note.where


@rule("framing.no-data-prefix", Severity.WARNING)
def no_data_prefix(facts: Facts) -> Iterator[Remark]:
    """Chunks stand on lines of their own, without "data:".
    Every client of an event stream: it sees no event at all.
    """
    count, where = facts.chunks, Where(event=0)
    if facts.framing is Framing.PASTED_STREAM:
        note = facts.notes.first(Oddity.NO_DATA_PREFIX)
        count = facts.notes.count(Oddity.NO_DATA_PREFIX)
        where = note.where if note is not None else where
    elif facts.framing is not Framing.LINES:
        return
    if count and facts.dialect and facts.dialect.end_mark is EndMark.DONE:
        said = "chunk stands" if count == 1 else "chunks stand"
        yield f'{count:,} {said} on lines without "data:".', where


@rule("framing.pasted", Severity.WARNING)
def pasted(facts: Facts) -> Iterator[Remark]:
    """What was read is a part of a text: something stands around it that no provider sends.
    Every client that is sent the same: no parser takes such a text.
    """
    for note, count in facts.notes.by_subject(Oddity.AROUND):
        yield f"{AROUND[note.subject]}{times(count)}.", note.where
    for note, count in facts.notes.by_subject(Oddity.IGNORED_LINE):
        if _is_around(note.subject):
            kind = kind_of_line(note.subject.encode())
            yield f"{AROUND[kind]}{times(count)}.", note.where


@rule("framing.several-documents", Severity.ERROR, when=Oddity.SEVERAL_DOCUMENTS)
def several_documents(facts: Facts) -> Iterator[Remark]:
    """The body holds several whole answers.
    Every client: a parser takes one or none.
    """
    note = facts.notes.first(Oddity.SEVERAL_DOCUMENTS)
    if note is not None:
        yield f"The body holds {note.detail}; none is chosen.", note.where


@rule("framing.content-type", Severity.WARNING)
def content_type(facts: Facts) -> Iterator[Remark]:
    """The content type says something else than the body is.
    Clients that choose their parser by the content type.
    """
    said = (facts.content_type or "").partition(";")[0].strip().lower()
    if facts.framing is Framing.EVENT_STREAM and facts.chunks and said in JSON_TYPES:
        yield f"An event stream was sent as {said}.", Where()
    if facts.framing is Framing.DOCUMENT and said == "text/event-stream":
        yield "One JSON document was sent as text/event-stream.", Where()


@rule("framing.reconnection", Severity.INFO)
def reconnection(facts: Facts) -> Iterator[Remark]:
    """The stream tells a client how to connect again: an event ID, or how long to wait.
    Nobody; hardly any client of completions connects again.
    """
    told = []
    if facts.last_event_id:
        told.append(f"the last event ID is {shorten(facts.last_event_id.decode(errors='replace'))}")
    if facts.retry_ms is not None:
        told.append(f"the wait before it is {shorten(facts.retry_ms.decode())} ms")
    if told:
        yield f"A client could connect again: {', '.join(told)}.", Where()


def _all(facts: Facts) -> Where:
    return Where(byte_start=0, byte_end=facts.body_bytes)


@rule("framing.coded", Severity.INFO)
def coded(facts: Facts) -> Iterator[Remark]:
    """The body came compressed, as its header says; places count what came out of it.
    Nobody whose client undoes the coding that it asked for.
    """
    if facts.coding is not None and facts.coding.is_said:
        yield f"The body came {facts.coding.name}-coded; it was undone to be read.", _all(facts)


@rule("framing.coding-unsaid", Severity.WARNING)
def coding_unsaid(facts: Facts) -> Iterator[Remark]:
    """The body is compressed, and no header says so.
    Every client that takes it for text.
    """
    if facts.coding is not None and not facts.coding.is_said:
        yield f"The body is {facts.coding.name}-coded, and no header says so.", _all(facts)


@rule("framing.coding-broken", Severity.ERROR, at_end=True)
def coding_broken(facts: Facts) -> Iterator[Remark]:
    """The coding of a compressed body is broken, ends early, or is larger than is read.
    Every client: it gets a part, or nothing.
    """
    if facts.coding is not None and facts.coding.fault is not None:
        message = f"The {facts.coding.name} coding is not whole: {facts.coding.fault}."
        yield message, Where(byte_start=max(facts.body_bytes - 1, 0), byte_end=facts.body_bytes)
