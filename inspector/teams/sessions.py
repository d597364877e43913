"""Who a session is of; those that ended are forgotten: their keys were worth something once."""

from __future__ import annotations

import time

from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends.db import SessionStore

from inspector.teams.models import Membership, User

EVERY_SECONDS = 3600.0

_due_at = 0.0


class People(ModelBackend):
    """Whoever is signed in, and the teams they are in, by one statement for each request."""

    def get_user(self, user_id: int) -> User | None:
        joined = Membership.objects.filter(user=user_id).select_related("user", "team")
        memberships = tuple(joined.order_by("team__slug"))
        if not memberships:
            return super().get_user(user_id)
        user = memberships[0].user
        user.memberships_found = memberships
        return user if self.user_can_authenticate(user) else None


def forget_ended() -> None:
    """Once in an hour, however often it is asked."""
    global _due_at
    if time.monotonic() >= _due_at:
        SessionStore.clear_expired()
        _due_at = time.monotonic() + EVERY_SECONDS
