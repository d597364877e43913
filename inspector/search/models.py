"""Tables of the search: the texts of captures, and the index of their words. Both can be made anew
from evidence and inspections, and are no part of a backup.
"""

from django.db import models

from inspector.archive.models import Capture
from inspector.teams.models import Team


class CaptureTexts(models.Model):
    """The texts that a capture is found by, so that a new index needs no evidence. Its note stands
    in the capture alone.
    """

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    index_version = models.PositiveSmallIntegerField(db_index=True)
    """How the words in the index were cut; 0 where the texts are not known yet, either."""
    texts = models.BinaryField()
    """Compressed (zstd)."""


class IndexedPart(models.Model):
    """A part of the words of a capture.

    The words themselves stand in PostgreSQL's column ``tokens`` (tsvector, GIN), and in SQLite's
    table ``search_words`` (FTS5, without content) under the same number; ``CreateWordStorage``
    makes both.
    """

    capture = models.ForeignKey(Capture, models.CASCADE, db_index=False, related_name="+")
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    is_note = models.BooleanField()
    """Whether it is of the note, which changes alone."""
    number = models.PositiveSmallIntegerField()
    """From 0, of the note and of all other texts."""
    packed = models.BinaryField(null=True)
    """SQLite only: the words as they were given to FTS5, which asks for them to delete them."""

    class Meta:
        constraints = [
            # Also finds the parts of a capture, when its words are cut anew.
            models.UniqueConstraint(
                fields=["capture", "is_note", "number"], name="indexed_part_once"
            )
        ]


class WordErasure(models.Model):
    """SQLite only: words were deleted since FTS5 was last merged, which erases them."""
