"""Table of shares: links by which whoever has no account sees one capture or one list."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from inspector.archive.models import Capture
from inspector.teams.models import ApiKey, Team, User


class Share(models.Model):
    """A link to one capture or to one list; nothing of either is stored here. Of its token only the
    hash is: 256 random bits, so that a fast one is enough.
    """

    team = models.ForeignKey(Team, models.CASCADE, db_index=False, related_name="+")
    capture = models.ForeignKey(
        Capture, models.CASCADE, null=True, db_index=False, related_name="+"
    )
    query = models.TextField(null=True)
    """Query of a list, in the language of the archive; empty for all. Null: it is of a capture."""
    sha256 = models.CharField(max_length=64, unique=True)
    maker = models.ForeignKey(User, models.CASCADE, null=True, related_name="+")
    """The person who made it; their links go with them."""
    key = models.ForeignKey(ApiKey, models.CASCADE, null=True, related_name="+")
    """The key that made it, where no person did."""
    made_by = models.CharField(max_length=200)
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    without_prompt = models.BooleanField()
    views = models.PositiveIntegerField(default=0)
    last_viewed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            # The list of a team's shares.
            models.Index(fields=["team", "-id"], name="share_newest"),
            # The shares on the page of a capture, and those that go with it.
            models.Index(fields=["capture", "-id"], name="share_of_capture"),
            # What erasure looks for.
            models.Index(fields=["expires_at"], name="share_expires"),
        ]
        constraints = [
            # Neither would show nothing, and both a capture that the query may not find.
            models.CheckConstraint(
                condition=Q(capture=None) ^ Q(query=None), name="share_of_capture_or_list"
            )
        ]
