"""Tables of the search: the texts of captures, and the index of their words. Both can be made anew
from evidence and inspections, and are no part of a backup.
"""

from __future__ import annotations

from django.db import models

from inspector.archive.models import Capture
from inspector.core.searchable_texts import TextKind
from inspector.teams.models import Team

KIND_CODES = {
    TextKind.ANSWER: 1,
    TextKind.REASONING: 2,
    TextKind.REFUSAL: 3,
    TextKind.TOOL_NAME: 4,
    TextKind.TOOL_ARGUMENTS: 5,
    TextKind.ERROR: 6,
    TextKind.PROMPT: 7,
    TextKind.NOTE: 8,
    TextKind.LABEL: 9,
}


class CaptureTexts(models.Model):
    """The texts that a capture is found by, so that a new index needs no evidence. Its note stands
    in the capture alone.
    """

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    index_version = models.PositiveSmallIntegerField(db_index=True)
    """How the words in the index were cut; 0 where the texts are not known yet, either."""
    texts = models.BinaryField()
    """Compressed (zstd)."""

    def __str__(self) -> str:
        return f"texts of {self.capture_id}"


class IndexedPart(models.Model):
    """A part of the words of a capture.

    The words themselves stand in PostgreSQL's column ``tokens`` (tsvector, GIN), and in SQLite's
    table ``search_words`` (FTS5, without content) under the same number; ``CreateWordStorage``
    makes both.
    """

    capture = models.ForeignKey(Capture, models.CASCADE, db_index=False, related_name="+")
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    kind = models.PositiveSmallIntegerField()
    """By ``KIND_CODES``."""
    number = models.PositiveSmallIntegerField()
    """From 0 within a kind."""
    packed = models.BinaryField(null=True)
    """SQLite only: the words as they were given to FTS5, which asks for them to delete them."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["capture", "kind", "number"], name="indexed_part_once")
        ]

    def __str__(self) -> str:
        return f"part {self.number} of kind {self.kind} of {self.capture_id}"


class WordErasure(models.Model):
    """SQLite only: words were deleted since FTS5 was last merged, which erases them."""

    def __str__(self) -> str:
        return f"erasure {self.pk}"
