"""Tables of exports: files that are made of a query's captures, kept in pieces until they expire,
and no part of a backup. And of uploads: requests that are cut into captures later.
"""

from django.db import models

from inspector.archive.models import Capture
from inspector.work.models import Work


class ExportPiece(models.Model):
    """A range of one part of an export's file."""

    export = models.ForeignKey(Work, models.CASCADE, db_index=False, related_name="+")
    part = models.PositiveSmallIntegerField()
    start = models.PositiveBigIntegerField()
    """Its place in the part."""
    length = models.PositiveIntegerField()
    content = models.BinaryField()
    """zstd."""

    class Meta:
        constraints = [
            # A step that is carried out again after a crash writes nothing twice.
            models.UniqueConstraint(fields=["export", "part", "start"], name="export_piece_place")
        ]


class ExportedCapture(models.Model):
    """A capture that an export holds: its deletion withdraws the export."""

    export = models.ForeignKey(Work, models.CASCADE, db_index=False, related_name="+")
    capture = models.ForeignKey(Capture, models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            # As above; also finds the captures of an export.
            models.UniqueConstraint(fields=["export", "capture"], name="exported_capture_once")
        ]


class UploadBody(models.Model):
    """The decoded body of an upload until its end. Apart from the counts, which change."""

    upload = models.OneToOneField(
        Work, models.CASCADE, primary_key=True, related_name="+", db_index=False
    )
    content = models.BinaryField()
    """zstd. Credentials stand in it as they came; cutting removes them."""
