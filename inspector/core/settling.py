"""A body becomes one assembly, whichever way it is cut into objects."""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from inspector.core import json_text
from inspector.core.assembly import END_MARK, Assembly
from inspector.core.completion import Json
from inspector.core.facts import Ending, Framing
from inspector.core.findings import Where
from inspector.core.framing import BOM, Line, is_elision, lines
from inspector.core.json_text import Fault, FaultKind
from inspector.core.notes import Oddity
from inspector.core.sse import Comment, Event, Item, Tail


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
        if isinstance(item, Event):
            if item.data:
                assembly.event(item.byte_start, item.byte_end, item.data)
            else:
                assembly.ignored(item.byte_start, item.byte_end, Oddity.EMPTY_DATA)
        elif isinstance(item, Comment):
            assembly.comment(item.byte_start, item.byte_end)
        else:
            name = item.name.decode(errors="replace")[:80]
            oddity = Oddity.ELISION if is_elision(item.name) else Oddity.IGNORED_LINE
            assembly.ignored(item.byte_start, item.byte_end, oddity, name)


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
        return settle_lines(body) or settle_broken(body, parsed.fatal)
    for fault in parsed.faults:
        byte = fault.byte + len(body) - len(text)
        where = Where(byte_start=byte, byte_end=byte + 1)
        assembly.notes.add(Oddity.JSON_FAULT, where, fault.kind, fault.message)
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
    assembly.notes.add(Oddity.SEVERAL_DOCUMENTS, where)
    fault = json_text.parse(body).fatal
    return Settled(assembly, Framing.LINES, fault=fault)


def settle_broken(body: bytes, fault: Fault) -> Settled:
    assembly = Assembly()
    ending = Ending.CUT if fault.kind is FaultKind.TRUNCATED else Ending.CLEAN
    return Settled(assembly, Framing.TEXT, ending, fault)
