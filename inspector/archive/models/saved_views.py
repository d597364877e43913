"""Lists under a name."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from inspector.teams.models import Team, User


class SavedView(models.Model):
    """A list of captures under a name: of one person, or of the whole team."""

    team = models.ForeignKey(Team, models.PROTECT, db_index=False, related_name="+")
    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="+")
    """Whose view it is; null for one of the team."""
    name = models.CharField(max_length=60)
    query = models.TextField(default="")
    """The filters, as the query string of the list."""
    layout = models.TextField(default="")
    """Rest of the list's address, such as its order; a query string, kept as it is."""
    made_by = models.CharField(max_length=200)
    """A name, kept when the person is deleted."""
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            # Two constraints: in one, no null equals another, and a team could have a name twice.
            models.UniqueConstraint(
                fields=["team", "name"], condition=Q(user__isnull=True), name="view_of_team_once"
            ),
            models.UniqueConstraint(
                fields=["team", "user", "name"],
                condition=Q(user__isnull=False),
                name="view_of_person_once",
            ),
        ]
