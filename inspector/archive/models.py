"""Tables of the archive: evidence, which is never edited, and projections, which can be rebuilt
from it.
"""

from __future__ import annotations

import uuid6
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from inspector.teams.models import ApiKey, Team


class State(models.TextChoices):
    RECORDING = "recording"
    RECEIVED = "received"
    PROCESSING = "processing"
    INSPECTED = "inspected"
    QUARANTINED = "quarantined"
    DELETING = "deleting"
    GONE = "gone"


PENDING = (State.RECEIVED, State.PROCESSING)
DELETED = (State.DELETING, State.GONE)
UNINSPECTED = (State.RECORDING, *PENDING, State.QUARANTINED)


class JobKind(models.TextChoices):
    REINSPECTION = "reinspection"
    REPRICING = "repricing"


class JobState(models.TextChoices):
    OPEN = "open"
    FINISHED = "finished"
    SUPERSEDED = "superseded"
    """Closed because a newer version opened its own job, which also covers the rest of this one."""


# Indexes end in the order of lists, so that their rows need no sorting.
NEWEST = ("-received_at", "-capture")


class Capture(models.Model):
    """One stored exchange. The row is also its place in the queue of captures to inspect."""

    id = models.UUIDField(primary_key=True, default=uuid6.uuid7, editable=False)
    # Every index that begins with the team serves the foreign key too.
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    state = models.CharField(max_length=12, choices=State, default=State.RECEIVED)
    received_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)

    attempt = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(db_default=Now())
    """Earliest time to claim the row: at once, after a wait, or at the end of its lease."""
    evidence_form = models.PositiveSmallIntegerField(default=1)
    """Version of the stored form of evidence and row. A program that does not know it leaves the
    row alone.
    """
    lease_token = models.UUIDField(null=True)
    quarantine_reason = models.TextField(null=True)

    byte_length = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    content_type = models.TextField(null=True)
    status_code = models.PositiveSmallIntegerField(null=True)
    outcome = models.CharField(max_length=20)
    dialect_hint = models.CharField(max_length=63, null=True)
    request_method = models.CharField(max_length=20, null=True)
    request_url = models.TextField(null=True)

    key = models.ForeignKey(ApiKey, models.PROTECT, null=True, db_index=False, related_name="+")
    note = models.TextField(default="")
    tags = models.JSONField(default=list)
    metadata = models.JSONField(default=dict)
    idempotency_key = models.CharField(max_length=255, null=True)
    posted_sha256 = models.CharField(max_length=64, null=True)
    """SHA-256 of the body as posted; tells a resend from another use of its idempotency key."""

    may_take_long = False
    """Set on a claimed row, no column: the reading may take longer than usual."""

    class Meta:
        indexes = [
            models.Index(fields=["team", "-received_at", "-id"], name="capture_newest"),
            models.Index(fields=["team", "sha256"], name="capture_same_bytes"),
            models.Index(fields=["team", "state", "-received_at", "-id"], name="capture_by_state"),
            models.Index(fields=["team", "key", "-received_at", "-id"], name="capture_by_key"),
            models.Index(fields=["due_at"], condition=Q(state__in=PENDING), name="capture_due"),
            models.Index(
                fields=["team", "key", "due_at"],
                condition=Q(state__in=PENDING),
                name="capture_due_in_turn",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "idempotency_key"],
                condition=Q(idempotency_key__isnull=False),
                name="capture_idempotency",
            )
        ]

    def __str__(self) -> str:
        return str(self.id)


class Evidence(models.Model):
    """The response's bytes as received (zstd), their cuts into reads, and the rest of the
    exchange.
    """

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    body = models.BinaryField()
    reads = models.BinaryField()
    surroundings = models.BinaryField()

    def __str__(self) -> str:
        return f"evidence of {self.capture_id}"


class Inspection(models.Model):
    """The narrow part of the projection: what lists show and filters find by.

    Its texts are cut so that every one of them fits into an index.
    """

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    # Copied from the capture: an index can then begin with a filter and end in the list's order.
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    received_at = models.DateTimeField()

    inspected_at = models.DateTimeField(db_default=Now())
    analysis_version = models.PositiveIntegerField()
    tried_version = models.PositiveIntegerField(default=1)
    """The newest version that was tried; above ``analysis_version`` where it failed."""
    verdict = models.CharField(max_length=32)
    result = models.CharField(max_length=32)
    dialect = models.CharField(max_length=63, null=True)
    vendor = models.CharField(max_length=63, null=True)
    object = models.CharField(max_length=63)
    streamed = models.BooleanField()
    model = models.CharField(max_length=500, null=True)
    request_model = models.CharField(max_length=500, null=True)
    response_id = models.CharField(max_length=500, null=True)
    created = models.BigIntegerField(null=True)
    """As sent, in Unix seconds by the documents; null where it is no whole number."""
    system_fingerprint = models.CharField(max_length=200, null=True)
    request_seed = models.BigIntegerField(null=True)

    choice_count = models.PositiveIntegerField()
    finish_reasons = models.JSONField(default=list)

    usage_reported = models.BooleanField()
    prompt_tokens = models.BigIntegerField(null=True)
    completion_tokens = models.BigIntegerField(null=True)
    total_tokens = models.BigIntegerField(null=True)
    cached_tokens = models.BigIntegerField(null=True)
    reasoning_tokens = models.BigIntegerField(null=True)
    cost_usd = models.CharField(max_length=63, null=True)

    clock = models.CharField(max_length=10)
    first_byte_us = models.BigIntegerField(null=True)
    first_reasoning_us = models.BigIntegerField(null=True)
    first_content_us = models.BigIntegerField(null=True)
    first_tool_call_us = models.BigIntegerField(null=True)
    first_token_us = models.BigIntegerField(null=True)
    duration_us = models.BigIntegerField(null=True)
    stall_start_us = models.BigIntegerField(null=True)
    stall_end_us = models.BigIntegerField(null=True)

    error_count = models.PositiveIntegerField()
    warning_count = models.PositiveIntegerField()
    info_count = models.PositiveIntegerField()

    class Meta:
        indexes = [
            # What no other index of these is for: several values at once, or a part of a text.
            models.Index(fields=["team", *NEWEST], name="inspection_newest"),
            models.Index(fields=["team", "verdict", *NEWEST], name="inspection_by_verdict"),
            models.Index(fields=["team", "result", *NEWEST], name="inspection_by_result"),
            models.Index(fields=["team", "model", *NEWEST], name="inspection_by_model"),
            models.Index(fields=["team", "dialect", *NEWEST], name="inspection_by_dialect"),
            models.Index(fields=["team", "vendor", *NEWEST], name="inspection_by_vendor"),
            models.Index(
                fields=["team", *NEWEST], condition=Q(error_count__gt=0), name="inspection_errors"
            ),
            models.Index(
                fields=["team", *NEWEST],
                condition=Q(warning_count__gt=0),
                name="inspection_warnings",
            ),
            models.Index(fields=["team", "tried_version", "capture"], name="inspection_behind"),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} of {self.capture_id}"


class Document(models.Model):
    """The analysis as JSON (zstd), and the one it replaced.

    A table of its own, and bytes rather than a JSON column: no list ever reads past it, and both
    databases keep exactly the same.
    """

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    analysis = models.BinaryField()
    previous = models.BinaryField(null=True)
    reinspected_at = models.DateTimeField(null=True)
    """Time of the latest reinspection; the inspection keeps the time of the first."""
    reinspection_error = models.TextField(null=True)
    """Why a newer version than the document's could not read the capture."""

    def __str__(self) -> str:
        return f"document of {self.capture_id}"


class ChoiceRow(models.Model):
    capture = models.ForeignKey(Capture, models.CASCADE, db_index=False, related_name="choices")
    position = models.PositiveIntegerField()
    index = models.BigIntegerField(null=True)
    """The provider's number of the choice; null where it does not fit the column."""
    finish_reason = models.CharField(max_length=63, null=True)
    tool_call_count = models.PositiveIntegerField()
    cost_usd = models.CharField(max_length=63, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["capture", "position"], name="choice_position")
        ]
        indexes = [models.Index(fields=["finish_reason", "capture"], name="choice_by_finish")]

    def __str__(self) -> str:
        return f"choice {self.position} of {self.capture_id}"


class FindingRow(models.Model):
    """``source`` names who found it: reading itself, or a projection that adds its own."""

    capture = models.ForeignKey(Capture, models.CASCADE, db_index=False, related_name="findings")
    source = models.CharField(max_length=32)
    position = models.PositiveIntegerField()
    code = models.CharField(max_length=100)
    severity = models.CharField(max_length=10)
    message = models.TextField()
    pointer = models.TextField(null=True)
    event = models.BigIntegerField(null=True)
    byte_start = models.BigIntegerField(null=True)
    byte_end = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["capture", "source", "position"], name="finding_position"
            )
        ]
        indexes = [models.Index(fields=["code", "capture"], name="finding_by_code")]

    def __str__(self) -> str:
        return f"{self.code} of {self.capture_id}"


class TagRow(models.Model):
    """A tag of a capture, to find it by; the capture has them all in their order."""

    capture = models.ForeignKey(Capture, models.CASCADE, db_index=False, related_name="+")
    tag = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["capture", "tag"], name="tag_once")]
        indexes = [models.Index(fields=["tag", "capture"], name="tag_by_name")]

    def __str__(self) -> str:
        return f"{self.tag} of {self.capture_id}"


class Tombstone(models.Model):
    """Records who deleted a capture and when. The capture's row keeps its hash and nothing of its
    content.
    """

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    deleted_at = models.DateTimeField(db_default=Now())
    deleted_by = models.CharField(max_length=200)

    def __str__(self) -> str:
        return f"{self.capture_id} deleted by {self.deleted_by}"


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


class SlowReading(models.Model):
    """A reading that took long, or was ended early for it: its capture waits behind others, and its
    time counts for the key that sent it. Forgotten once it counts no more.
    """

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    at = models.DateTimeField(db_default=Now(), db_index=True)
    ms = models.PositiveBigIntegerField()
    """Milliseconds spent on reading this capture so far."""

    def __str__(self) -> str:
        return f"{self.ms} ms for {self.capture_id}"


class TokenTombstone(models.Model):
    """SHA-256 of a feedback token that a deleted capture held, to tell a later vote so."""

    capture = models.ForeignKey(Capture, models.CASCADE, related_name="+")
    sha256 = models.CharField(max_length=64, db_index=True)

    def __str__(self) -> str:
        return f"token of {self.capture_id}"


class Pulse(models.Model):
    """One row that the readiness check writes: only a commit proves that a commit is possible."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.at)
