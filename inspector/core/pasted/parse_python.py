"""Reads the response that Python printed into a text as choices, usage and model."""

from __future__ import annotations

from inspector.core.analysis import Repair
from inspector.core.findings import Where
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.assembly import Assembly
from inspector.core.json.parser import JsonFault, JsonFaultKind
from inspector.core.parsed_body import ParsedBody
from inspector.core.pasted.responses import ResponseBuilder, completion_of, line_of
from inspector.core.wire.framing import Framing

STEPS = ("Read what Python prints as JSON",)


def parse_python(body: bytes, run: ResponseBuilder) -> ParsedBody:
    """Fold an answer, or the chunks of a stream, that Python printed. The text is no JSON."""
    assembly = Assembly()
    first = run.objects[0].excerpt
    where = Where(byte_start=first.byte_start, byte_end=first.byte_end)
    assembly.notes.add(Anomaly.PYTHON_NOTATION, where, detail=first.printed_as or "")
    completion = run.objects[0].value
    if run.is_document:
        assembly.whole(completion, first.text, first.byte_start, first.byte_end)
    else:
        for one in run.objects:
            assembly.event(one.excerpt.byte_start, one.excerpt.byte_end, one.excerpt.text)
        completion = completion_of(assembly)
    fault = JsonFault(
        kind=JsonFaultKind.INVALID,
        message="what Python prints of an object",
        byte=first.byte_start,
        line=line_of(body, first.byte_start),
    )
    framing = Framing.PASTED if run.is_document else Framing.PASTED_STREAM
    repair = Repair(STEPS, completion, is_read=True)
    return ParsedBody(assembly, framing, fault=fault, repair=repair)
