"""What a reader can be asked for. Pure: from values to values, by the core alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from inspector.archive.readers.answers import encode, of_answered
from inspector.core import reading
from inspector.core.analysis import Analysis
from inspector.core.coding import uncoded
from inspector.core.exchange import Exchange
from inspector.core.pasting.runs import Part, parts
from inspector.core.tape import Snapshots, Tape

Work = Callable[[Any], Any]


class Readout(msgspec.Struct, frozen=True):
    """Everything that reading says: the analysis in full, and the tape."""

    analysis: Analysis
    tape: Tape
    snapshots: Snapshots = {}


def readout(exchange: Exchange) -> Readout:
    finished = reading.read(exchange)
    return Readout(finished.analysis(), finished.tape(), finished.snapshots())


def analysis(exchange: Exchange) -> Analysis:
    return reading.analyze(exchange)


def answer(exchange: Exchange) -> bytes:
    """The JSON that the API answers."""
    return encode(of_answered(reading.analyze(exchange)))


def responses(body: bytes) -> tuple[Part, ...]:
    """Those of a text that holds several."""
    return parts(body)


WORKS: dict[str, Work] = {work.__name__: work for work in (readout, analysis, answer, responses)}


def size_of(given: Exchange | bytes) -> int:
    """How many bytes are to be read, codings undone."""
    if isinstance(given, bytes):
        return len(given)
    asked = given.request.body if given.request else None
    return len(uncoded(given).body) + len(asked or b"")
