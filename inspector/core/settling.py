"""A body becomes one assembly, whichever way it is cut into objects."""

from __future__ import annotations

import msgspec

from inspector.core import json_text
from inspector.core.assembly import END_MARK, Assembly
from inspector.core.completion import Json
from inspector.core.facts import Ending, Framing
from inspector.core.findings import Where
from inspector.core.framing import BOM, Line, is_elision, lines
from inspector.core.json_text import Fault, FaultKind
from inspector.core.notes import Oddity
from inspector.core.pasting.pasted import settle_pasted
from inspector.core.settled import Settled, note_faults
from inspector.core.sse import Comment, Event, Ignored, Item, Tail


def take_items(assembly: Assembly, items: list[Item]) -> None:
    for item in items:
        if isinstance(item, Event):
            if item.data:
                if item.type:
                    assembly.named(item.type)
                assembly.event(item.byte_start, item.byte_end, item.data)
            else:
                assembly.ignored(item.byte_start, item.byte_end, Oddity.EMPTY_DATA)
        elif isinstance(item, Comment):
            assembly.comment(item.byte_start, item.byte_end)
            _note_bad_text(assembly, item.byte_start + 1, item.text)
        else:
            _take_ignored(assembly, item)


def _take_ignored(assembly: Assembly, item: Ignored) -> None:
    name = item.name.decode(errors="replace")[:80]
    oddity = Oddity.ELISION if is_elision(item.name) else Oddity.IGNORED_LINE
    assembly.ignored(item.byte_start, item.byte_end, oddity, name)
    _note_bad_text(assembly, item.byte_start, item.name)


def _note_bad_text(assembly: Assembly, byte_start: int, text: bytes) -> None:
    """A stream is UTF-8 also where no client looks."""
    if text.isascii():
        return
    try:
        text.decode()
    except UnicodeDecodeError as error:
        byte = byte_start + error.start
        message = f"byte {byte} is not UTF-8"
        where = Where(byte_start=byte, byte_end=byte + 1)
        assembly.notes.add(Oddity.JSON_FAULT, where, FaultKind.INVALID_UTF8, message)


def take_tail(assembly: Assembly, tail: Tail) -> Ending:
    """An undispatched event takes part if its data is whole; if it is not, the stream is cut."""
    if tail.data is None:
        assembly.ignored(tail.byte_start, tail.byte_end, Oddity.IGNORED_LINE)
        return Ending.CLEAN
    if tail.data.strip() != END_MARK and json_text.parse(tail.data).fatal is not None:
        assembly.cut(tail.byte_start, tail.byte_end)
        return Ending.CUT
    assembly.event(tail.byte_start, tail.byte_end, tail.data, is_tail=True)
    return Ending.WHOLE_TAIL


def settle_document(body: bytes) -> Settled:
    """A body that is one JSON text, or lines of them, or neither."""
    assembly = Assembly()
    if not body.strip():
        return Settled(assembly, Framing.EMPTY)
    text = body.removeprefix(BOM)
    parsed = json_text.parse(text)
    if parsed.fatal is not None:
        return _settle_text(body) or settle_broken(body, parsed.fatal)
    note_faults(assembly, parsed, len(body) - len(text))
    if isinstance(parsed.value, dict):
        assembly.whole(parsed.value, body)
        return Settled(assembly, Framing.DOCUMENT, value=parsed.value)
    if isinstance(parsed.value, list):
        if _is_list_of_chunks(parsed.value) and (settled := settle_pasted(body)):
            return settled
        assembly.array(parsed.value, body)
        return Settled(assembly, Framing.ARRAY, value=parsed.value)
    return Settled(assembly, Framing.TEXT)


def _is_list_of_chunks(values: list[Json]) -> bool:
    """A stream as a program collected it, and no answer of any dialect."""
    first = next((value for value in values if isinstance(value, dict)), {})
    choices = first.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(choice, dict) and "delta" in choice


def _settle_text(body: bytes) -> Settled | None:
    lines = settle_lines(body)
    if lines and is_sound(lines):
        return lines
    pasted = settle_pasted(body)
    return pasted if pasted and pasted.holds_several else better(lines, pasted)


def is_sound(settled: Settled) -> bool:
    """Every object that was cut out is one."""
    notes = settled.assembly.notes
    return not (notes.count(Oddity.BROKEN_CHUNK) or notes.count(Oddity.NOT_AN_OBJECT))


def has_objects_outside(settled: Settled) -> bool:
    """Lines that are no field of an event begin an object: the text prints more than a stream."""
    ignored = settled.assembly.notes.by_subject(Oddity.IGNORED_LINE)
    return any(note.subject.startswith("{") for note, _ in ignored)


def finds_the_same(strict: Settled, pasted: Settled) -> bool:
    """The framing is as it should be, and what is broken are the objects themselves."""
    if pasted.framing is not Framing.PASTED_STREAM:
        return False
    one, other = strict.assembly, pasted.assembly
    broken = one.notes.count(Oddity.BROKEN_CHUNK) == other.notes.count(Oddity.BROKEN_CHUNK)
    return broken and one.chunks == other.chunks


def better(strict: Settled | None, pasted: Settled | None) -> Settled | None:
    """The strict reading, unless the tolerant one finds more objects and breaks none."""
    if strict is None or pasted is None:
        return strict or pasted
    if pasted.holds_several and has_objects_outside(strict):
        return pasted
    if finds_the_same(strict, pasted):
        signs = None if strict.assembly.chunks else pasted.signs
        return msgspec.structs.replace(
            strict, fault=pasted.fault, repair=pasted.repair, signs=signs
        )
    finds_more = pasted.assembly.chunks > strict.assembly.chunks
    is_alone = not strict.assembly.chunks
    return pasted if is_alone or (finds_more and is_sound(pasted)) else strict


def settle_lines(body: bytes) -> Settled | None:
    """One object a line (Ollama; streams pasted without "data:"); None where it is not that."""
    found = list(lines(body))
    if not _is_lines(found):
        return None
    assembly, ending = Assembly(), Ending.CLEAN
    for line in found:
        if is_elision(line.text):
            assembly.ignored(line.byte_start, line.byte_end, Oddity.ELISION)
        elif line.is_ended or line is not found[-1]:
            assembly.event(line.byte_start, line.byte_end, line.text.removeprefix(BOM))
        elif json_text.parse(line.text).fatal is None:
            assembly.event(line.byte_start, line.byte_end, line.text)
        else:
            assembly.cut(line.byte_start, line.byte_end)
            ending = Ending.CUT
    if assembly.holds_whole_answers:
        return settle_several(body)
    return Settled(assembly, Framing.LINES, ending)


def _is_lines(found: list[Line]) -> bool:
    """An object on the first line alone, and a second line that is meant as one or as left out.

    Otherwise one answer came with something behind it, such as a status that a script printed.
    """
    meant = sum(line.text.startswith(b"{") or bool(is_elision(line.text)) for line in found[1:])
    first = found[0].text.removeprefix(BOM)
    return meant > 0 and isinstance(json_text.parse(first).value, dict)


def settle_several(body: bytes) -> Settled:
    """Several whole answers, one a line: all are kept as evidence and none is chosen."""
    assembly = Assembly()
    where = Where(byte_start=0, byte_end=len(body))
    assembly.notes.add(Oddity.SEVERAL_DOCUMENTS, where, detail="several answers, one a line")
    fault = json_text.parse(body).fatal
    return Settled(assembly, Framing.LINES, fault=fault)


def settle_broken(body: bytes, fault: Fault) -> Settled:
    assembly = Assembly()
    ending = Ending.CUT if fault.kind is FaultKind.TRUNCATED else Ending.CLEAN
    return Settled(assembly, Framing.TEXT, ending, fault)
