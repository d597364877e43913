"""Tables of what goes out by OTLP: captures whose spans wait, and how their export does."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from inspector.archive.models import Capture


class OutboxSpan(models.Model):
    """A capture whose span no collector has taken yet; its number is its place in the order. It is
    deleted once the span was taken, so that a number which was committed late is not missed.
    """

    capture = models.OneToOneField(Capture, models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"span of {self.capture_id}"


class CollectorState(models.Model):
    """One row. Who has the lease sends; nobody else does until it is over."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    due_at = models.DateTimeField(db_default=Now())
    """Earliest time of the next try: at once, after a wait, or at the end of the lease."""
    lease_token = models.UUIDField(null=True)
    failures = models.PositiveIntegerField(default=0)
    """Tries in a row that failed."""
    failure = models.CharField(max_length=300, default="")
    alone = models.PositiveIntegerField(default=0)
    """How many of the next spans are sent one by one, because all together were refused."""
    sent = models.PositiveBigIntegerField(default=0)
    refused = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return "export of spans"
