"""Rows that programs of a later release would leave in the tables."""

from uuid import UUID

import msgspec
import zstandard

from inspector.archive.models import Capture, Document, Inspection
from inspector.archive.storage import evidence
from inspector.core.analysis import ANALYSIS_VERSION

NEWER = ANALYSIS_VERSION + 1
UNHEARD_OF = "unheard-of"


def inspect_as_newer(capture_id: UUID) -> None:
    """As if the next version had read it, and had said something that this one has no word for."""
    packed = bytes(Document.objects.get(pk=capture_id).readout)
    Document.objects.filter(pk=capture_id).update(readout=said_newer(packed))
    Inspection.objects.filter(pk=capture_id).update(
        analysis_version=NEWER, tried_version=NEWER, verdict=UNHEARD_OF
    )


def said_newer(packed: bytes) -> bytes:
    stored = msgspec.msgpack.decode(zstandard.decompress(packed))
    stored["analysis"] |= {"analysis_version": NEWER, "verdict": UNHEARD_OF}
    return zstandard.compress(msgspec.msgpack.encode(stored))


def store_as_newer(capture_id: UUID) -> None:
    """As if it had been packed in a way that nobody here knows."""
    Capture.objects.filter(pk=capture_id).update(evidence_form=evidence.FORM + 1)
