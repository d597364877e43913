"""Sums over captures, by the hour and by the day, and what each capture gave to them; what each
one costs, the prices that a team set itself, and the pricing anew of a range.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from inspector.archive.models import NEWEST, Capture, Job
from inspector.teams.models import ApiKey, Team
from inspector.usage.histogram import TO_A_DOUBLING
from inspector.usage.tiers import STANDARD

HOUR_SECONDS = 3_600
DAY_SECONDS = 86_400
SPANS = (HOUR_SECONDS, DAY_SECONDS)
BUCKETS = tuple(f"n{bucket}" for bucket in range(TO_A_DOUBLING))
"""The columns of an octave."""
NOT_SENT = ""
"""In a column that is null where nothing is known yet."""


class Series(models.Model):
    """Captures of one team that have something in common (``inspector.usage.alike``)."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    by = models.CharField(max_length=20)
    digest = models.CharField(max_length=64)
    """SHA-256 of all that follows: names of any length are told apart by one narrow index."""
    model = models.CharField(max_length=500, null=True)
    request_model = models.CharField(max_length=500, null=True)
    vendor = models.CharField(max_length=63, null=True)
    dialect = models.CharField(max_length=63, null=True)
    key = models.ForeignKey(ApiKey, models.PROTECT, null=True, db_index=False, related_name="+")
    service_tier = models.CharField(max_length=63, null=True)
    fingerprint = models.CharField(max_length=200, null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "digest"], name="series_once")]

    def __str__(self) -> str:
        return f"series {self.pk} of team {self.team_id}"


class Sum(models.Model):
    """One measure of one series in one hour or one day (UTC) of arrival."""

    # Copied from the series: the index then leads from the team through one kind of series to the
    # time, and a page reads no row that it does not add up.
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    by = models.CharField(max_length=20)
    series = models.ForeignKey(Series, models.CASCADE, db_index=False, related_name="+")
    span_seconds = models.PositiveIntegerField()
    start = models.DateTimeField()
    measure = models.CharField(max_length=32)
    """Of ``measures.Measure``."""
    value = models.CharField(max_length=100)
    """Of the measure; empty where it has none."""
    captures = models.BigIntegerField()
    """How many captures told it."""
    total = models.BigIntegerField()
    """What they told, added up; 0 where they are only counted."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team", "by", "span_seconds", "start", "series", "measure", "value"],
                name="sum_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.measure} {self.value} of series {self.series_id} from {self.start}"


class Octave(models.Model):
    """The eight buckets of a histogram from one doubling to the next, of one series in one span.

    A column for each: both databases then add histograms up as they add sums, and there are as few
    rows for a million captures as for a hundred.
    """

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    by = models.CharField(max_length=20)
    series = models.ForeignKey(Series, models.CASCADE, db_index=False, related_name="+")
    span_seconds = models.PositiveIntegerField()
    start = models.DateTimeField()
    measure = models.CharField(max_length=20)
    octave = models.PositiveSmallIntegerField()
    n0 = models.BigIntegerField()
    n1 = models.BigIntegerField()
    n2 = models.BigIntegerField()
    n3 = models.BigIntegerField()
    n4 = models.BigIntegerField()
    n5 = models.BigIntegerField()
    n6 = models.BigIntegerField()
    n7 = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team", "by", "span_seconds", "start", "series", "measure", "octave"],
                name="octave_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.measure} of series {self.series_id} from {self.start}"


class Share(models.Model):
    """What one capture gave to the sums, to be taken back when it is read again or deleted."""

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    series = models.ForeignKey(Series, models.PROTECT, db_index=False, related_name="+")
    start = models.DateTimeField()
    """The hour of its arrival."""
    measures = models.BinaryField()
    """JSON, as ``measures.packed`` makes it."""

    def __str__(self) -> str:
        return f"share of {self.capture_id}"


class KeySet(models.Model):
    """The paths of all keys that some answers have; a measure names them by the digest."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    digest = models.CharField(max_length=32)
    streamed = models.BooleanField()
    paths = models.JSONField()
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "digest"], name="key_set_once")]
        indexes = [models.Index(fields=["team", "made_at"], name="key_set_made")]

    def __str__(self) -> str:
        return f"keys {self.digest} of team {self.team_id}"


class Watch(models.Model):
    """How far a team's sums have been looked at for drift, and who looks now."""

    team = models.OneToOneField(Team, models.PROTECT, primary_key=True, related_name="+")
    due_at = models.DateTimeField(db_default=Now())
    lease_token = models.UUIDField(null=True)
    looked_at = models.DateTimeField(null=True)
    newest = models.DateTimeField(null=True)
    """The arrival of the newest capture at that time: without a newer one there is no news."""
    looked_to = models.DateTimeField(null=True)
    """The end of the last stretch that was looked at."""

    def __str__(self) -> str:
        return f"watch of team {self.team_id}"


class Mark(models.Model):
    """One change of what a model's answers say, with the test that told it."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    digest = models.CharField(max_length=64)
    """SHA-256 of whose and which change it is, without when."""
    vendor = models.CharField(max_length=63, null=True)
    model = models.CharField(max_length=500, null=True)
    """That answered; of an alias the one that was asked for."""
    subject = models.CharField(max_length=16)
    """Of ``drift.Subject``."""
    direction = models.CharField(max_length=16)
    """Of ``changes.Direction``."""
    what = models.CharField(max_length=500, null=True)
    """Null: a value that was not sent, or times."""
    is_switch = models.BooleanField()
    replaces = models.CharField(max_length=500, null=True)
    streamed = models.BooleanField(null=True)
    """Null: of both."""
    start = models.DateTimeField()
    """The first hour of the new state."""
    at = models.DateTimeField()
    """As near as it is known: the arrival of the first capture that shows it, else the hour."""
    before_captures = models.BigIntegerField()
    before_value = models.BigIntegerField()
    since_captures = models.BigIntegerField()
    since_value = models.BigIntegerField()
    test = models.TextField()
    captures = models.JSONField(default=list)
    """Ids of the first that show it, of what vanished of the last that had it."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team", "digest", "start"], name="mark_once")
        ]
        indexes = [models.Index(fields=["team", "-start", "-id"], name="mark_newest")]

    def __str__(self) -> str:
        return f"{self.subject} {self.direction} at {self.start}"


class Price(models.Model):
    """What a capture costs by the rates that held when it was priced, and what that depends on."""

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    # Copied from the capture: a range of a team's captures is then one index.
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    received_at = models.DateTimeField()
    bill = models.BinaryField()
    """JSON, as ``bills.packed`` makes it."""
    computed_usd = models.CharField(max_length=100, null=True)
    """Exact decimal text; null where it is not known, for ``reason``."""
    reason = models.CharField(max_length=32, null=True)
    """Of ``unknown.Reason``."""
    table = models.CharField(max_length=100)
    """Whose rates, with their version, or those of which override."""
    differs = models.BooleanField()
    """From what the answer states, by more than rounding."""
    missing = models.JSONField(null=True)
    """What is billed and not in the cost, which then is the least: ``[[count, what, name]]``, as
    ``missing.packed`` makes it; null where nothing is known to be missing.
    """
    # Copied from the series: an index can then end in the order of lists. Null in rows of before
    # these columns, until their captures are read again.
    service_tier = models.CharField(max_length=63, null=True)
    fingerprint = models.CharField(max_length=200, null=True)

    class Meta:
        indexes = [
            models.Index(fields=["team", "received_at", "capture"], name="price_by_time"),
            # Each row is in one of these two.
            models.Index(
                fields=["team", "reason", *NEWEST],
                condition=Q(reason__isnull=False),
                name="price_unknown",
            ),
            models.Index(
                fields=["team", "table", *NEWEST],
                condition=Q(reason__isnull=True),
                name="price_by_table",
            ),
            models.Index(
                fields=["team", *NEWEST], condition=Q(missing__isnull=False), name="price_at_least"
            ),
            models.Index(fields=["team", "service_tier", *NEWEST], name="price_by_tier"),
            models.Index(fields=["team", "fingerprint", *NEWEST], name="price_by_fingerprint"),
        ]

    def __str__(self) -> str:
        return f"price of {self.capture_id}"


class PriceOverride(models.Model):
    """Rates that a team pays in place of the table's. Never removed: an override that is ended
    held until then, and says who made and who ended it.
    """

    team = models.ForeignKey(Team, models.PROTECT, related_name="+")
    vendor = models.CharField(max_length=63, null=True)
    model = models.CharField(max_length=200)
    is_prefix = models.BooleanField()
    # Programs of before this column leave it to the database; theirs are all of the usual rates.
    tier = models.CharField(max_length=63, null=True, default=STANDARD, db_default=STANDARD)
    """As answers state it; null means any."""
    rates = models.JSONField()
    """By kind of token, as decimal text: USD per million, of a request USD each."""
    starts = models.DateField()
    ends = models.DateField(null=True)
    """The first day on which it no longer holds."""
    made_at = models.DateTimeField(db_default=Now())
    made_by = models.CharField(max_length=200)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=200, null=True)
    """Who set ``ends`` after it was made."""

    def __str__(self) -> str:
        return f"price of {self.model} from {self.starts}"


class Repricing(models.Model):
    """What a job prices anew: the captures of a stretch of time, in the order of their arrival."""

    job = models.OneToOneField(Job, models.CASCADE, primary_key=True)
    team = models.ForeignKey(Team, models.PROTECT, related_name="+")
    since = models.DateTimeField()
    until = models.DateTimeField()
    asked_by = models.CharField(max_length=200)
    table = models.CharField(max_length=100)
    """The price table of the program that prices last."""

    passed_at = models.DateTimeField(null=True)
    passed = models.UUIDField(null=True)
    """Time and number of the last capture that was gone past: stored together with what became
    of it, so that a step that is cut off is repeated and never counted twice.
    """
    before_usd = models.CharField(max_length=100, default="0")
    before_captures = models.BigIntegerField(default=0)
    after_usd = models.CharField(max_length=100, default="0")
    after_captures = models.BigIntegerField(default=0)
    """Sums of the costs that are known, and of how many captures they are; so far."""
    # Programs of before these columns leave them to the database.
    before_at_least = models.BigIntegerField(default=0, db_default=0)
    after_at_least = models.BigIntegerField(default=0, db_default=0)
    """Of how many of them something billed is not in the sum."""

    def __str__(self) -> str:
        return f"pricing anew by job {self.job_id}"
