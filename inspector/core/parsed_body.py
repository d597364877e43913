"""The result of cutting a body into objects."""

import msgspec
from msgspec import UNSET

from inspector.core.analysis import Repair
from inspector.core.findings import Where
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.assembly import Assembly
from inspector.core.formats.dialect import FieldsSeen
from inspector.core.formats.fragment import Fragment
from inspector.core.json import Json
from inspector.core.json.parser import JsonFault, ParsedJson
from inspector.core.wire.framing import Ending, Framing


class ParsedBody(msgspec.Struct, frozen=True):
    assembly: Assembly
    framing: Framing
    ending: Ending = Ending.CLEAN
    fault: JsonFault | None = None
    value: Json = UNSET
    """The object of a whole body, exactly as sent."""
    fragment: Fragment | None = None
    """The part of a completion that the body is; None if it is more or something else."""
    repair: Repair | None = None
    """Repair of a part of the body; if None, the interpretation looks for one of the whole body."""
    signs: FieldsSeen | None = None
    """Field names for recognising the dialect if no object could be folded."""
    mended: int = 0
    """Number of chunks that were folded as mended."""
    last_event_id: bytes = b""
    retry_ms: bytes | None = None
    """The stream's ``retry`` field (reconnection time): digits, any number of them."""

    def __post_init__(self) -> None:
        self.assembly.settle()

    @property
    def holds_several(self) -> bool:
        """True if there are several responses, of which none was chosen."""
        return self.assembly.notes.count(Anomaly.SEVERAL_DOCUMENTS) > 0


def note_faults(assembly: Assembly, parsed: ParsedJson, byte_start: int) -> None:
    """Note faults of a text at ``byte_start`` of the body that parsers may read differently."""
    for fault in parsed.faults:
        byte = byte_start + fault.byte
        where = Where(byte_start=byte, byte_end=byte + 1)
        assembly.notes.add(Anomaly.JSON_FAULT, where, fault.kind, fault.message)
