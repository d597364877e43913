"""From a name to what bears it, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import Q

from inspector.teams.access import Principal
from inspector.teams.models import ApiKey, User

COMMAND = "command"
"""Of whoever owns the machine."""


def key_ids(team_ids: Iterable[int], names: Sequence[str]) -> list[int]:
    """Of the keys of these teams that have one of these names, or begin so as lists show them."""
    named = Q(name__in=names) | Q(prefix__in=names)
    return list(ApiKey.objects.filter(named, team__in=team_ids).values_list("pk", flat=True))


def name_of(principal: Principal) -> str:
    """For what is written down about who did something, and outlives them."""
    if principal.key_id is not None:
        key = ApiKey.objects.get(pk=principal.key_id)
        return f"key {name_of_key(key)}"
    if principal.user_id is not None:
        return name_of_user(User.objects.get(pk=principal.user_id))
    return COMMAND


def name_of_user(user: User) -> str:
    return f"user {user.username}"


def name_of_key(key: ApiKey) -> str:
    """It shows no more of the key than lists do."""
    return f"{key.prefix}… ({key.name})"
