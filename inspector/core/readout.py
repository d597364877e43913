"""All results of a reading at once."""

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
    return readout_of(reading.read(exchange))


def readout_of(so_far: reading.Reading) -> Readout:
    """Return the readout of what was fed so far."""
    return Readout(so_far.analysis(), so_far.tape(), so_far.snapshots())
