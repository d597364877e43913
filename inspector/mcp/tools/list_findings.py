"""The findings on one capture, each with its place and the words that stand there."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from api.lookup import require_inspected
from inspector.archive.opened import OpenedCapture
from inspector.archive.readers.errors import ReadingError
from inspector.core.findings import Finding, Where, without_keys
from inspector.core.rules import impact_of
from inspector.core.tape import Tape
from inspector.mcp.arguments import CaptureId, opened_capture
from inspector.mcp.bounds import without_empty
from inspector.mcp.tool import Tool
from inspector.teams.access import Principal

MAX_FINDINGS, FINDINGS = 50, 20
"""Findings of one answer at most, and where no number is asked for."""
WORDS_BYTES, AROUND_BYTES = 240, 40
"""Bytes at a finding's place, and on either side of one: an agent reads more by `read_body`."""


class FindingsArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: CaptureId
    start: Annotated[int, Meta(ge=0, description="number of findings to pass over")] = 0
    limit: Annotated[int, Meta(ge=1, le=MAX_FINDINGS)] = FINDINGS


def findings(principal: Principal, given: FindingsArguments) -> dict[str, Any]:
    capture = opened_capture(principal, given.id, with_evidence=True)
    require_inspected(capture.row.state)
    analysis = capture.analysis
    found = capture.with_added(analysis).findings if analysis else ()
    body, tape = _body_of(capture), capture.readout_if_loaded
    shown = found[given.start : given.start + given.limit]
    rows = [_row(each, body, tape.tape if tape else None) for each in shown]
    return {"findings": rows, "total": len(found)}


def _body_of(capture: OpenedCapture) -> bytes:
    """Empty where it was deleted: the findings are left."""
    try:
        return capture.body
    except ReadingError:
        return b""


def _row(finding: Finding, body: bytes, tape: Tape | None) -> dict[str, Any]:
    where: dict[str, Any] = msgspec.to_builtins(finding.where)
    return without_empty(
        {
            "code": finding.code,
            "severity": str(finding.severity),
            "message": finding.message,
            "impact": impact_of(finding),
            "where": without_empty(where),
            "words": _words(finding.where, body, tape),
        }
    )


def _words(where: Where, body: bytes, tape: Tape | None) -> str:
    """Return the bytes at a place and a few around them, as text; "" for a place without bytes."""
    start, end = where.byte_start, where.byte_end
    if start is None and where.event is not None and tape is not None:
        start, end = tape.events.byte_start[where.event], tape.events.byte_end[where.event]
    if start is None or not body:
        return ""
    last = min(end or start, start + WORDS_BYTES)
    around = body[max(0, start - AROUND_BYTES) : last + AROUND_BYTES]
    return without_keys(around.decode(errors="replace"))


TOOL = Tool(
    name="list_findings",
    title="List findings",
    description=(
        "What is wrong or worth knowing about one capture, worst first: code, severity, message,"
        " what it breaks, its place (event, bytes, JSON Pointer) and the words there."
        " explain_finding tells what a code means."
    ),
    arguments=FindingsArguments,
    run=findings,
)
