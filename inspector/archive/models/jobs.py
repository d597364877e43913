"""Work in the background: on all captures, and on those of a query."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from inspector.archive.models.captures import Capture
from inspector.teams.models import Team
from inspector.work.models import Work


class JobKind(models.TextChoices):
    REINSPECTION = "reinspection"
    REPRICING = "repricing"


class JobState(models.TextChoices):
    OPEN = "open"
    FINISHED = "finished"
    SUPERSEDED = "superseded"
    """Closed because a newer version opened its own job, which also covers the rest of this one."""


class Job(models.Model):
    """Background work on all captures of a team, done by the sweep in small steps, each under a
    lease. The remaining work is found in the captures' own rows; this row counts progress.
    """

    kind = models.CharField(max_length=32, choices=JobKind)
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    analysis_version = models.PositiveIntegerField()
    state = models.CharField(max_length=12, choices=JobState, default=JobState.OPEN)

    total = models.PositiveBigIntegerField()
    """Captures to work on when the job was made."""
    done = models.PositiveBigIntegerField(default=0)
    """Gone past, for good or ill; the next two are among them."""
    changed = models.PositiveBigIntegerField(default=0)
    failed = models.PositiveBigIntegerField(default=0)

    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    cursor = models.UUIDField(null=True)
    """The capture that was begun last."""
    attempt = models.PositiveSmallIntegerField(default=0)
    """How often the step at ``cursor`` was begun, counted before the work."""
    due_at = models.DateTimeField(db_default=Now())
    lease_token = models.UUIDField(null=True)
    last_error = models.CharField(max_length=200, null=True)
    """Only the error's type: its text may quote a payload, and is kept with the capture."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team", "kind", "analysis_version"],
                condition=Q(state=JobState.OPEN),
                name="job_open_once",
            )
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(state=JobState.OPEN), name="job_due"),
            models.Index(fields=["team", "-id"], name="job_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} by version {self.analysis_version}"


class BulkKind(models.TextChoices):
    TAG = "tag"
    UNTAG = "untag"
    DELETE = "delete"
    REDACT = "redact"


class BulkChange(models.Model):
    """A capture that a bulk job changed, for as long as nobody else changes the same of it: what
    undoing the job takes back.
    """

    job = models.ForeignKey(Work, models.CASCADE, db_index=False, related_name="+")
    capture = models.ForeignKey(Capture, models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "capture"], name="bulk_change_once")]
        indexes = [models.Index(fields=["job", "id"], name="bulk_change_order")]

    def __str__(self) -> str:
        return f"{self.capture_id} by bulk job {self.job_id}"
