"""All schemas that the operations refer to: values of the core, and the shapes around them."""

from __future__ import annotations

import msgspec

from api.openapi.schema import URL, Schema, or_null, ref
from api.openapi.schemas import captures, feedback, service, usage
from inspector.archive.listing.capture_values import CaptureRow
from inspector.core.analysis import Analysis
from inspector.core.analysis_changes import AnalysisChange
from inspector.core.credentials.removal import Removal
from inspector.core.findings import Finding
from inspector.core.tape import Tape
from inspector.core.tokens.inclusion import TokenInclusion
from inspector.core.tokens.invariants import LedgerLine
from inspector.core.tokens.ledger import UsageLedgerCost, UsageLedgerEntry
from inspector.transfer.envelope import Envelope

_VALUES = (
    Analysis,
    TokenInclusion,
    UsageLedgerCost,
    UsageLedgerEntry,
    LedgerLine,
    Tape,
    Finding,
    AnalysisChange,
    Envelope,
    CaptureRow,
    Removal,
)
_SHAPES = {**service.SHAPES, **captures.SHAPES, **usage.SHAPES, **feedback.SHAPES}


def components() -> dict[str, Schema]:
    _, found = msgspec.json.schema_components(_VALUES, ref_template="#/components/schemas/{name}")
    return {**found, **_SHAPES, "Capture": _capture(found["CaptureRow"])}


def _capture(row: Schema) -> Schema:
    """A row of the capture list, with its two addresses and its cost added."""
    cost = or_null(ref("ComputedCost"))
    members = {**row["properties"], "url": URL, "page": URL, "cost": cost}
    return {**row, "title": "Capture", "properties": members, "required": list(members)}
