"""Tombstones of deleted captures, and the rules that delete or redact."""

from django.db import models
from django.db.models.functions import Now

from inspector.archive.models.captures import Capture
from inspector.teams.models import Team


class Tombstone(models.Model):
    """Proof of who deleted a capture and when. Its row keeps the hash, and nothing of the content.

    Its team stands here, too: receipts of a team are paged by it and the time of deletion, which no
    index of captures has.
    """

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    """That of the capture, for the index."""
    deleted_at = models.DateTimeField()
    """Asked of the database and written for all captures of a deletion: SQLite's own default spells
    a moment otherwise than a parameter does, and a page would begin with the row before it again.
    """
    deleted_by = models.CharField(max_length=200)

    class Meta:
        # Pages of receipts, and the oldest, which a retention rule may delete.
        indexes = [models.Index(fields=["team", "deleted_at", "capture"], name="tombstone_by_age")]


class TokenTombstone(models.Model):
    """SHA-256 of a feedback token that a deleted capture held, to tell a later vote so."""

    capture = models.ForeignKey(Capture, models.CASCADE, related_name="+")
    sha256 = models.CharField(max_length=64, db_index=True)


class RetentionClock(models.TextChoices):
    CAPTURES = "captures"
    BODIES = "bodies"
    TOMBSTONES = "tombstones"


class RetentionRule(models.Model):
    """Deletes captures of a query, their bodies alone, or tombstones, after a number of days, in
    passes that are work while it is on. Changed by removing it and adding another.
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
    error = models.CharField(max_length=200, null=True)
    """Why the last pass ended early; null where it did not."""
    ended_at = models.DateTimeField(null=True)
    """End of the last pass."""

    def __str__(self) -> str:
        what = {
            RetentionClock.CAPTURES: f"captures of {self.query}" if self.query else "all captures",
            RetentionClock.BODIES: f"bodies of {self.query or 'all captures'}",
            RetentionClock.TOMBSTONES: "receipts of deleted captures",
        }[RetentionClock(self.clock)]
        return f"{what} after {self.days} {'day' if self.days == 1 else 'days'}"


class RedactionRule(models.Model):
    """Passages to overwrite in the team's captures: by itself as they arrive, or where a job is
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
