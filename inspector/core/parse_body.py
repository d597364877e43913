"""Cuts a body into objects, in whichever of the known framings, and folds them."""

from __future__ import annotations

import msgspec

from inspector.core.completion import Json
from inspector.core.findings import Where
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.assembly import END_MARK, Assembly
from inspector.core.fragment import fragment_of
from inspector.core.json import parser
from inspector.core.json.parser import JsonFault, JsonFaultKind
from inspector.core.parsed_body import ParsedBody, note_faults
from inspector.core.pasted.parse_pasted import parse_pasted_body
from inspector.core.wire.framing import BOM, Ending, FramedLine, Framing, framed_lines, is_elision
from inspector.core.wire.sse import Comment, Event, IgnoredLine, StreamItem, Tail


def take_items(assembly: Assembly, items: list[StreamItem]) -> None:
    for item in items:
        if isinstance(item, Event):
            if item.data:
                if item.type:
                    assembly.named(item.type)
                assembly.event(item.byte_start, item.byte_end, item.data)
            else:
                assembly.ignored(item.byte_start, item.byte_end, Anomaly.EMPTY_DATA)
        elif isinstance(item, Comment):
            assembly.comment(item.byte_start, item.byte_end)
            _note_bad_text(assembly, item.byte_start + 1, item.text)
        else:
            _take_ignored(assembly, item)


def _take_ignored(assembly: Assembly, item: IgnoredLine) -> None:
    name = item.name.decode(errors="replace")[:80]
    oddity = Anomaly.ELISION if is_elision(item.name) else Anomaly.IGNORED_LINE
    assembly.ignored(item.byte_start, item.byte_end, oddity, name)
    _note_bad_text(assembly, item.byte_start, item.name)


def _note_bad_text(assembly: Assembly, byte_start: int, text: bytes) -> None:
    """Note bytes that are not UTF-8 in lines that clients ignore (the standard wants all of them
    UTF-8).
    """
    if text.isascii():
        return
    try:
        text.decode()
    except UnicodeDecodeError as error:
        byte = byte_start + error.start
        message = f"byte {byte} is not UTF-8"
        where = Where(byte_start=byte, byte_end=byte + 1)
        assembly.notes.add(Anomaly.JSON_FAULT, where, JsonFaultKind.INVALID_UTF8, message)


def take_tail(assembly: Assembly, tail: Tail) -> Ending:
    """Fold an event that lacks its blank line. It is read if its data is whole; if not, the stream
    was cut off.
    """
    if tail.data is None:
        assembly.ignored(tail.byte_start, tail.byte_end, Anomaly.IGNORED_LINE)
        return Ending.CLEAN
    if tail.data.strip() != END_MARK and parser.parse_json(tail.data).fatal is not None:
        assembly.cut(tail.byte_start, tail.byte_end)
        return Ending.CUT
    assembly.event(tail.byte_start, tail.byte_end, tail.data, is_tail=True)
    return Ending.WHOLE_TAIL


def parse_document(body: bytes) -> ParsedBody:
    """Parse a body that is not an event stream: one JSON text, lines of JSON, or a text with
    responses in it.
    """
    assembly = Assembly()
    if not body.strip():
        return ParsedBody(assembly, Framing.EMPTY)
    text = body.removeprefix(BOM)
    parsed = parser.parse_json(text)
    if parsed.fatal is not None:
        return _parse_text(body) or parse_broken(body, parsed.fatal)
    note_faults(assembly, parsed, len(body) - len(text))
    if isinstance(parsed.value, dict):
        fragment = fragment_of(parsed.value)
        assembly.whole(parsed.value, body, fragment=fragment)
        return ParsedBody(assembly, Framing.DOCUMENT, value=parsed.value, fragment=fragment)
    if isinstance(parsed.value, list):
        if _is_list_of_chunks(parsed.value) and (settled := parse_pasted_body(body)):
            return settled
        assembly.array(parsed.value, body)
        return ParsedBody(assembly, Framing.ARRAY, value=parsed.value)
    return ParsedBody(assembly, Framing.TEXT)


def _is_list_of_chunks(values: list[Json]) -> bool:
    """True for the chunks of a stream that a program collected in a list."""
    first = next((value for value in values if isinstance(value, dict)), {})
    choices = first.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(choice, dict) and "delta" in choice


def _parse_text(body: bytes) -> ParsedBody | None:
    lines = parse_lines(body)
    if lines and is_sound(lines):
        return lines
    pasted = parse_pasted_body(body)
    return pasted if pasted and pasted.holds_several else better_of(lines, pasted)


def is_sound(settled: ParsedBody) -> bool:
    """True if every object that was cut out is a JSON object."""
    notes = settled.assembly.notes
    return not (notes.count(Anomaly.BROKEN_CHUNK) or notes.count(Anomaly.NOT_AN_OBJECT))


def has_objects_outside(settled: ParsedBody) -> bool:
    """True if a line outside of the events begins an object: the text prints more than a stream."""
    ignored = settled.assembly.notes.by_subject(Anomaly.IGNORED_LINE)
    return any(note.subject.startswith("{") for note, _ in ignored)


def finds_same_objects(strict: ParsedBody, pasted: ParsedBody) -> bool:
    """True if both readings found the same chunks, so that the objects are broken and not the
    framing.
    """
    if pasted.framing is not Framing.PASTED_STREAM:
        return False
    one, other = strict.assembly, pasted.assembly
    broken = one.notes.count(Anomaly.BROKEN_CHUNK) == other.notes.count(Anomaly.BROKEN_CHUNK)
    return broken and one.chunks == other.chunks - pasted.mended


def better_of(strict: ParsedBody | None, pasted: ParsedBody | None) -> ParsedBody | None:
    """Return the strict reading, unless the tolerant one finds more objects and none of them
    broken.
    """
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
    """The strict reading of a stream that a provider sent, with the tolerant one as a proposal."""
    proposed = pasted.repair and msgspec.structs.replace(pasted.repair, is_read=False)
    signs = None if strict.assembly.chunks else pasted.signs
    return msgspec.structs.replace(strict, fault=pasted.fault, repair=proposed, signs=signs)


def parse_lines(body: bytes) -> ParsedBody | None:
    """Parse one object per line (Ollama, or a stream pasted without ``data:``); None for anything
    else.
    """
    found = list(framed_lines(body))
    if not _is_lines(found):
        return None
    assembly, ending = Assembly(), Ending.CLEAN
    for line in found:
        if is_elision(line.text):
            assembly.ignored(line.byte_start, line.byte_end, Anomaly.ELISION)
        elif line.is_ended or line is not found[-1]:
            assembly.event(line.byte_start, line.byte_end, line.text.removeprefix(BOM))
        elif parser.parse_json(line.text).fatal is None:
            assembly.event(line.byte_start, line.byte_end, line.text)
        else:
            assembly.cut(line.byte_start, line.byte_end)
            ending = Ending.CUT
    if assembly.holds_whole_answers:
        return parse_several_answers(body)
    return ParsedBody(assembly, Framing.LINES, ending)


def _is_lines(found: list[FramedLine]) -> bool:
    """True if the first line is a whole object and a later one begins an object or an elision.

    Otherwise it is one answer with something after it, such as a status that a script printed.
    """
    meant = sum(line.text.startswith(b"{") or bool(is_elision(line.text)) for line in found[1:])
    first = found[0].text.removeprefix(BOM)
    return meant > 0 and isinstance(parser.parse_json(first).value, dict)


def parse_several_answers(body: bytes) -> ParsedBody:
    """Describe a body of several whole answers, one per line. None of them is chosen."""
    assembly = Assembly()
    where = Where(byte_start=0, byte_end=len(body))
    assembly.notes.add(Anomaly.SEVERAL_DOCUMENTS, where, detail="several answers, one a line")
    fault = parser.parse_json(body).fatal
    return ParsedBody(assembly, Framing.LINES, fault=fault)


def parse_broken(body: bytes, fault: JsonFault) -> ParsedBody:
    assembly = Assembly()
    ending = Ending.CUT if fault.kind is JsonFaultKind.TRUNCATED else Ending.CLEAN
    return ParsedBody(assembly, Framing.TEXT, ending, fault)
