"""Lines of JSON for programs: a stable interface, one line for each input."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import msgspec

from inspector.core.analysis import to_json
from inspector.operations.reports.inspected import Inspected


def lines(inputs: Iterable[Inspected], *, with_tape: bool = False) -> Iterator[str]:
    """``{"path", "analysis"}``, with ``"tape"`` where it is asked for; nothing is left out."""
    for one in inputs:
        parts = [
            b'{"path":' + json.dumps(one.path).encode(),
            b'"analysis":' + to_json(one.analysis),
        ]
        if with_tape:
            parts.append(b'"tape":' + msgspec.json.encode(one.tape))
        yield (b",".join(parts) + b"}").decode()
