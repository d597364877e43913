"""Bytes that came over the wire, which are never edited."""

from __future__ import annotations

from django.db import models

from inspector.archive.models.captures import Capture


class Evidence(models.Model):
    """The response's bytes as received (zstd), their cuts into reads, the rest of the exchange."""

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    body = models.BinaryField()
    reads = models.BinaryField()
    surroundings = models.BinaryField()

    def __str__(self) -> str:
        return f"evidence of {self.capture_id}"


class EvidenceSegment(models.Model):
    """A run of reads of a capture still recorded (zstd); one row of evidence replaces all."""

    capture = models.ForeignKey(Capture, models.CASCADE, db_index=False, related_name="segments")
    number = models.PositiveIntegerField()
    """From 0 without gaps."""
    body = models.BinaryField()
    reads = models.BinaryField()

    class Meta:
        # Two recorders that take a recording for theirs cannot both write its next segment.
        constraints = [models.UniqueConstraint(fields=["capture", "number"], name="segment_number")]

    def __str__(self) -> str:
        return f"segment {self.number} of {self.capture_id}"
