"""The pure machine: feed it reads, ask it for the analysis and the tape. It never raises."""

from __future__ import annotations

from functools import cached_property

import msgspec
from msgspec import UNSET

from inspector.core import dialects, json_text, repair, rules
from inspector.core.analysis import Analysis, Repair
from inspector.core.assembly import Assembly
from inspector.core.completion import Choice, Json
from inspector.core.dialects import Dialect
from inspector.core.exchange import Exchange, Read, clock_of
from inspector.core.facts import Ending, Facts, Framing
from inspector.core.framing import BOM, Sniffer, is_elision, lines
from inspector.core.json_text import Fault, FaultKind
from inspector.core.notes import Oddity
from inspector.core.sse import Comment, Event, Item, Splitter
from inspector.core.tape import EventKind, LaneKind, LaneMode, Tape
from inspector.core.timeline import read_timeline
from inspector.core.usage import read_usage
from inspector.core.verdict import judge


class Reading:
    """One exchange being read. Feeding it by any cutting gives the same analysis and tape.

    ``about`` tells what is known beside the bytes; its own reads are not looked at. While its
    outcome is open the reading may be asked at any time and fed on.
    """

    def __init__(self, about: Exchange | None = None) -> None:
        self._about = about or Exchange(reads=())
        self._reads: list[Read] = []
        self._sniffer = Sniffer()
        self._is_document: bool | None = None
        self._splitter = Splitter()
        self._assembly = Assembly()
        self._result: _Result | None = None

    def feed(self, read: Read) -> None:
        self._result = None
        self._reads.append(read)
        if self._is_document:
            return
        data = read.data
        if self._is_document is None:
            self._is_document = self._sniffer.feed(data)
            if self._is_document is not False:
                return
            data = b"".join(read.data for read in self._reads)
        take_items(self._assembly, self._splitter.feed(data))

    def analysis(self) -> Analysis:
        return self._finished().analysis

    def tape(self) -> Tape:
        return self._finished().tape

    def _finished(self) -> _Result:
        if self._result is None:
            self._result = self._finish()
        return self._result

    def _finish(self) -> _Result:
        body = b"".join(read.data for read in self._reads)
        if self._is_document is False and (settled := self._event_stream(body)):
            return _Result(self._about, self._reads, body, settled)
        return _Result(self._about, self._reads, body, settle_document(body))

    def _event_stream(self, body: bytes) -> Settled | None:
        """The fold so far with the tail; None where the lines turn out to be no event stream."""
        tail = self._splitter.tail()
        is_open = self._about.outcome == "open"
        if tail is None or is_open:
            settled = Settled(self._assembly, Framing.EVENT_STREAM)
            return settled if self._assembly.has_events or is_open else None
        # The tail takes part in the reading, but the machine may be fed on: fold once more.
        assembly, splitter = Assembly(), Splitter()
        take_items(assembly, splitter.feed(body))
        if tail.data is not None:
            ending = take_tail(assembly, tail.byte_start, tail.byte_end, tail.data)
        else:
            ending = Ending.CLEAN
            assembly.ignored(tail.byte_start, tail.byte_end, Oddity.IGNORED_LINE, "")
        return Settled(assembly, Framing.EVENT_STREAM, ending) if assembly.has_events else None


class Settled(msgspec.Struct, frozen=True):
    """What a body came to, whichever way it was cut into objects."""

    assembly: Assembly
    framing: Framing
    ending: Ending = Ending.CLEAN
    fault: Fault | None = None
    value: Json = UNSET
    """The object of a whole body, exactly as it was sent."""


def take_items(assembly: Assembly, items: list[Item]) -> None:
    for item in items:
        if item.__class__ is Event:
            if item.data:
                assembly.event(item.byte_start, item.byte_end, item.data)
            else:
                assembly.ignored(item.byte_start, item.byte_end, Oddity.EMPTY_DATA, "")
        elif item.__class__ is Comment:
            assembly.comment(item.byte_start, item.byte_end)
        else:
            name = item.name.decode(errors="replace")[:80]
            assembly.ignored(item.byte_start, item.byte_end, Oddity.IGNORED_LINE, name)


def take_tail(assembly: Assembly, byte_start: int, byte_end: int, data: bytes) -> Ending:
    """An undispatched event takes part if its data is whole; if it is not, the stream is cut."""
    whole = data.strip() == b"[DONE]" or json_text.parse(data).fatal is None
    if not whole:
        assembly.tape.event(byte_start, byte_end, EventKind.TAIL)
        return Ending.CUT
    assembly.event(byte_start, byte_end, data, tail=True)
    assembly.note_tail()
    return Ending.WHOLE_TAIL


def settle_document(body: bytes) -> Settled:
    """A body that is one JSON text, or lines of them, or neither."""
    assembly = Assembly()
    if not body.strip():
        return Settled(assembly, Framing.EMPTY)
    parsed = json_text.parse(body.removeprefix(BOM))
    if parsed.fatal is not None:
        return settle_lines(body) or settle_broken(body, parsed.fatal)
    for fault in parsed.faults:
        assembly.note_fault(fault)
    if isinstance(parsed.value, dict):
        assembly.whole(parsed.value, body)
        return Settled(assembly, Framing.DOCUMENT, value=parsed.value)
    if isinstance(parsed.value, list):
        assembly.array(parsed.value, body)
        return Settled(assembly, Framing.ARRAY, value=parsed.value)
    return Settled(assembly, Framing.TEXT)


def settle_lines(body: bytes) -> Settled | None:
    """One object a line (Ollama; streams pasted without "data:"); None where it is not that."""
    found = list(lines(body))
    if len(found) < 2 or not isinstance(
        json_text.parse(found[0].text.removeprefix(BOM)).value, dict
    ):
        return None
    assembly, ending = Assembly(), Ending.CLEAN
    for line in found:
        if is_elision(line.text):
            assembly.ignored(line.byte_start, line.byte_end, Oddity.ELISION, "")
        elif line.is_ended or line is not found[-1]:
            assembly.event(line.byte_start, line.byte_end, line.text.removeprefix(BOM))
        elif json_text.parse(line.text).fatal is None:
            assembly.event(line.byte_start, line.byte_end, line.text)
        else:
            assembly.tape.event(line.byte_start, line.byte_end, EventKind.TAIL)
            ending = Ending.CUT
    if assembly.holds_whole_answers:
        return settle_several(body)
    return Settled(assembly, Framing.LINES, ending)


def settle_several(body: bytes) -> Settled:
    """Several whole answers, one a line: all are kept as evidence and none is chosen."""
    assembly = Assembly()
    assembly.several_documents(len(body))
    fault = json_text.parse(body).fatal
    return Settled(assembly, Framing.LINES, fault=fault)


def settle_broken(body: bytes, fault: Fault) -> Settled:
    assembly = Assembly()
    ending = Ending.CUT if fault.kind is FaultKind.TRUNCATED else Ending.CLEAN
    return Settled(assembly, Framing.TEXT, ending, fault)


class _Result:
    """Interpretation of what was settled: dialect, choices, times, verdict, findings."""

    def __init__(self, about: Exchange, reads: list[Read], body: bytes, settled: Settled) -> None:
        self._about = about
        self._reads = reads
        self._body = body
        self._settled = settled
        self._assembly = settled.assembly

    @cached_property
    def dialect(self) -> Dialect | None:
        if self._about.dialect in dialects.dialects():
            return dialects.dialects()[self._about.dialect or ""]
        found = dialects.recognise(self._assembly.signs())
        if not found:
            return self._dialect_of_repair()
        # Gemini streams one array and wraps an error in one; whole answers in a list are no answer.
        is_list = self._settled.framing is Framing.ARRAY
        return None if is_list and found[0].is_read and found[0].object != "error" else found[0]

    def _dialect_of_repair(self) -> Dialect | None:
        """A broken body is recognised by what a tolerant reader makes of it."""
        if self.repair is None:
            return None
        scratch = Assembly()
        scratch.whole(self.repair.completion, b"")
        return next(iter(dialects.recognise(scratch.signs())), None)

    @cached_property
    def repair(self) -> Repair | None:
        return repair.propose(self._body) if self._settled.fault else None

    @cached_property
    def streamed(self) -> bool:
        framing = self._settled.framing
        if framing is Framing.ARRAY:
            return self.dialect is not None and not self.dialect.is_read
        return framing in (Framing.EVENT_STREAM, Framing.LINES)

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        dialect = self.dialect
        if dialect is None or not dialect.is_read:
            return ()
        folds = sorted(self._assembly.choices.values(), key=lambda fold: fold.index)
        for fold in folds:
            content = fold.texts.get("content")
            if content is not None and dialect.is_snapshot(content.parts):
                fold.is_snapshot = True
        return tuple(fold.value(dialect.choice_fields, dialect.message_fields) for fold in folds)

    @cached_property
    def tape(self) -> Tape:
        ends: list[int] = []
        position = 0
        for read in self._reads:
            position += len(read.data)
            ends.append(position)
        at_us = [read.at_us or 0 for read in self._reads]
        tape = self._assembly.tape.tape(clock_of(self._reads), at_us, ends)
        snapshots = {fold.index for fold in self._assembly.choices.values() if fold.is_snapshot}
        if not self.choices or not snapshots:
            return tape
        marked = [
            msgspec.structs.replace(lane, mode=LaneMode.SNAPSHOT)
            if lane.kind is LaneKind.CONTENT and lane.choice in snapshots
            else lane
            for lane in tape.lanes
        ]
        return msgspec.structs.replace(tape, lanes=marked)

    @cached_property
    def completion(self) -> Json:
        if self._settled.value is not UNSET:
            return self._settled.value
        if self.dialect is None or not self.dialect.is_read or not self._assembly.chunks:
            return None
        return self._assembly.completion(self.dialect.object)

    @cached_property
    def _is_closed(self) -> bool:
        dialect = self.dialect
        if self._assembly.end_marks or not self.streamed:
            return True
        if dialect is None:
            return False
        if dialect.end_mark is dialects.EndMark.NONE:
            return True
        return dialect.closes(self._assembly.signs(), self._assembly.top)

    @cached_property
    def facts(self) -> Facts:
        assembly, dialect = self._assembly, self.dialect
        top = assembly.top
        facts = Facts(
            framing=self._settled.framing,
            ending=self._settled.ending,
            outcome=self._about.outcome,
            status_code=self._about.status_code,
            content_type=self._about.content_type,
            body_bytes=len(self._body),
            streamed=self.streamed,
            dialect=dialect,
            signs=assembly.signs(),
            notes=assembly.notes,
            top=top,
            choices=self.choices,
            usage=read_usage(assembly.usage, assembly.usage_at),
            usage_events=assembly.usage_events,
            timeline=read_timeline(self.tape, streamed=self.streamed),
            chunks=assembly.chunks,
            end_marks=assembly.end_marks,
            is_closed=self._is_closed,
            fault=self._settled.fault,
            repair=self.repair,
        )
        verdict, reason = judge(facts)
        return msgspec.structs.replace(facts, verdict=verdict, verdict_reason=reason)

    @cached_property
    def analysis(self) -> Analysis:
        facts, dialect = self.facts, self.dialect
        events = self.tape.events
        model = facts.top.get("model")
        known = dialect.top_fields if dialect else frozenset()
        return Analysis(
            dialect=dialect.slug if dialect else None,
            vendor=dialect.vendor if dialect else None,
            object=facts.object,
            streamed=facts.streamed,
            verdict=facts.verdict,
            verdict_reason=facts.verdict_reason,
            model=model if isinstance(model, str) else None,
            completion=self.completion,
            choices=facts.choices,
            usage=facts.usage,
            timeline=facts.timeline,
            repair=facts.repair,
            findings=rules.findings(facts, events.byte_start, events.byte_end),
            extras={
                f"/{name}": value
                for name, value in facts.top.items()
                if facts.is_read and name not in known
            },
        )


def analyze(exchange: Exchange) -> Analysis:
    """Everything that reading says of a finished exchange."""
    return read(exchange).analysis()


def read(exchange: Exchange) -> Reading:
    """The reading of an exchange, fed with all of its reads."""
    reading = Reading(exchange)
    for one in exchange.reads:
        reading.feed(one)
    return reading
