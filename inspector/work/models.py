"""The table of everything that is done later: one row for each task, whatever its kind."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from inspector.teams.models import Team


class WorkState(models.TextChoices):
    OPEN = "open"
    FINISHED = "finished"
    STOPPED = "stopped"
    """Somebody ended it before its end."""
    FAILED = "failed"
    SUPERSEDED = "superseded"
    """A newer program opened its own, which also covers the rest of this one."""
    EXPIRED = "expired"
    """Its result was kept for its time."""
    WITHDRAWN = "withdrawn"
    """Somebody took it, or what it made, away."""


class Work(models.Model):
    """A task of one kind, done by the sweep in bounded steps, each under a lease."""

    kind = models.CharField(max_length=20)
    team = models.ForeignKey(Team, models.CASCADE, null=True, db_index=False, related_name="+")
    """Null: of all teams."""
    subject = models.CharField(max_length=100, default="")
    """Name of what it is done to or makes, as its kind spells it."""
    request = models.JSONField(default=dict)
    """Parameters of the request, as its kind spells them."""
    once = models.CharField(max_length=150, null=True)
    """Key that rows share of which one is open; null: any number."""
    undoes = models.OneToOneField(
        "self", models.CASCADE, null=True, related_name="undone_by", db_index=False
    )
    """The work whose changes it takes back."""
    state = models.CharField(max_length=12, choices=WorkState, default=WorkState.OPEN)

    total = models.PositiveBigIntegerField(null=True)
    """Amount to do when it was opened; null where that was too much to count."""
    done = models.PositiveBigIntegerField(default=0)
    """Gone past, for good or ill."""
    result = models.JSONField(default=dict)
    """Result so far, as its kind spells it."""
    error = models.CharField(max_length=200, null=True)
    """Why it ended or a step failed: a code or an exception's type, as its text may quote."""

    requested_by = models.CharField(max_length=200, default="")
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    cursor = models.CharField(max_length=100, null=True)
    """Behind what was gone past."""
    attempt = models.PositiveSmallIntegerField(default=0)
    """How often the step at ``cursor`` was begun, counted before the work."""
    due_at = models.DateTimeField(db_default=Now())
    """When the next step is due, and until then the lease."""
    lease_token = models.UUIDField(null=True)

    class Meta:
        constraints = [
            # Of two who ask for the same at once, one opens it (`open_once`).
            models.UniqueConstraint(
                fields=["once"], condition=Q(state=WorkState.OPEN), name="work_open_once"
            )
        ]
        indexes = [
            # What a lease is taken of: the few open ones, not what ended in the last days.
            models.Index(
                fields=["kind", "due_at"], condition=Q(state=WorkState.OPEN), name="work_due"
            ),
            # The list of a team's tasks of one kind.
            models.Index(fields=["team", "kind", "-id"], name="work_newest"),
            # What is forgotten once its kind has kept it long enough.
            models.Index(fields=["kind", "finished_at"], name="work_finished"),
        ]
