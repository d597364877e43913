"""Deletes expired sessions from time to time."""

from __future__ import annotations

import time

from django.contrib.sessions.backends.db import SessionStore

EVERY_SECONDS = 3600.0

_due_at = 0.0


def delete_ended_sessions() -> None:
    """Deletes expired sessions; does nothing if called again within an hour."""
    global _due_at
    if time.monotonic() >= _due_at:
        SessionStore.clear_expired()
        _due_at = time.monotonic() + EVERY_SECONDS
