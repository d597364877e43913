"""Calls that belong together, and what is kept of each to compare them by."""

import uuid6
from django.db import models
from django.db.models import Q

from inspector.archive.models import Capture
from inspector.teams.models import Team

VALUE_CHARACTERS = 200
"""Names come from senders: of a longer one the beginning is kept, with a digest."""


class Grouping(models.TextChoices):
    """Why captures are one session."""

    SESSION = "session"
    """Their senders state one session."""
    TRACE = "trace"
    """Their senders state one trace, and no session."""
    PROMPT = "prompt"
    """Inferred: one goes on with another, by its prompt or by the id of a response."""


class Session(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid6.uuid7, editable=False)
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    grouping = models.CharField(max_length=10, choices=Grouping)
    value = models.CharField(max_length=VALUE_CHARACTERS, null=True)
    """As stated; null of an inferred session."""
    first_at = models.DateTimeField()
    """Arrival of its first capture."""
    last_at = models.DateTimeField()
    turns = models.PositiveIntegerField()
    """Captures, attempts among them."""
    lanes = models.PositiveIntegerField()
    """0 until a turn is placed."""
    is_listed = models.BooleanField()
    """False of a lone capture that states no session."""

    class Meta:
        constraints = [
            # Beside the lock of a team: one that is stated is one row.
            models.UniqueConstraint(
                fields=["team", "grouping", "value"],
                condition=Q(value__isnull=False),
                name="session_once",
            )
        ]
        indexes = [
            # The list; a call that is alone is a session, and not listed.
            models.Index(
                fields=["team", "-last_at", "-id"],
                condition=Q(is_listed=True),
                name="session_newest",
            )
        ]


class Turn(models.Model):
    """One capture in its session.

    What can only be told with the request (digests, outline, changes) goes with its body; numbers
    and causes stay.
    """

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True, related_name="+")
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    session = models.ForeignKey(Session, models.PROTECT, db_index=False, related_name="+")
    called_at = models.DateTimeField()
    key = models.BigIntegerField(null=True)
    """The id of the API key that sent it."""
    start_us = models.BigIntegerField()
    """Since the epoch, as in ``StoredCall``: for the length of sessions in a list."""
    end_us = models.BigIntegerField()

    response_id = models.CharField(max_length=VALUE_CHARACTERS, null=True)
    conversation = models.BigIntegerField(null=True)
    """A digest of all messages; null where there are none."""
    answered_from = models.BigIntegerField(null=True)
    """A digest of the messages before the last answer: what the call before it had sent."""

    lane = models.PositiveIntegerField(null=True)
    """Null until it is placed."""
    parent = models.UUIDField(null=True)
    """The capture that it goes on with. No foreign key: that one may be deleted."""
    bond = models.CharField(max_length=10, null=True)
    attempt_of = models.UUIDField(null=True)
    hop_of = models.UUIDField(null=True)

    cause = models.CharField(max_length=16, null=True)
    """A code of ``MissCause``; null where no cache was missed."""
    is_due = models.BooleanField(default=False)
    section = models.CharField(max_length=10, null=True)
    """Where the prompt departs, of a missed cache."""
    missed_tokens = models.BigIntegerField(null=True)
    missed_ticks = models.BigIntegerField(null=True)
    """Extra cost of them over reading from the cache; null where it is not known."""

    call = models.BinaryField()
    """``StoredCall``."""
    digests = models.BinaryField(null=True)
    """Digests of the messages, as in ``PromptOutline``."""
    outline = models.BinaryField(null=True)
    changes = models.BinaryField(null=True)
    """Against the parent."""

    class Meta:
        indexes = [
            # One session, from its first call on.
            models.Index(fields=["session", "called_at", "capture"], name="turn_in_order"),
            # What a request names as the answer before it.
            models.Index(
                fields=["session", "called_at", "capture"],
                condition=Q(lane__isnull=True),
                name="turn_unplaced",
            ),
            models.Index(
                fields=["team", "response_id", "called_at"],
                condition=Q(response_id__isnull=False),
                name="turn_by_response",
            ),
            # The call that a new one goes on with, by the messages before its last answer.
            models.Index(
                fields=["team", "conversation", "called_at"],
                condition=Q(conversation__isnull=False),
                name="turn_by_conversation",
            ),
            # Calls that go on with a new one and were captured before it.
            models.Index(
                fields=["team", "answered_from", "called_at"],
                condition=Q(answered_from__isnull=False),
                name="turn_by_answered",
            ),
            # Few have one: what a period missed is counted without a walk through the others.
            models.Index(
                fields=["team", "called_at"],
                condition=Q(cause__isnull=False),
                name="turn_missed_cache",
            ),
        ]
