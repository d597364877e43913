"""JSON lines for programs, one per input; a stable interface."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import msgspec

from inspector.core.analysis import analysis_to_json
from inspector.operations.reports.inspected_file import InspectedFile


def json_lines(inputs: Iterable[InspectedFile], *, with_tape: bool = False) -> Iterator[str]:
    """Yields ``{"path", "analysis"}``, and ``"tape"`` if requested, always complete."""
    for one in inputs:
        parts = [
            b'{"path":' + json.dumps(one.path).encode(),
            b'"analysis":' + analysis_to_json(one.analysis),
        ]
        if with_tape:
            parts.append(b'"tape":' + msgspec.json.encode(one.tape))
        yield (b",".join(parts) + b"}").decode()
