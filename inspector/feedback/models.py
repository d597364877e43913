"""Votes on choices, the tokens that prove them, and sums of them by the hour and by the day."""

from __future__ import annotations

import uuid6
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from inspector.archive.models import Capture
from inspector.teams.models import ApiKey, Team

USER_CHARACTERS = 200
ORIGIN_CHARACTERS = 255
HOUR_SECONDS = 3_600
DAY_SECONDS = 86_400
SPANS = (HOUR_SECONDS, DAY_SECONDS)


class Outcome(models.TextChoices):
    POSITIVE = "positive"
    NEGATIVE = "negative"


class TriageState(models.TextChoices):
    OPEN = "open"
    RESOLVED = "resolved"
    INCORRECT = "incorrect"
    """The vote is wrong, not the answer."""


class TokenKind(models.TextChoices):
    """Ours are verified. The others are what a foreign token looks like; nobody verified it."""

    OWN = "own"
    SIGNED = "signed"
    UNSIGNED = "unsigned"
    DOCUMENTED = "documented"
    UNKNOWN = "unknown"


LIVE = Q(superseded_at__isnull=True)
WAITING = Q(capture__isnull=True)


class SigningKey(models.Model):
    """What signs a team's tokens; those that were replaced go on verifying what they signed.

    The secret is kept as it is: a hash could sign nothing.
    """

    team = models.ForeignKey(Team, models.PROTECT, related_name="+")
    secret = models.BinaryField()
    made_at = models.DateTimeField(db_default=Now())
    made_by = models.CharField(max_length=200)
    retired_at = models.DateTimeField(null=True)
    """When another began to sign in its place."""
    revoked_at = models.DateTimeField(null=True)
    """From then on everything that it signed is refused."""
    revoked_by = models.CharField(max_length=200, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team"],
                condition=Q(retired_at__isnull=True, revoked_at__isnull=True),
                name="signing_key_once",
            )
        ]

    def __str__(self) -> str:
        return f"key {self.pk} of team {self.team_id}"


class Revocation(models.Model):
    """Of one token, or of all that were made for a choice until then."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    capture = models.ForeignKey(Capture, models.CASCADE, db_index=False, related_name="+")
    choice = models.BigIntegerField()
    sha256 = models.CharField(max_length=64, null=True)
    """Of the token; null: all of them."""
    revoked_at = models.DateTimeField(db_default=Now())
    revoked_by = models.CharField(max_length=200)

    class Meta:
        indexes = [models.Index(fields=["capture", "choice"], name="revocation_of_choice")]

    def __str__(self) -> str:
        return f"{self.sha256 or 'all'} of choice {self.choice} of {self.capture_id}"


class TokenPlace(models.Model):
    """Where a token stands that came inside a response: the choice that a vote with it means."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    sha256 = models.CharField(max_length=64)
    # Copied from the capture: of several with one token the first that came is meant.
    received_at = models.DateTimeField()
    capture = models.ForeignKey(Capture, models.CASCADE, db_index=False, related_name="+")
    choice = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["capture", "choice"], name="token_of_choice")
        ]
        indexes = [
            models.Index(fields=["team", "sha256", "received_at", "capture"], name="token_place"),
            models.Index(fields=["team", "-received_at"], name="token_newest"),
        ]

    def __str__(self) -> str:
        return f"token of choice {self.choice} of {self.capture_id}"


class Series(models.Model):
    """Captures of one team that are alike in everything that votes can be grouped by."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    digest = models.CharField(max_length=64)
    """SHA-256 of all that follows."""
    model = models.CharField(max_length=500, null=True)
    request_model = models.CharField(max_length=500, null=True)
    vendor = models.CharField(max_length=63, null=True)
    dialect = models.CharField(max_length=63, null=True)
    key = models.ForeignKey(ApiKey, models.PROTECT, null=True, db_index=False, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "digest"], name="vote_series_once")]

    def __str__(self) -> str:
        return f"series {self.pk} of team {self.team_id}"


class WaitingRoom(models.Model):
    """Of a team that wants one: where votes wait whose captures have not come.

    Nobody can verify such a vote, so that without it none is kept.
    """

    team = models.OneToOneField(Team, models.PROTECT, primary_key=True, related_name="+")
    opened_at = models.DateTimeField(db_default=Now())
    opened_by = models.CharField(max_length=200)

    def __str__(self) -> str:
        return f"of team {self.team_id}"


class Vote(models.Model):
    """What one user said of one choice, by one token. Never edited: a later vote supersedes it."""

    id = models.UUIDField(primary_key=True, default=uuid6.uuid7, editable=False)
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    created_at = models.DateTimeField()
    superseded_at = models.DateTimeField(null=True)
    """Null: this is the live one of its token and user."""

    capture = models.ForeignKey(
        Capture, models.CASCADE, null=True, db_index=False, related_name="+"
    )
    """Null: it waits for the capture that carries its token."""
    choice = models.BigIntegerField(null=True)
    """As the provider numbered it."""
    series = models.ForeignKey(Series, models.PROTECT, null=True, db_index=False, related_name="+")
    """What it is counted under, as long as it is live."""

    token_kind = models.CharField(max_length=12, choices=TokenKind)
    token_sha256 = models.CharField(max_length=64)
    token_parts = models.JSONField(default=dict)
    """What a foreign token says of itself, as text by name; nobody verified it."""

    user_id = models.CharField(max_length=USER_CHARACTERS, default="")
    """As the sender names a user; "" is everybody whom it does not name."""
    outcome = models.CharField(max_length=8, choices=Outcome)
    comment = models.TextField(null=True)
    """Null: none was sent."""
    byte_length = models.PositiveIntegerField(null=True)
    """Of all that its sender wrote, in UTF-8; null: it was kept before that was counted."""
    source = models.CharField(max_length=64, null=True)
    """While it waits: a keyed hash of the network that it came from."""
    state = models.CharField(max_length=10, choices=TriageState, default=TriageState.OPEN)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team", "token_sha256", "user_id"], condition=LIVE, name="vote_live_once"
            )
        ]
        indexes = [
            models.Index(fields=["team", "-created_at", "-id"], condition=LIVE, name="vote_newest"),
            models.Index(
                fields=["team", "state", "-created_at", "-id"],
                condition=LIVE,
                name="vote_by_state",
            ),
            models.Index(fields=["capture", "choice"], name="vote_of_choice"),
            models.Index(fields=["team", "token_sha256", "user_id"], name="vote_by_token"),
            models.Index(fields=["team", "created_at"], condition=WAITING, name="vote_waiting"),
            models.Index(
                fields=["team", "source", "byte_length"],
                condition=WAITING,
                name="vote_waiting_room",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} of choice {self.choice} of {self.capture_id}"


class Triage(models.Model):
    """What somebody of the team made of a vote; the last one is what its state says."""

    vote = models.ForeignKey(Vote, models.CASCADE, related_name="+")
    state = models.CharField(max_length=10, choices=TriageState)
    note = models.TextField(default="")
    at = models.DateTimeField(db_default=Now())
    by = models.CharField(max_length=200)

    def __str__(self) -> str:
        return f"{self.state} by {self.by}"


class Sum(models.Model):
    """Live votes of one series and outcome in one hour or one day (UTC)."""

    # Copied from the series: an index can then begin with the team and go on with the time.
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    series = models.ForeignKey(Series, models.PROTECT, db_index=False, related_name="+")
    span_seconds = models.PositiveIntegerField()
    start = models.DateTimeField()
    outcome = models.CharField(max_length=8, choices=Outcome)
    votes = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team", "span_seconds", "start", "series", "outcome"], name="vote_sum_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.votes} {self.outcome} of series {self.series_id} from {self.start}"


class Site(models.Model):
    """From whose pages browsers may vote: an origin (RFC 6454), never a pattern."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    origin = models.CharField(max_length=ORIGIN_CHARACTERS)
    made_at = models.DateTimeField(db_default=Now())
    made_by = models.CharField(max_length=200)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "origin"], name="site_once")]

    def __str__(self) -> str:
        return self.origin
