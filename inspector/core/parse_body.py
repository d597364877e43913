"""Cuts a body into objects, in whichever of the known framings, and folds them."""

import re
from base64 import b64decode

import msgspec

from inspector.core import formats
from inspector.core.findings import Where
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.assembly import END_MARK, Assembly
from inspector.core.formats.envelope import Held, held_inside, text_inside
from inspector.core.formats.fragment import fragment_of
from inspector.core.formats.provider_error import stated_error
from inspector.core.json import Json, parser
from inspector.core.json.parser import JsonFault, JsonFaultKind, ParsedJson
from inspector.core.json.pointer import pointer_to
from inspector.core.json.spans import JsonKind, JsonSpans
from inspector.core.parsed_body import ParsedBody, note_faults
from inspector.core.pasted.parse_pasted import parse_pasted_body
from inspector.core.pasted.responses import fields_seen_in
from inspector.core.pasted.wrapped_answer import fold_wrapped, wrapped_answer, wrapped_answers
from inspector.core.telemetry.told_answer import ToldAnswer, told_answer
from inspector.core.wire.chunked_coding import chunk_ranges
from inspector.core.wire.event_frames import Frame, FrameFault, FrameTail
from inspector.core.wire.framing import BOM, Ending, FramedLine, Framing, framed_lines, is_elision
from inspector.core.wire.misframing import MOST_LAYERS, Misframing, meant_lines
from inspector.core.wire.sse import Comment, Event, IgnoredLine, Splitter, StreamItem, Tail

LONGEST_NAME, LONGEST_LINE = 80, 200
"""Characters that are kept of the name of an ignored field, and of an ignored line of text."""
MOST_SIZES = 3
"""Sizes of chunks that a finding lists."""
TOLD = "otel-genai"
"""The format of answers that are told by telemetry."""
# As in "<html>", not in "< HTTP/2 200", which a client prints of what it received.
_begins_tag = re.compile(rb"\s*<[!/A-Za-z]").match


def take_items(assembly: Assembly, items: list[StreamItem]) -> None:
    at = 0
    while at < len(items):
        taken = assembly.take_run(items, at)
        if not taken:
            _take_item(assembly, items[at])
        at += taken or 1


def _take_item(assembly: Assembly, item: StreamItem) -> None:
    if isinstance(item, Event):
        if item.data:
            if item.type:
                assembly.typed_by_field(item.type)
            assembly.event(item.byte_start, item.byte_end, item.data)
        else:
            assembly.ignored(item.byte_start, item.byte_end, Anomaly.EMPTY_DATA)
    elif isinstance(item, Comment):
        assembly.comment(item.byte_start, item.byte_end)
        _note_bad_text(assembly, item.byte_start + 1, item.text)
    else:
        _take_ignored(assembly, item)


def _take_ignored(assembly: Assembly, item: IgnoredLine) -> None:
    if item.name.strip().lower() == b"error":
        assembly.error_line(item.byte_start, item.byte_end, item.value)
        return
    if item.name.startswith(b"{") and _states_error(line := item.name + b":" + item.value):
        assembly.error_line(item.byte_start, item.byte_end, line)
        return
    if _begins_tag(item.name) or assembly.is_in_page:
        assembly.page_line(item.byte_start, item.byte_end, item.name + b":" + item.value)
        return
    # What is no field is a line of text, which says something behind its colon, too.
    is_text = b" " in item.name and item.value
    line = b":".join((item.name, item.value)) if is_text else item.name
    name = line.decode(errors="replace")[: LONGEST_LINE if is_text else LONGEST_NAME]
    anomaly = Anomaly.ELISION if is_elision(item.name) else Anomaly.IGNORED_LINE
    assembly.ignored(item.byte_start, item.byte_end, anomaly, name)
    _note_bad_text(assembly, item.byte_start, item.name)


def _states_error(line: bytes) -> bool:
    """Return True for an object that states an error, as gateways write it behind events."""
    value = parser.parse_json_unexplained(line).value
    return isinstance(value, dict) and stated_error(value) is not None


def _note_bad_text(assembly: Assembly, byte_start: int, text: bytes) -> None:
    """Note bytes that are not UTF-8 in lines that clients ignore: the standard wants it of all."""
    if text.isascii():
        return
    try:
        text.decode()
    except UnicodeDecodeError as error:
        byte = byte_start + error.start
        message = f"byte {byte} is not UTF-8"
        where = Where(byte_start=byte, byte_end=byte + 1)
        assembly.notes.add(Anomaly.JSON_FAULT, where, JsonFaultKind.INVALID_UTF8, message)


def take_tail(assembly: Assembly, tail: Tail, sent: bytes) -> Ending:
    """Fold an event that lacks its blank line if its data is whole; else the stream was cut off.
    ``sent``: the bytes of the tail.
    """
    if tail.data is None and sent.startswith(b"{"):
        name, _, value = sent.partition(b":")
        _take_ignored(assembly, IgnoredLine(tail.byte_start, tail.byte_end, name, value))
        return Ending.CLEAN
    if tail.data is None:
        assembly.ignored(tail.byte_start, tail.byte_end, Anomaly.IGNORED_LINE)
        return Ending.CLEAN
    if tail.data.strip() != END_MARK and parser.parse_json(tail.data).fatal is not None:
        assembly.cut(tail.byte_start, tail.byte_end)
        return Ending.CUT
    if tail.type:
        assembly.typed_by_field(tail.type)
    assembly.event(tail.byte_start, tail.byte_end, tail.data, is_tail=True)
    return Ending.WHOLE_TAIL


def parse_misframed(body: bytes) -> ParsedBody | None:
    """Parse a stream as meant whose framing is broken in a known way; None unless it is sound."""
    lines = list(meant_lines(body))
    if not any(line.faults for line in lines):
        return None
    assembly, ending = Assembly(), Ending.CLEAN
    for line in lines:
        if line.data is None:
            continue
        if line is lines[-1] and _is_cut(body, line.data):
            assembly.cut(line.byte_start, line.byte_end)
            ending = Ending.CUT
            break
        if line.type:
            assembly.typed_by_field(line.type)
        assembly.event(line.byte_start, line.byte_end, line.data)
        for fault in line.faults:
            where = Where(event=len(assembly.tape.kind) - 1)
            assembly.notes.add(Anomaly.MISFRAMED, where, fault)
    settled = ParsedBody(assembly, Framing.EVENT_STREAM, ending)
    return settled if assembly.chunks and is_sound(settled) else None


def _is_cut(body: bytes, data: bytes) -> bool:
    """Return True if the body ends inside the data of its last line."""
    is_open = not body.endswith((b"\n", b"\r")) and data.strip() != END_MARK
    return is_open and parser.parse_json(data).fatal is not None


WRAPPED = "chunk"
"""Type of frames whose payload has the event of a model's own format in base64."""


def take_frames(assembly: Assembly, frames: list[Frame]) -> None:
    for frame in frames:
        for fault in frame.faults:
            _note_frame_fault(assembly, fault)
        if not frame.payload:
            assembly.ignored(frame.byte_start, frame.byte_end, Anomaly.EMPTY_DATA)
            continue
        event = _unwrapped(frame.payload) if frame.type == WRAPPED else None
        if event is None:
            assembly.typed(frame.type, is_error=frame.is_error)
        assembly.event(frame.byte_start, frame.byte_end, event or frame.payload)


def _unwrapped(payload: bytes) -> bytes | None:
    """Return the event inside ``{"bytes": "…"}``; None if there is none."""
    value = parser.parse_json(payload).value
    text = value.get("bytes") if isinstance(value, dict) else None
    try:
        return b64decode(text, validate=True) if isinstance(text, str) else None
    except ValueError:
        return None


def take_frame_tail(assembly: Assembly, tail: FrameTail) -> None:
    if tail.fault is not None:
        _note_frame_fault(assembly, tail.fault)
    assembly.cut(tail.byte_start, tail.byte_end)


def _note_frame_fault(assembly: Assembly, fault: FrameFault) -> None:
    where = Where(byte_start=fault.byte_start, byte_end=fault.byte_end)
    assembly.notes.add(Anomaly.FRAME_FAULT, where, fault.message)


def parse_document(body: bytes, *, is_open: bool = False, family: str | None = None) -> ParsedBody:
    """Parse a body that is not an event stream: one JSON text, lines of JSON, or a text with
    responses in it. ``is_open``: more of it may come. ``family``: the formats by whose table its
    objects are read; None to recognise it.
    """
    assembly = Assembly(family)
    if not body.strip():
        return ParsedBody(assembly, Framing.EMPTY)
    text = body.removeprefix(BOM)
    parsed = parser.parse_json(text)
    if streamed := _parse_list_stream(body, parsed, is_open=is_open):
        return streamed
    if parsed.fatal is not None:
        if chunked := _parse_chunked(assembly, body):
            return chunked
        return _parse_text(body, family) or parse_broken(body, parsed.fatal)
    note_faults(assembly, parsed, len(body) - len(text))
    return _parse_value(assembly, parsed.value, body, family)


def _parse_value(assembly: Assembly, value: Json, body: bytes, family: str | None) -> ParsedBody:
    """Fold a body that is one JSON text."""
    if isinstance(value, dict):
        return _parse_object(assembly, value, body, family)
    if isinstance(value, list):
        if _is_list_of_chunks(value) and (settled := parse_pasted_body(body)):
            return settled
        if wrapped := wrapped_answer(value, body):
            return _parse_wrapped(assembly, value, wrapped, body)
        assembly.array(value, body)
        return ParsedBody(assembly, Framing.ARRAY, value=value)
    if isinstance(value, str) and (inner := _encoded_twice(value)):
        assembly.whole(inner, value.encode(errors="replace"), byte_end=len(body))
        whole = Where(byte_start=0, byte_end=len(body))
        assembly.notes.add(Anomaly.MISFRAMED, whole, Misframing.ENCODED_TWICE)
        return ParsedBody(assembly, Framing.DOCUMENT, value=inner)
    return ParsedBody(assembly, Framing.TEXT)


def _parse_object(
    assembly: Assembly, value: dict[str, Json], body: bytes, family: str | None
) -> ParsedBody:
    if family in (None, TOLD) and (told := told_answer(value)):
        return _parse_told(told, body)
    wrapped = wrapped_answers(value, body)
    if len(wrapped) > 1:
        return _parse_several_wrapped(wrapped, body)
    if wrapped:
        return _parse_wrapped(assembly, value, wrapped[0], body)
    if streamed := _parse_stream_inside(value, body, family):
        return streamed
    fragment = fragment_of(value)
    assembly.whole(value, body, fragment=fragment)
    return ParsedBody(assembly, Framing.DOCUMENT, value=value, fragment=fragment)


def _parse_wrapped(assembly: Assembly, outer: Json, held: Held, body: bytes) -> ParsedBody:
    fold_wrapped(assembly, outer, held, body)
    return ParsedBody(assembly, Framing.DOCUMENT, value=held.value)


def _parse_several_wrapped(several: list[Held], body: bytes) -> ParsedBody:
    """Describe several answers in one object; none is chosen."""
    assembly, where = Assembly(), Where(byte_start=0, byte_end=len(body))
    places = [pointer_to(one.path) for one in several]
    detail = f"several answers, at {', '.join(places[:-1])} and {places[-1]}"
    assembly.notes.add(Anomaly.SEVERAL_DOCUMENTS, where, detail=detail)
    return ParsedBody(assembly, Framing.PASTED, signs=fields_seen_in(several[0].value))


# As in "data: {…}" or "event: ping" first.
_begins_stream = re.compile(r"\s*+(?:data|event|id|retry)?:").match


def _parse_stream_inside(
    value: dict[str, Json], body: bytes, family: str | None
) -> ParsedBody | None:
    """Parse the stream that a log or a function's answer has as a text; None if it has none."""
    found = text_inside(value, _begins_stream)
    if found is None or formats.family_that_reads(value) or stated_error(value):
        return None
    span = JsonSpans(body).find(pointer_to(found[0]))
    if span is None:
        return None
    assembly, sent = Assembly(family), found[1].encode(errors="replace")
    ending = _take_stream(assembly, sent, span.start, span.end)
    assembly.settle()
    is_answer = formats.recognise(assembly.answer.signs())
    if not is_answer and not assembly.notes.count(Anomaly.PROVIDER_ERROR):
        return None
    where = Where(byte_start=span.start, byte_end=span.end)
    assembly.notes.add(Anomaly.WRAPPED, where, pointer_to(found[0]), ", as a stream in a text")
    assembly.wrapping.keep_around(value, found[0], body)
    return ParsedBody(assembly, Framing.PASTED_STREAM, ending)


def _take_stream(assembly: Assembly, sent: bytes, start: int, end: int) -> Ending:
    """Fold a stream whose events have no bytes of their own: all stand between these two."""
    splitter = Splitter()
    for item in splitter.feed(sent):
        _take_item(assembly, msgspec.structs.replace(item, byte_start=start, byte_end=end))
    tail = splitter.tail()
    if tail is None:
        return Ending.CLEAN
    placed = msgspec.structs.replace(tail, byte_start=start, byte_end=end)
    return take_tail(assembly, placed, sent[tail.byte_start : tail.byte_end])


def _parse_chunked(assembly: Assembly, body: bytes) -> ParsedBody | None:
    """Parse an object between the sizes of the chunked transfer coding; None for others."""
    ranges = chunk_ranges(body)
    text = b"".join(body[start:end] for start, end in ranges)
    value = parser.parse_json(text).value if ranges else None
    if not isinstance(value, dict):
        return None
    (first, _), (_, last) = ranges[0], ranges[-1]
    assembly.whole(value, text, first, last)
    sizes = ", ".join(f"{end - start:x}" for start, end in ranges[:MOST_SIZES])
    assembly.notes.add(Anomaly.CHUNK_SIZES, Where(byte_start=0, byte_end=first), sizes)
    return ParsedBody(assembly, Framing.DOCUMENT, value=value)


def _encoded_twice(text: str) -> dict[str, Json] | None:
    """Return the object that a text has in it as JSON; None if it has none."""
    value: Json = text
    for _ in range(MOST_LAYERS):
        if isinstance(value, str):
            value = parser.parse_json(value.encode(errors="replace")).value
    return value if isinstance(value, dict) else None


def _parse_told(told: ToldAnswer, body: bytes) -> ParsedBody:
    """Return the answer that a record of telemetry tells, read by the table of its format."""
    assembly = Assembly(TOLD)
    # Values that are kept as they are spelt are those of the answer, which stands nowhere.
    assembly.whole(told.answer, told.text, byte_end=len(body))
    assembly.tape.stand_at(told.places)
    return ParsedBody(assembly, Framing.DOCUMENT, value=told.answer)


def _parse_list_stream(body: bytes, parsed: ParsedJson, *, is_open: bool) -> ParsedBody | None:
    """Parse a stream that is one list, of which each object is an event; the commas and brackets
    around them belong to none. None for anything else.
    """
    is_cut = parsed.fatal is not None and parsed.fatal.kind is JsonFaultKind.TRUNCATED
    if not (is_cut or isinstance(parsed.value, list)):
        return None
    spans = JsonSpans(body)
    if spans.kind(spans.start) is not JsonKind.LIST or spans.has_more(spans.start, spans.end):
        return None
    items = spans.members(spans.start, spans.end)
    if not items or not streams_as_list(body[items[0].start : items[0].end]):
        return None
    assembly = Assembly()
    for item in items:
        text = body[item.start : item.end]
        # A list may break off between two objects: then the last of them is whole.
        if not (is_cut and item is items[-1] and parser.parse_json(text).fatal):
            assembly.event(item.start, item.end, text)
        elif not is_open:
            assembly.cut(item.start, len(body))
    return ParsedBody(assembly, Framing.ARRAY, Ending.CUT if is_cut else Ending.CLEAN)


def streams_as_list(first: bytes) -> bool:
    """Return True if the first object of a list is one of a format that streams so."""
    value = parser.parse_json(first).value
    held = held_inside(value, first, formats.family_inside)
    value = held.value if held else value
    family = formats.family_that_reads(value) if isinstance(value, dict) else None
    return family is not None and formats.dialects()[family].streams_as_list


def _is_list_of_chunks(values: list[Json]) -> bool:
    """Return True for the chunks of a stream that a program collected in a list."""
    first = next((value for value in values if isinstance(value, dict)), {})
    held = held_inside(first, b"", formats.family_inside)
    choices = (held.value if held else first).get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(choice, dict) and "delta" in choice


def _parse_text(body: bytes, family: str | None = None) -> ParsedBody | None:
    lines = parse_lines(body, family)
    if lines and is_sound(lines):
        return lines
    pasted = parse_pasted_body(body)
    return pasted if pasted and pasted.holds_several else better_of(lines, pasted)


def is_sound(settled: ParsedBody) -> bool:
    """Return True if every object that was cut out is a JSON object, or read as one."""
    notes, read = settled.assembly.notes, settled.assembly.constants
    return notes.count(Anomaly.BROKEN_CHUNK) == read and not notes.count(Anomaly.NOT_AN_OBJECT)


def has_objects_outside(settled: ParsedBody) -> bool:
    """Return True if a line outside events begins an object: the text prints more than a stream."""
    ignored = settled.assembly.notes.by_subject(Anomaly.IGNORED_LINE)
    return any(note.subject.lstrip("[ ").startswith("{") for note, _ in ignored)


def finds_same_objects(strict: ParsedBody, pasted: ParsedBody) -> bool:
    """Return True if both found the same chunks: the objects are broken, not the framing."""
    if pasted.framing is not Framing.PASTED_STREAM:
        return False
    one, other = strict.assembly, pasted.assembly
    broken = one.notes.count(Anomaly.BROKEN_CHUNK) == other.notes.count(Anomaly.BROKEN_CHUNK)
    return broken and one.chunks == other.chunks - pasted.mended


def better_of(strict: ParsedBody | None, pasted: ParsedBody | None) -> ParsedBody | None:
    """Return the strict reading, unless the tolerant one finds more objects and none broken."""
    if strict is None or pasted is None:
        return strict or pasted
    if pasted.holds_several and has_objects_outside(strict):
        return pasted
    is_printed = strict.framing is Framing.LINES and pasted.mended > 0
    if is_printed and pasted.assembly.chunks > strict.assembly.chunks:
        return pasted
    if finds_same_objects(strict, pasted):
        return _with_proposal(strict, pasted)
    finds_more = pasted.assembly.chunks > strict.assembly.chunks
    is_alone = not strict.assembly.chunks
    return pasted if is_alone or (finds_more and is_sound(pasted)) else strict


def _with_proposal(strict: ParsedBody, pasted: ParsedBody) -> ParsedBody:
    """Return the strict reading of what a provider sent, with the tolerant one as a proposal."""
    proposed = pasted.repair and msgspec.structs.replace(pasted.repair, is_read=False)
    signs = None if strict.assembly.chunks else pasted.signs
    return msgspec.structs.replace(strict, fault=pasted.fault, repair=proposed, signs=signs)


def parse_lines(body: bytes, family: str | None = None) -> ParsedBody | None:
    """Parse one object per line (Ollama, or a stream pasted without ``data:``); None for anything
    else. ``family``: as for ``parse_document``.
    """
    found = list(framed_lines(body))
    if not _is_lines(found):
        return None
    assembly, ending = Assembly(family), Ending.CLEAN
    for line in found:
        if line.is_ended or is_elision(line.text):
            take_line(assembly, line)
        elif parser.parse_json(line.text).fatal is None:
            assembly.event(line.byte_start, line.byte_end, line.text)
        else:
            assembly.cut(line.byte_start, line.byte_end)
            ending = Ending.CUT
    if assembly.holds_whole_answers:
        return parse_several_answers(body, assembly)
    return ParsedBody(assembly, Framing.LINES, ending)


def take_line(assembly: Assembly, line: FramedLine) -> None:
    """Fold a line that has ended."""
    if is_elision(line.text):
        assembly.ignored(line.byte_start, line.byte_end, Anomaly.ELISION)
    else:
        assembly.event(line.byte_start, line.byte_end, line.text.removeprefix(BOM))


def _is_lines(found: list[FramedLine]) -> bool:
    """Return True if the first line is a whole object and a later one begins an object or an
    elision.

    Otherwise it is one answer with something after it, such as a status that a script printed.
    """
    is_meant = any(is_meant_as_object(line) for line in found[1:])
    return is_meant and holds_object(found[0])


def is_meant_as_object(line: FramedLine) -> bool:
    """Return True if a line begins an object, or stands for some that were left out."""
    return line.text.startswith(b"{") or bool(is_elision(line.text))


def holds_object(line: FramedLine) -> bool:
    """Return True if the first line of a body is a whole object."""
    return isinstance(parser.parse_json(line.text.removeprefix(BOM)).value, dict)


def parse_several_answers(body: bytes, together: Assembly) -> ParsedBody:
    """Describe several whole answers, one per line; none is chosen. ``together`` has all."""
    assembly = Assembly()
    where = Where(byte_start=0, byte_end=len(body))
    assembly.notes.add(Anomaly.SEVERAL_DOCUMENTS, where, detail="several answers, one a line")
    fault = parser.parse_json(body).fatal
    return ParsedBody(assembly, Framing.LINES, fault=fault, signs=together.answer.signs())


def parse_broken(body: bytes, fault: JsonFault) -> ParsedBody:
    # Nothing of it is folded: what half an object says would stand there as if it had been sent.
    assembly = Assembly()
    ending = Ending.CUT if fault.kind is JsonFaultKind.TRUNCATED else Ending.CLEAN
    return ParsedBody(assembly, Framing.TEXT, ending, fault)
