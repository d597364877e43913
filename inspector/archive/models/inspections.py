"""Projections of the evidence, which can be rebuilt from it."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from inspector.archive.models.captures import Capture
from inspector.teams.models import Team

# Indexes end in the order of lists, so that their rows need no sorting.
NEWEST = ("-called_at", "-capture")


class Inspection(models.Model):
    """The narrow part of the projection: what lists show and filters find by.

    Its texts are cut so that every one of them fits into an index.
    """

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    # Copied from the capture: an index can then begin with a filter and end in the list's order.
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    called_at = models.DateTimeField()

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
    named_model = models.CharField(max_length=500, null=True)
    """The model that answered, else the one that was asked for: a failed call names none."""
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
    """As the sender states it, like trace, span and end user; null where nobody does."""
    trace = models.CharField(max_length=200, null=True)
    span = models.CharField(max_length=200, null=True)
    end_user = models.CharField(max_length=200, null=True)

    answer_kind = models.CharField(max_length=10, null=True)
    """A code of ``AnswerLineKind``; null until a version that makes lines has read the capture."""
    answer_line = models.CharField(max_length=200, null=True)
    answer_blank = models.CharField(max_length=30, null=True)
    """The content of an answer without text, as JSON; null where there is text, or none came."""

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
            # Lists by one value: a walk through the newest would pass all that have another.
            models.Index(fields=["team", "verdict", *NEWEST], name="inspection_by_verdict"),
            models.Index(fields=["team", "result", *NEWEST], name="inspection_by_result"),
            models.Index(fields=["team", "named_model", *NEWEST], name="inspection_by_model"),
            models.Index(fields=["team", "dialect", *NEWEST], name="inspection_by_dialect"),
            models.Index(fields=["team", "vendor", *NEWEST], name="inspection_by_vendor"),
            # Few have any: the index is as small as they are few.
            models.Index(
                fields=["team", *NEWEST], condition=Q(error_count__gt=0), name="inspection_errors"
            ),
            models.Index(
                fields=["team", *NEWEST],
                condition=Q(warning_count__gt=0),
                name="inspection_warnings",
            ),
            # What an earlier version read: reinspection has no list of it.
            models.Index(fields=["team", "tried_version", "capture"], name="inspection_behind"),
            # Other captures of a prompt (``listing.same_prompt``).
            models.Index(
                fields=["team", "prompt_sha256", *NEWEST],
                condition=Q(prompt_sha256__isnull=False),
                name="inspection_by_prompt",
            ),
            # Names that senders give; most captures have none.
            *(
                models.Index(
                    fields=["team", column, *NEWEST],
                    condition=Q((f"{column}__isnull", False)),
                    name=f"inspection_by_{column}",
                )
                for column in ("session", "trace", "span", "end_user")
            ),
            # Lists that are sorted, in both directions; those without a value are found by time.
            *(
                models.Index(
                    fields=["team", column, "called_at", "capture"],
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


class Document(models.Model):
    """All that was read of a capture (``readouts``), and the analysis that it replaced.

    A table of its own, and bytes: no list ever reads past it, and both databases keep exactly the
    same.
    """

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    readout = models.BinaryField()
    previous = models.BinaryField(null=True)
    reinspected_at = models.DateTimeField(null=True)
    """Time of the latest reinspection; the inspection keeps the time of the first."""
    reinspection_error = models.TextField(null=True)
    """Why a newer version than the document's could not read the capture."""


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
            # Also finds the choices of a capture.
            models.UniqueConstraint(fields=["capture", "position"], name="choice_position")
        ]
        # The list by the finish reason of any choice.
        indexes = [models.Index(fields=["finish_reason", "capture"], name="choice_by_finish")]


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
            # Each source numbers its own: a rule that adds findings later moves none.
            models.UniqueConstraint(
                fields=["capture", "source", "position"], name="finding_position"
            )
        ]
        # The list by a finding.
        indexes = [models.Index(fields=["code", "capture"], name="finding_by_code")]


class RequestIdRow(models.Model):
    """An id that a response header gives the request (``x-request-id``), to find it by."""

    capture = models.ForeignKey(Capture, models.CASCADE, db_index=False, related_name="+")
    value = models.CharField(max_length=200)

    class Meta:
        # Several headers may state one id.
        constraints = [models.UniqueConstraint(fields=["capture", "value"], name="request_id_once")]
        # What people paste from a provider's error or a support ticket.
        indexes = [models.Index(fields=["value", "capture"], name="request_id_by_value")]


class SlowReading(models.Model):
    """A reading that took long or failed, or will take long: its capture is read apart, and its
    time counts for the key that sent it. Forgotten once it counts no more.
    """

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    at = models.DateTimeField(db_default=Now(), db_index=True)
    ms = models.PositiveBigIntegerField()
    """Milliseconds spent on reading this capture so far."""
