"""Sums over captures, by the hour and by the day, and what each capture gave to them; what each
one costs, and the prices that a team set itself.
"""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from inspector.archive.models import NEWEST, Capture
from inspector.core.fields.service_tier import STANDARD
from inspector.teams.models import ApiKey, Team

HOUR_SECONDS = 3_600
DAY_SECONDS = 86_400
SPANS = (HOUR_SECONDS, DAY_SECONDS)
BUCKETS_PER_OCTAVE = 8
BUCKETS = tuple(f"n{bucket}" for bucket in range(BUCKETS_PER_OCTAVE))
"""The columns of an octave."""
# In a column where null means "not known yet".
NOT_SENT = ""


class UsageSeries(models.Model):
    """Captures of one team with something in common (``inspector.usage.rollup.dimensions``)."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    by = models.CharField(max_length=20)
    digest = models.CharField(max_length=64)
    """SHA-256 of the columns below: one narrow index tells names of any length apart."""
    model = models.CharField(max_length=500, null=True)
    request_model = models.CharField(max_length=500, null=True)
    named_model = models.CharField(max_length=500, null=True)
    vendor = models.CharField(max_length=63, null=True)
    dialect = models.CharField(max_length=63, null=True)
    key = models.ForeignKey(ApiKey, models.PROTECT, null=True, db_index=False, related_name="+")
    service_tier = models.CharField(max_length=63, null=True)
    other_service_tier = models.CharField(max_length=63, null=True)
    """The second of two tiers where either may apply; null elsewhere."""
    fingerprint = models.CharField(max_length=200, null=True)

    class Meta:
        # Of two that meet a new series at once, one stores it.
        constraints = [models.UniqueConstraint(fields=["team", "digest"], name="series_once")]


class UsageSum(models.Model):
    """The sum of one measure over one series in one hour or one day (UTC) of calls."""

    # Copied from the series: the index then leads from the team through one kind of series to the
    # time, and a page reads no row that it does not add up.
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    by = models.CharField(max_length=20)
    series = models.ForeignKey(UsageSeries, models.CASCADE, db_index=False, related_name="+")
    span_seconds = models.PositiveIntegerField()
    start = models.DateTimeField()
    measure = models.CharField(max_length=32)
    """A code of ``measures.Measure``."""
    value = models.CharField(max_length=100)
    """The measure's value; empty for measures without one."""
    captures = models.BigIntegerField()
    """Number of captures that have the measure."""
    total = models.BigIntegerField()
    """Their numbers added up; 0 for measures that only count captures."""

    class Meta:
        constraints = [
            # Sums are added to by this key, in one statement.
            models.UniqueConstraint(
                fields=["team", "by", "span_seconds", "start", "series", "measure", "value"],
                name="sum_once",
            )
        ]


class Octave(models.Model):
    """The eight buckets of a histogram from one doubling to the next, of one series in one span.

    A column for each: both databases then add histograms up as they add sums, and there are as few
    rows for a million captures as for a hundred.
    """

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    by = models.CharField(max_length=20)
    series = models.ForeignKey(UsageSeries, models.CASCADE, db_index=False, related_name="+")
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
            # As of sums.
            models.UniqueConstraint(
                fields=["team", "by", "span_seconds", "start", "series", "measure", "octave"],
                name="octave_once",
            )
        ]


class StoredContribution(models.Model):
    """The measures that one capture added to the sums, to be subtracted again."""

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    series = models.ForeignKey(UsageSeries, models.PROTECT, db_index=False, related_name="+")
    start = models.DateTimeField()
    """The hour of its call."""
    measures = models.BinaryField()
    """JSON, as ``encode_measures`` makes it."""


class FieldSet(models.Model):
    """The paths of all fields that some answers have; a measure names them by the digest."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    digest = models.CharField(max_length=32)
    streamed = models.BooleanField()
    paths = models.JSONField()
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        # Of two that meet new fields at once, one stores them.
        constraints = [models.UniqueConstraint(fields=["team", "digest"], name="field_set_once")]
        # How many are new today (`field_sets.MAX_NEW_A_DAY`).
        indexes = [models.Index(fields=["team", "made_at"], name="field_set_made")]


class DriftScanState(models.Model):
    """How far the captures of one team were scanned for drift."""

    team = models.OneToOneField(Team, models.PROTECT, primary_key=True, related_name="+")
    scanned_at = models.DateTimeField(null=True)
    newest_call = models.DateTimeField(null=True)
    """The newest call at that time; a scan is due again after a newer one. Null: it is due."""
    scanned_to = models.DateTimeField(null=True)
    """The end of the last stretch of hours that was scanned; taken back for calls of earlier hours
    that arrive late.
    """


class DriftEvent(models.Model):
    """One detected change in a model's responses, with the statistical test that found it."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    digest = models.CharField(max_length=64)
    """SHA-256 of whose and which change it is, without when."""
    vendor = models.CharField(max_length=63, null=True)
    model = models.CharField(max_length=500, null=True)
    """The model that answered; for the subject alias, the requested one."""
    subject = models.CharField(max_length=16)
    """A code of ``DriftSubject``."""
    direction = models.CharField(max_length=16)
    """A code of ``changes.DriftDirection``."""
    value = models.CharField(max_length=500, null=True)
    """Null: a value that was not sent."""
    replaces_value = models.BooleanField()
    """``value`` came in place of ``replaced_value``."""
    replaced_value = models.CharField(max_length=500, null=True)
    streamed = models.BooleanField(null=True)
    """Null: of both."""
    start = models.DateTimeField()
    """The first hour of the new state."""
    at = models.DateTimeField()
    """The first call that shows the change; the hour where none does."""
    test = models.JSONField()
    """A ``DriftTest``."""
    replaced_test = models.JSONField(null=True)
    """The test that shows the replaced value gone."""
    captures = models.JSONField(default=list)
    """Ids of the first that show it, of what vanished of the last that had it."""

    class Meta:
        constraints = [
            # A look that is repeated finds the same events, and notes each once.
            models.UniqueConstraint(fields=["team", "digest", "start"], name="drift_event_once")
        ]
        # The list of events of a period.
        indexes = [models.Index(fields=["team", "-start", "-id"], name="drift_event_newest")]


class Price(models.Model):
    """The computed cost of one capture at the time of pricing, and the facts it depends on."""

    capture = models.OneToOneField(Capture, models.CASCADE, primary_key=True)
    # Copied from the capture: a range of a team's captures is then one index.
    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    called_at = models.DateTimeField()
    billable = models.BinaryField()
    """A ``Billable`` as JSON."""
    computed_usd = models.CharField(max_length=100, null=True)
    """Exact decimal text; null where it is not known, for ``reason``."""
    listed_ticks = models.BigIntegerField(null=True)
    """Cost that lists show and sort by: the stated one, else the computed one; null where neither
    is known, or it is more than a response can cost.
    """
    reason = models.CharField(max_length=32, null=True)
    """A code of ``CostUnknownReason``."""
    table = models.CharField(max_length=100)
    """The price table with its version, or the override, whose rates were used."""
    contradicts_stated = models.BooleanField()
    """The stated cost differs by more than rounding."""
    unpriced_items = models.JSONField(null=True)
    """Billed items beyond the cost, a lower bound then; null where it includes all."""
    # Copied from the series: an index can then end in the order of lists.
    service_tier = models.CharField(max_length=63, null=True)
    other_service_tier = models.CharField(max_length=63, null=True)
    fingerprint = models.CharField(max_length=200, null=True)

    class Meta:
        indexes = [
            # What repricing goes through.
            models.Index(fields=["team", "called_at", "capture"], name="price_by_time"),
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
            # Few have a part without a price.
            models.Index(
                fields=["team", *NEWEST],
                condition=Q(unpriced_items__isnull=False),
                name="price_lower_bound",
            ),
            # The list by cost, in both directions.
            models.Index(
                fields=["team", "listed_ticks", "called_at", "capture"],
                condition=Q(listed_ticks__isnull=False),
                name="price_by_amount",
            ),
            # The list by service tier and by fingerprint, which inspections have no index of.
            models.Index(fields=["team", "service_tier", *NEWEST], name="price_by_tier"),
            models.Index(
                fields=["team", *NEWEST],
                condition=Q(other_service_tier__isnull=False),
                name="price_ambiguous_tier",
            ),
            models.Index(fields=["team", "fingerprint", *NEWEST], name="price_by_fingerprint"),
        ]


class PriceOverride(models.Model):
    """Rates that a team pays in place of the price table's. Never removed: an override that has
    ended applied until then. Records who made it and who ended it.
    """

    team = models.ForeignKey(Team, models.PROTECT, related_name="+")
    vendor = models.CharField(max_length=63, null=True)
    model = models.CharField(max_length=200)
    is_prefix = models.BooleanField()
    tier = models.CharField(max_length=63, null=True, default=STANDARD)
    """As responses state it; null matches any."""
    rates = models.JSONField()
    """Decimal text by kind of token: USD per million tokens, or USD per request."""
    starts = models.DateField()
    ends = models.DateField(null=True)
    """The first day on which it no longer holds."""
    made_at = models.DateTimeField(db_default=Now())
    made_by = models.CharField(max_length=200)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=200, null=True)
    """Who set ``ends`` after the override was made."""
