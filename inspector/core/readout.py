"""All results of a reading at once."""

from __future__ import annotations

import msgspec

from inspector.core import reading
from inspector.core.analysis import Analysis
from inspector.core.tape import Snapshots, Tape
from inspector.core.wire.exchange import Exchange


class Readout(msgspec.Struct, frozen=True):
    """The full analysis and the tape."""

    analysis: Analysis
    tape: Tape
    snapshots: Snapshots = {}


def readout(exchange: Exchange) -> Readout:
    finished = reading.read(exchange)
    return Readout(finished.analysis(), finished.tape(), finished.snapshots())
