"""Proof that a person's sessions have not been ended, for requests that come without a cookie."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.utils.crypto import constant_time_compare, salted_hmac

from inspector.teams import access
from inspector.teams.access import Principal
from inspector.teams.models import User
from inspector.teams.session_backend import SessionBackend

SALT = "inspector.teams.session_proof"


def proof_of(user: User | AnonymousUser) -> str:
    """Returns a proof of the session of somebody who is signed in. It changes with a new password,
    and when all sessions are ended.
    """
    assert isinstance(user, User)
    return salted_hmac(SALT, user.get_session_auth_hash()).hexdigest()


def principal_of(user_id: int, proof: str) -> Principal | None:
    """Returns None if the person is gone or inactive, or has ended their sessions since."""
    user = SessionBackend().get_user(user_id)
    if user is None or not constant_time_compare(proof_of(user), proof):
        return None
    return access.for_user(user)
