"""People, teams and API keys: who may see what."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.crypto import salted_hmac

AUDIT_DAYS = 400
"""Thirteen months: a review once a year finds the whole year."""


class Role(models.TextChoices):
    """Roles in ascending order of rights."""

    VIEWER = "viewer"
    MEMBER = "member"
    ADMIN = "admin"
    OWNER = "owner"

    def is_above(self, other: str) -> bool:
        ranks = list(Role)
        return ranks.index(self) > ranks.index(Role(other))


class User(AbstractUser):
    """A person. ``username`` is the e-mail address or name they sign in with."""

    memberships_found: tuple[Membership, ...] | None = None
    """No column: the memberships loaded with the user of a session, for this request only."""

    sessions_ended = models.PositiveIntegerField(default=0, db_default=0)
    """How often all sessions were ended; a session is valid while it has the count of its start."""

    def get_session_auth_hash(self) -> str:
        of_password = super().get_session_auth_hash()
        signed = salted_hmac("inspector.teams.sessions", f"{of_password}{self.sessions_ended}")
        return signed.hexdigest()


class Team(models.Model):
    slug = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    audit_days = models.PositiveIntegerField(default=AUDIT_DAYS, db_default=AUDIT_DAYS)
    """How long the audit log keeps an entry."""
    redacts = models.BooleanField(default=False, db_default=False)
    """A rule of redaction is on: what arrives for any other team is not searched."""

    def __str__(self) -> str:
        return self.slug


class Membership(models.Model):
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)

    class Meta:
        # Two who add a person at once would leave two roles, and the weaker could not be taken
        # away.
        constraints = [models.UniqueConstraint(fields=["user", "team"], name="one_role_per_team")]


MAX_STREAMS = 100
"""So one key that leaks, or a client in a loop, leaves connections for the others."""


class ApiKey(models.Model):
    """A service's key. The key itself is shown once; only its SHA-256 is kept.

    The key is 256 random bits, so a fast hash is as strong as a slow one and costs no request.
    """

    team = models.ForeignKey(Team, models.CASCADE, related_name="keys")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=12)
    sha256 = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    made_by = models.CharField(max_length=200, null=True)
    """A name, kept when the user is deleted; null in rows from before it was recorded."""
    maker_id = models.BigIntegerField(null=True)
    """Id of the person who made the key; they may leave, and the key stays."""
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    paused_at = models.DateTimeField(null=True)
    """Since then calls with the key pass the proxy without being recorded."""
    max_streams = models.PositiveIntegerField(default=MAX_STREAMS, db_default=MAX_STREAMS)
    """Calls through the proxy that may be open at once."""
    origins = models.JSONField(default=list)
    """Origins of pages that send with it; a key with some does nothing but that."""
    session = models.CharField(max_length=200, default="", db_default="")
    """Session of what the proxy records with the key; empty for none."""


class Upstream(models.Model):
    """Where the proxy may call for a team, under the name that stands in the proxy's addresses."""

    team = models.ForeignKey(Team, models.CASCADE, db_index=False, related_name="+")
    name = models.SlugField(max_length=40, db_index=False)
    base_url = models.CharField(max_length=500)
    """In its one spelling (``inspector.web.public_address``); empty: that of the preset."""
    is_local = models.BooleanField(default=False)
    """Made by a command: its address may be of this machine or its network."""
    sites = models.JSONField(default=list)
    """Origins of pages that may call from a browser."""
    sample_percent = models.PositiveSmallIntegerField(default=100)
    keeps_other = models.BooleanField(db_default=False, default=False)
    """Calls that ask for no completion are captured, too."""
    is_disabled = models.BooleanField(default=False)
    made_by = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        # The name stands in the proxy's address: it must mean one place.
        constraints = [models.UniqueConstraint(fields=["team", "name"], name="one_upstream_a_name")]


FAILED_SIGN_IN = "sign_in_failed"


class AuditChain(models.Model):
    """Which entries of one chain of the audit log there have to be. Taking entries away at either
    end without changing this row shows.
    """

    name = models.CharField(max_length=40, primary_key=True)
    first = models.PositiveBigIntegerField(default=1)
    """Number of the oldest entry that is kept; those before it were forgotten."""
    last = models.PositiveBigIntegerField(default=0)
    """Number of the newest sealed entry; below ``first`` where all were forgotten."""
    last_sha256 = models.CharField(max_length=64, default="")


class AuditEntry(models.Model):
    """One recorded act; its codes are ``inspector.teams.audit.Act``. The sweep seals it: gives it
    the next number in its chain, and a hash over its content and the hash before it.
    """

    team = models.ForeignKey(Team, models.CASCADE, null=True, db_index=False, related_name="+")
    """Null for people who belong to no team, and for unknown names."""
    by = models.CharField(max_length=200)
    """A name, kept when the user or key is deleted."""
    act = models.CharField(max_length=40)
    on = models.CharField(max_length=200)
    network = models.CharField(max_length=50, null=True)
    """Null: this machine, by a command."""
    at = models.DateTimeField(auto_now_add=True)

    chain = models.CharField(max_length=40, null=True)
    """Null like the next three until it is sealed."""
    number = models.PositiveBigIntegerField(null=True)
    previous_sha256 = models.CharField(max_length=64, null=True)
    sha256 = models.CharField(max_length=64, null=True)

    class Meta:
        constraints = [
            # Beside the lock of a chain: a number that stands twice could not be told from forgery.
            models.UniqueConstraint(
                fields=["chain", "number"],
                condition=models.Q(number__isnull=False),
                name="audit_number_once",
            ),
        ]
        indexes = [
            # The page and the export, both by id.
            models.Index("team", models.F("id").desc(), name="audit_of_team"),
            # Finds the newest that are kept (`MAX_FAILED`) without a walk through all entries.
            models.Index(
                fields=["id"], condition=models.Q(act=FAILED_SIGN_IN), name="audit_failed"
            ),
            # Entries of the last seconds, of millions.
            models.Index(
                fields=["id"], condition=models.Q(number__isnull=True), name="audit_unsealed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.by} {self.act} {self.on}".strip()


class SignInLink(models.Model):
    """A sign-in link, valid once; only the hash of its secret is stored."""

    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)


class Invitation(models.Model):
    """An invitation for one person, valid as long as its maker may give the role."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="+")
    made_by = models.ForeignKey(User, models.CASCADE, related_name="+")
    role = models.CharField(max_length=10, choices=Role)
    sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)


class Tries(models.Model):
    """Password attempts counted in one of a fixed number of slots, which names share."""

    slot = models.PositiveIntegerField(primary_key=True)
    count = models.PositiveIntegerField(default=0)
    since = models.DateTimeField()
