"""Sign-in links: each works once and within one day.

There is no default password and no anonymous mode: tools of this kind are found open on the
network. A link shows a page, and only its button uses the link up: a mail scanner that looks ahead
does not.
"""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from inspector.teams.audit import note_link
from inspector.teams.models import SignInLink, User
from inspector.teams.secret import hash_of, new_secret

LINK_LIFE = timedelta(hours=24)
"""Read the next morning it still works; found in an old mailbox it does not."""


def create_link(user: User) -> str:
    """Return the path to open, such as ``/sign-in/<token>/``; only the token's hash is kept."""
    token = new_secret()
    expires_at = timezone.now() + LINK_LIFE
    with transaction.atomic():
        SignInLink.objects.create(user=user, sha256=hash_of(token), expires_at=expires_at)
        note_link(user)
    return f"/sign-in/{token}/"


def use_link(token: str) -> User | None:
    """Return the user whom the link is for, at its first use in its day; None ever after."""
    now = timezone.now()
    link = SignInLink.objects.filter(sha256=hash_of(token))
    # One conditional update: of two people who open a link together only one changes a row. It
    # joins no other table, or the condition would be a subquery and hold for both.
    if link.filter(used_at=None, expires_at__gt=now).update(used_at=now) != 1:
        return None
    user = link.select_related("user").get().user
    return user if user.is_active else None
