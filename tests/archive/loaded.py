"""The readout of a capture as it is stored."""

from uuid import UUID

from inspector.archive import readouts
from inspector.archive.models import Document
from inspector.archive.readouts import StoredReadout


def loaded(capture_id: UUID) -> StoredReadout:
    found = readouts.load(bytes(Document.objects.get(pk=capture_id).readout))
    assert found is not None
    return found


def damage(capture_id: UUID) -> None:
    """As if a disk had turned a bit of what was read of it, or another release had stored it."""
    Document.objects.filter(pk=capture_id).update(readout=b"neither")
