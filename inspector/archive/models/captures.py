"""Captures, the bytes that came over the wire, and what both are found by."""

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


class Capture(models.Model):
    """One stored exchange. The row is also its place in the queue of captures to inspect."""

    id = models.UUIDField(primary_key=True, default=uuid6.uuid7, editable=False)
    # Every index that begins with the team serves the foreign key too.
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    state = models.CharField(max_length=12, choices=State, default=State.RECEIVED)
    received_at = models.DateTimeField()
    """When the row was committed; rises within a team with its commits. Who follows what comes, and
    retention, go by it.
    """
    called_at = models.DateTimeField()
    """When the call was made: ``started_at`` where that can be believed, else ``received_at``, and
    never after it. Lists and sums go by it.
    """
    finished_at = models.DateTimeField(null=True)
    """When the end of the exchange was committed; null while it is recorded."""
    started_at = models.DateTimeField(null=True)
    """When the request began, by the clock of its sender or of the proxy."""

    attempt = models.PositiveSmallIntegerField(default=0)
    """Attempts at inspecting it. While it is recorded: 1 once its lease was seen to be over."""
    due_at = models.DateTimeField(db_default=Now())
    """Earliest time to claim the row: at once, after a wait, or at the end of its lease."""
    evidence_form = models.PositiveSmallIntegerField(default=1)
    """Version of the stored form of evidence and row; a program that does not know it leaves it."""
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
    upstream = models.CharField(max_length=40, null=True)
    """The name of the team's upstream that the proxy called; null where it called none."""
    request_sha256 = models.CharField(max_length=64, null=True)
    """Equal for equal requests to one address; null where no proxy recorded the call."""
    retry_of = models.UUIDField(null=True)
    """The failed call that this one repeats. No foreign key: that one may be deleted."""

    key = models.ForeignKey(ApiKey, models.PROTECT, null=True, db_index=False, related_name="+")
    note = models.TextField(default="")
    tags = models.JSONField(default=list)
    metadata = models.JSONField(default=dict)
    idempotency_key = models.CharField(max_length=255, null=True)
    posted_sha256 = models.CharField(max_length=64, null=True)
    """SHA-256 of the body as posted; tells a resend from another use of its idempotency key."""
    body_deleted_at = models.DateTimeField(null=True)
    """When what was sent was deleted, and what was read as metadata left; null where it is there,
    or went with the whole capture.
    """
    body_deleted_by = models.CharField(max_length=200, null=True)
    redactions = models.PositiveIntegerField(default=0)
    """Passages that rules of the team overwrote in it; the evidence says where and by which."""
    rewritings = models.PositiveIntegerField(default=0)
    """How often its evidence was overwritten since it was stored."""

    class Meta:
        indexes = [
            # The list of a team, whole or by one value.
            models.Index(fields=["team", "-called_at", "-id"], name="capture_newest"),
            # Other captures of the same bytes, on the page of one and among receipts.
            models.Index(fields=["team", "sha256"], name="capture_same_bytes"),
            models.Index(fields=["team", "state", "-called_at", "-id"], name="capture_by_state"),
            models.Index(fields=["team", "key", "-called_at", "-id"], name="capture_by_key"),
            # The list by size, in both directions.
            models.Index(fields=["team", "byte_length", "called_at", "id"], name="capture_by_size"),
            # What came after a moment, whenever it was called.
            models.Index(fields=["team", "received_at", "id"], name="capture_by_arrival"),
            # Of the proxy's alone: nothing else has one.
            models.Index(
                fields=["team", "upstream", "-called_at", "-id"],
                condition=Q(upstream__isnull=False),
                name="capture_by_upstream",
            ),
            # What a claim takes: the oldest, then of each key in turn: none waits for another.
            models.Index(fields=["due_at"], condition=Q(state__in=PENDING), name="capture_due"),
            models.Index(
                fields=["team", "key", "due_at"],
                condition=Q(state__in=PENDING),
                name="capture_due_in_turn",
            ),
            # What the sweep ends where its recorder is gone.
            models.Index(
                fields=["due_at"], condition=Q(state=State.RECORDING), name="capture_recording"
            ),
            # The call that a new one tries again, and those that tried this one again. Most have
            # neither.
            models.Index(
                fields=["team", "key", "request_sha256", "-started_at"],
                condition=Q(request_sha256__isnull=False),
                name="capture_by_request",
            ),
            models.Index(
                fields=["team", "retry_of"],
                condition=Q(retry_of__isnull=False),
                name="capture_retries",
            ),
        ]
        constraints = [
            # Decides between two resends at once: the second is answered as a duplicate.
            models.UniqueConstraint(
                fields=["team", "idempotency_key"],
                condition=Q(idempotency_key__isnull=False),
                name="capture_idempotency",
            )
        ]


class TagRow(models.Model):
    """A tag of a capture, to find it by; the capture has them all in their order."""

    capture = models.ForeignKey(Capture, models.CASCADE, db_index=False, related_name="+")
    tag = models.CharField(max_length=64)

    class Meta:
        # Also for two who add one tag at once; found from a capture, when it goes.
        constraints = [models.UniqueConstraint(fields=["capture", "tag"], name="tag_once")]
        # The list by a tag.
        indexes = [models.Index(fields=["tag", "capture"], name="tag_by_name")]


class Evidence(models.Model):
    """The response's bytes as received (zstd), their cuts into reads, the rest of the exchange."""

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    body = models.BinaryField()
    reads = models.BinaryField()
    surroundings = models.BinaryField()


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
