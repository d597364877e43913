"""Bulk jobs, and the changes that they made."""

from django.db import models

from inspector.archive.models.captures import Capture
from inspector.work.models import Work


class BulkKind(models.TextChoices):
    TAG = "tag"
    UNTAG = "untag"
    DELETE = "delete"
    REDACT = "redact"


class BulkChange(models.Model):
    """A capture that a bulk job changed, while nobody else changed the same: what undoing takes."""

    job = models.ForeignKey(Work, models.CASCADE, db_index=False, related_name="+")
    capture = models.ForeignKey(Capture, models.CASCADE, related_name="+")

    class Meta:
        # A step that is carried out again after a crash notes no change twice.
        constraints = [models.UniqueConstraint(fields=["job", "capture"], name="bulk_change_once")]
        # Undoing walks the changes of one job, a step at a time.
        indexes = [models.Index(fields=["job", "id"], name="bulk_change_order")]
