"""Reads a pasted text (a page of documentation, a terminal, a log) as the response inside it.

- If the text contains one answer, that answer is read; if one stream of chunks, that stream.
  Chunks belong to one stream until a whole answer, an end marker, or text followed by another id
  comes between them.
- If it contains several, none is chosen. Each can be read as an input of its own, and the paste
  page offers them.
- If it is what Python or JavaScript prints of an answer or of chunks, these are read.
- If its objects stand in it as quoted texts, as in logs and in CSV, these are read.
- Other objects (a request, one message, a usage object alone) are treated as text.
- An answer that has other things on its own lines, except what introduces or closes it, is not
  taken for a pasted answer but for a broken body.

Objects are never changed. One that only deviates from JSON as printed examples do is read as it is
meant, with findings; of any other that is not JSON a repair is proposed.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from inspector.core.analysis import Repair
from inspector.core.findings import Where
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.assembly import Assembly
from inspector.core.json import parser
from inspector.core.json.parser import JsonFault, JsonFaultKind
from inspector.core.parsed_body import ParsedBody, note_faults
from inspector.core.pasted import repair
from inspector.core.pasted.excerpts import ExcerptKind, PastedExcerpt, split_excerpts
from inspector.core.pasted.mending import Deviation, MendedText
from inspector.core.pasted.quoted_texts import quoted_objects
from inspector.core.pasted.responses import (
    MAX_RESPONSES,
    PastedObject,
    PastedResponse,
    ResponseBuilder,
    completion_of,
    excerpt_of,
    fields_seen_in,
    group_into_responses,
    line_of,
    printed_runs,
    range_of,
)
from inspector.core.pasted.wrapped_answer import fold_whole, wrapped_answer
from inspector.core.wire.framing import BOM, QUOTED_LINE, Ending, Framing
from inspector.core.wire.misframing import Misframing

_AROUND = frozenset(
    {
        ExcerptKind.FENCE,
        ExcerptKind.COMMAND,
        ExcerptKind.HEADERS,
        ExcerptKind.SEPARATOR,
        ExcerptKind.TEXT,
    }
)
# As in "response = " in front of an object.
_introduces = re.compile(rb"(?:\A|.*[:=>(\[,`'\"])[ \t]*+\Z", re.DOTALL).match
# As in ");" behind it.
_closes = re.compile(rb"[ \t\r]*+[;,.)\]`'\"]*+[ \t\r]*+\Z").match


def parse_pasted_body(body: bytes) -> ParsedBody | None:
    """Return the response inside a text; None for none, and for a body that is a broken answer."""
    found = list(split_excerpts(body))
    runs = group_into_responses(found)
    if not runs:
        return _printed(body) or _quoted(body) or _broken_answer(body, found)
    if len(runs) > 1:
        return _several_responses(body, runs)
    (run,) = runs
    assembly = Assembly()
    _note_around(assembly, body, found)
    if run.is_document:
        return _document(body, assembly, run.objects[0])
    return _stream(body, assembly, run)


def _document(body: bytes, assembly: Assembly, one: PastedObject) -> ParsedBody | None:
    excerpt, parsed = one.excerpt, one.parsed
    if not _stands_apart(body, excerpt):
        return None
    framing = Framing.PASTED
    if len(excerpt.text) == len(body.removeprefix(BOM).strip()):
        framing = Framing.TEXT
    else:
        _note_place(assembly, body, excerpt)
    if one.mended is not None and parsed.fatal is not None:
        _note_deviations(assembly, body, excerpt, one.mended)
        fault = _shift_fault(parsed.fatal, body, excerpt)
        proposed = Repair(one.mended.steps, one.value, is_read=True)
        fold_whole(assembly, one.value, one.mended.text, excerpt.text_start)
        return ParsedBody(assembly, framing, fault=fault, repair=proposed)
    note_faults(assembly, parsed, excerpt.text_start)
    fold_whole(assembly, one.value, excerpt.text, excerpt.text_start)
    return ParsedBody(assembly, Framing.PASTED, value=one.value)


def _printed(body: bytes) -> ParsedBody | None:
    runs = printed_runs(body)
    if len(runs) > 1:
        return _several_responses(body, runs)
    return _printed_response(body, runs[0]) if runs else None


def _printed_response(body: bytes, run: ResponseBuilder) -> ParsedBody | None:
    assembly = Assembly()
    first = run.objects[0].excerpt
    printed = first.printed_as
    if printed is None:
        return None
    where = Where(byte_start=first.byte_start, byte_end=first.byte_end)
    assembly.notes.add(Anomaly.PRINTED, where, printed.printer, printed.words)
    if printed.is_shortened:
        assembly.notes.add(Anomaly.NOT_PRINTED, where)
    completion = run.objects[0].value
    if run.is_document:
        fold_whole(assembly, completion, first.text, first.byte_start, first.byte_end)
    else:
        for one in run.objects:
            assembly.event(one.excerpt.byte_start, one.excerpt.byte_end, one.excerpt.text)
        completion = completion_of(assembly)
    fault = JsonFault(
        kind=JsonFaultKind.INVALID,
        message=printed.words,
        byte=first.byte_start,
        line=line_of(body, first.byte_start),
    )
    framing = Framing.PASTED if run.is_document else Framing.PASTED_STREAM
    proposed = Repair((f"Read what {printed.printer} prints as JSON",), completion, is_read=True)
    return ParsedBody(assembly, framing, fault=fault, repair=proposed)


def _quoted(body: bytes) -> ParsedBody | None:
    """Read objects that stand in the text as quoted texts."""
    runs = group_into_responses(quoted_objects(body))
    if len(runs) > 1:
        return _several_responses(body, runs)
    return _quoted_response(body, runs[0]) if runs else None


def _quoted_response(body: bytes, run: ResponseBuilder) -> ParsedBody:
    assembly, first = Assembly(), run.objects[0]
    where = Where(byte_start=first.excerpt.byte_start, byte_end=first.excerpt.byte_end)
    assembly.notes.add(Anomaly.MISFRAMED, where, Misframing.ENCODED_TWICE)
    _note_place(assembly, body, first.excerpt)
    if not run.is_document:
        for one in run.objects:
            assembly.event(one.excerpt.byte_start, one.excerpt.byte_end, one.excerpt.text)
        return ParsedBody(assembly, Framing.PASTED_STREAM)
    held = wrapped_answer(first.value, first.excerpt.text)
    value = held.value if held else first.value
    assembly.whole(value, first.excerpt.text, *range_of(first))
    return ParsedBody(assembly, Framing.PASTED, value=value)


def _broken_answer(body: bytes, found: Sequence[PastedExcerpt]) -> ParsedBody | None:
    """Proposes a repair for what alone looks like an answer and cannot be followed."""
    broken = [one for one in found if one.kind is ExcerptKind.BROKEN and b'"choices"' in one.text]
    if len(broken) != 1 or len(broken[0].text) == len(body.strip()):
        return None
    (excerpt,) = broken
    fatal = parser.parse_json(excerpt.text).fatal
    proposed = repair.propose_body_repair(excerpt.text)
    if fatal is None or proposed is None or not _stands_apart(body, excerpt):
        return None
    assembly = Assembly()
    _note_around(assembly, body, found)
    _note_place(assembly, body, excerpt)
    ending = Ending.CUT if fatal.kind is JsonFaultKind.TRUNCATED else Ending.CLEAN
    fault = _shift_fault(fatal, body, excerpt)
    return ParsedBody(assembly, Framing.PASTED, ending, fault, repair=proposed)


def _stream(body: bytes, assembly: Assembly, run: ResponseBuilder) -> ParsedBody:
    first = run.objects[0].excerpt
    _note_place(assembly, body, first)
    if first.has_data:
        where = Where(byte_start=first.byte_start, byte_end=first.byte_end)
        assembly.notes.add(Anomaly.AROUND, where, "unframed")
    cut = run.members.pop() if _ends_cut(body, run) else None
    for member in run.members:
        _fold_member(assembly, body, member)
    assembly.settle()
    if cut is not None:
        assembly.cut(*range_of(cut))
    ending = Ending.CUT if cut is not None else Ending.CLEAN
    mended = [one.mended for one in run.objects if one.mended is not None]
    if not mended:
        return ParsedBody(assembly, Framing.PASTED_STREAM, ending)
    fatal = run.objects[0].parsed.fatal if len(mended) == len(run.objects) else None
    return ParsedBody(
        assembly,
        Framing.PASTED_STREAM,
        ending,
        _shift_fault(fatal, body, first) if fatal else None,
        repair=_stream_repair(assembly, mended),
        signs=assembly.answer.signs(),
        mended=len(mended),
    )


def _fold_member(assembly: Assembly, body: bytes, member: PastedExcerpt | PastedObject) -> None:
    excerpt, (start, end) = excerpt_of(member), range_of(member)
    if excerpt.kind is ExcerptKind.ELISION:
        assembly.ignored(start, end, Anomaly.ELISION)
    elif excerpt.kind is ExcerptKind.END_MARK:
        assembly.event(start, end, b"[DONE]")
    elif isinstance(member, PastedObject) and member.mended is not None:
        _fold_mended(assembly, body, member, member.mended)
    else:
        _fold_object(assembly, excerpt, excerpt.text)
        if excerpt.is_elided:
            assembly.notes.add(Anomaly.ELISION, Where(event=len(assembly.tape.kind) - 1))


def _fold_mended(assembly: Assembly, body: bytes, one: PastedObject, mended: MendedText) -> None:
    """Fold a printed chunk as it is meant, and note that it is not JSON."""
    _fold_object(assembly, one.excerpt, mended.text)
    event = len(assembly.tape.kind) - 1
    for start, end in _places(body, one.excerpt, mended.elisions):
        where = Where(event=event, byte_start=start, byte_end=end)
        assembly.notes.add(Anomaly.ELISION, where)
    # A constant stays in the text, where the fold finds it itself.
    if (fatal := one.parsed.fatal) is not None and not mended.has_constants:
        assembly.note_broken(fatal, event, one.excerpt.text)


def _fold_object(assembly: Assembly, excerpt: PastedExcerpt, text: bytes) -> None:
    before = assembly.chunks
    if excerpt.event_type:
        assembly.typed_by_field(excerpt.event_type)
    assembly.event(excerpt.byte_start, excerpt.byte_end, text)
    if not excerpt.has_data and assembly.chunks > before:
        assembly.notes.add(Anomaly.NO_DATA_PREFIX, Where(event=len(assembly.tape.kind) - 1))


def _ends_cut(body: bytes, run: ResponseBuilder) -> bool:
    last = excerpt_of(run.members[-1])
    return last.kind is ExcerptKind.BROKEN and last.byte_end >= len(body.rstrip())


def _stream_repair(assembly: Assembly, mended: Sequence[MendedText]) -> Repair:
    """Describe how the chunks were mended, and what they give together."""
    steps = Counter(step for one in mended for step in one.steps)
    counted = (
        f"{step} ({count:,} objects)" if count > 1 else step for step, count in steps.items()
    )
    return Repair(tuple(counted), completion_of(assembly), is_read=True)


def _several_responses(body: bytes, runs: Sequence[ResponseBuilder]) -> ParsedBody:
    """Describe a text with several responses. None of them is chosen."""
    assembly = Assembly()
    found = [run.part(body) for run in runs[:MAX_RESPONSES]]
    where = Where(byte_start=found[0].byte_start, byte_end=runs[-1].range[1])
    assembly.notes.add(
        Anomaly.SEVERAL_DOCUMENTS, where, detail=_describe_responses(found, len(runs))
    )
    return ParsedBody(assembly, Framing.PASTED, signs=fields_seen_in(runs[0].objects[0].value))


def _describe_responses(found: Sequence[PastedResponse], count: int) -> str:
    """Return ``an answer (line 13) and a stream of 6 chunks (line 40)``"""
    shown = [f"{part.title} (line {part.line:,})" for part in found[:4]]
    if count > len(shown):
        shown.append(f"{count - len(shown):,} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]])


# -- places ---------------------------------------------------------------------------------------


def _note_around(assembly: Assembly, body: bytes, found: Iterable[PastedExcerpt]) -> None:
    last = None
    for excerpt in found:
        where = Where(byte_start=excerpt.byte_start, byte_end=excerpt.byte_end)
        if excerpt.kind in _AROUND:
            assembly.notes.add(Anomaly.AROUND, where, excerpt.kind)
        if excerpt.is_quoted:
            assembly.notes.add(Anomaly.AROUND, where, "quoted")
        if _is_glued(body, last, excerpt):
            assembly.notes.add(Anomaly.AROUND, where, "glued")
        last = excerpt


def _is_glued(body: bytes, last: PastedExcerpt | None, excerpt: PastedExcerpt) -> bool:
    if last is None or not (excerpt.kind is last.kind is ExcerptKind.OBJECT):
        return False
    return b"\n" not in body[last.byte_end : excerpt.byte_start]


def _note_place(assembly: Assembly, body: bytes, excerpt: PastedExcerpt) -> None:
    where = Where(byte_start=excerpt.text_start, byte_end=excerpt.byte_end)
    detail = f"line {line_of(body, excerpt.text_start):,}, byte {excerpt.text_start:,}"
    assembly.notes.add(Anomaly.CUT_OUT, where, detail=detail)


def _note_deviations(
    assembly: Assembly, body: bytes, excerpt: PastedExcerpt, mended: MendedText
) -> None:
    for start, end in _places(body, excerpt, mended.elisions):
        assembly.notes.add(Anomaly.ELISION, Where(byte_start=start, byte_end=end))
    line, counted = 1, 0
    for start, end in _places(body, excerpt, mended.trailing_commas):
        line += body.count(b"\n", counted, start)
        counted = start
        where = Where(byte_start=start, byte_end=end)
        assembly.notes.add(Anomaly.TRAILING_COMMA, where, str(start), f"line {line:,}")


def _places(
    body: bytes, excerpt: PastedExcerpt, deviations: Iterable[Deviation]
) -> Iterator[tuple[int, int]]:
    """Byte ranges of deviations in the body."""
    for each in deviations:
        start = excerpt.text_start + each.byte_start
        if excerpt.is_quoted:
            start = _byte_behind_quotes(body, excerpt, each.byte_start)
        yield start, start + each.byte_end - each.byte_start


def _shift_fault(fault: JsonFault, body: bytes, excerpt: PastedExcerpt) -> JsonFault:
    """Convert a fault inside an object to positions in the body."""
    start = excerpt.text_start
    byte = (
        _byte_behind_quotes(body, excerpt, fault.byte) if excerpt.is_quoted else start + fault.byte
    )
    own_line = body.rfind(b"\n", 0, start) + 1
    column = fault.column + (
        len(body[own_line:start].decode(errors="replace")) if fault.line == 1 else 0
    )
    return msgspec.structs.replace(
        fault, byte=byte, line=line_of(body, start) + fault.line - 1, column=column
    )


def _byte_behind_quotes(body: bytes, excerpt: PastedExcerpt, byte: int) -> int:
    """Position in the body of a byte of an object whose lines had ``> `` removed."""
    line = excerpt.text.rfind(b"\n", 0, byte) + 1
    position = excerpt.text_start
    for _ in range(excerpt.text.count(b"\n", 0, byte)):
        quoted = QUOTED_LINE.match(body, body.index(b"\n", position))
        position = quoted.end() if quoted else position + 1
    return min(position + byte - line, excerpt.byte_end)


def _stands_apart(body: bytes, excerpt: PastedExcerpt) -> bool:
    """Return True if all other lines but introduce the answer, or are signs that close it."""
    before = body[body.rfind(b"\n", 0, excerpt.byte_start) + 1 : excerpt.byte_start]
    end = body.find(b"\n", excerpt.byte_end)
    after = body[excerpt.byte_end : len(body) if end < 0 else end]
    return bool(_introduces(before.strip()) and _closes(after))
