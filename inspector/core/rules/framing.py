"""Rules about how the body is cut into events, and what a client silently drops."""

import codecs
import re
from collections.abc import Iterator
from itertools import islice

from inspector.core.findings import Severity, Where, shorten
from inspector.core.fold.anomalies import Anomaly, AnomalyNote
from inspector.core.formats.dialect import EndMark
from inspector.core.pasted.excerpts import ExcerptKind, kind_of_line
from inspector.core.rule_context import EVENT_STREAM, RuleContext
from inspector.core.rules.rule import CHAT_FAMILY, Remark, rule, times
from inspector.core.rules.traits import Trait
from inspector.core.wire.framing import Framing
from inspector.core.wire.misframing import Misframing

FIELDS = frozenset({"data", "event", "id", "retry"})
ERROR_FIELD = "error"
NAMED = frozenset({"anthropic"})
"""Formats whose clients choose by the name of an event."""
MAX_LISTED_LINES = 5
# As in "1f4" and "0"; a word of hexadecimal letters is none.
_CHUNK_SIZE = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{1,8}", re.IGNORECASE).fullmatch
"""Unknown field names with a finding of their own: prose has a new one on every line."""

TEXT_AROUND: dict[str, str] = {
    ExcerptKind.FENCE: "Ignored a code fence around the response",
    ExcerptKind.COMMAND: "Ignored a command before the response",
    ExcerptKind.HEADERS: "Ignored a status line or headers in the text",
    ExcerptKind.SEPARATOR: "Ignored commas or brackets around the objects",
    ExcerptKind.TEXT: "Ignored text around the response",
    "quoted": "Ignored the > at the beginning of lines",
    "unframed": "The objects are not separated as events",
    "glued": "Several objects are on one line",
}
JSON_TYPES = ("application/json", "text/json")
# As in "retry-after", but not "Then we go".
_could_be_a_field = re.compile(r"[a-z][a-z0-9_.-]*").fullmatch


def _means_a_field(name: str) -> bool:
    """True for a field name apart from case, white space, a byte-order mark or control
    characters.
    """
    if name in FIELDS:
        return False
    bare = "".join(c for c in name if c.isalnum()).lower()
    return bare in FIELDS or (bool(name) and not name.isprintable())


def _is_around(name: str) -> bool:
    return kind_of_line(name.encode()) in (
        ExcerptKind.FENCE,
        ExcerptKind.COMMAND,
        ExcerptKind.HEADERS,
    )


def _ignored(name: str) -> str:
    if not name:
        return "An event without data is"
    if name in FIELDS:
        return f"The value of {name} is"
    kind = "line" if " " in name else "field"
    return f"The {kind} {shorten(name, len(name))!r} is"


def _unknown_fields(context: RuleContext) -> list[tuple[AnomalyNote, int]]:
    """Ignored lines that no other rule tells, with their counts."""
    return [
        (note, count)
        for note, count in context.notes.by_subject(Anomaly.IGNORED_LINE)
        if not (
            note.subject == ERROR_FIELD
            or _means_a_field(note.subject)
            or _is_around(note.subject)
            or _CHUNK_SIZE(note.subject)
        )
    ]


def _is_prose(context: RuleContext, lines: list[tuple[AnomalyNote, int]]) -> bool:
    """True if ignored lines are those of a text, which nobody sent as a stream: none is a field
    then, even where a word and a colon begin it.
    """
    if context.dialect is None:
        return True
    if context.is_sent:
        return False
    names = (note.subject for note, _ in lines if note.subject)
    return not all(_could_be_a_field(name) for name in names)


@rule("framing.misspelt-field", Severity.WARNING, when=Anomaly.IGNORED_LINE)
def misspelt_field(context: RuleContext) -> Iterator[Remark]:
    """A line looks like a misspelt field of an event, so clients ignore it.
    Every client loses the content of the line.
    """
    for note, count in context.notes.by_subject(Anomaly.IGNORED_LINE):
        if _means_a_field(note.subject) and context.dialect is not None:
            yield (
                f"The line beginning {note.subject!r} is not an event field{times(count)}.",
                note.where,
            )


@rule("framing.error-line", Severity.WARNING, when=Anomaly.IGNORED_LINE)
def error_line(context: RuleContext) -> Iterator[Remark]:
    """A line of the stream states an error and is no event (llama.cpp's error: …, or an object).
    Every client sees the stream end, but not why.
    """
    for note, count in context.notes.by_subject(Anomaly.IGNORED_LINE):
        if note.subject == ERROR_FIELD:
            said = context.notes.first(Anomaly.PROVIDER_ERROR)
            words = f": {said.detail}" if said is not None and said.where == note.where else ""
            ignored = f"A line with an error, no event, is ignored by every client{times(count)}"
            yield f"{ignored}{words or '.'}", note.where


@rule("framing.ignored-line", Severity.INFO, when=Anomaly.IGNORED_LINE)
def ignored_line(context: RuleContext) -> Iterator[Remark]:
    """A line of the event stream has an unknown field name, or an event has no data.
    None: the standard requires clients to ignore it.
    """
    lines = _unknown_fields(context)
    if _is_prose(context, lines):
        return
    for note, count in lines[:MAX_LISTED_LINES]:
        yield f"{_ignored(note.subject)} ignored by every client{times(count)}.", note.where
    if beyond := lines[MAX_LISTED_LINES:]:
        yield (
            f"{len(beyond):,} more unknown fields are ignored; this is the last.",
            beyond[-1][0].where,
        )


@rule("framing.wide-encoding", Severity.ERROR, when=Trait.WIDE)
def wide_encoding(context: RuleContext) -> Iterator[Remark]:
    """The text is UTF-16, as programs of Windows write files, and not UTF-8; it is not read.
    Every client fails: JSON and event streams are UTF-8.
    """
    if context.opening[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        yield "The text is UTF-16, not UTF-8.", Where(byte_start=0, byte_end=2)


@rule("framing.chunk-sizes", Severity.WARNING, when=(Anomaly.CHUNK_SIZES, Anomaly.IGNORED_LINE))
def chunk_sizes(context: RuleContext) -> Iterator[Remark]:
    """Lines are the sizes of HTTP's chunked transfer coding, which something on the way left in.
    Clients that read line by line fail, and an object or event that a size cuts in two is lost.
    """
    for note, _ in context.notes.by_subject(Anomaly.CHUNK_SIZES):
        yield f"Sizes of the chunked transfer coding stand in the body: {note.subject}.", note.where
    lines = [note for note, _ in context.notes.by_subject(Anomaly.IGNORED_LINE)]
    if sizes := [note for note in lines if _CHUNK_SIZE(note.subject)]:
        words = ", ".join(note.subject for note in sizes[:3])
        yield f"Sizes of the chunked transfer coding stand in the stream: {words}.", sizes[0].where


@rule("framing.prefix-repeated", Severity.ERROR, when=Anomaly.MISFRAMED)
def prefix_repeated(context: RuleContext) -> Iterator[Remark]:
    """Lines begin with "data: data:": a server wrote the prefix and its library once more.
    Every client gets data that is no JSON.
    """
    yield from _misframed(context, Misframing.PREFIX_REPEATED, 'A line has "data:" twice')


@rule("framing.blank-lines-missing", Severity.ERROR, when=Anomaly.MISFRAMED)
def blank_lines_missing(context: RuleContext) -> Iterator[Remark]:
    """No blank line stands between events, so that they are one event by the standard.
    Every client that follows the standard gets all objects at once, at the end, as broken JSON.
    """
    said = "The blank line before an event is missing"
    yield from _misframed(context, Misframing.BLANK_LINES_MISSING, said)


@rule("framing.encoded-twice", Severity.ERROR, when=Anomaly.MISFRAMED)
def encoded_twice(context: RuleContext) -> Iterator[Remark]:
    """An object was encoded as JSON twice: it stands inside a JSON text.
    Clients get a text where they look for an object.
    """
    said = "An object was encoded twice and stands inside a JSON text"
    yield from _misframed(context, Misframing.ENCODED_TWICE, said)


@rule("framing.printed", Severity.ERROR, when=Anomaly.MISFRAMED)
def printed(context: RuleContext) -> Iterator[Remark]:
    """Lines are what a program prints of them: b'…' of Python, or \\n in place of line ends.
    Every client gets data that is no JSON.
    """
    said = "A line is what a program prints of bytes or text, with quotes or escapes"
    yield from _misframed(context, Misframing.PRINTED, said)


def _misframed(context: RuleContext, fault: Misframing, said: str) -> Iterator[Remark]:
    for note, count in context.notes.by_subject(Anomaly.MISFRAMED):
        if note.subject == fault:
            yield f"{said}{times(count)}.", note.where


@rule("framing.html-page", Severity.ERROR, when=Anomaly.HTML_PAGE)
def html_page(context: RuleContext) -> Iterator[Remark]:
    """An HTML page stands in the stream: a gateway on the way broke the answer off.
    Every client ignores it and sees a stream that ends early.
    """
    lines = [note for note, _ in context.notes.by_subject(Anomaly.HTML_PAGE)]
    title = next((f": “{note.subject}”" for note in lines if note.subject), "")
    if lines:
        yield f"An HTML page stands in the stream{title}.", lines[0].where


@rule("framing.empty-data", Severity.WARNING, when=Anomaly.EMPTY_DATA)
def empty_data(context: RuleContext) -> Iterator[Remark]:
    """An event has empty data.
    Clients that parse every event fail.
    """
    note = context.notes.first(Anomaly.EMPTY_DATA)
    if note is not None:
        count = context.notes.count(Anomaly.EMPTY_DATA)
        yield f"An event has empty data{times(count)}.", note.where


@rule("framing.named-event", Severity.INFO, formats=CHAT_FAMILY, when=Anomaly.EVENT_NAMED)
def named_event(context: RuleContext) -> Iterator[Remark]:
    """An event has a name; WorkflowAI's reference sends only data.
    Browsers' EventSource does not deliver it as a message.
    """
    named = context.notes.by_subject(Anomaly.EVENT_NAMED) if context.is_answer else iter(())
    for note, _ in islice(named, MAX_LISTED_LINES):
        if note.subject != "message":
            yield f"An event is named {shorten(note.subject)!r}.", note.where


@rule("framing.broken-frame", Severity.ERROR, when=Anomaly.FRAME_FAULT)
def broken_frame(context: RuleContext) -> Iterator[Remark]:
    """A frame of a binary event stream has a wrong checksum or an impossible length.
    Clients stop reading at it.
    """
    found = list(context.notes.by_subject(Anomaly.FRAME_FAULT))
    for note, count in found[:MAX_LISTED_LINES]:
        yield f"A frame is damaged: {note.subject}{times(count)}.", note.where
    if len(found) > MAX_LISTED_LINES:
        last, _ = found[-1]
        beyond = context.notes.count(Anomaly.FRAME_FAULT) - MAX_LISTED_LINES
        yield f"{beyond:,} more faults of frames were found; this is one of them.", last.where


@rule("framing.event-misnamed", Severity.INFO, formats=NAMED, when=Anomaly.EVENT_MISNAMED)
def event_misnamed(context: RuleContext) -> Iterator[Remark]:
    """Events have no name, or another one than their type (Anthropic).
    Anthropic's own clients choose by the name: they see no event.
    """
    # From a pasted text somebody may have taken all names.
    has_names = context.is_sent or context.notes.first(Anomaly.EVENT_NAMED) is not None
    if context.framing is not Framing.EVENT_STREAM or not has_names:
        return
    for note, count in context.notes.by_subject(Anomaly.EVENT_MISNAMED):
        named = f"is named otherwise than its type, {shorten(note.subject)}"
        yield f"An event {named if note.subject else 'has no name'}{times(count)}.", note.where


@rule("framing.data-over-lines", Severity.INFO, when=Anomaly.DATA_OVER_LINES)
def data_over_lines(context: RuleContext) -> Iterator[Remark]:
    """The data of an event spans several lines, which the standard allows.
    Clients that parse each line separately fail.
    """
    note = context.notes.first(Anomaly.DATA_OVER_LINES)
    if note is not None and context.framing is Framing.EVENT_STREAM:
        yield "The data of an event spans several lines.", note.where


@rule("framing.no-data-prefix", Severity.WARNING, when=(Framing.LINES, Framing.PASTED_STREAM))
def no_data_prefix(context: RuleContext) -> Iterator[Remark]:
    """Chunks were sent on lines without "data:".
    Every event-stream client sees no event at all.
    """
    count, where = context.chunks, Where(event=0)
    if context.framing is Framing.PASTED_STREAM:
        note = context.notes.first(Anomaly.NO_DATA_PREFIX)
        count = context.notes.count(Anomaly.NO_DATA_PREFIX)
        where = note.where if note is not None else where
    elif context.framing is not Framing.LINES:
        return
    if count and context.dialect and context.dialect.end_mark is EndMark.DONE:
        subject = "chunk was" if count == 1 else "chunks were"
        yield f'{count:,} {subject} sent on lines without "data:".', where


@rule("framing.pasted", Severity.WARNING, when=(Anomaly.AROUND, Anomaly.IGNORED_LINE))
def pasted(context: RuleContext) -> Iterator[Remark]:
    """The response is part of a longer text that no provider sends.
    Every parser rejects the whole text.
    """
    if not context.is_sent:
        yield from _around(context)


@rule("framing.text-around", Severity.ERROR, when=(Anomaly.AROUND, Anomaly.IGNORED_LINE))
def text_around(context: RuleContext) -> Iterator[Remark]:
    """A server sent the response among other text, or its objects without the form of events.
    Clients fail, or lose what is no event.
    """
    if context.is_sent:
        yield from _around(context)


def _around(context: RuleContext) -> Iterator[Remark]:
    for note, count in context.notes.by_subject(Anomaly.AROUND):
        yield f"{TEXT_AROUND[note.subject]}{times(count)}.", note.where
    for note, count in context.notes.by_subject(Anomaly.IGNORED_LINE):
        if _is_around(note.subject):
            kind = kind_of_line(note.subject.encode())
            yield f"{TEXT_AROUND[kind]}{times(count)}.", note.where
    lines = _unknown_fields(context)
    if lines and context.is_answer and _is_prose(context, lines):
        total = sum(count for _, count in lines)
        yield f"{TEXT_AROUND[ExcerptKind.TEXT]}{times(total)}.", lines[0][0].where


@rule("framing.several-documents", Severity.ERROR, when=Anomaly.SEVERAL_DOCUMENTS)
def several_documents(context: RuleContext) -> Iterator[Remark]:
    """The body has several complete answers.
    Parsers take one or none.
    """
    note = context.notes.first(Anomaly.SEVERAL_DOCUMENTS)
    if note is not None:
        yield f"The body has {note.detail}; none was chosen.", note.where


@rule("framing.content-type", Severity.WARNING, when=Trait.CONTENT_TYPE)
def content_type(context: RuleContext) -> Iterator[Remark]:
    """The content type does not match the body.
    Clients that choose their parser by the content type fail.
    """
    declared = (context.content_type or "").partition(";")[0].strip().lower()
    if context.framing is Framing.EVENT_STREAM and context.chunks and declared in JSON_TYPES:
        yield f"An event stream has the content type {declared}.", Where()
    if context.framing is Framing.EVENT_FRAMES and declared in (*JSON_TYPES, EVENT_STREAM):
        yield f"Binary event frames have the content type {declared}.", Where()
    if context.framing is Framing.DOCUMENT and declared == EVENT_STREAM:
        yield "A JSON document has the content type text/event-stream.", Where()


@rule("framing.reconnection", Severity.INFO, when=Trait.RECONNECTION)
def reconnection(context: RuleContext) -> Iterator[Remark]:
    """The stream tells clients how to reconnect: an event ID, or how long to wait.
    None: hardly any client of completions reconnects.
    """
    told = []
    if context.last_event_id:
        told.append(
            f"the last event ID is {shorten(context.last_event_id.decode(errors='replace'))}"
        )
    if context.retry_ms is not None:
        told.append(f"the wait before reconnecting is {shorten(context.retry_ms.decode())} ms")
    if told:
        yield f"Clients can reconnect: {', '.join(told)}.", Where()


def _all(context: RuleContext) -> Where:
    return Where(byte_start=0, byte_end=context.body_bytes)


@rule("framing.coded", Severity.INFO, when=Trait.CODED)
def coded(context: RuleContext) -> Iterator[Remark]:
    """The body is compressed, as its header says; byte positions are those after decompression.
    None for clients that decompress what they asked for.
    """
    if context.coding is not None and context.coding.is_declared:
        yield (
            f"The body was compressed with {context.coding.name}; it was decompressed to be read.",
            _all(context),
        )


@rule("framing.coding-undeclared", Severity.WARNING, when=Trait.CODED)
def coding_unsaid(context: RuleContext) -> Iterator[Remark]:
    """The body is compressed, and no header says so.
    Every client that reads it as text fails.
    """
    if context.coding is not None and not context.coding.is_declared:
        yield (
            f"The body is compressed with {context.coding.name}, but no header says so.",
            _all(context),
        )


@rule("framing.coding-broken", Severity.ERROR, at_end=True, when=Trait.CODED)
def coding_broken(context: RuleContext) -> Iterator[Remark]:
    """The compressed body is corrupt, ends early, or exceeds our size limit.
    Every client gets a part or nothing.
    """
    if context.coding is not None and context.coding.fault is not None:
        message = f"The {context.coding.name} compression is incomplete: {context.coding.fault}."
        yield message, Where(byte_start=max(context.body_bytes - 1, 0), byte_end=context.body_bytes)
