"""Entries of an upload."""

from dataclasses import dataclass

from inspector.archive.intake.submission import Submission
from inspector.core.json.document import BadDocument
from inspector.transfer.entries import PassedOver


@dataclass(frozen=True, slots=True)
class UploadEntry:
    """One entry: a capture to store, or why it is none."""

    number: int
    content: Submission | PassedOver | BadDocument
    length: int = 0
    """Bytes of it that are stored."""
