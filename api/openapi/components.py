"""All that the operations point to: the core's own values, and the shapes around them."""

from __future__ import annotations

import msgspec

from api.openapi.schema import URL, Schema, or_null, ref
from api.openapi.schemas import captures, feedback, service, usage
from inspector.archive.values import CaptureRow
from inspector.core.analysis import Analysis
from inspector.core.changes import Change
from inspector.core.counting import Counting
from inspector.core.credentials.removal import Removal
from inspector.core.findings import Finding
from inspector.core.invariants import Line
from inspector.core.ledger import Cost, Entry
from inspector.core.tape import Tape
from inspector.transfer.envelope import Envelope

_VALUES = (
    Analysis,
    Counting,
    Cost,
    Entry,
    Line,
    Tape,
    Finding,
    Change,
    Envelope,
    CaptureRow,
    Removal,
)
_SHAPES = {**service.SHAPES, **captures.SHAPES, **usage.SHAPES, **feedback.SHAPES}


def components() -> dict[str, Schema]:
    _, found = msgspec.json.schema_components(_VALUES, ref_template="#/components/schemas/{name}")
    return {**found, **_SHAPES, "Capture": _capture(found["CaptureRow"])}


def _capture(row: Schema) -> Schema:
    """One line of the list with the two addresses and the cost that the API adds."""
    cost = or_null(ref("ComputedCost"))
    members = {**row["properties"], "url": URL, "page": URL, "cost": cost}
    return {**row, "title": "Capture", "properties": members, "required": list(members)}
