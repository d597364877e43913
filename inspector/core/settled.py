"""What a body came to, whichever way it was cut into objects."""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from inspector.core.analysis import Repair
from inspector.core.assembly import Assembly
from inspector.core.completion import Json
from inspector.core.dialects.dialect import Signs
from inspector.core.facts import Ending, Framing
from inspector.core.findings import Where
from inspector.core.json_text import Fault, Parsed
from inspector.core.notes import Oddity


class Settled(msgspec.Struct, frozen=True):
    assembly: Assembly
    framing: Framing
    ending: Ending = Ending.CLEAN
    fault: Fault | None = None
    value: Json = UNSET
    """The object of a whole body, exactly as it was sent."""
    repair: Repair | None = None
    """Proposed for a part of the body; without one it is sought for the whole body."""
    signs: Signs | None = None
    """By what the dialect is recognised where nothing was assembled."""

    last_event_id: bytes = b""
    retry_ms: bytes | None = None
    """What an event stream tells a client for when it connects again; digits, however many."""

    @property
    def holds_several(self) -> bool:
        """Several responses, of which none is chosen."""
        return self.assembly.notes.count(Oddity.SEVERAL_DOCUMENTS) > 0


def note_faults(assembly: Assembly, parsed: Parsed, byte_start: int) -> None:
    """What two readers would read differently, in a text that begins at a byte of the body."""
    for fault in parsed.faults:
        byte = byte_start + fault.byte
        where = Where(byte_start=byte, byte_end=byte + 1)
        assembly.notes.add(Oddity.JSON_FAULT, where, fault.kind, fault.message)
