"""Tables of shares: links to frozen documents of one capture or several, and who opened them."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from inspector.archive.models import Capture
from inspector.teams.models import ApiKey, Team, User


class ShareLayout(models.TextChoices):
    CAPTURE = "capture"
    COMPARISON = "comparison"
    LIST = "list"


class Share(models.Model):
    """A link to the document of one capture, or of several. Only the hash of its token is stored:
    256 random bits, so that a fast one is enough.
    """

    team = models.ForeignKey(Team, models.CASCADE, db_index=False, related_name="+")
    layout = models.CharField(max_length=12, choices=ShareLayout, default=ShareLayout.CAPTURE)
    capture = models.ForeignKey(
        Capture, models.CASCADE, null=True, db_index=False, related_name="+"
    )
    """Null where it is of several: those are members of its document."""
    captures = models.PositiveIntegerField(default=1)
    """How many it showed when it was made."""
    sha256 = models.CharField(max_length=64, unique=True)
    maker = models.ForeignKey(User, models.CASCADE, null=True, related_name="+")
    """The person who made it; their links go with them."""
    key = models.ForeignKey(ApiKey, models.CASCADE, null=True, related_name="+")
    """The key that made it, where no person did."""
    made_by = models.CharField(max_length=200)
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    max_views = models.PositiveIntegerField()
    views = models.PositiveIntegerField(default=0)
    without_prompt = models.BooleanField()
    without_texts = models.BooleanField()
    masked_passages = models.PositiveSmallIntegerField(default=0)
    """How many; which ones is told nowhere."""
    analysis_version = models.PositiveIntegerField()
    """Of the reading that its document shows."""

    class Meta:
        indexes = [
            models.Index(fields=["team", "-id"], name="share_newest"),
            models.Index(fields=["capture", "-id"], name="share_of_capture"),
            models.Index(fields=["expires_at"], name="share_expires"),
        ]
        constraints = [
            # The count is made by one conditional update; should another way to it ever appear, the
            # database refuses a view too many.
            models.CheckConstraint(
                condition=Q(views__lte=F("max_views")), name="share_views_within_cap"
            )
        ]

    def __str__(self) -> str:
        return f"share {self.pk} until {self.expires_at:%Y-%m-%d %H:%M}"


class ShareDocument(models.Model):
    """What a share shows, as it was made. It goes when the share ends."""

    share = models.OneToOneField(Share, models.CASCADE, primary_key=True, related_name="document")
    content = models.BinaryField()
    """HTML in UTF-8, zstd; of several captures without them."""
    policy = models.CharField(max_length=300)
    """The Content-Security-Policy with which it was made, which names its style by hash."""

    def __str__(self) -> str:
        return f"document of share {self.share_id}"


class ShareMember(models.Model):
    """One of several captures in a document. With its capture it goes, and the others stay."""

    document = models.ForeignKey(
        ShareDocument, models.CASCADE, db_index=False, related_name="members"
    )
    capture = models.ForeignKey(Capture, models.CASCADE, related_name="+")
    position = models.PositiveSmallIntegerField()
    row = models.BinaryField()
    """The capture in the table (HTML in UTF-8, zstd)."""
    content = models.BinaryField()
    """What it says (HTML in UTF-8, zstd)."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["document", "position"], name="share_member_position")
        ]

    def __str__(self) -> str:
        return f"capture {self.capture_id} in share {self.document_id}"


class ShareView(models.Model):
    """That somebody opened a share."""

    share = models.ForeignKey(Share, models.CASCADE, related_name="view_log")
    at = models.DateTimeField(db_default=Now())
    network = models.CharField(max_length=50)

    def __str__(self) -> str:
        return f"{self.network} opened share {self.share_id}"
