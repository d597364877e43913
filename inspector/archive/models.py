"""Tables of the archive: evidence, which is never edited, and projections, which can be rebuilt
from it.
"""

from __future__ import annotations

import uuid6
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from inspector.teams.models import ApiKey, Team, User


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


class TaskKind(models.TextChoices):
    MINIMISATION = "minimisation"
    SPLITTING = "splitting"


class TaskState(models.TextChoices):
    OPEN = "open"
    FINISHED = "finished"
    FAILED = "failed"


class BulkKind(models.TextChoices):
    TAG = "tag"
    UNTAG = "untag"
    DELETE = "delete"
    REDACT = "redact"


class BulkState(models.TextChoices):
    OPEN = "open"
    FINISHED = "finished"
    STOPPED = "stopped"
    """Undone before its end."""
    FAILED = "failed"


class RetentionClock(models.TextChoices):
    CAPTURES = "captures"
    TOMBSTONES = "tombstones"


# Indexes end in the order of lists, so that their rows need no sorting.
NEWEST = ("-received_at", "-capture")


class Capture(models.Model):
    """One stored exchange. The row is also its place in the queue of captures to inspect."""

    id = models.UUIDField(primary_key=True, default=uuid6.uuid7, editable=False)
    # Every index that begins with the team serves the foreign key too.
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    state = models.CharField(max_length=12, choices=State, default=State.RECEIVED)
    received_at = models.DateTimeField()
    """When the row was committed first. Within a team it increases in the order of commits; lists
    and sums go by it.
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
    upstream = models.CharField(max_length=40, null=True)
    """The name of the team's upstream that the proxy called; null where it called none."""
    request_sha256 = models.CharField(max_length=64, null=True)
    """Equal for equal requests to one address; null where no proxy recorded the call."""
    retry_of = models.UUIDField(null=True)
    """The failed call that this one repeats. No foreign key: that one may be deleted."""
    minimised_from = models.UUIDField(null=True)
    """The capture of which this one is a smaller form. No foreign key: that one may be deleted."""
    minimised_for = models.CharField(max_length=100, null=True)
    """Code of the finding that both have."""

    key = models.ForeignKey(ApiKey, models.PROTECT, null=True, db_index=False, related_name="+")
    note = models.TextField(default="")
    tags = models.JSONField(default=list)
    metadata = models.JSONField(default=dict)
    idempotency_key = models.CharField(max_length=255, null=True)
    posted_sha256 = models.CharField(max_length=64, null=True)
    """SHA-256 of the body as posted; tells a resend from another use of its idempotency key."""
    redactions = models.PositiveIntegerField(default=0)
    """Passages that rules of the team overwrote in it; the evidence says where and by which."""

    may_take_long = False
    """Set on a claimed row, no column: the reading may take longer than usual."""

    class Meta:
        indexes = [
            models.Index(fields=["team", "-received_at", "-id"], name="capture_newest"),
            models.Index(fields=["team", "sha256"], name="capture_same_bytes"),
            models.Index(fields=["team", "state", "-received_at", "-id"], name="capture_by_state"),
            models.Index(fields=["team", "key", "-received_at", "-id"], name="capture_by_key"),
            models.Index(
                fields=["team", "byte_length", "received_at", "id"], name="capture_by_size"
            ),
            models.Index(
                fields=["team", "upstream", "-received_at", "-id"],
                condition=Q(upstream__isnull=False),
                name="capture_by_upstream",
            ),
            models.Index(fields=["due_at"], condition=Q(state__in=PENDING), name="capture_due"),
            models.Index(
                fields=["team", "key", "due_at"],
                condition=Q(state__in=PENDING),
                name="capture_due_in_turn",
            ),
            models.Index(
                fields=["due_at"], condition=Q(state=State.RECORDING), name="capture_recording"
            ),
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
            models.Index(
                fields=["team", "minimised_from"],
                condition=Q(minimised_from__isnull=False),
                name="capture_minimised",
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


class EvidenceSegment(models.Model):
    """A run of reads of a capture that is still recorded (zstd). At the end all of them are
    replaced by one row of evidence.
    """

    capture = models.ForeignKey(Capture, models.CASCADE, db_index=False, related_name="segments")
    number = models.PositiveIntegerField()
    """From 0 without gaps."""
    body = models.BinaryField()
    reads = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["capture", "number"], name="segment_number")]

    def __str__(self) -> str:
        return f"segment {self.number} of {self.capture_id}"


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
    prompt_sha256 = models.CharField(max_length=64, null=True)
    """Equal for requests of equal prompts; null where none is known."""
    prompt_line = models.CharField(max_length=200, null=True)
    """The beginning of the last text that a user wrote; null where none is known."""

    session = models.CharField(max_length=200, null=True)
    """As the sender states it, like trace and end user; null where nobody does."""
    trace = models.CharField(max_length=200, null=True)
    end_user = models.CharField(max_length=200, null=True)

    answer_kind = models.CharField(max_length=10, null=True)
    """A code of ``AnswerLineKind``; null until a version that makes lines has read the capture."""
    answer_line = models.CharField(max_length=200, null=True)
    answer_blank = models.CharField(max_length=30, null=True)
    """The content of an answer without text, as JSON; null where there is text, or none was sent.
    """

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
            models.Index(
                fields=["team", "prompt_sha256", *NEWEST],
                condition=Q(prompt_sha256__isnull=False),
                name="inspection_by_prompt",
            ),
            *(
                models.Index(
                    fields=["team", column, *NEWEST],
                    condition=Q((f"{column}__isnull", False)),
                    name=f"inspection_by_{column}",
                )
                for column in ("session", "trace", "end_user")
            ),
            # Lists that are sorted, in both directions; those without a value are found by time.
            *(
                models.Index(
                    fields=["team", column, "received_at", "capture"],
                    condition=Q((f"{column}__isnull", False)),
                    name=name,
                )
                for column, name in (
                    ("first_token_us", "inspection_by_first_token"),
                    ("duration_us", "inspection_by_duration"),
                    ("prompt_tokens", "inspection_by_tokens_in"),
                    ("completion_tokens", "inspection_by_tokens_out"),
                )
            ),
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


class RequestIdRow(models.Model):
    """An id that a response header gives the request (``x-request-id``, ``cf-ray``), to find the
    capture by.
    """

    capture = models.ForeignKey(Capture, models.CASCADE, db_index=False, related_name="+")
    value = models.CharField(max_length=200)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["capture", "value"], name="request_id_once")]
        indexes = [models.Index(fields=["value", "capture"], name="request_id_by_value")]

    def __str__(self) -> str:
        return f"{self.value} of {self.capture_id}"


class Tombstone(models.Model):
    """Records who deleted a capture and when. The capture's row keeps its hash and nothing of its
    content.
    """

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    deleted_at = models.DateTimeField(db_default=Now())
    deleted_by = models.CharField(max_length=200)

    class Meta:
        indexes = [models.Index(fields=["deleted_at"], name="tombstone_by_age")]

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


class CaptureTask(models.Model):
    """Work on one capture that takes longer than a request, carried out by the sweep in bounded
    steps, each under a lease. A step stores where it stopped, so that the next one goes on from
    there.
    """

    capture = models.ForeignKey(Capture, models.CASCADE, db_index=False, related_name="tasks")
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    kind = models.CharField(max_length=32, choices=TaskKind)
    code = models.CharField(max_length=100, default="")
    """Code of the finding that it is about; empty where it is about the whole capture."""
    pointer = models.TextField(null=True)
    """Where the finding is, if several have the same code."""
    state = models.CharField(max_length=12, choices=TaskState, default=TaskState.OPEN)

    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(null=True)
    """What ``done`` counts up to, as far as that is known before the end."""
    position = models.BinaryField(null=True)
    """How far it is (zstd), in the form of its kind; null before the first step and after the end.
    """
    progress = models.JSONField(null=True)
    """What a page shows of how far it is; small."""
    result = models.BinaryField(null=True)
    """JSON (zstd), in the form of its kind."""
    error = models.CharField(max_length=200, null=True)
    """Why it failed: a code or the type of an exception, whose text may quote a payload."""

    requested_by = models.CharField(max_length=200, null=True)
    """Null where nobody requested it."""
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    attempt = models.PositiveSmallIntegerField(default=0)
    """How often the step at ``position`` was begun, counted before the work."""
    due_at = models.DateTimeField(db_default=Now())
    lease_token = models.UUIDField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["capture", "kind", "code"],
                condition=Q(state=TaskState.OPEN),
                name="task_open_once",
            )
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(state=TaskState.OPEN), name="task_due"),
            models.Index(fields=["team"], condition=Q(state=TaskState.OPEN), name="task_open"),
            models.Index(fields=["capture", "kind"], name="task_of_capture"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} of {self.capture_id}"


class BulkJob(models.Model):
    """One change to all captures of a query, or the undoing of one; carried out by the sweep in
    bounded steps, each under a lease.
    """

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    kind = models.CharField(max_length=16, choices=BulkKind)
    argument = models.CharField(max_length=64)
    """The tag; empty for a deletion and a redaction."""
    rules = models.JSONField(null=True)
    """What a redaction overwrites, as it was when the job was made; null for all others."""
    query = models.TextField(default="")
    """The query string of the list. Ages in it count back from ``created_at``."""
    received_before = models.DateTimeField()
    """Exclusive: what arrives later is left alone."""
    undoes = models.OneToOneField(
        "self", models.CASCADE, null=True, related_name="undone_by", db_index=False
    )
    """The job whose changes are taken back; in place of a query."""
    state = models.CharField(max_length=12, choices=BulkState, default=BulkState.OPEN)

    total = models.PositiveBigIntegerField(null=True)
    """Captures that matched when the job was made; null where they were too many to count."""
    done = models.PositiveBigIntegerField(default=0)
    """Gone past; the next two are among them."""
    changed = models.PositiveBigIntegerField(default=0)
    full = models.PositiveBigIntegerField(default=0)
    """Left as they are: they have as many tags as a capture may have."""
    receipt = models.JSONField(null=True)
    """What a deletion or redaction did so far, as sums; null where nothing is deleted or
    overwritten.
    """
    error = models.CharField(max_length=200, null=True)

    requested_by = models.CharField(max_length=200)
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    cursor = models.CharField(max_length=60, null=True)
    """Behind what was gone past: a place in the list or, when undoing, the id of a change."""
    attempt = models.PositiveSmallIntegerField(default=0)
    """How often the step at ``cursor`` was begun, counted before the work."""
    due_at = models.DateTimeField(db_default=Now())
    lease_token = models.UUIDField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], condition=Q(state=BulkState.OPEN), name="bulk_due"),
            models.Index(fields=["team", "-id"], name="bulk_newest"),
            models.Index(fields=["finished_at"], name="bulk_finished"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.argument} by bulk job {self.pk}"


class BulkChange(models.Model):
    """A capture that a bulk job changed, for as long as nobody else changes the same of it: what
    undoing the job takes back.
    """

    job = models.ForeignKey(BulkJob, models.CASCADE, db_index=False, related_name="changes")
    capture = models.ForeignKey(Capture, models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "capture"], name="bulk_change_once")]
        indexes = [models.Index(fields=["job", "id"], name="bulk_change_order")]

    def __str__(self) -> str:
        return f"{self.capture_id} by bulk job {self.job_id}"


class RetentionRule(models.Model):
    """Deletes captures of a query, or tombstones, after a number of days; carried out by the sweep
    in passes, of bounded steps under a lease. Changed by removing it and adding another.
    """

    team = models.ForeignKey(Team, models.PROTECT, related_name="+")
    clock = models.CharField(max_length=12, choices=RetentionClock)
    query = models.TextField(default="")
    """In the language of the list; empty: all."""
    days = models.PositiveIntegerField()
    """Since the capture arrived, or since it was deleted."""
    is_on = models.BooleanField(default=False)
    made_by = models.CharField(max_length=200)
    created_at = models.DateTimeField(db_default=Now())

    deleted = models.PositiveBigIntegerField(default=0)
    """In all."""
    deleted_in_pass = models.PositiveBigIntegerField(default=0)
    """Since the pass under way began; 0 where none is."""
    error = models.CharField(max_length=200, null=True)
    """Why the last pass ended early; null where it did not."""
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    """End of the last pass."""
    cursor = models.CharField(max_length=60, null=True)
    """Behind what the pass has gone past; null between passes."""
    attempt = models.PositiveSmallIntegerField(default=0)
    """How often the step at ``cursor`` was begun, counted before the work."""
    due_at = models.DateTimeField(db_default=Now())
    lease_token = models.UUIDField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], condition=Q(is_on=True), name="retention_due"),
        ]

    def __str__(self) -> str:
        return f"{self.query or 'all'} {self.clock} after {self.days} days"


class RedactionRule(models.Model):
    """What is overwritten in the team's captures: by itself as they arrive, or where a job is
    requested. Changed by removing it and adding another.
    """

    team = models.ForeignKey(Team, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10)
    """A code of ``MaskKind``."""
    text = models.CharField(max_length=300)
    """The name of a preset, a word, or a path."""
    is_on = models.BooleanField(default=False)
    """At intake."""
    made_by = models.CharField(max_length=200)
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.kind} {self.text}"


class LegalHold(models.Model):
    """Nobody deletes captures of the query while it is not ended."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    name = models.CharField(max_length=100)
    query = models.TextField(default="")
    """In the language of the list; empty: all. Ages in it count back from ``created_at``."""
    made_by = models.CharField(max_length=200)
    created_at = models.DateTimeField(db_default=Now())
    ended_by = models.CharField(max_length=200, null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["team"], condition=Q(ended_at__isnull=True), name="hold_in_force")
        ]

    def __str__(self) -> str:
        return self.name


class SavedView(models.Model):
    """A list of captures under a name: of one person, or of the whole team."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="+")
    """Whose view it is; null for one of the team."""
    name = models.CharField(max_length=60)
    query = models.TextField(default="")
    """The filters, as the query string of the list."""
    layout = models.TextField(default="")
    """What else the list's address says, such as its order; a query string, kept as it is."""
    made_by = models.CharField(max_length=200)
    """A name, kept when the person is deleted."""
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team", "name"], condition=Q(user__isnull=True), name="view_of_team_once"
            ),
            models.UniqueConstraint(
                fields=["team", "user", "name"],
                condition=Q(user__isnull=False),
                name="view_of_person_once",
            ),
        ]

    def __str__(self) -> str:
        return self.name


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


class ProxyCount(models.Model):
    """How many calls of a team went through the proxy in an hour, and what became of them."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    hour = models.DateTimeField()
    """Its beginning."""
    recorded = models.PositiveBigIntegerField(default=0)
    missed = models.PositiveBigIntegerField(default=0)
    """To be recorded, and not kept: the recorder was gone or too slow, or its disk full."""
    omitted = models.PositiveBigIntegerField(default=0)
    """Left out by the sample of the upstream."""
    other = models.PositiveBigIntegerField(default=0)
    """No completions; passed on without being recorded."""
    paused = models.PositiveBigIntegerField(default=0)
    """By a key that is paused."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "hour"], name="proxy_count_of_hour")]

    def __str__(self) -> str:
        return f"calls of {self.team_id} from {self.hour:%Y-%m-%d %H:%M} on"


class Pulse(models.Model):
    """One row that the readiness check writes: only a commit proves that a commit is possible."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.at)
