"""Votes on choices, the tokens that prove them, and sums of them by the hour and by the day."""

import uuid6
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from inspector.archive.models import Capture
from inspector.teams.models import Team
from inspector.web.site_origin import ORIGIN_CHARACTERS

USER_CHARACTERS = 200
COMMENT_CHARACTERS = 8_000
"""Code points."""
HOUR_SECONDS = 3_600
DAY_SECONDS = 86_400
SPANS = (HOUR_SECONDS, DAY_SECONDS)


class VoteOutcome(models.TextChoices):
    POSITIVE = "positive"
    NEGATIVE = "negative"


class TriageState(models.TextChoices):
    OPEN = "open"
    RESOLVED = "resolved"
    INCORRECT = "incorrect"
    """The vote is wrong, not the answer."""


class FeedbackTokenKind(models.TextChoices):
    """Ours are verified. The others are what a foreign token looks like; nobody verified it."""

    OWN = "own"
    SIGNED = "signed"
    UNSIGNED = "unsigned"
    DOCUMENTED = "documented"
    UNKNOWN = "unknown"


LIVE = Q(superseded_at__isnull=True)


class SigningKey(models.Model):
    """A key that signs a team's feedback tokens; a retired key still verifies what it signed.

    The secret is stored in the clear: signing needs it.
    """

    team = models.ForeignKey(Team, models.PROTECT, related_name="+")
    secret = models.BinaryField()
    made_at = models.DateTimeField(db_default=Now())
    made_by = models.CharField(max_length=200)
    retired_at = models.DateTimeField(null=True)
    """When another key began to sign in its place."""
    revoked_at = models.DateTimeField(null=True)
    """Tokens signed by this key are refused from then on."""
    revoked_by = models.CharField(max_length=200, null=True)

    class Meta:
        constraints = [
            # One key signs; those before it verify.
            models.UniqueConstraint(
                fields=["team"],
                condition=Q(retired_at__isnull=True, revoked_at__isnull=True),
                name="signing_key_once",
            )
        ]


class Revocation(models.Model):
    """Revokes one token, or all tokens issued for a choice up to then."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    capture = models.ForeignKey(Capture, models.CASCADE, db_index=False, related_name="+")
    choice = models.BigIntegerField()
    sha256 = models.CharField(max_length=64, null=True)
    """Hash of the token; null revokes all."""
    revoked_at = models.DateTimeField(db_default=Now())
    revoked_by = models.CharField(max_length=200)

    class Meta:
        # Asked with each vote.
        indexes = [models.Index(fields=["capture", "choice"], name="revocation_of_choice")]


class TokenPlace(models.Model):
    """A choice that carries this token in its response: the one that a vote with it is about."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    sha256 = models.CharField(max_length=64)
    # Copied from the capture: of several with one token, the first call counts.
    called_at = models.DateTimeField()
    capture = models.ForeignKey(Capture, models.CASCADE, db_index=False, related_name="+")
    choice = models.BigIntegerField()

    class Meta:
        constraints = [
            # Also goes with its capture.
            models.UniqueConstraint(fields=["capture", "choice"], name="token_of_choice")
        ]
        indexes = [
            # Which choice a token that came inside a response is of; of a resent one the first.
            models.Index(fields=["team", "sha256", "called_at", "capture"], name="token_place"),
            # The page of feedback, for how much could be voted on.
            models.Index(fields=["team", "-called_at"], name="token_newest"),
        ]


class Vote(models.Model):
    """One user's vote on one choice, by one token. Never edited: a later vote supersedes it."""

    id = models.UUIDField(primary_key=True, default=uuid6.uuid7, editable=False)
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    created_at = models.DateTimeField()
    superseded_at = models.DateTimeField(null=True)
    """Null: this is the live one of its token and user."""

    capture = models.ForeignKey(Capture, models.CASCADE, db_index=False, related_name="+")
    choice = models.BigIntegerField()
    """The provider's number of the choice."""

    token_kind = models.CharField(max_length=12, choices=FeedbackTokenKind)
    token_sha256 = models.CharField(max_length=64)
    token_parts = models.JSONField(default=dict)
    """Unverified fields of a foreign token, as text by name."""

    user_id = models.CharField(max_length=USER_CHARACTERS, default="")
    """The user as the sender names them; "" stands for all users without a name."""
    outcome = models.CharField(max_length=8, choices=VoteOutcome)
    comment = models.TextField(null=True)
    """Null: none was sent."""
    byte_length = models.PositiveIntegerField()
    """Bytes of the sender's text in UTF-8."""
    state = models.CharField(max_length=10, choices=TriageState, default=TriageState.OPEN)

    class Meta:
        constraints = [
            # A user's later vote takes the place of the one before, also of two at once.
            models.UniqueConstraint(
                fields=["team", "token_sha256", "user_id"], condition=LIVE, name="vote_live_once"
            )
        ]
        indexes = [
            # The list, whole and by state.
            models.Index(fields=["team", "-created_at", "-id"], condition=LIVE, name="vote_newest"),
            models.Index(
                fields=["team", "state", "-created_at", "-id"],
                condition=LIVE,
                name="vote_by_state",
            ),
            # Votes on the page of a capture, and those that go with it.
            models.Index(fields=["capture", "choice"], name="vote_of_choice"),
            # All votes of one token, also those that were replaced.
            models.Index(fields=["team", "token_sha256", "user_id"], name="vote_by_token"),
        ]


class Triage(models.Model):
    """One triage step of a team member; a vote's state is that of the last step."""

    vote = models.ForeignKey(Vote, models.CASCADE, related_name="+")
    state = models.CharField(max_length=10, choices=TriageState)
    note = models.TextField(default="")
    at = models.DateTimeField(db_default=Now())
    by = models.CharField(max_length=200)


class VoteSum(models.Model):
    """Live votes of a team with one outcome, cast in one hour or one day (UTC)."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    span_seconds = models.PositiveIntegerField()
    start = models.DateTimeField()
    outcome = models.CharField(max_length=8, choices=VoteOutcome)
    votes = models.BigIntegerField()

    class Meta:
        constraints = [
            # Sums are added to by this key, in one statement.
            models.UniqueConstraint(
                fields=["team", "span_seconds", "start", "outcome"], name="vote_sum_once"
            )
        ]


class Site(models.Model):
    """An origin (RFC 6454) whose pages may send votes from browsers; never a pattern."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    origin = models.CharField(max_length=ORIGIN_CHARACTERS)
    made_at = models.DateTimeField(db_default=Now())
    made_by = models.CharField(max_length=200)

    class Meta:
        # Also the look-up with each vote from a browser.
        constraints = [models.UniqueConstraint(fields=["team", "origin"], name="site_once")]
