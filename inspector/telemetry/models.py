"""The table of what goes out by OTLP: captures whose spans wait."""

from django.db import models

from inspector.archive.models import Capture


class OutboxSpan(models.Model):
    """A capture whose span no collector has taken yet; its number is its place in the order. It is
    deleted once the span was taken, so that a number which was committed late is not missed.
    """

    capture = models.OneToOneField(Capture, models.CASCADE, related_name="+")
