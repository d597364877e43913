"""Sums of the calls through the proxy."""

from django.db import models

from inspector.teams.models import Team


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
        # Several proxies add to one row of an hour.
        constraints = [models.UniqueConstraint(fields=["team", "hour"], name="proxy_count_of_hour")]
