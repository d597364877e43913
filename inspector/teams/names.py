"""Names of principals for display and records, and keys by name."""

from collections.abc import Iterable, Sequence

from django.db.models import Q

from inspector.teams.access import Principal
from inspector.teams.models import ApiKey, User

# Stands for commands run by the owner of the machine.
COMMAND = "command"


def key_ids(team_ids: Iterable[int], names: Sequence[str]) -> list[int]:
    """Ids of the keys of these teams with one of these names or displayed prefixes."""
    named = Q(name__in=names) | Q(prefix__in=names)
    return list(ApiKey.objects.filter(named, team__in=team_ids).values_list("pk", flat=True))


def actor_name(principal: Principal) -> str:
    """Return a principal's name for records that outlive it: 155 characters at most."""
    if principal.key_id is not None:
        key = ApiKey.objects.get(pk=principal.key_id)
        return f"key {name_of_key(key)}"
    if principal.user_id is not None:
        return name_of_user(User.objects.get(pk=principal.user_id))
    return COMMAND


def name_of_user(user: User) -> str:
    return f"user {user.username}"


def name_of_key(key: ApiKey) -> str:
    """Return the displayed prefix and name of a key; never more of the key."""
    return f"{key.prefix}… ({key.name})"
