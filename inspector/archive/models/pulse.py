"""The row of the readiness check."""

from django.db import models


class Pulse(models.Model):
    """One row that the readiness check writes: only a commit proves that a commit is possible."""

    at = models.DateTimeField()
