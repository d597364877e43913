"""A text with a response in it, as people paste it: read as that response, every cut told.

What is wanted of a page of documentation, a terminal or a log:

- One answer in it is read as that answer, one stream of chunks as that stream. Chunks belong to one
  stream until a whole answer, an end mark, or text with another id behind it comes between.
- Several of them are all kept and none is chosen: each part can be taken as an input of its own,
  and the paste page offers them.
- Other objects (a request, one message, a usage alone) are text like any other.
- One answer with something on its own lines that introduces or ends nothing is no paste but a
  broken body, and stays one.

What stands inside an object is never changed here: an object that is not JSON stays unread, and
what it may have been is proposed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

import msgspec

from inspector.core import dialects, json_text
from inspector.core.analysis import Repair
from inspector.core.assembly import Assembly
from inspector.core.dialects.dialect import Signs
from inspector.core.facts import Ending, Framing
from inspector.core.findings import Where
from inspector.core.framing import BOM
from inspector.core.json_text import Fault, FaultKind
from inspector.core.notes import Oddity
from inspector.core.pasting import repair
from inspector.core.pasting.excerpts import QUOTED_LINE, Excerpt, Kind, excerpts
from inspector.core.pasting.runs import (
    MAX_PARTS,
    One,
    Part,
    Run,
    excerpt_of,
    line_of,
    range_of,
    runs_of,
    signs_of,
)
from inspector.core.settled import Settled, note_faults

_AROUND = frozenset({Kind.FENCE, Kind.COMMAND, Kind.HEADERS, Kind.SEPARATOR, Kind.TEXT})
_introduces = re.compile(rb"(?:\A|.*[:=>(\[,`'\"])[ \t]*+\Z", re.DOTALL).match
_closes = re.compile(rb"[ \t\r]*+[;,.)\]`'\"]*+[ \t\r]*+\Z").match


def settle_pasted(body: bytes) -> Settled | None:
    """The response inside a text, None where there is none or the body is only broken."""
    found = list(excerpts(body))
    runs = runs_of(found)
    if not runs:
        return _broken_answer(body, found)
    if len(runs) > 1:
        return _several(body, runs)
    (run,) = runs
    assembly = Assembly()
    _note_around(assembly, body, found)
    if run.is_document:
        return _document(body, assembly, run.objects[0])
    return _stream(body, assembly, run)


def _document(body: bytes, assembly: Assembly, one: One) -> Settled | None:
    excerpt, parsed = one.excerpt, one.parsed
    if not _stands_apart(body, excerpt):
        return None
    framing = Framing.PASTED
    if len(excerpt.text) == len(body.removeprefix(BOM).strip()):
        framing = Framing.TEXT
    else:
        _note_place(assembly, body, excerpt)
    if excerpt.is_elided:
        where = Where(byte_start=excerpt.byte_start, byte_end=excerpt.byte_end)
        assembly.notes.add(Oddity.ELISION, where)
    if parsed.fatal is not None:
        fault = _placed(parsed.fatal, body, excerpt)
        proposed = Repair(one.steps, one.value)
        return Settled(assembly, framing, fault=fault, repair=proposed)
    note_faults(assembly, parsed, excerpt.text_start)
    assembly.whole(one.value, excerpt.text, excerpt.text_start)
    return Settled(assembly, Framing.PASTED, value=one.value)


def _broken_answer(body: bytes, found: Sequence[Excerpt]) -> Settled | None:
    """The only thing in a text that looks like an answer, though it cannot be followed."""
    broken = [one for one in found if one.kind is Kind.BROKEN and b'"choices"' in one.text]
    if len(broken) != 1 or len(broken[0].text) == len(body.strip()):
        return None
    (excerpt,) = broken
    fatal = json_text.parse(excerpt.text).fatal
    proposed = repair.propose(excerpt.text)
    if fatal is None or proposed is None or not _stands_apart(body, excerpt):
        return None
    assembly = Assembly()
    _note_around(assembly, body, found)
    _note_place(assembly, body, excerpt)
    ending = Ending.CUT if fatal.kind is FaultKind.TRUNCATED else Ending.CLEAN
    fault = _placed(fatal, body, excerpt)
    return Settled(assembly, Framing.PASTED, ending, fault, repair=proposed)


def _stream(body: bytes, assembly: Assembly, run: Run) -> Settled:
    first = run.objects[0].excerpt
    _note_place(assembly, body, first)
    if first.has_data:
        where = Where(byte_start=first.byte_start, byte_end=first.byte_end)
        assembly.notes.add(Oddity.AROUND, where, "unframed")
    cut = run.members.pop() if _ends_cut(body, run) else None
    _fold(assembly, run, proposed=False)
    if cut is not None:
        assembly.cut(*range_of(cut))
    ending = Ending.CUT if cut is not None else Ending.CLEAN
    if all(one.parsed.fatal is None for one in run.objects):
        return Settled(assembly, Framing.PASTED_STREAM, ending)
    fault = None
    if not assembly.chunks:
        fatal = run.objects[0].parsed.fatal
        fault = _placed(fatal, body, first) if fatal else None
    proposed = _proposed(run)
    return Settled(
        assembly, Framing.PASTED_STREAM, ending, fault, repair=proposed, signs=_signs_of(run)
    )


def _fold(assembly: Assembly, run: Run, *, proposed: bool) -> None:
    for member in run.members:
        excerpt, (start, end) = excerpt_of(member), range_of(member)
        if excerpt.kind is Kind.ELISION:
            assembly.ignored(start, end, Oddity.ELISION)
        elif excerpt.kind is Kind.END_MARK:
            assembly.event(start, end, b"[DONE]")
        elif isinstance(member, One) and proposed and member.steps:
            assembly.event(start, end, json.dumps(member.value).encode())
        else:
            _fold_object(assembly, excerpt)


def _fold_object(assembly: Assembly, excerpt: Excerpt) -> None:
    before = assembly.chunks
    assembly.event(excerpt.byte_start, excerpt.byte_end, excerpt.text)
    where = Where(event=len(assembly.tape.kind) - 1)
    if not excerpt.has_data and assembly.chunks > before:
        assembly.notes.add(Oddity.NO_DATA_PREFIX, where)
    if excerpt.is_elided:
        assembly.notes.add(Oddity.ELISION, where)


def _ends_cut(body: bytes, run: Run) -> bool:
    last = excerpt_of(run.members[-1])
    return last.kind is Kind.BROKEN and last.byte_end >= len(body.rstrip())


def _proposed(run: Run) -> Repair:
    """What the stream would come to, were its objects as they are proposed."""
    assembly = Assembly()
    _fold(assembly, run, proposed=True)
    steps: dict[str, int] = {}
    for step in (step for one in run.objects for step in one.steps):
        steps[step] = steps.get(step, 0) + 1
    told = tuple(
        f"{step} ({count:,} objects)" if count > 1 else step for step, count in steps.items()
    )
    found = dialects.recognise(assembly.answer.signs())
    return Repair(told, assembly.answer.completion(found[0].object if found else "unknown"))


def _signs_of(run: Run) -> Signs:
    scratch = Assembly()
    _fold(scratch, run, proposed=True)
    return scratch.answer.signs()


def _several(body: bytes, runs: Sequence[Run]) -> Settled:
    """All are kept as evidence and none is chosen."""
    assembly = Assembly()
    found = [run.part(body) for run in runs[:MAX_PARTS]]
    where = Where(byte_start=found[0].byte_start, byte_end=runs[-1].range[1])
    assembly.notes.add(Oddity.SEVERAL_DOCUMENTS, where, detail=_listed(found, len(runs)))
    return Settled(assembly, Framing.PASTED, signs=signs_of(runs[0].objects[0].value))


def _listed(found: Sequence[Part], count: int) -> str:
    """``an answer (line 13) and a stream of 6 chunks (line 40)``"""
    shown = [f"{part.title} (line {part.line:,})" for part in found[:4]]
    if count > len(shown):
        shown.append(f"{count - len(shown):,} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]])


# -- places ---------------------------------------------------------------------------------------


def _note_around(assembly: Assembly, body: bytes, found: Iterable[Excerpt]) -> None:
    last = None
    for excerpt in found:
        where = Where(byte_start=excerpt.byte_start, byte_end=excerpt.byte_end)
        if excerpt.kind in _AROUND:
            assembly.notes.add(Oddity.AROUND, where, excerpt.kind)
        if excerpt.is_quoted:
            assembly.notes.add(Oddity.AROUND, where, "quoted")
        if _is_glued(body, last, excerpt):
            assembly.notes.add(Oddity.AROUND, where, "glued")
        last = excerpt


def _is_glued(body: bytes, last: Excerpt | None, excerpt: Excerpt) -> bool:
    if last is None or not (excerpt.kind is last.kind is Kind.OBJECT):
        return False
    return b"\n" not in body[last.byte_end : excerpt.byte_start]


def _note_place(assembly: Assembly, body: bytes, excerpt: Excerpt) -> None:
    where = Where(byte_start=excerpt.text_start, byte_end=excerpt.byte_end)
    detail = f"line {line_of(body, excerpt.text_start):,}, byte {excerpt.text_start:,}"
    assembly.notes.add(Oddity.CUT_OUT, where, detail=detail)


def _placed(fault: Fault, body: bytes, excerpt: Excerpt) -> Fault:
    """A fault inside an object, counted from the beginning of the body."""
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


def _byte_behind_quotes(body: bytes, excerpt: Excerpt, byte: int) -> int:
    """A byte of the object where it was sent: its lines lost their beginnings."""
    line = excerpt.text.rfind(b"\n", 0, byte) + 1
    position = excerpt.text_start
    for _ in range(excerpt.text.count(b"\n", 0, byte)):
        quoted = QUOTED_LINE.match(body, body.index(b"\n", position))
        position = quoted.end() if quoted else position + 1
    return min(position + byte - line, excerpt.byte_end)


def _stands_apart(body: bytes, excerpt: Excerpt) -> bool:
    """Nothing on the lines of an answer but what leads to it or closes behind it."""
    before = body[body.rfind(b"\n", 0, excerpt.byte_start) + 1 : excerpt.byte_start]
    end = body.find(b"\n", excerpt.byte_end)
    after = body[excerpt.byte_end : len(body) if end < 0 else end]
    return bool(_introduces(before.strip()) and _closes(after))
