"""Loads the user of a session and their memberships in one statement."""

from django.contrib.auth.backends import ModelBackend

from inspector.teams.models import Membership, User


class SessionBackend(ModelBackend):
    """Loads the signed-in user and their teams by one statement per request."""

    def get_user(self, user_id: int) -> User | None:
        joined = Membership.objects.filter(user=user_id).select_related("user", "team")
        memberships = tuple(joined.order_by("team__slug"))
        if not memberships:
            return super().get_user(user_id)
        user = memberships[0].user
        user.memberships_found = memberships
        return user if self.user_can_authenticate(user) else None
