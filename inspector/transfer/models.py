"""Tables of exports: files that are made of a query's captures, kept in pieces until they expire,
and no part of a backup. And of uploads: requests that are cut into captures later.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from inspector.archive.models import Capture
from inspector.teams.models import ApiKey, Team
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
            models.UniqueConstraint(fields=["export", "part", "start"], name="export_piece_place")
        ]

    def __str__(self) -> str:
        return f"{self.length} bytes at {self.start} of part {self.part} of export {self.export_id}"


class ExportedCapture(models.Model):
    """A capture that an export holds: its deletion withdraws the export."""

    export = models.ForeignKey(Work, models.CASCADE, db_index=False, related_name="+")
    capture = models.ForeignKey(Capture, models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["export", "capture"], name="exported_capture_once")
        ]

    def __str__(self) -> str:
        return f"{self.capture_id} in export {self.export_id}"


class UploadState(models.TextChoices):
    OPEN = "open"
    FINISHED = "finished"
    FAILED = "failed"


class Upload(models.Model):
    """A request of many entries that was acknowledged as it came. The sweep cuts it into captures
    in bounded steps, each under a lease.

    Every entry has an idempotency key: what is cut or sent again is stored once.
    """

    team = models.ForeignKey(Team, models.CASCADE, db_index=False, related_name="+")
    key = models.ForeignKey(ApiKey, models.CASCADE, null=True, db_index=False, related_name="+")
    kind = models.CharField(max_length=16)
    """A name of ``KINDS``."""
    sent_with = models.JSONField(default=dict)
    """What its sender says of all entries: a ``SentWith``."""
    digest = models.CharField(max_length=64)
    """SHA-256 of that and the body: while it is open, who sends it again gets the same upload. ""
    once it is cut.
    """
    byte_length = models.PositiveBigIntegerField()
    state = models.CharField(max_length=12, choices=UploadState, default=UploadState.OPEN)

    done = models.PositiveBigIntegerField(default=0)
    """Entries gone past, captures among them."""
    captures = models.PositiveBigIntegerField(default=0)
    """Entries that are captures, by this upload or before."""
    left = models.JSONField(default=list)
    """The first entries that are none: number, code and reason of each."""
    error = models.CharField(max_length=200, null=True)
    """Why it failed: a code or the type of an exception."""

    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    attempt = models.PositiveSmallIntegerField(default=0)
    """How often the step behind ``done`` was begun, counted before the work."""
    due_at = models.DateTimeField(db_default=Now())
    lease_token = models.UUIDField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team", "kind", "digest"],
                condition=Q(state=UploadState.OPEN),
                name="upload_open_once",
            )
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(state=UploadState.OPEN), name="upload_due"),
            models.Index(fields=["finished_at"], name="upload_finished"),
        ]

    def __str__(self) -> str:
        return f"upload {self.pk} of {self.kind}"


class UploadBody(models.Model):
    """The body of an upload, decoded, until the upload ends. Beside the counts, which change with
    each step.
    """

    upload = models.OneToOneField(
        Upload, models.CASCADE, primary_key=True, related_name="body", db_index=False
    )
    content = models.BinaryField()
    """zstd. Credentials stand in it as they came; cutting removes them."""

    def __str__(self) -> str:
        return f"body of upload {self.upload_id}"
